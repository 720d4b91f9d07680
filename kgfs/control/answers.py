"""What each request of the control socket does, by name; the same code answers a command that has no daemon.

Used by ``control.server`` (on a connection's thread) and ``control.client`` (in the command's own process). Here alone
the whole service is known: each request is handed those of its parts that it needs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kgfs.callers import NOBODY, Caller, caller, through
from kgfs.control import agent_runs, annotate, browse, exchange, sessions, site, sources, versions
from kgfs.control.frames import FrameError, Reply, Request, argument
from kgfs.control.path_arguments import PathArgument, PathFinder
from kgfs.control.sources import SourceParts
from kgfs.control.stored_places import StoredPlaces
from kgfs.errors import UsageError
from kgfs.namespace.queries.query_cache import visiting

if TYPE_CHECKING:
    from kgfs.service.service import Service
    from kgfs.tools.reach import TreeAnswer

JOBS = frozenset(
    {
        "add",
        "backup",
        "export",
        "export-tree",
        "fsck",
        "import",
        "publish-copy",
        "reembed",
        "refresh",
        "rm",
        "session-commit",
        "settle",
        "source-move",
        "wait",
        "workspace-import",
        "workspace-promote",
    }
)
"""Requests that take long and run on the service's job thread."""

QUERIES = frozenset({"brief", "find", "grep", "search", "sql", "tool"})
"""Requests that ask, and are recorded; those that change something are recorded where they pass the gate."""

Handler = Callable[["Service", dict[str, Any], Reply], dict[str, Any]]


def answer(service: Service, request: Request, reply: Reply) -> dict[str, Any]:
    """Answer one request. ``FrameError`` for one that is not known or lacks what it needs."""
    handler = _HANDLERS.get(request.command)
    if handler is None:
        raise FrameError(f"There is no request {request.command!r}; are both ends of one version?")
    if request.command in QUERIES:
        return _asked(service, request, handler, reply)
    with through("command"), visiting():
        return handler(service, request.arguments, reply)


def _asked(service: Service, request: Request, handler: Handler, reply: Reply) -> dict[str, Any]:
    """Answer a query, and record that it was asked."""
    if caller.get() is NOBODY:
        caller.set(Caller(os.getpid(), request.command))
    name, asked = request.command, request.arguments
    if name == "tool":
        if isinstance(run := asked.get("run"), str):  # an agent of ours asks
            session = asked.get("session")
            caller.set(agent_runs.caller_of(run, session if isinstance(session, str) else None))
        name, asked = str(asked.get("name") or name), {**_plain(asked.get("arguments")), **_plain(asked.get("places"))}
    asked = {key: value["text"] if _is_place(value) else value for key, value in asked.items()}
    began = time.time_ns()
    try:
        with visiting():
            result = handler(service, request.arguments, reply)
    except BaseException as error:
        service.audit.asked(name, asked, began, str(error) or type(error).__name__)
        raise
    failed = result.get("is_error") and str(result.get("message"))
    service.audit.asked(name, asked, began, failed or None)
    return result


