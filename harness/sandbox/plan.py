"""What a sandbox is asked to be, what it turned out to contain, and how a run in it ended."""

from typing import Final, Literal

import msgspec

MEBIBYTE: Final = 1024 * 1024
_NS: Final = 1_000_000_000


class SandboxPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to build.

    ``project`` is the directory of the person's hook (None: an empty one). ``exposed`` are further paths to show
    read-only at their own place. ``network`` keeps the machine's network. ``writable_bytes`` bounds each private tmpfs.
    ``force_fallback`` behaves as if the machine refused namespaces. ``warm`` are a module of ours that is kept imported
    and the first of its words: `python -m` of it is started by a fork where nothing surrounds it, unless the machine
    refused namespaces.
    """

    project: str | None = None
    exposed: tuple[str, ...] = ()
    network: bool = False
    writable_bytes: int = 512 * MEBIBYTE
    force_fallback: bool = False
    warm: tuple[str, ...] = ()


class Containment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds in a sandbox; ``missing`` has one sentence for each thing that is not contained."""

    namespaces: bool
    overlay: bool
    network_isolated: bool
    missing: tuple[str, ...] = ()


Stream = Literal["pipe", "closed", "full", "slow"]


class WallClock(msgspec.Struct, frozen=True, kw_only=True):
    """What a supervisor tells a program that asks for the time of day; the plain one is the machine's.

    It is moved by ``moved_s`` seconds, or stands still at ``stands_at_s`` (seconds since the epoch). ``steps_by_s`` is
    added to every other answer, beginning with the first; with ``steps_from`` to all answers from that one (from 1) on.
    """

    moved_s: float = 0.0
    stands_at_s: float | None = None
    steps_by_s: float = 0.0
    steps_from: int = 0

    def told_ns(self, real_ns: int, reading: int) -> int:
        """The answer with that number (from 1) where the machine's clock says ``real_ns``, in nanoseconds."""
        stepped = reading >= self.steps_from if self.steps_from else reading % 2 == 1
        start_ns = real_ns if self.stands_at_s is None else round(self.stands_at_s * _NS)
        return start_ns + round(self.moved_s * _NS) + (round(self.steps_by_s * _NS) if stepped else 0)


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What a process finds around it that is not its world of files: what faults change about how it is started.

    ``environment`` is laid over the variables of a run (None removes one); with ``bare_environment`` all others are
    gone. ``path_first`` are directories put in front of PATH. The command itself is looked up in the PATH of the run:
    these change what the program finds, not which program it is. ``prefix`` is put before the command. ``limits`` are
    soft and hard resource limits by name: ``file_size`` and ``memory`` in bytes, ``open_files``. A stream is a pipe,
    ``closed``, ``full`` (/dev/full) or ``slow`` (an output that is full and drained only after 0.3 s, an input that
    says nothing until then; of runs only). ``deleted_cwd`` starts it in a directory that is gone. ``umask`` None
    keeps 022. ``wall_clock`` is what a supervisor tells it, where the run is started under one: a sandbox alone cannot.
    """

    environment: dict[str, str | None] = {}
    bare_environment: bool = False
    path_first: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    limits: dict[str, int] = {}
    stdin: Stream = "pipe"
    stdout: Stream = "pipe"
    stderr: Stream = "pipe"
    deleted_cwd: bool = False
    umask: int | None = None
    wall_clock: WallClock | None = None

    def with_change(self, change: "Surroundings") -> "Surroundings":
        """These with ``change`` over them: mappings merged, prefixes joined, and whatever else it sets replaced."""
        plain = Surroundings()
        scalars = ("bare_environment", "stdin", "stdout", "stderr", "deleted_cwd", "umask", "wall_clock")
        new = {name: getattr(change, name) for name in scalars if getattr(change, name) != getattr(plain, name)}
        return msgspec.structs.replace(
            self,
            environment={**self.environment, **change.environment},
            path_first=(*change.path_first, *self.path_first),
            prefix=(*self.prefix, *change.prefix),
            limits={**self.limits, **change.limits},
            **new,
        )


CALM: Final = Surroundings()
"""Nothing surrounds a process that a fault would change. The one that stands where none does."""


class Interruption(msgspec.Struct, frozen=True, kw_only=True):
    """A signal sent to the main process of a run, ``after_s`` seconds after its start.

    With ``resume_after_s`` SIGCONT follows so much later.
    """

    signal: int
    after_s: float
    resume_after_s: float | None = None


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """A seccomp program under which a run is started, its calls to be answered by whoever holds the listener.

    ``program`` is as the kernel takes it. The listener's descriptor is sent by the child through the socket
    ``listener_to``, a descriptor of ours.
    """

    program: bytes
    listener_to: int


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One command to run to its end. Text in ``argv``, ``env`` and ``cwd`` may hold placeholders of the roots.

    ``env`` is the complete environment. ``stdin`` None is a pipe that stays
    open and silent; with ``keep_stdin_open`` it stays open after its bytes too. ``output_limit`` bounds
    stdout and stderr each, in bytes. ``close_stdout`` and ``close_stderr`` start it with that descriptor closed.
    ``surroundings`` are laid over all of that; ``interruption`` is a signal it gets on the way. ``filter`` hands its
    calls to a supervisor.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    timeout_s: float
    stdin: bytes | None = b""
    keep_stdin_open: bool = False
    output_limit: int = MEBIBYTE
    close_stdout: bool = False
    close_stderr: bool = False
    surroundings: Surroundings = Surroundings()
    interruption: Interruption | None = None
    filter: Filter | None = None


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended.

    Exactly one of ``exit_code``, ``signal`` and ``start_error`` (an errno name) says how. ``timed_out`` and ``flooded``
    say why we killed it. ``children_left`` names processes that outlived it by 0.25 s; they were killed.
    ``duration_s`` is from start to exit of the main process, without that grace. ``signals`` are those we sent that met
    the main process alive, in order.
    """

    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    flooded: bool = False
    children_left: tuple[str, ...] = ()
    duration_s: float = 0.0
    start_error: str = ""
    signals: tuple[int, ...] = ()
