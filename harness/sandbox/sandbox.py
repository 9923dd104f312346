"""A place where a command of someone else can run, thousands of times, without seeing or harming the person's files."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from types import TracebackType
from typing import Final, Self

import msgspec

from harness.core.history import FileFact, InputFact
from harness.errors import HarnessFault, MachineError, UsageError
from harness.sandbox import launch, wire
from harness.sandbox.channel import Channel, R
from harness.sandbox.emptiness import Emptiness
from harness.sandbox.plan import CALM, MEBIBYTE, Containment, Ended, Filter, Run, SandboxPlan, Surroundings
from harness.sandbox.room import Seen
from harness.sandbox.roots import HOME, OUTSIDE, PROJECT, TMP, TOOLS, Roots, base_environment, bins_of
from harness.sandbox.running import Collector, Pipes, Running
from harness.sandbox.spawning import listener_way, spawn_request

# A project must not cover what the sandbox itself puts there.
_TAKEN: Final = (HOME, OUTSIDE, TMP, "/var/tmp", "/run", "/dev", "/proc", "/usr", "/etc", "/bin", "/lib", "/opt")
WATCH_S: Final = 1.0  # what comes and goes does so every other millisecond
_refused: dict[str, str] = {}  # ways that did not work in this process, and why: asking again costs 30 ms each


class Sandbox:
    """One sandbox with its agent; a context manager. To be used by one thread at a time.

    Raises UsageError for a project that cannot be one, and MachineError when the machine cannot build what is planned.
    """

    def __init__(self, plan: SandboxPlan) -> None:
        self.plan = plan
        self._numbers = count(1)
        self._closed = False
        project = _checked(plan.project)
        setup = _setup(plan, project)
        self._agent, ready = _start(setup, plan)
        namespaced = self._agent.way.namespaces
        base = self._agent.plain_base
        self.roots = Roots(
            home=f"{base}/home" if base else HOME,
            project=f"{base}/project" if base else setup.project,
            tmp=f"{base}/tmp" if base else TMP,
            outside=f"{base}/outside" if base else OUTSIDE,
            bins=bins_of(plan.exposed),
            tools=f"{base}/tools" if base else TOOLS,
        )
        missing = ready.missing
        if self._agent.way.name == "unshare as root":
            missing = (*missing, "Programs see themselves as root, because this unshare cannot map the current user.")
        isolated = namespaced and not plan.network
        if namespaced and plan.network:
            missing = (*missing, "The network can be reached, as the plan asks.")
        self.containment = Containment(namespaced, ready.overlay, isolated, missing)
        self.surroundings = CALM
        self._channel = Channel(self._agent, self.roots)
        self._emptiness: Emptiness | None = None
        self._unmounted = True  # what is mounted over a root is not watched
        self._warm = plan.warm[0] if plan.warm and namespaced and self._is_prepared(plan.warm) else ""

    def __enter__(self) -> Self:
        return self

    @property
    def is_warm(self) -> bool:
        """Is the module that the plan names kept imported?"""
        return bool(self._warm)

    def _is_prepared(self, warm: tuple[str, ...]) -> bool:
        """Can it be kept imported? An interpreter of its own may find libraries that the agent's does not."""
        try:
            self._ask(wire.Prepare(warm[0], warm[1:]), wire.Done)
        except HarnessFault:
            return False
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_closed(self) -> bool:
        """Is it taken down?"""
        return self._closed

    def close(self) -> None:
        """Kill everything in the sandbox and take it down; nothing is left behind. May be called again."""
        if not self._closed:
            self._closed = True
            if self._emptiness is not None:
                self._emptiness.close()
            self._agent.close()

    def fresh(self) -> None:
        """Kill every process, undo every fault, and bring all roots back to how they began."""
        self.surroundings = CALM
        self._ask(wire.Fresh(), wire.Done)

    def renew(self) -> None:
        """As ``fresh``, but processes live on: only for worlds whose project is empty, between calls to a process.

        What ``meddle`` started does not live on.
        """
        if self.plan.project is not None:
            raise HarnessFault("a sandbox with a project cannot be renewed under running processes; use fresh")
        self.surroundings = CALM
        self._ask(wire.Fresh(keep_processes=True), wire.Done)

    def surround(self, change: Surroundings) -> None:
        """Lay ``change`` over ``surroundings``, in which targets start their processes until ``fresh`` or ``renew``."""
        self.surroundings = self.surroundings.with_change(change)

    def apply(self, actions: Sequence[wire.Action]) -> None:
        """Do the file actions in order, in one round trip. Raises MachineError naming the first that failed."""
        resolved = []
        for action in actions:
            action = msgspec.structs.replace(action, path=self._inside(action.path))
            if isinstance(action, wire.Symlink):
                action = msgspec.structs.replace(action, target=self.roots.resolve(action.target))
            resolved.append(action)
        self._ask(wire.Apply(tuple(resolved)), wire.Done)

    def read(self, path: str, limit: int = 256 * 1024) -> InputFact:
        """What a program would find at ``path``; its data only when it has at most ``limit`` bytes. Never blocks.

        While it and ``snapshot`` look, what ``meddle`` started stands still.
        """
        return self.read_each([path], limit)[path]

    def watch(self, path: str, timeout_s: float = WATCH_S) -> tuple[str, ...]:
        """The first two states of ``path`` that come by within ``timeout_s``: its size each, or "missing"."""
        return self._ask(wire.Watch(self._inside(path), timeout_s), wire.Done).names

    def meddle(self, argv: Sequence[str]) -> str:
        """Start something that goes on beside all runs, without capabilities, until ``fresh`` or ``renew``.

        ``argv`` is a command, given base_environment and no streams, or work that needs no program: ``@vanishing PATH
        HIDDEN`` (the file or directory comes and goes; a directory by being renamed to HIDDEN), ``@growing PATH TEXT``
        (TEXT is appended again and again), ``@locking PATH...`` (held by flock and record locks), ``@serving [TEXT]``
        (a server on 127.0.0.1 that answers with TEXT, or never).
        Comes back when that has begun, with what it said: of ``@serving`` the port, otherwise "".
        Raises MachineError when it cannot begin.
        """
        environment = {os.fsencode(name): os.fsencode(value) for name, value in base_environment(self.roots).items()}
        words = tuple(os.fsencode(self.roots.resolve(word)) for word in argv)
        return self._ask(wire.Meddle(words, environment), wire.Done).text

    def snapshot(self) -> dict[str, FileFact]:
        """Everything in the writable roots, by placeholder path; of the project only what differs from its beginning.

        Kinds are file, directory, symlink, fifo, socket, device, unreadable and deleted. Files over 1 MiB have no hash,
        directories neither size nor time. Paths outside the placeholders (/dev/shm, /run, /var/tmp) stand as they are.
        """
        return self.look((), 0).files

    def look(self, paths: Sequence[str], limit: int) -> Seen:
        """As ``snapshot`` and ``read`` of these paths, in one round trip and at one moment."""
        if self._emptiness is None:
            self._emptiness = Emptiness(self._watched())
        if self._emptiness.holds():
            return Seen({}, self.read_each(paths, limit) if paths else {})
        self._emptiness.begin()
        request = wire.Look(tuple(map(self._inside, paths)), limit)
        found = self._ask(request, wire.Seen)
        self._emptiness.found(empty=self._unmounted and not found.files)
        return Seen(found.files, dict(zip(paths, found.facts, strict=True)))

    def read_each(self, paths: Sequence[str], limit: int) -> dict[str, InputFact]:
        """As ``read`` of each path, in one round trip and at one moment; by path."""
        request = wire.Read(tuple(map(self._inside, paths)), limit)
        return dict(zip(paths, self._ask(request, wire.Found).facts, strict=True))

    def _watched(self) -> list[int]:
        if self.plan.project is not None:
            return []  # of which a snapshot shows what is different, not what is there
        self._ask(wire.WatchRoots(), wire.Done)
        return self._channel.descriptors()

    def limit_space(self, path: str, size_bytes: int, free_bytes: int = 0, inodes: int | None = None) -> str:
        """Put a full tmpfs of ``size_bytes`` over the directory ``path``, which keeps its contents.

        ``free_bytes`` stay free, rounded down to whole pages of 4096; with ``inodes``, so many files can still be made.
        Returns the errno name that a write which is too large really met (``ENOSPC``), or "" when none did.
        Raises MachineError without namespaces, and when the contents do not fit.
        """
        request = wire.LimitSpace(self._inside(path), size_bytes, free_bytes, inodes)
        return self._ask(request, wire.Done).text

    def read_only(self, path: str) -> str:
        """Make ``path`` read-only by a mount; the errno name that a write really met (``EROFS``), or "".

        Raises MachineError without namespaces, and when nothing is at ``path``.
        """
        return self._ask(wire.ReadOnly(self._inside(path)), wire.Done).text

    def busy(self, path: str) -> str:
        """Mount the regular file ``path`` over itself: it can be written, but neither replaced nor removed.

        The errno name that a rename over it really met (``EBUSY``), or "". Raises MachineError as ``read_only`` does.
        """
        return self._ask(wire.Cover(self._inside(path), full=False), wire.Done).text

    def full_device(self, path: str) -> str:
        """Put /dev/full in place of the regular file ``path``: it opens, never ends, and takes nothing.

        The errno name that a write really met (``ENOSPC``), or "". Raises MachineError as ``read_only`` does.
        """
        return self._ask(wire.Cover(self._inside(path), full=True), wire.Done).text

    def lift(self) -> None:
        """End every fault that is a mount, last first; what was written stays until ``fresh``."""
        self._ask(wire.Lift(), wire.Done)

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes | None = b"",
        timeout_s: float,
        output_limit: int = MEBIBYTE,
        close_stdout: bool = False,
        close_stderr: bool = False,
        surrounded: bool = False,
    ) -> Ended:
        """Run a command to its end; see ``Run`` for the arguments and ``Ended`` for what comes back.

        ``surrounded``: in the ``surroundings`` that stand, as the program under test is.
        """
        run = Run(
            argv=tuple(argv),
            env=dict(env),
            cwd=cwd,
            stdin=stdin,
            timeout_s=timeout_s,
            output_limit=output_limit,
            close_stdout=close_stdout,
            close_stderr=close_stderr,
            surroundings=self.surroundings if surrounded else CALM,
        )
        return self.run_together([run])[0]

    def run_together(
        self, runs: Sequence[Run], *, waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> list[Ended]:
        """Run several commands, all started before any is waited for; their ends, in the order given.

        From ``Collector.WAITING_AFTER_S`` on, the rest of the wait happens inside ``waiting()``: the caller's chance to
        let others work meanwhile.
        """
        self._check()
        numbered = [(next(self._numbers), run) for run in runs]
        return Collector(self._channel, self.roots, self._warm).collect(numbered, waiting)

    def abort(self) -> None:
        """Kill the sandbox at once, from any thread; whoever uses it meets an error, and still has to close it."""
        self._agent.kill()

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        surroundings: Surroundings = CALM,
        filter: Filter | None = None,  # noqa: A002  # the kernel's word for it
    ) -> Running:
        """Start a command that runs on, with pipes to talk to it; ``fresh`` and ``close`` kill it.

        MachineError for a ``slow`` stream: nobody but the caller listens to these.
        """
        self._check()
        if "slow" in (surroundings.stdin, surroundings.stdout, surroundings.stderr):
            raise MachineError("a process that is kept running has no slow streams")
        number = next(self._numbers)
        run = Run(argv=tuple(argv), env=dict(env), cwd=cwd, timeout_s=0.0, surroundings=surroundings, filter=filter)
        request = spawn_request(number, run, self.roots, self._warm)
        pipes = Pipes()
        pipes.hand_over(self._channel, request, listener_way(run))
        return Running(self._channel, number, pipes)

    def kill_everything(self) -> tuple[str, ...]:
        """Kill all processes in the sandbox; the names of those that were alive."""
        return self._ask(wire.KillAll(), wire.Done).names

    def _inside(self, path: str) -> str:
        resolved = self.roots.resolve(path)
        if not os.path.isabs(resolved):
            raise HarnessFault(f"a path in a sandbox must begin with a root such as {{home}}: {path!r}")
        return os.path.normpath(resolved) if "/../" in resolved + "/" else resolved

    def _ask(self, request: wire.Request, kind: type[R]) -> R:
        self._check()
        if isinstance(request, wire.Fresh):
            self._unmounted = True
        elif isinstance(request, wire.LimitSpace | wire.ReadOnly | wire.Cover):
            self._unmounted = False
            if self._emptiness is not None:
                self._emptiness.forget()
        return self._channel.ask(request, kind)

    def _check(self) -> None:
        if self._closed:
            raise HarnessFault("this sandbox is closed")


