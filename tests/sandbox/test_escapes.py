"""Ways out of the sandbox of ``kgfs run``: each is tried, and fails.

Where it can be, the same is done outside first, so that what fails inside would work without the sandbox.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import platform
import re
import socket
import stat
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.config import SOCKET
from tests.conftest import Program, alive
from tests.sandbox.sandboxed import PYTHON, Sandboxed, sandboxed

pytestmark = pytest.mark.mount

SECRET = "the word that nobody inside may read"

READ = """
import json, sys
found = {}
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            found[path] = file.read(1000).decode("utf-8", "replace")
    except OSError as error:
        pass
print(json.dumps(found))
"""

WRITE = """
import json, sys
done = []
for path in sys.argv[1:]:
    try:
        with open(path, "wb") as file:
            file.write(b"1")
        done.append(path)
    except OSError:
        pass
print(json.dumps(done))
"""

CALL = """
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ctypes.set_errno(0)
    words = [one if isinstance(one, bytes) else ctypes.c_long(one) for one in arguments]
    answer = libc.syscall(*words)
    return "done" if answer >= 0 else errno.errorcode[ctypes.get_errno()]
"""

CALLS = {
    "x86_64": {
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "setns": 308, "unshare": 272, "clone": 56,
        "clone3": 435, "ptrace": 101, "process_vm_readv": 310, "add_key": 248, "request_key": 249, "keyctl": 250,
        "bpf": 321, "open_by_handle_at": 304, "io_uring_setup": 425, "fsopen": 430, "open_tree": 428,
    },
    "aarch64": {
        "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "setns": 268, "unshare": 97, "clone": 220,
        "clone3": 435, "ptrace": 117, "process_vm_readv": 270, "add_key": 217, "request_key": 218, "keyctl": 219,
        "bpf": 280, "open_by_handle_at": 265, "io_uring_setup": 425, "fsopen": 430, "open_tree": 428,
    },
}  # fmt: skip
"""Numbers of system calls: a program that wants out calls the kernel itself."""


@pytest.fixture(scope="module")
def inside(kgfs: Program) -> Iterator[Sandboxed]:
    with sandboxed(kgfs) as one:
        yield one


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(SECRET)
    return path


@pytest.fixture
def outsider() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user outside."""
    with subprocess.Popen(["sleep", "10000.5"]) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def number() -> dict[str, int]:
    if platform.machine() not in CALLS:
        pytest.skip("the numbers of this machine's system calls are not written here")
    return CALLS[platform.machine()]


def test_it_sees_the_mount_and_may_write_there(inside: Sandboxed) -> None:
    """What works, so that what fails below fails for the right reason."""
    assert inside.python(READ, "/kg/AGENTS.md")["/kg/AGENTS.md"].startswith("#")
    assert inside.python(WRITE, "/kg/workspace/made", "/tmp/made", "/dev/shm/made") == [
        "/kg/workspace/made", "/tmp/made", "/dev/shm/made",
    ]  # fmt: skip
    assert (inside.workspace / "made").read_bytes() == b"1"
    assert inside("--", "sh", "-c", "pwd; echo $HOME; ls -d $HOME").stdout.split() == ["/kg", "/tmp/home", "/tmp/home"]


def test_paths_outside(inside: Sandboxed, secret: Path) -> None:
    assert PYTHON is not None
    wanted = [secret, inside.store / "agent.db", inside.mountpoint / "AGENTS.md", "/etc/hostname", "/etc/shadow"]
    roots = [
        "",
        "/kg/..",
        "/kg/../../../..",
        "/proc/self/root",
        "/proc/self/cwd/../..",
        "/proc/1/root",
        "/proc/1/cwd/..",
    ]
    paths = [f"{root}{path}" for path in wanted for root in roots]
    outside = subprocess.run([PYTHON, "-c", READ, *paths], capture_output=True, text=True, check=True)
    assert json.loads(outside.stdout)[str(secret)] == SECRET
    assert inside.python(READ, *paths) == {}


