"""Processes inside a sandbox, as the agent sees them: starting, reaping, telling whose they are, killing.

Whose they are: each run gets its own soft RLIMIT_MSGQUEUE, a limit next to nobody uses. Every descendant inherits it
through fork, exec and setsid, and a daemon that cut all other ties still carries it.
"""

import errno
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

from harness.sandbox import filtered, privileges, wire
from harness.sandbox.warm import Warm

GRACE_S: Final = 0.25  # a pipeline's last member may end after the shell that started it
_KILL_WAIT_S: Final = 5.0  # a killed process is gone at once unless it is stuck in the kernel
_KILL_AGAIN_MS: Final = 20
_ALL_SIGNALS: Final = tuple(signal.valid_signals())
_TAGS: Final = 100_000
_LIMIT: Final = resource.RLIMIT_MSGQUEUE if hasattr(resource, "RLIMIT_MSGQUEUE") else 12
_LIMITS: Final = {
    "file_size": resource.RLIMIT_FSIZE,
    "memory": resource.RLIMIT_DATA,
    "open_files": resource.RLIMIT_NOFILE,
}
_NEW_FILE: Final = 0o666
_INTERRUPTIONS: Final = 20  # of one step; more are no accident

_Result = TypeVar("_Result")


class Live:
    """A run whose main process was started."""

    def __init__(self, run: int, pid: int, tag: int) -> None:
        self.run = run
        self.pid = pid
        self.tag = tag
        self.started = time.monotonic()
        self.status: int | None = None
        self.duration_s = 0.0
        self.grace_ends = 0.0
        self.killed = False
        self.left: tuple[str, ...] = ()
        self.signals: tuple[int, ...] = ()


