"""The process that speaks to Ray: takes the pipeline's calls, has the cluster do each as a task, and returns the reply.

``python -m kgfs.cluster.driver --socket FD --address A --config JSON``, started by ``kgfs.cluster.client``. It is a
process of its own because Ray ends the one that it runs in when the cluster goes. Retries are Ray's: a task whose node
or process dies is done elsewhere. It leaves when its socket closes, and a cluster that it started ends with it.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import logging
import os
import secrets
import shutil
import socket
import sys
import tempfile
import threading
from typing import Any

import msgspec

from kgfs.calls import BULK_SECONDS, Call
from kgfs.cluster import comparison
from kgfs.cluster.addresses import LOCAL, host_and_port, ray_address
from kgfs.cluster.calls import ClusterCalls, Node
from kgfs.config import Config
from kgfs.errors import ConflictError, KgfsError, Unreachable, WorkerError, from_kind
from kgfs.model import prepared
from kgfs.models import framing
from kgfs.models.serving import Server

log = logging.getLogger(__name__)

MOST_AT_ONCE = 1024
"""Threads, each of which waits for a task."""
RETRIES = 3
"""How often Ray does a task again whose process or node died."""
TASK_SECONDS = BULK_SECONDS - 30
"""A node ends what takes too long by itself, and says so; a task that takes longer than this was never begun."""
LOOK_SECONDS = 5.0
"""So long somebody may take to answer at an address."""
DESCRIBE_SECONDS = 120.0
STORE_BYTES = 256 << 20
"""Memory that a cluster of this machine alone may use for what its processes share."""
_KEPT = 4
"""So many of them stay in the cluster."""
_READING = ("embedding_", "chunk", "max_", "parse_", "extract_")
"""How settings begin that have a say in reading; others, which name servers and folders, are not sent."""


def reading_settings(config: Config) -> bytes:
    """The settings that nodes need, as JSON."""
    fields = [field.name for field in msgspec.structs.fields(Config) if field.name.startswith(_READING)]
    return msgspec.json.encode(Config(**{name: getattr(config, name) for name in fields}))


class Driver(ClusterCalls):
    """The calls, each as a task of Ray's. Safe to use from several threads."""

    def __init__(self, address: str, config: Config) -> None:
        self._address, self._settings = address, reading_settings(config)
        self._folder = ""
        """Where a cluster of our own keeps its sockets."""
        self._ray: Any = None
        self._work: Any = None
        self._lock = threading.Lock()
        self._shared: collections.OrderedDict[bytes, Any] = collections.OrderedDict()
        self._done: collections.Counter[str] = collections.Counter()

    def join(self) -> list[Node]:
        ray = self._connected()
        nodes = {
            one["NodeID"]: Node(
                id=one["NodeID"], address=one["NodeManagerAddress"], processors=int(one["Resources"].get("CPU", 0))
            )
            for one in ray.nodes()
            if one["Alive"] and one["Resources"].get("CPU", 0) >= 1
        }
        if not nodes:
            raise Unreachable(f"No node of the Ray cluster {self._address} has a processor; add nodes to it.")
        self._compare(list(nodes.values()))
        # Imported there by its name: that it is the same code was just seen.
        from kgfs.cluster.node import work

        self._work = ray.remote(num_cpus=1, max_retries=RETRIES, scheduling_strategy="SPREAD")(_located(work))
        return list(nodes.values())

    def tally(self) -> dict[str, int]:
        with self._lock:
            return dict(self._done)

    def _ask(self, call: Call, arguments: dict[str, Any]) -> Any:
        encoded = call.encoded(arguments)
        shared = encoded.pop(framing.SHARED, None)
        frame = msgspec.msgpack.encode(framing.Call(0, call.name, encoded))
        given = ("", b"") if shared is None else (framing.SHARED, self._reference(bytes(shared)))
        try:
            task = self._work.remote(self._settings, frame, *given)
            node, reply = self._ray.get(task, timeout=TASK_SECONDS)
        except Exception as error:
            raise self._failure(error) from error
        with self._lock:
            self._done[node] += 1
        answer = msgspec.msgpack.decode(reply, type=prepared(framing.Reply))
        if answer.error is not None:
            raise from_kind(answer.error.kind, answer.error.message)
        return answer.result

    def _reference(self, shared: bytes) -> Any:
        """An argument as it lies in the cluster."""
        digest = hashlib.blake2b(shared, digest_size=16).digest()
        with self._lock:
            found = self._shared.pop(digest, None)
            if found is None:
                found = self._ray.put(shared)
            self._shared[digest] = found
            while len(self._shared) > _KEPT:
                self._shared.popitem(last=False)
            return found

    def _failure(self, error: Exception) -> KgfsError:
        """What it means that a task has no reply."""
        from ray import exceptions

        log.warning("A task failed.", exc_info=error)
        if isinstance(error, exceptions.WorkerCrashedError | exceptions.OutOfMemoryError):
            return WorkerError(
                "the process that read it broke down on each of several tries, perhaps for want of memory"
            )
        if isinstance(error, exceptions.GetTimeoutError):
            reason = f"no processor was free for {TASK_SECONDS:g} seconds"
        else:
            reason = _first_line(error)
        return Unreachable(
            f"The Ray cluster {self._address} does not do its work ({reason}); nothing is lost, and the same command"
            " goes on, with --on or without."
        )

    # --- the cluster -----------------------------------------------------------------------------------------------

    def _connected(self) -> Any:
        if self._ray is not None:
            return self._ray
        options: dict[str, Any] = {"address": ray_address(self._address)}
        if self._address == LOCAL:
            # Ray listens on all interfaces: without the token nobody has anything done in our name.
            os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
            self._folder = tempfile.mkdtemp(prefix="kgfs-ray-")
            options |= {
                "num_cpus": len(os.sched_getaffinity(0)), "include_dashboard": False, "_temp_dir": self._folder,
                "object_store_memory": STORE_BYTES,
            }  # fmt: skip
        elif (place := host_and_port(self._address)) is not None:
            _look(self._address, *place)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        try:
            ray.init(log_to_driver=False, logging_level=logging.WARNING, **options)
        except Exception as error:
            log.warning("Ray cannot be used.", exc_info=True)
            if "ersion mismatch" in str(error) or "same version" in str(error):
                raise ConflictError(
                    f"The Ray cluster {self._address} has another version of Ray or Python than this machine"
                    f" ({_first_line(error)}); install the same."
                ) from error
            what = "Ray cannot be started here" if self._address == LOCAL else _beginning(self._address)
            raise Unreachable(f"{what} ({_first_line(error)}).") from error
        self._ray = ray
        return ray

    def _compare(self, nodes: list[Node]) -> None:
        """``ConflictError`` where a node has other programs than this machine."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        packages = comparison.deciding_packages()
        here = comparison.describe(packages)
        self._ray.cloudpickle.register_pickle_by_value(comparison)
        describe = self._ray.remote(num_cpus=0, max_retries=RETRIES)(comparison.describe)
        asked = [
            describe.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False)).remote(packages)
            for node in nodes
        ]
        try:
            answers = self._ray.get(asked, timeout=DESCRIBE_SECONDS)
        except Exception as error:
            raise self._failure(error) from error
        for node, there in zip(nodes, answers, strict=True):
            if found := comparison.difference(here, there):
                raise ConflictError(
                    f"The node {node.address} of the Ray cluster would read documents in another way: {found}; install"
                    " the same on all of them."
                )

    def leave(self) -> None:
        """End what is under way, and a cluster of our own."""
        if self._ray is not None:
            self._ray.shutdown()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _located(work: Any) -> Any:
    """``work`` that says on which node it ran."""

    def located(*arguments: Any) -> tuple[str, bytes]:
        import ray

        return ray.get_runtime_context().get_node_id(), work(*arguments)

    return located


def _look(address: str, host: str, port: int) -> None:
    """``Unreachable`` where nobody listens: Ray would try for minutes."""
    try:
        socket.create_connection((host, port), LOOK_SECONDS).close()
    except OSError as error:
        raise Unreachable(
            f"{_beginning(address)} ({error.strerror or error}); is it running, and is that its port?"
        ) from error


def _beginning(address: str) -> str:
    return f"The Ray cluster {address} cannot be reached"


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")[:300]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="kgfs.cluster.driver", description="Speaks to Ray; kgfs starts it.")
    parser.add_argument("--address", required=True)
    parser.add_argument("--config", default="{}")
    parser.add_argument("--socket", type=int, required=True, help="descriptor of an inherited socket")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    driver = Driver(options.address, msgspec.json.decode(options.config, type=Config))
    connection = socket.socket(fileno=options.socket)
    try:
        Server(connection, driver, ClusterCalls, {"status": 2, "bulk": MOST_AT_ONCE}).serve()
    except (KgfsError, msgspec.DecodeError, OSError) as error:
        log.warning("The process that speaks to Ray leaves: %s", error)
    with contextlib.suppress(Exception):
        driver.leave()
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)  # threads may wait for tasks, and nothing of theirs is worth waiting for


if __name__ == "__main__":
    main()
