"""The part of a stand-alone script that supervises the file calls of a command; see standalone_script."""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import os
import re
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.explore.program.standalone_script import CASE, LIBC, SHOWS, give_up, say

# --- cut here: what follows is put into the script ------------------------------------------------------------------

ARCHITECTURES = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277), "riscv64": (0xC00000F3, 277)}
ALLOW, REFUSE, NOTIFY = 0x7FFF0000, 0x00050000, 0x7FC00000
RECEIVE, SEND = 0xC0502100, 0xC0182101
PIDFD_GETFD = 438


def program() -> bytes:
    """The filter: the calls of the case are notified, copies inside the kernel and io_uring refused."""
    architecture = ARCHITECTURES[os.uname().machine][0]
    rules = [(number, NOTIFY) for _, number in sorted(CASE["numbers"].items())]
    rules += [(number, REFUSE | code) for number, code in CASE["refused"]]
    code = [(0x20, 0, 0, 4), (0x15, 1, 0, architecture), (0x06, 0, 0, ALLOW), (0x20, 0, 0, 0)]
    for number, action in rules:
        if number == CASE["numbers"].get("fcntl"):  # of its commands only those that lock
            code += [(0x15, 0, 7, number), (0x20, 0, 0, 24), (0x15, 3, 0, 6), (0x15, 2, 0, 7), (0x15, 1, 0, 37)]
            code += [(0x15, 0, 1, 38), (0x06, 0, 0, action), (0x06, 0, 0, ALLOW)]
        else:
            code += [(0x15, 0, 1, number), (0x06, 0, 0, action)]
    return b"".join(struct.pack("=HBBI", *line) for line in [*code, (0x06, 0, 0, ALLOW)])


class Filter(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def start(words: Sequence[str], env: Mapping[str, str], stdin: str = os.devnull) -> tuple[int, int]:
    """Start a command under the filter; its process id and the listener."""
    ours, theirs = socket.socketpair()
    code = program()
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = Filter(len(code) // 8, ctypes.addressof(buffer))
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            os.dup2(os.open(stdin, os.O_RDONLY), 0)
            LIBC.prctl(38, 1, 0, 0, 0)
            listener = LIBC.syscall(ARCHITECTURES[os.uname().machine][1], 1, 8, ctypes.byref(filter_))
            if listener >= 0:
                theirs.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
                os.close(listener)
                os.execvpe(words[0], list(words), env)  # noqa: S606
        finally:
            os._exit(127)
    theirs.close()
    _, rights, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4))
    ours.close()
    if not rights:
        give_up("the kernel refuses a supervisor of system calls (seccomp user notification)")
    listener = array.array("i", rights[0][2])[0]
    os.set_inheritable(listener, False)
    return pid, listener


class Call:
    """A call that waits: its name, its paths, and what it would write."""

    def __init__(self, listener: int) -> None:
        data = bytearray(80)
        fcntl.ioctl(listener, RECEIVE, data)
        self.id, self.tid, _, number, _, _, *self.arguments = struct.unpack("=QIIiIQ6Q", data)
        self.listener = listener
        self.name = next(name for name, its in CASE["numbers"].items() if its == number)
        self.signature = CASE["signatures"][self.name]
        self.of_open_file = False
        self.paths = [CASE["short"](path) for path in self._paths()]

    def _memory(self, address: int, size: int) -> bytes:
        with open(f"/proc/{self.tid}/mem", "rb", 0) as memory:
            memory.seek(address)
            return memory.read(size)

    def _link(self, name: str) -> str:
        try:
            found = os.readlink(f"/proc/{self.tid}/{name}")
        except OSError:
            return ""
        return found if found.startswith("/") else ""

    def _paths(self) -> list[str]:
        fd = self.signature["fd"]
        if not self.signature["paths"]:
            self.of_open_file = True
            return [] if fd is None else [self._link(f"fd/{self.arguments[fd]}")]
        found = []
        for directory, place in self.signature["paths"]:
            address, text = self.arguments[place], b""
            while b"\0" not in text:
                text += self._memory(address + len(text), 4096 - (address + len(text)) % 4096)
            path = os.fsdecode(text.split(b"\0")[0])
            self.of_open_file = not path
            fd = -100 if directory is None else ctypes.c_int(self.arguments[directory]).value
            base = self._link("cwd" if fd == -100 else f"fd/{fd}")
            found.append(os.path.normpath(os.path.join(base, path)) if path else base)
        return found

    def data(self, size: int) -> bytes:
        """The first bytes of what it would write."""
        address, length = self.arguments[self.signature["buffer"]], self.arguments[self.signature["length"]]
        if not self.signature["vector"]:
            return self._memory(address, min(size, length))
        parts = struct.iter_unpack("QQ", self._memory(address, 16 * length))
        return b"".join(self._memory(base, part) for base, part in parts)[:size]

    def size(self) -> int:
        """How much it would write."""
        if not self.signature["vector"]:
            return int(self.arguments[self.signature["length"]])
        raw = self._memory(self.arguments[self.signature["buffer"]], 16 * self.arguments[self.signature["length"]])
        return sum(part for _, part in struct.iter_unpack("QQ", raw))

    def answer(self, value: int = 0, error: int = 0, *, proceed: bool = True) -> None:
        """Let the kernel do it, or let it return a value or an error; one that waits no more is no matter."""
        try:
            fcntl.ioctl(self.listener, SEND, struct.pack("=QqiI", self.id, value, -error, 1 if proceed else 0))
        except OSError as problem:
            if problem.errno != errno.ENOENT:
                raise

    def tear(self, size: int) -> int:
        """Write the first bytes in the program's place, through its own open file."""
        process = os.pidfd_open(self.tid)
        fd = LIBC.syscall(PIDFD_GETFD, process, self.arguments[self.signature["fd"]], 0)
        if fd < 0:
            give_up("this machine refuses to take part in another process's open file")
        offset = self.signature["offset"]
        data = self.data(size)
        written = os.write(fd, data) if offset is None else os.pwrite(fd, data, self.arguments[offset])
        os.close(fd)
        os.close(process)
        return written


