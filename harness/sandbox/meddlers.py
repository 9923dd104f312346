"""What goes on beside the runs of a sandbox: processes the agent forks from itself, without its capabilities.

Some need no program at all, so that they work in every sandbox and are up within a millisecond: see ``WORK``.
Each of those has a line to the agent, says on it when it has begun, and can be held still while someone looks.
"""

import errno
import fcntl
import os
import select
import signal
import socket
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

from harness.sandbox import files, privileges, wire
from harness.sandbox.processes import Processes, find

_BEGIN_WAIT_S: Final = 5.0  # a fork and a first step take a millisecond
_STEP_S: Final = 0.001  # between two steps: an operation is met by some of them, and a core is not kept busy
_COMING_LIMIT_BYTES: Final = 1 << 20  # is read and written again all the time
_GROWTH_LIMIT_BYTES: Final = 128 * 1024  # histories hold inputs, so that a file may not grow for ever
_CONNECTIONS: Final = 64
_WORDS: Final = 4096
_HOLD, _GO, _BEGUN, _REFUSED = b"h", b"g", b"=", b"!"


class Line:
    """The worker's end of its line to the agent. When the agent is gone, so is the worker."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def begun(self, text: str = "") -> None:
        """Say that the work goes on from here; ``text`` is for who asked for it."""
        self._end.sendall(_BEGUN + text.encode())

    def refuse(self, error: OSError) -> None:
        """Say why it cannot."""
        self._end.sendall(_REFUSED + str(error.errno or errno.EIO).encode())

    def pause(self, seconds: float, other: socket.socket | None = None) -> bool:
        """Wait so long, or for something to read from ``other``; True when asked to hold still."""
        ready, _, _ = select.select([self._end, *([other] if other else [])], [], [], seconds)
        if self._end not in ready:
            return False
        if self._end.recv(1) != _HOLD:
            os._exit(0)
        return True

    def hold(self) -> None:
        """Be still until told to go on."""
        self._end.sendall(_HOLD)
        if self._end.recv(1) != _GO:
            os._exit(0)


def _vanishing(line: Line, path: bytes, hidden: bytes) -> None:
    """What is there comes and goes; whatever programs write to it in between is what comes back."""
    _take(path, hidden)()
    line.begun()
    while True:
        back: Callable[[], None] | None = None
        with suppress(OSError):  # a program has removed it: then it stays away until one makes it again
            back = _take(path, hidden)
        held = line.pause(_STEP_S)
        if back is not None:
            back()
        if held or line.pause(_STEP_S):
            line.hold()


def _take(path: bytes, hidden: bytes) -> Callable[[], None]:
    """Take it away; how it comes back. A file is kept in memory, so that nothing of it stands anywhere meanwhile."""
    found = os.lstat(path)
    if stat.S_ISREG(found.st_mode) and found.st_size > _COMING_LIMIT_BYTES:
        raise OSError(errno.EFBIG, "too large to come and go", path)
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise OSError(errno.ELOOP if stat.S_ISLNK(found.st_mode) else errno.EINVAL, "no file or directory", path)
    # in one step: what a program has put there until then is what comes back, and never what was there before
    os.rename(path, hidden)
    if stat.S_ISDIR(os.lstat(hidden).st_mode):
        return lambda: _merge(hidden, path)
    fd = os.open(hidden, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.unlink(hidden)
        # read after that: what was written to it up to the very end is kept
        data = b"".join(iter(lambda: os.read(fd, _COMING_LIMIT_BYTES), b""))
        was = os.fstat(fd)
    finally:
        os.close(fd)
    return lambda: _put(path, data, was)


def _merge(source: bytes, target: bytes) -> None:
    """Bring it back; where a program has put something meanwhile, that stays, and directories become one."""
    try:
        if stat.S_ISDIR(os.lstat(source).st_mode):
            os.rename(source, target)  # never onto a file, or a directory in which something is
        else:
            os.link(source, target, follow_symlinks=False)  # never onto anything, as a rename would be
    except OSError:
        if os.path.isdir(source) and os.path.isdir(target):
            for name in os.listdir(source):
                _merge(os.path.join(source, name), os.path.join(target, name))
    if os.path.lexists(source):
        files.remove(os.fsdecode(source))


def _put(path: bytes, data: bytes, was: os.stat_result) -> None:
    with suppress(OSError):  # a program has put another one there, or taken the directory away
        whole = True
        try:
            fd = os.open(os.path.dirname(path), os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        except OSError:  # not every file system has these
            whole = False
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            files.write_all(fd, data)
            os.fchmod(fd, was.st_mode & 0o7777)
            os.utime(fd, ns=(was.st_atime_ns, was.st_mtime_ns))
            if whole:
                # a directory descriptor makes it linkat(2), which alone follows the link in /proc
                os.link(f"/proc/self/fd/{fd}".encode(), path, src_dir_fd=fd, follow_symlinks=True)
        finally:
            os.close(fd)


def _growing(line: Line, path: bytes, added: bytes) -> None:
    """``added`` is appended again and again, up to a limit; nothing is made where nothing is."""
    left = _GROWTH_LIMIT_BYTES - _append(path, added)
    line.begun()
    while True:
        if left >= len(added):
            with suppress(OSError):  # a program has removed or replaced it
                left -= _append(path, added)
        if line.pause(2 * _STEP_S):
            line.hold()


def _append(path: bytes, added: bytes) -> int:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.write(fd, added)
    finally:
        os.close(fd)


def _locking(line: Line, *paths: bytes) -> None:
    """Each path is held by flock(2) and by a POSIX record lock, and made when it is not there."""
    held = []
    for path in paths:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(fd)
    line.begun()
    while True:
        if line.pause(3600):
            line.hold()


def _serving(line: Line, answer: bytes = b"") -> None:
    """A server on a port of its own of 127.0.0.1, which is what it says when it has begun.

    It gives every connection ``answer`` once something was asked, and ends it; without an answer it never says a word.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        line.begun(str(server.getsockname()[1]))
        waiting: list[socket.socket] = []
        server.setblocking(False)
        while True:
            if line.pause(3600, server):
                line.hold()
            with suppress(OSError):
                caller, _ = server.accept()
                waiting = [*waiting[1 - _CONNECTIONS :], caller]
                if answer:
                    caller.settimeout(1.0)
                    caller.recv(1 << 16)
                    caller.sendall(answer)
                    waiting.remove(caller)
                    caller.close()