def _plain(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_place(value: Any) -> bool:
    """Whether an argument is a ``PathArgument``: it is recorded as the user wrote it."""
    fields = set(PathArgument.__struct_fields__)
    return isinstance(value, dict) and isinstance(value.get("text"), str) and value.keys() <= fields


def _finder(service: Service) -> PathFinder:
    return PathFinder(lambda: service.namespace, service.references, service.path_prefix)


def _stored(service: Service) -> StoredPlaces:
    return StoredPlaces(_finder(service), service.writable)


def _place(arguments: dict[str, Any]) -> PathArgument:
    place: PathArgument = argument(arguments, "place", PathArgument)
    return place


def _ls(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return browse.list_directory(_finder(service), _place(arguments), reply)


def _cat(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return browse.read_file(_finder(service), _place(arguments), reply)


def _tree(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    levels = argument(arguments, "levels", int | None)
    return browse.show_tree(_finder(service), _place(arguments), levels, reply)


def _find(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    name = argument(arguments, "name", str | None)
    kind = argument(arguments, "kind", str | None)
    predicates = argument(arguments, "predicates", list[str], [])
    if predicates:
        return browse.find_satisfying(_finder(service), _place(arguments), predicates, name, kind, reply)
    return browse.find_below(_finder(service), _place(arguments), name, kind, reply)


def _grep(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    pattern = argument(arguments, "pattern", str)
    flags = argument(arguments, "flags", str, "")
    return browse.search_lines(_finder(service), _place(arguments), pattern, flags, reply)


def _sql(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    from kgfs.namespace.queries import sql

    if arguments.get("schema"):
        body = sql.schema()
    else:
        statement, form = argument(arguments, "statement", str), argument(arguments, "form", str, "jsonl")
        body = sql.rows(service.namespace.store, service.namespace.view, statement, form)
    for start in range(0, len(body), browse.READ_BYTES):
        reply.data(body[start : start + browse.READ_BYTES])
    return {"bytes": len(body)}


def _stat(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return browse.describe(_finder(service), _place(arguments), reply)


def _search(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    origin: str | None = argument(arguments, "origin", str | None)
    node = None
    scope: PathArgument | None = argument(arguments, "scope", PathArgument | None)
    if scope is not None:
        node, file = _searched(service, scope)
        origin = file or origin
    return service.searching.search(
        argument(arguments, "query", str),
        kind=argument(arguments, "kind", str, "semantic"),
        origin=origin,
        limit=argument(arguments, "limit", int | None),
        within=node,
    )


def _site_search(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return site.find_pages(service.namespace.view, service.searching, argument(arguments, "query", str))


def _site_page(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return site.page_of(service.namespace.view, _finder(service).path(_place(arguments)))


def _brief(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    node, origin = None, None
    scope: PathArgument | None = argument(arguments, "scope", PathArgument | None)
    if scope is not None:
        node, origin = _searched(service, scope)
    return service.searching.brief(
        argument(arguments, "question", str),
        limit=argument(arguments, "limit", int | None),
        within=node,
        origin=origin,
    )


def _searched(service: Service, scope: PathArgument) -> tuple[int | None, str | None]:
    """The directory that ``--in`` means; or, for a stored file, where it is on its drive.

    Of another file it is the directory in which that stands.
    """
    namespace = service.namespace
    node = _finder(service).find_node(scope).node
    path = namespace.path(node)
    if path.startswith("@"):
        raise UsageError(f"{scope.text} is no part of the graph; name a directory of entities/, documents/, topics/ ….")
    if namespace.row(node).kind == "d":
        return node, None
    if path.startswith("context/"):
        return None, ":".join(service.references.at_path(path, scope.text))
    return namespace.parent(node)[0], None


def _tool(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    from kgfs.control import tooling

    def ask_tree(request: str, arguments: dict[str, Any], most: int = browse.READ_BYTES) -> TreeAnswer:
        return tooling.collect(lambda part: _HANDLERS[request](service, arguments, part), reply.cancel, most)

    reach = replace(service.reach, ask_tree=ask_tree)
    return tooling.answer(
        reach,
        _stored(service),
        argument(arguments, "name", str),
        argument(arguments, "arguments", dict[str, Any], {}),
        argument(arguments, "places", dict[str, PathArgument], {}),
        argument(arguments, "through", Literal["command", "agent", "mcp"], "command"),
    )


def _source_parts(service: Service) -> SourceParts:
    finder, stored = _finder(service), _stored(service)
    return SourceParts(
        service.sources, service.known_sources, service.references, service.versions, finder, stored, service.settle
    )


def _add(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return sources.add(service.sources, arguments, reply)


def _rm(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return sources.remove(_source_parts(service), arguments, reply)


def _refresh(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return sources.reread(_source_parts(service), arguments, reply)


def _source_of(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return sources.around(service.known_sources, arguments)


def _move_source(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return sources.move(_source_parts(service), arguments, reply)


def _wait(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    timeout = argument(arguments, "timeout", float | None)
    return service.wait(timeout, reply.progress, reply.cancel)


def _fsck(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    repair, quick = bool(arguments.get("repair")), bool(arguments.get("quick"))
    return service.upkeep.fsck(repair=repair, quick=quick, progress=reply.progress, cancel=reply.cancel)


def _reembed(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return service.upkeep.reembed(argument(arguments, "model", str | None), reply.progress, reply.cancel)


def _settle(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return service.settle(reply.progress, reply.cancel)


def _status(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    flags = {name: bool(arguments.get(name)) for name in ("brief", "errors", "check")}
    return service.report.status(**flags)


def _at_work(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return {"jobs": service.at_work()}


def _model(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Whether vectors take part in searches, after an attempt to load the model."""
    return {"problem": service.report.vectors_problem(load=True)}


def _sources(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    from kgfs.service.health import state

    return {"paths": state.source_paths(service.database)}


def _write_scope(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """What ``--write-through`` would write to."""
    from kgfs.service.writing import write_scope

    return write_scope.scope(service.store, service.database)._asdict()


def _skills(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The skills that the store holds, trusted or not."""
    from kgfs.tools.prompts.skill_files import stored_skills

    with service.database.read(snapshot=True) as cursor:
        return {"skills": [skill._asdict() for skill in stored_skills(cursor)]}


def _source_states(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return {"sources": service.report.sources()}


def _history(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return versions.history(service.versions, _stored(service), arguments, reply)


def _diff(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return versions.diff(service.versions, _stored(service), arguments, reply)


def _restore(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return versions.restore(service.versions, _stored(service), arguments)


def _entity(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return annotate.entity(service.annotations, _finder(service), arguments, reply)


def _fact(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return annotate.fact(service.annotations, _finder(service), arguments, reply)


def _export(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return exchange.export(service.exchange, reply)


def _export_tree(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return exchange.export_tree(service.namespace, reply)


def _import(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return exchange.take(service.exchange, arguments, reply)


def _backup(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return exchange.backup(service.exchange, arguments, reply)


def _publish_copy(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return exchange.copy_to_publish(service.exchange, argument(arguments, "pid", int), reply)


def _set_key(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    service.workspace.set_key(argument(arguments, "key", str), argument(arguments, "value", str))
    return {}


def _delete_key(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    service.workspace.delete_key(argument(arguments, "key", str))
    return {}


def _settle_audit(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    service.components.agent.recorder.settle()
    return {}


def _archive_audit(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return {"archived": service.workspace.archive_calls(argument(arguments, "before", int))}


def _settle_workspace(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    service.workspace.settle(make=argument(arguments, "make", bool, False))
    return {}


def _import_workspace(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    path = Path(os.fsdecode(argument(arguments, "path", bytes)))
    options = argument(arguments, "options", dict[Literal["replace", "keys", "calls"], bool], {})
    to = argument(arguments, "to", bytes | None)
    return service.workspace.import_path(path, to, options, reply.progress, reply.cancel)


def _promote(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    paths = argument(arguments, "paths", list[bytes])
    to = argument(arguments, "to", str, "")
    return service.workspace.promote(paths, to, replace=argument(arguments, "replace", bool, False))


def _record_run(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """A command that ran in a sandbox has ended."""
    service.audit.ran(
        {
            "command": argument(arguments, "command", list[str]),
            **{name: argument(arguments, name, bool) for name in ("net", "read_only", "unsafe")},
            "added": argument(arguments, "added", list[str]),
        },
        argument(arguments, "began", int),
        {
            "exit_status": argument(arguments, "status", int),
            "ended": argument(arguments, "why", str),
            "output_bytes": argument(arguments, "output_bytes", int),
        },
        argument(arguments, "session", str | None),
    )
    return {}


_SESSIONS: dict[str, Handler] = {
    "session-new": lambda service, arguments, reply: sessions.new(service.sessions, arguments),
    "session-fork": lambda service, arguments, reply: sessions.fork(service.sessions, arguments),
    "session-list": lambda service, arguments, reply: sessions.listed(service.sessions, reply),
    "session-diff": lambda service, arguments, reply: sessions.diff(service.sessions, arguments, reply),
    "session-conflicts": lambda service, arguments, reply: sessions.conflicts(service.sessions, arguments, reply),
    "session-discard": lambda service, arguments, reply: sessions.discard(service.sessions, arguments),
    "session-commit": lambda service, arguments, reply: sessions.commit(service.sessions, arguments, reply),
    "session-take": lambda service, arguments, reply: sessions.take(service.sessions, arguments),
    "session-copy": lambda service, arguments, reply: sessions.copy(service.sessions, arguments, reply),
}

_RUNS: dict[str, Handler] = {
    "agent-begin": lambda service, arguments, reply: agent_runs.begin(service.runs, arguments),
    "agent-write": lambda service, arguments, reply: agent_runs.write(service.runs, arguments),
    "agent-record": lambda service, arguments, reply: agent_runs.record(service.runs, arguments),
    "agent-end": lambda service, arguments, reply: agent_runs.end(service.runs, arguments),
}

_HANDLERS: dict[str, Handler] = {
    "ls": _ls, "cat": _cat, "tree": _tree, "find": _find, "grep": _grep, "stat": _stat, "search": _search,
    "brief": _brief, "sql": _sql, "tool": _tool, "history": _history, "diff": _diff, "restore": _restore,
    "add": _add, "refresh": _refresh, "rm": _rm, "settle": _settle, "wait": _wait,
    "fsck": _fsck, "reembed": _reembed, "status": _status, "model": _model, "at-work": _at_work, "sources": _sources,
    "export": _export, "export-tree": _export_tree, "import": _import, "backup": _backup,
    "publish-copy": _publish_copy,
    "source": _source_of, "site-search": _site_search, "site-page": _site_page,
    "write-scope": _write_scope, "skills": _skills,
    "source-states": _source_states, "source-move": _move_source, "entity": _entity, "fact": _fact,
    "kv-set": _set_key, "kv-delete": _delete_key, "workspace-settle": _settle_workspace, "audit-settle": _settle_audit,
    "audit-archive": _archive_audit, "run-record": _record_run,
    "workspace-import": _import_workspace, "workspace-promote": _promote,
    **_SESSIONS, **_RUNS,
}  # fmt: skip