def family(pid: int) -> list[int]:
    """The process and what it started."""
    found = [pid]
    for each in found:
        try:
            for task in os.listdir(f"/proc/{each}/task"):
                with open(f"/proc/{each}/task/{task}/children", encoding="ascii") as file:
                    found += [int(text) for text in file.read().split()]
        except OSError:
            continue
    return found


def kill(pid: int) -> None:
    """Kill a command and what it started."""
    for each in family(pid):
        try:
            os.kill(each, signal.SIGKILL)
        except OSError:
            continue
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        return


class Strike:
    """Answers the one call that the case is about; `met` when it came."""

    def __init__(self, strike: Mapping[str, Any]) -> None:
        self.strike, self.seen, self.met = strike, 0, False
        self.full: list[str] | None = None

    def __call__(self, call: Call, pid: int) -> None:
        """Answer one call of the command whose process is `pid`."""
        strike = self.strike
        if self.full is not None and call.paths == self.full:
            call.answer(error=strike["errno"], proceed=False)
            return
        if self.met or call.paths != strike["paths"]:
            call.answer()
            return
        self.seen += 1
        if self.seen != strike["nth"]:
            call.answer()
            return
        self.met = True
        size = strike["torn"]
        if strike["short"]:
            self.full, size = call.paths, call.size() // 2
        written = call.tear(size) if size else 0
        if strike["kill"]:
            kill(pid)
        elif written:
            call.answer(value=written, proceed=False)
        else:
            call.answer(error=strike["errno"], proceed=False)


def wait(pid: int, listener: int, decide: Callable[[Call, int], None]) -> tuple[int | None, bool]:
    """Serve one run to its end; its exit code, None when a signal ended it, and whether it had to be killed."""
    deadline = time.monotonic() + CASE["timeout_s"]
    process = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(process, select.POLLIN)
    poll.register(listener, select.POLLIN)
    while True:
        ready = dict(poll.poll(max(0, int((deadline - time.monotonic()) * 1000))))
        if not ready:
            say(f"op did not end within {CASE['timeout_s']} s")
            kill(pid)
            os.waitpid(pid, 0)
            return None, True
        if ready.get(listener, 0) & select.POLLIN:
            try:
                decide(Call(listener), pid)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ESRCH):
                    raise
        elif listener in ready:
            poll.unregister(listener)
        elif process in ready:
            status = os.waitpid(pid, 0)[1]
            kill(pid)
            return (os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None), False


def shortened(directory: str) -> Callable[[str], str]:
    """Paths as the case names them: relative, and changing names as patterns."""
    stable = set(CASE["stable"])
    known = [(re.compile(re.escape(text).replace(r"\*", "[^/]+")), text) for text in CASE["patterns"]]

    def short(path: str) -> str:
        path = path.removesuffix(" (deleted)")
        name = "." if path == directory else path[len(directory) + 1 :] if path.startswith(directory + "/") else path
        if name == "." or name in stable:
            return name
        return next((text for pattern, text in known if pattern.fullmatch(name)), name)

    return short


def show_strike(directory: str, words: Mapping[str, Any], env: Mapping[str, str]) -> str | None:
    """One call of op refused, or op killed there; how op ended, None when it did not."""
    CASE["short"] = shortened(directory)
    strike = Strike(CASE["strike"])
    code, late = wait(*start(words["op"], env), strike)
    if not strike.met:
        give_up("op did not make the call that the case is about")
    say("op was ended" if code is None else f"op: exit code {code}")
    return None if late else "" if code is None else str(code)


SHOWS["strike"] = show_strike