def test_what_lies_in_the_root(inside: Sandboxed) -> None:
    seen = set(inside("--", "ls", "-a", "/").stdout.split()) - {".", ".."}
    assert seen <= {"bin", "dev", "etc", "kg", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr"}
    assert {"kg", "tmp", "usr"} <= seen
    listed = inside("--", "cat", "/proc/self/mountinfo").stdout
    assert str(inside.store) not in listed.replace(f"fuse.kgfs {inside.store}", "")


def test_links_on_the_mount(inside: Sandboxed, secret: Path) -> None:
    (inside.workspace / "absolute").symlink_to(secret)
    (inside.workspace / "upward").symlink_to("../" * 20 + str(secret).lstrip("/"))
    (inside.workspace / "folder").symlink_to(secret.parent)
    links = [inside.workspace / name for name in ("absolute", "upward", "folder/secret")]
    assert [link.read_text() for link in links[::2]] == [SECRET] * 2
    paths = [f"/kg/workspace/{link.relative_to(inside.workspace)}" for link in links]
    assert inside.python(READ, *paths) == {}
    assert inside.python(WRITE, *paths) == []
    assert secret.read_text() == SECRET


def test_processes_outside(inside: Sandboxed, outsider: subprocess.Popen[bytes], number: dict[str, int]) -> None:
    code = (
        CALL
        + """
pid, me = int(sys.argv[1]), int(sys.argv[2])
seen = []
for name in os.listdir("/proc"):
    if name.isdigit():
        with open(f"/proc/{name}/cmdline", "rb") as file:
            seen.append(file.read().decode("utf-8", "replace"))
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
tried = {
    "signal": call(int(sys.argv[3]), PTRACE_ATTACH, pid, 0, 0),
    "seize": call(int(sys.argv[3]), PTRACE_SEIZE, os.getppid(), 0, 0),
    "read": call(int(sys.argv[4]), os.getppid(), 0, 0, 0, 0, 0),
}
for name, one in (("kill", pid), ("kill the tester", me), ("kill all", -1)):
    try:
        os.kill(one, 0 if one < 0 else 9)
        tried[name] = "done"
    except OSError as error:
        tried[name] = errno.errorcode[error.errno]
print(json.dumps([seen, tried]))
"""
    )
    arguments = (outsider.pid, os.getpid(), number["ptrace"], number["process_vm_readv"])
    seen, tried = inside.python(code, *arguments)
    assert len(seen) <= 4 and not [line for line in seen if "10000.5" in line or "mountd" in line]
    assert tried.pop("kill all") in ("done", "ESRCH")  # those inside, of which there is none but itself
    assert tried == {
        "signal": "EPERM", "seize": "EPERM", "read": "EPERM", "kill": "ESRCH", "kill the tester": "ESRCH",
    }  # fmt: skip
    assert alive(outsider.pid)
    inside("--", "sh", "-c", "kill -9 -1", status=None)
    assert alive(outsider.pid) and alive(inside.daemon.pid)


def test_namespaces_and_mounts(inside: Sandboxed, number: dict[str, int]) -> None:
    code = (
        CALL
        + """
number = json.loads(sys.argv[1])
NEWUSER, NEWNS, BIND, REMOUNT = 0x10000000, 0x20000, 4096, 32
tried = {
    "bind": call(number["mount"], b"/", b"/tmp", b"none", BIND, 0),
    "tmpfs": call(number["mount"], b"none", b"/tmp", b"tmpfs", 0, 0),
    "proc": call(number["mount"], b"none", b"/tmp", b"proc", 0, 0),
    "writable": call(number["mount"], b"none", b"/usr", b"none", BIND | REMOUNT, 0),
    "umount": call(number["umount2"], b"/usr", 2),
    "umount the mount": call(number["umount2"], b"/kg", 2),
    "pivot": call(number["pivot_root"], b"/tmp", b"/tmp"),
    "chroot": call(number["chroot"], b"/tmp"),
    "unshare": call(number["unshare"], NEWUSER | NEWNS),
    "clone": call(number["clone"], NEWUSER | 17, 0, 0, 0, 0),
    "clone3": call(number["clone3"], b"\\0" * 88, 88),
    "setns": call(number["setns"], os.open("/proc/1/ns/mnt", os.O_RDONLY), 0),
    "fsopen": call(number["fsopen"], b"tmpfs", 0),
    "open_tree": call(number["open_tree"], -100, b"/kg", 1),
    "handle": call(number["open_by_handle_at"], -100, b"\\0" * 64, 0),
    "bpf": call(number["bpf"], 0, 0, 0),
    "io_uring": call(number["io_uring_setup"], 1, b"\\0" * 120),
}
print(json.dumps(tried))
"""
    )
    tried = inside.python(code, json.dumps(number))
    assert tried.pop("clone3") == tried.pop("io_uring") == "ENOSYS"
    assert set(tried.values()) == {"EPERM"}, tried
    for words in (("unshare", "-Urm", "true"), ("mount", "-t", "tmpfs", "none", "/tmp"), ("umount", "/usr")):
        assert inside("--", *words, status=None).returncode != 0


def test_sockets(inside: Sandboxed, tmp_path: Path) -> None:
    name = f"kgfs-test-{os.getpid()}"
    code = """
import json, socket, sys
port, udp, name, control = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
def tried(*what):
    family, kind, address = what
    try:
        with socket.socket(family, kind) as one:
            one.settimeout(5)
            one.connect(address)
            one.send(b"x")
        return "done"
    except OSError as error:
        return type(error).__name__
found = {
    "tcp": tried(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
    "udp": tried(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", udp)),
    "abstract": tried(socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + name),
    "control": tried(socket.AF_UNIX, socket.SOCK_STREAM, control),
    "packet": tried(17, socket.SOCK_RAW, ("lo", 0)),
    "hypervisor": tried(40, socket.SOCK_STREAM, (2, 52)),
}
socket.socketpair()
try:
    socket.getaddrinfo("example.org", 80)
    found["dns"] = "done"
except OSError as error:
    found["dns"] = type(error).__name__
print(json.dumps(found))
"""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        abstract.bind("\0" + name)
        abstract.listen()
        arguments = (tcp.getsockname()[1], udp.getsockname()[1], name, inside.store / SOCKET)
        assert (inside.store / SOCKET).is_socket()
        found = inside.python(code, *arguments)
        with pytest.raises(BlockingIOError):
            udp.recv(1)
        assert found["tcp"] == "ConnectionRefusedError" and found["dns"] == "gaierror"
        assert found["abstract"] == "ConnectionRefusedError" and found["control"] == "FileNotFoundError"
        assert found["packet"] == found["hypervisor"] == "OSError"
        with_network = inside.python(code, *arguments, options=("--net",))
        assert with_network["tcp"] == "done" and udp.recv(1) == b"x"
        # The machine's abstract sockets belong to its network; that of a daemon is one where its store can hold none.
        assert {with_network[one] for one in ("abstract", "control", "packet", "hypervisor")} == {"OSError"}


def test_keyrings(inside: Sandboxed, number: dict[str, int]) -> None:
    code = (
        CALL
        + """
add, request, control = map(int, sys.argv[1:4])
print(json.dumps([
    call(add, b"user", b"kgfs-test", b"x", 1, -3),
    call(request, b"user", b"kgfs-test", 0, 0),
    call(control, 0, -3, 0),
    call(control, 1, 0),
]))
"""
    )
    calls = (number["add_key"], number["request_key"], number["keyctl"])
    assert inside.python(code, *calls) == ["EPERM"] * 4
    assert inside.python(READ, "/proc/keys", "/proc/key-users") == {}


def test_a_terminal_cannot_be_typed_into(inside: Sandboxed) -> None:
    """The sandbox is started from a terminal, and its standard streams are that terminal outside."""
    assert PYTHON is not None
    code = """
import errno, fcntl, json, os, pty, termios
def tried(what):
    try:
        what()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
master, own = pty.openpty()
print(json.dumps({
    "terminals": [number for number in (0, 1, 2) if os.isatty(number)],
    "open": tried(lambda: os.open("/dev/tty", os.O_RDWR)),
    "type": tried(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x")),
    "type into its own": tried(lambda: fcntl.ioctl(own, termios.TIOCSTI, b"x")),
    "take": tried(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 1)),
}))
"""
    master, terminal = os.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    said = b""
    with subprocess.Popen(
        [sys.executable, "-m", "kgfs.cli.main", *inside.words("--", PYTHON, "-c", code)],
        stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True, preexec_fn=take_terminal,
    ) as process:  # fmt: skip
        os.close(terminal)
        try:
            while piece := os.read(master, 4096):
                said += piece
        except OSError:  # all who had it open are gone
            pass
        os.close(master)
    assert process.returncode == 0, said
    found = json.loads(said)
    assert found.pop("terminals") == [] and found.pop("open") in ("ENXIO", "EIO")
    assert found == {"type": "EPERM", "type into its own": "EPERM", "take": "ENOTTY"}


def test_the_system_is_read_only(inside: Sandboxed) -> None:
    paths = (
        "/new", "/usr/new", "/usr/bin/env", "/etc/new", "/etc/passwd", "/etc/ld.so.cache", "/bin/new", "/lib/new",
        "/dev/new", "/sys/new", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/swappiness",
        "/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/proc/self/uid_map", "/proc/irq/default_smp_affinity",
    )  # fmt: skip
    assert inside.python(WRITE, *paths) == []
    assert inside("--", "sh", "-c", "ls /sys /boot /home /root /run /var", status=None).stdout == ""
    assert inside.python(WRITE, "/kg/workspace/refused", "/kg/notes/refused", options=("--read-only",)) == []
    assert not (inside.workspace / "refused").exists() and not (inside.mountpoint / "notes/refused").exists()


def test_devices(inside: Sandboxed) -> None:
    code = """
import errno, json, os, stat
made = {}
for place in ("/tmp/device", "/kg/workspace/device", "/dev/shm/device"):
    try:
        os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 1))
        made[place] = "done"
    except OSError as error:
        made[place] = errno.errorcode[error.errno]
print(json.dumps([made, os.listdir("/dev")]))
"""
    made, devices = inside.python(code)
    assert set(made.values()) <= {"EPERM", "EROFS"}
    assert set(devices) == {
        "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom",
        "zero",
    }  # fmt: skip
    if os.geteuid() == 0:
        planted = inside.workspace / "planted"
        os.mknod(planted, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        assert stat.S_ISCHR(planted.stat().st_mode)
        assert inside.python(READ, "/kg/workspace/planted") == {}


def test_modes_of_what_belongs_to_the_machine(inside: Sandboxed) -> None:
    """Started by root, the sandbox's user is the owner of the machine's files; it can change none of them."""
    code = """
import json, os, sys
done = []
for path in sys.argv[1:]:
    for flags in (os.O_RDONLY, os.O_PATH):
        try:
            number = os.open(path, flags)
            link = f"/proc/self/fd/{number}"
            mode = os.stat(link).st_mode & 0o7777
        except OSError:
            continue
        for change in (lambda: os.fchmod(number, mode), lambda: os.chmod(link, mode), lambda: os.utime(link)):
            try:
                change()
                done.append([path, os.readlink(link)])
            except OSError:
                pass
print(json.dumps(done))
"""
    programs = (
        "/proc/1/exe",
        "/proc/self/exe",
        "/usr/bin/env",
        "/bin/sh",
        "/etc/ld.so.cache",
        "/usr",
        "/etc",
        "/proc/1",
    )
    devices = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")]
    changed = inside.python(code, *programs, *devices)
    assert [names for names in changed if not names[1].startswith("/memfd:")] == []
    assert inside("--", "sh", "-c", "echo > /dev/null; head -c 1 /dev/urandom | wc -c").stdout == "1\n"


def test_it_has_and_gets_no_rights(inside: Sandboxed) -> None:
    status = dict(
        line.split(":", 1) for line in inside("--", "cat", "/proc/self/status").stdout.splitlines() if ":" in line
    )
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"
    assert set(status["Uid"].split()) == {"1000"}
    # A program that is set-uid root stays who it was; bits of that kind on the mount count for nothing.
    assert inside("--", "sh", "-c", "cp /usr/bin/id /tmp/id && chmod 4755 /tmp/id && /tmp/id -u").stdout == "1000\n"
    assert inside.python("import json, os\ntry: os.setuid(0)\nexcept OSError as e: print(json.dumps(e.errno))") in (
        1,
        22,
    )


def test_secrets_of_the_environment(inside: Sandboxed) -> None:
    code = """
import json, os
seen = [dict(os.environ)]
for name in os.listdir("/proc"):
    if name.isdigit():
        for file in ("environ", "cmdline"):
            with open(f"/proc/{name}/{file}", "rb") as opened:
                seen.append(opened.read().decode("utf-8", "replace"))
print(json.dumps(seen))
"""
    secrets = {"ANTHROPIC_API_KEY": SECRET, "SSH_AUTH_SOCK": SECRET, "LD_PRELOAD_OF_TEST": SECRET}
    seen = inside.python(code, env=secrets)
    assert set(seen[0]) - {"LC_CTYPE"} == {"HOME", "KGFS_MOUNT", "LANG", "PATH", "PWD", "TERM", "TMPDIR"}
    assert SECRET not in json.dumps(seen) and str(inside.store) not in json.dumps(seen)


def test_descriptors(inside: Sandboxed, secret: Path) -> None:
    """No descriptor is inherited, and the file that is standard input cannot be opened anew."""
    assert PYTHON is not None
    code = """
import json, os
seen = {}
for name in os.listdir("/proc"):
    if name.isdigit():
        for number in os.listdir(f"/proc/{name}/fd"):
            try:
                seen[f"{name}/{number}"] = os.readlink(f"/proc/{name}/fd/{number}")
            except OSError:
                pass
with open("/proc/self/fd/0", "rb") as file:
    text = file.read().decode()
try:
    with open("/proc/self/fd/0", "r+b", buffering=0) as file:
        file.write(b"changed")
except OSError:
    pass
print(json.dumps([seen, text]))
"""
    with secret.open("rb") as stream, secret.open("r+b") as other:
        process = inside.kgfs.start(
            *inside.words("--", PYTHON, "-c", code), stdin=stream, pass_fds=[other.fileno()]
        )  # fmt: skip
        said, complained = process.communicate(timeout=60)
    assert process.returncode == 0, complained
    seen, text = json.loads(said)
    assert text == SECRET and secret.read_text() == SECRET
    own = re.compile(r"pipe:.*|anon_inode:\[eventfd\]|/dev/null|/proc/\d+/fd")
    assert [target for target in seen.values() if not own.fullmatch(target)] == []


def test_two_sandboxes_share_nothing_but_the_mount(inside: Sandboxed) -> None:
    """One writes what the other could see, and they run at the same time."""
    first = inside.kgfs.start(
        *inside.words("--", "sh", "-c", "echo > /tmp/left; echo > /dev/shm/left; echo ready; exec sleep 10000.25"),
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert first.stdout is not None and first.stdout.readline() == "ready\n"
        second = inside("--", "sh", "-c", "ls /tmp /dev/shm; cat /proc/*/cmdline | tr '\\0' ' '").stdout
        assert "left" not in second and "10000.25" not in second
    finally:
        first.terminate()
        first.communicate(timeout=60)
    assert first.returncode == 143


def test_the_calls_that_fail_inside_work_outside(number: dict[str, int]) -> None:
    """The numbers are those of this machine: outside, a call that asks for a keyring is not refused as it is inside."""
    libc = ctypes.CDLL(None, use_errno=True)
    results: list[int] = []

    def ask() -> None:
        ctypes.set_errno(0)
        libc.syscall(ctypes.c_long(number["ptrace"]), ctypes.c_long(16), ctypes.c_long(2**22 + 5), None, None)
        results.append(ctypes.get_errno())

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert results == [3]  # ESRCH: it was looked for