class Processes:
    """All processes of a sandbox. ``is_init``: we are PID 1, so that all there is in /proc is ours."""

    def __init__(self, is_init: bool, notify: Callable[[wire.Exited], None], wait: Callable[[int], None]) -> None:
        self._is_init = is_init
        self._notify = notify
        self._wait = wait  # blocks until a child has ended, or for so many milliseconds
        self._live: dict[int, Live] = {}
        self._own = os.getpid()
        self._soft, self._hard = resource.getrlimit(_LIMIT)
        top = self._hard if self._hard != resource.RLIM_INFINITY else 819_200
        self._beside = max(0, top - _TAGS)  # the tag of what belongs to no run
        self._first_tag = min(self._beside + 1, top)
        self._tags = max(1, top - self._first_tag)
        self.scratch = "/"  # a directory in which one may be made for a moment
        self._warm = Warm()
        self.prepare = self._warm.prepare

    def spawn(self, request: wire.Spawn, fds: list[int]) -> None:
        """Start it; a start that fails is reported like an exit, with ``start_error``."""
        tag = self._first_tag + request.run % self._tags
        started = time.monotonic()
        try:
            pid = self._begun(request, fds, tag)
        except (OSError, ValueError) as error:
            number = error.errno if isinstance(error, OSError) else errno.EINVAL
            name = errno.errorcode.get(number or 0, "EINVAL")
            self._notify(wire.Exited(request.run, None, None, (), time.monotonic() - started, name))
            return
        live = Live(request.run, pid, tag)
        live.started = started
        self._live[request.run] = live

    def _begun(self, request: wire.Spawn, fds: list[int], tag: int) -> int:
        """Starts it, anew when a call on the way was interrupted.

        Python asks again after some calls only, and a supervisor of ours may have another one above it, which every
        one of them waits for.
        """
        return _uninterrupted(lambda: self._start(request, fds, tag))

    def _start(self, request: wire.Spawn, fds: list[int], tag: int) -> int:
        actions = [_stream(request, n, fd) for n, fd in enumerate(fds[:3])]
        # permissions are judged as the program itself would be
        with privileges.set_aside(), self._inherited(request, tag):
            path = find(request.argv[0], request.search)
            if request.warm_from:
                pid = self._warm.spawn(request, fds)
            elif request.filter:
                pid = filtered.spawn(path, request, fds)
            else:
                pid = os.posix_spawn(
                    path,
                    request.argv,
                    request.env,
                    file_actions=actions,
                    setsid=True,
                    setsigmask=(),
                    setsigdef=_ALL_SIGNALS,  # Python ignores SIGPIPE; what it starts must not
                )
        for name, value in request.limits.items():
            # only now, because the agent could never raise a hard limit of its own again
            with suppress(OSError):
                bound = _bounded(_LIMITS[name], value)
                resource.prlimit(pid, _LIMITS[name], (bound, bound))
        return pid

    @contextmanager
    def _inherited(self, request: wire.Spawn, tag: int) -> Iterator[None]:
        """What a child has from the agent at its start, and the agent itself only for that moment."""
        kept = {_LIMITS[name]: resource.getrlimit(_LIMITS[name]) for name in request.limits}
        mask: int | None = None
        try:
            if request.deleted_cwd:
                place = f"{self.scratch}/gone-{request.run}"
                os.mkdir(place)
                os.chdir(place)
                os.rmdir(place)
            else:
                os.chdir(request.cwd)
            if request.umask is not None:
                mask = os.umask(request.umask)
            resource.setrlimit(_LIMIT, (tag, self._hard))
            for name, value in request.limits.items():
                resource.setrlimit(_LIMITS[name], (_bounded(_LIMITS[name], value), kept[_LIMITS[name]][1]))
            yield
        finally:
            for limit, values in kept.items():
                resource.setrlimit(limit, values)
            resource.setrlimit(_LIMIT, (self._soft, self._hard))
            if mask is not None:
                os.umask(mask)
            # an interruption here says nothing of the start, which must neither be begun anew nor lose its own error
            _uninterrupted(lambda: os.chdir("/"))

    def mark_as_beside(self) -> None:
        """Called by a process of the agent's own: it and its children belong to no run."""
        resource.setrlimit(_LIMIT, (self._beside, self._hard))

    def signal(self, run: int, number: int, *, group: bool = False) -> None:
        """Send ``number`` to the main process of ``run``, or to its group; one that has ended is not met any more."""
        self.reap()
        live = self._live.get(run)
        if live is None or live.status is not None:
            return
        with suppress(OSError, ValueError):
            if _state_of(live.pid)[0] not in "ZX":
                (os.killpg if group else os.kill)(live.pid, number)  # each run leads a group of its own
                live.signals = (*live.signals, number)

    def reap(self) -> None:
        """Collect every ended child, orphans too, and finish the runs that are over."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            for live in self._live.values():
                if live.pid == pid and live.status is None:
                    live.status = status
                    live.duration_s = time.monotonic() - live.started
                    live.grace_ends = time.monotonic() + GRACE_S
        self._finish()

    def timeout_ms(self) -> int | None:
        """How long the agent may sleep; None for ever."""
        ends = [live.grace_ends for live in self._live.values() if live.status is not None]
        if not ends:
            return None
        return max(1, min(_KILL_AGAIN_MS * 50, int((min(ends) - time.monotonic()) * 1000) + 1))

    def _finish(self) -> None:
        over = [live for live in self._live.values() if live.status is not None]
        if not over:
            return
        alive = self._alive()
        running = {self._beside, *(live.tag for live in self._live.values() if live.status is None)}
        for live in over:
            others = running | {other.tag for other in over if other is not live}
            left = {pid: name for pid, (tag, name) in alive.items() if tag not in others}
            if left and time.monotonic() < live.grace_ends and not live.killed:
                continue
            if left:
                if not live.killed:
                    live.left = tuple(sorted(left.values()))
                    live.killed = True
                _kill(left)
                live.grace_ends = time.monotonic() + _KILL_AGAIN_MS / 1000
                continue
            del self._live[live.run]
            self._notify(_exited(live))

    def kill(self, run: int) -> None:
        """Kill everything ``run`` started; what it left is not counted against it any more."""
        live = self._live.get(run)
        if live is None:
            return
        live.killed = True
        self._kill_tagged(live.tag)

    def kill_beside(self) -> None:
        """Kill all that belongs to no run."""
        self._kill_tagged(self._beside)

    def _kill_tagged(self, wanted: int) -> None:
        deadline = time.monotonic() + _KILL_WAIT_S
        while time.monotonic() < deadline:  # again and again: a program that forks all the time gets ahead of one pass
            mine = {pid: name for pid, (tag, name) in self._alive().items() if tag == wanted}
            if not mine:
                break
            _kill(mine)
            self._wait(_KILL_AGAIN_MS)
            self.reap()

    def kill_all(self) -> tuple[str, ...]:
        """Kill everything; the names of what was alive. TimeoutError when something does not die."""
        alive = self._alive()
        names = tuple(sorted(name for _, name in alive.values()))
        for live in self._live.values():
            live.killed = True
        deadline = time.monotonic() + _KILL_WAIT_S
        while alive:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    errno.ETIMEDOUT, "processes do not die", ", ".join(name for _, name in alive.values())
                )
            if self._is_init:
                os.kill(-1, signal.SIGKILL)  # everything in our namespace but ourselves, and atomically
            else:
                _kill({pid: name for pid, (_, name) in alive.items()})
            self._wait(_KILL_AGAIN_MS)
            self.reap()
            alive = self._alive()
        self.reap()
        return names

    def _alive(self) -> dict[int, tuple[int, str]]:
        """(tag, name) of every process of ours that has not ended, by its id."""
        found: dict[int, tuple[int, str]] = {}
        parents: dict[int, int] = {}
        for text in os.listdir("/proc"):
            if not text.isdigit() or (pid := int(text)) == self._own:
                continue
            try:
                state, parent, name = _state_of(pid)
                parents[pid] = parent
                if state in "ZX":
                    continue
                found[pid] = (self._tag_of(pid) if self._is_init else -1, name)
            except (OSError, ValueError):
                continue  # gone meanwhile
        if self._is_init:
            return found
        return {pid: (self._tag_of(pid), name) for pid, (_, name) in found.items() if self._descends(pid, parents)}

    def _tag_of(self, pid: int) -> int:
        try:
            return resource.prlimit(pid, _LIMIT)[0]
        except OSError:
            return -1

    def _descends(self, pid: int, parents: dict[int, int]) -> bool:
        for _ in range(len(parents) + 1):  # bounded: the table was not read in one instant, and may hold a circle
            if pid == self._own:
                return True
            pid = parents.get(pid, 0)
        return False


def _uninterrupted(step: Callable[[], _Result]) -> _Result:
    for _ in range(_INTERRUPTIONS):
        with suppress(InterruptedError):
            return step()
    return step()


def _stream(
    request: wire.Spawn, n: int, fd: int
) -> tuple[int, int, int] | tuple[int, int] | tuple[int, int, str, int, int]:
    if n in request.closed:
        return (os.POSIX_SPAWN_CLOSE, n)
    if n in request.full:
        return (os.POSIX_SPAWN_OPEN, n, "/dev/full", os.O_WRONLY if n else os.O_RDONLY, _NEW_FILE)
    return (os.POSIX_SPAWN_DUP2, fd, n)


def _bounded(limit: int, value: int) -> int:
    hard = resource.getrlimit(limit)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def find(name: bytes, search: bytes) -> bytes:
    """Where execvp would find ``name``; FileNotFoundError, or PermissionError when only a forbidden one is there."""
    if b"/" in name:
        return name
    forbidden = False
    for directory in search.split(b":") if name else ():
        path = (directory or b".") + b"/" + name
        if os.access(path, os.X_OK, effective_ids=True) and not os.path.isdir(path):
            return path
        forbidden = forbidden or os.path.isfile(path)
    number = errno.EACCES if forbidden else errno.ENOENT
    raise OSError(number, os.strerror(number))


def _state_of(pid: int) -> tuple[str, int, str]:
    with open(f"/proc/{pid}/stat", "rb") as stat:
        head, _, rest = stat.read().rpartition(b")")
    fields = rest.split(None, 2)
    return fields[0].decode(), int(fields[1]), head.partition(b"(")[2].decode("utf-8", "replace")


def _kill(pids: dict[int, str]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _exited(live: Live) -> wire.Exited:
    code = os.waitstatus_to_exitcode(live.status or 0)
    signalled = -code if code < 0 else None
    # one that was already ending, its files closed, takes a signal without meeting it; what SIGKILL meets it ends
    met = tuple(number for number in live.signals if number != signal.SIGKILL or signalled == signal.SIGKILL)
    return wire.Exited(live.run, None if code < 0 else code, signalled, live.left, live.duration_s, "", met)