def _checked(project: str | None) -> str:
    if project is None:
        return ""
    place = os.path.realpath(project)
    if not os.path.isdir(place):
        raise UsageError(f"the project {project} is not a directory; name the directory that holds the hook")
    if place == "/" or any(taken == place or taken.startswith(place + "/") for taken in _TAKEN):
        raise UsageError(f"the project {project} is a directory of the system; name the one that holds the hook")
    return place


def _setup(plan: SandboxPlan, project: str) -> wire.Setup:
    exposed: dict[tuple[str, str], None] = {}
    for path in (*plan.exposed, *(("/etc/resolv.conf",) if plan.network else ())):
        real = os.path.realpath(path)
        if os.path.exists(real):
            exposed[real, os.path.abspath(path)] = None
            exposed[real, real] = None
    return wire.Setup(
        home=HOME,
        project=os.path.abspath(plan.project) if plan.project else PROJECT,
        tmp=TMP,
        outside=OUTSIDE,
        tools=TOOLS,
        project_source=project,
        # Only our own user exists inside: an overlay could not change files of another, which real root can.
        prefer_copy=bool(project) and os.geteuid() == 0 and os.stat(project).st_uid != 0,
        exposed=tuple(exposed),
        writable_bytes=plan.writable_bytes,
        plain_base="",
    )


def _start(setup: wire.Setup, plan: SandboxPlan) -> tuple[launch.Agent, wire.Ready]:
    for way in (launch.PLAIN,) if plan.force_fallback else launch.WAYS:
        if way.name in _refused:
            continue
        try:
            return launch.start(way, setup, plan.network)
        except launch.RefusedError as error:
            if way.namespaces and _works(way):
                # Falling back would contain less because of what is in this plan, and nobody would notice.
                raise MachineError(f"this sandbox cannot be built as planned: {error}") from error
            _refused[way.name] = str(error)
    reasons = "; ".join(f"{name}: {reason}" for name, reason in _refused.items())
    raise MachineError(f"no sandbox can be started on this machine ({reasons})")


def _works(way: launch.Way) -> bool:
    try:
        agent, _ = launch.start(way, _setup(SandboxPlan(), ""), network=False)
    except (launch.RefusedError, MachineError):
        return False
    agent.close()
    return True