WORK: Final[Mapping[bytes, Callable[..., None]]] = {
    b"@vanishing": _vanishing,
    b"@growing": _growing,
    b"@locking": _locking,
    b"@serving": _serving,
}


class Meddlers:
    """The agent's side."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._lines: list[socket.socket] = []
        self._any = False

    def start(self, request: wire.Meddle) -> str:
        """Fork it and wait until it has begun; what it then said, "" for a command. OSError when it could not."""
        ours, theirs = socket.socketpair()
        self._any = True
        pid = os.fork()
        if pid == 0:
            self._become(request, theirs)
        theirs.close()
        ours.settimeout(_BEGIN_WAIT_S)
        name = os.fsdecode(request.argv[0])
        try:
            said = ours.recv(_WORDS)
        except TimeoutError:
            self._processes.kill_beside()
            raise OSError(errno.ETIMEDOUT, "it did not begin", name) from None
        if said.startswith(_REFUSED) or (not said and request.argv[0] in WORK):
            ours.close()
            os.waitpid(pid, 0)
            number = int(said[1:] or errno.EIO)
            raise OSError(number, os.strerror(number), name)
        if not said:
            ours.close()  # a command: its line closed when it was executed
            return ""
        self._lines.append(ours)
        return said[1:].decode()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Within the block whatever comes and goes is there, and nothing grows."""
        held: list[socket.socket] = []
        for line in self._lines:
            with suppress(OSError):
                line.sendall(_HOLD)
                if line.recv(1) == _HOLD:
                    held.append(line)
        try:
            yield
        finally:
            for line in held:
                with suppress(OSError):
                    line.sendall(_GO)

    def end(self) -> None:
        """Kill all of them."""
        if self._any:
            self._processes.kill_beside()
        self.forget()

    def forget(self) -> None:
        """Close the lines of those that have been killed."""
        self._any = False
        while self._lines:
            self._lines.pop().close()

    def _become(self, request: wire.Meddle, end: socket.socket) -> NoReturn:
        line = Line(end)
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            privileges.give_up()
            self._processes.mark_as_beside()
            null = os.open(os.devnull, os.O_RDWR)
            for standard in (0, 1, 2):
                os.dup2(null, standard)
            os.closerange(3, end.fileno())
            os.closerange(end.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
            work = WORK.get(request.argv[0])
            if work is not None:
                work(line, *request.argv[1:])
            else:
                path = find(request.argv[0], request.env.get(b"PATH", b""))
                os.execve(path, request.argv, request.env)  # noqa: S606 - no shell is what is wanted
        except OSError as error:
            with suppress(OSError):
                line.refuse(error)
        except BaseException:  # noqa: BLE001, S110 - nothing of the agent may run on in here
            pass
        os._exit(1)
