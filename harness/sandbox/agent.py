"""The process that lives in a sandbox as long as it does: builds its world, then serves one request at a time.

As PID 1 of its namespace it only has to exit for the kernel to kill everything in there, and it does as soon as the
harness closes the socket or is no more.
"""

import errno
import os
import resource
import select
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from harness.core.history import FileFact
from harness.sandbox import emptiness, files, privileges, wire
from harness.sandbox.limits import Limits
from harness.sandbox.meddlers import Meddlers
from harness.sandbox.processes import Processes
from harness.sandbox.world import BuildError, World, build, restore

_GONE: Final = select.POLLIN | select.POLLHUP | select.POLLERR


class Agent:
    """Serves the requests of one harness."""

    def __init__(self, stream: wire.Stream, harness_fd: int) -> None:
        self._stream = stream
        self._harness_fd = harness_fd
        wake, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._wake = wake
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # ours to end are the harness's words and its death, nothing else
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        self._processes = Processes(os.getpid() == 1, stream.send, self._await_child)
        self._meddlers = Meddlers(self._processes)
        self._child = select.poll()
        self._child.register(wake, select.POLLIN)
        self.plain_base = ""
        self._world: World
        self._limits: Limits
        self._actions: files.Actions
        self._handlers: dict[type, Callable[[Any], wire.Reply]] = {
            wire.Setup: self._setup,
            wire.Prepare: self._prepare,
            wire.Fresh: self._fresh,
            wire.Apply: self._apply,
            wire.Read: self._read,
            wire.Watch: lambda request: wire.Done(names=files.watch(request.path, request.timeout_s)),
            wire.Meddle: lambda request: wire.Done(self._meddlers.start(request)),
            wire.Look: self._look,
            wire.LimitSpace: self._limit_space,
            wire.ReadOnly: self._read_only,
            wire.Cover: self._cover,
            wire.Lift: self._lift,
            wire.KillAll: lambda request: wire.Done(names=self._processes.kill_all()),
        }

    def serve(self) -> None:
        """Until the harness is gone."""
        poll = select.poll()
        poll.register(self._stream.fileno(), _GONE)
        poll.register(self._wake, select.POLLIN)
        if self._harness_fd >= 0:
            poll.register(self._harness_fd, select.POLLIN)
        while True:
            ready = dict(poll.poll(self._processes.timeout_ms()))
            if self._harness_fd in ready:
                return  # someone else may have inherited its end of the socket, so that alone would not tell
            if self._wake in ready:
                self._drain()
            self._processes.reap()
            if self._stream.fileno() in ready:
                try:
                    self._answer(wire.as_request(self._stream.receive()))
                    while self._stream.buffered():
                        self._answer(wire.as_request(self._stream.receive()))
                except (EOFError, ConnectionError):
                    return

    def end(self) -> None:
        """Leave nothing behind. With a namespace the kernel does it when we exit."""
        if self.plain_base:
            with suppress(OSError):
                self._processes.kill_all()
            with suppress(OSError):
                files.empty(self.plain_base)
            shutil.rmtree(self.plain_base, ignore_errors=True)

    def _answer(self, request: wire.Request) -> None:
        if isinstance(request, wire.Spawn):
            count = 4 if request.filter else 3
            fds = self._stream.descriptors[:count]
            del self._stream.descriptors[:count]
            try:
                self._processes.spawn(request, fds)
            finally:
                for fd in fds:
                    os.close(fd)
            return
        if isinstance(request, wire.Kill):
            self._processes.kill(request.run)
            return
        if isinstance(request, wire.Signal):
            self._processes.signal(request.run, request.number, group=request.group)
            return
        if isinstance(request, wire.WatchRoots):
            self._watch_roots()
            return
        try:
            reply = self._handlers[type(request)](request)
        except OSError as error:
            reply = wire.Failed(_sentence(error), machine=True)
        except ValueError as error:
            reply = wire.Failed(f"{type(request).__name__}: {error}", machine=False)
        self._stream.send(reply)

    def _setup(self, request: wire.Setup) -> wire.Reply:
        self.plain_base = request.plain_base
        os.umask(0o022)
        try:
            self._world = world = build(request)
        except BuildError as error:
            return wire.Failed(str(error), machine=True)
        if request.plain_base:
            privileges.become_reaper()
        else:
            privileges.keep_to_agent()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump may go where the machine says, outside
        self._limits = Limits(request.writable_bytes)
        self._processes.scratch = world.tools
        places = frozenset((*(root.path for root in world.roots), world.project_path, world.tools))
        self._actions = files.Actions(places, world.keep | {world.project_path}, confined=bool(request.plain_base))
        return wire.Ready(world.overlay, world.missing)

    def _prepare(self, request: wire.Prepare) -> wire.Reply:
        try:
            self._processes.prepare(request)
        except Exception as error:  # noqa: BLE001 - whatever our own module raises, it is started without this
            return wire.Failed(f"{request.module}: {type(error).__name__}: {error}", machine=False)
        return wire.Done()

    def _fresh(self, request: wire.Fresh) -> wire.Reply:
        if request.keep_processes:
            self._meddlers.end()
        else:
            self._processes.kill_all()
            self._meddlers.forget()
        self._limits.clear()
        restore(self._world)
        return wire.Done()

    def _apply(self, request: wire.Apply) -> wire.Reply:
        for action in request.actions:
            self._actions.apply(action)
        return wire.Done()

    def _read(self, request: wire.Read) -> wire.Reply:
        with self._meddlers.still():
            return wire.Found(files.read(request.paths, request.limit))

    def _look(self, request: wire.Look) -> wire.Reply:
        with self._meddlers.still():
            return wire.Seen(self._seen(), files.read(request.paths, request.limit))

    def _watch_roots(self) -> None:
        world = self._world
        fds: list[int] = []
        with suppress(OSError):  # a machine may have no more of them: then every snapshot is asked for
            fds.append(emptiness.watch((*(root.path for root in world.roots), world.project_path)))
        try:
            self._stream.send(wire.Done(), fds)
        finally:
            for fd in fds:
                os.close(fd)

    def _seen(self) -> dict[str, FileFact]:
        found: dict[str, FileFact] = {}
        world = self._world
        for root in world.roots:
            start = len(root.path)
            for path, state in files.walk(root.path, world.foreign):
                if path not in world.keep:
                    found[root.name + files.printable(path[start:])] = files.fact(path, state)
        for name, fact in world.project.differences().items():
            found["{project}/" + files.printable(name)] = fact
        return found

    def _limit_space(self, request: wire.LimitSpace) -> wire.Reply:
        self._need_namespace()
        place = os.path.realpath(request.path)
        space = self._world.space_of(place)
        if space is not None and request.inodes is None:
            return wire.Done(self._limits.fill(space, request.free_bytes))
        if space is not None and request.inodes is not None and request.free_bytes >= request.size_bytes:
            return wire.Done(self._limits.few_files(space, request.inodes))
        inside = place + "/"
        if any(path.startswith(inside) for path in self._world.keep):
            raise OSError(errno.EBUSY, "the project or an exposed path is mounted in there", request.path)
        return wire.Done(self._limits.space(request.path, request.size_bytes, request.free_bytes, request.inodes))

    def _read_only(self, request: wire.ReadOnly) -> wire.Reply:
        self._need_namespace()
        return wire.Done(self._limits.read_only(request.path))

    def _cover(self, request: wire.Cover) -> wire.Reply:
        self._need_namespace()
        if request.full:
            return wire.Done(self._limits.full_device(request.path))
        return wire.Done(self._limits.busy(request.path))

    def _lift(self, request: wire.Lift) -> wire.Reply:
        self._limits.lift()
        return wire.Done()

    def _need_namespace(self) -> None:
        if self.plain_base:
            raise OSError(errno.EPERM, "a mounted fault needs namespaces, which this machine refuses")

    def _await_child(self, timeout_ms: int) -> None:
        if self._child.poll(timeout_ms):
            self._drain()

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._wake, 4096):
                pass


def _sentence(error: OSError) -> str:
    what = error.strerror or str(error)
    name = errno.errorcode.get(error.errno or 0, "")
    place = f"{files.printable(os.fsdecode(error.filename))}: " if error.filename else ""
    return f"{place}{what} ({name})" if name else f"{place}{what}"


def main() -> None:
    """Serve the socket whose descriptor is the first argument; the second is a pidfd of the harness, or -1."""
    end, harness_fd = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(end, False)
    if harness_fd >= 0:
        os.set_inheritable(harness_fd, False)
    agent = Agent(wire.Stream(socket.socket(fileno=end)), harness_fd)
    try:
        agent.serve()
    finally:
        agent.end()
    os._exit(0)
