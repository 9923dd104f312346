"""What a supervisor is asked, and what can be answered."""

from collections.abc import Callable

import msgspec

from harness.faults.syscalls.calls import Kind


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One file call, as it was asked for and before it is done.

    ``run`` counts the runs of one supervisor, ``process`` the processes of a run in the order of their first call, both
    from 0. ``paths`` are absolute, as the program sees them, symbolic links before the last name followed: one, or two
    of rename, link and the like. ``data`` is what a write would write, when asked for; ``length`` its size, or the size
    a file is cut to. ``offset`` is where in the file, None for where the file stands. Of a copy ``source`` is what is
    read, "" when it is no file.
    """

    run: int
    process: int
    name: str
    kind: Kind
    paths: tuple[str, ...]
    flags: int = 0
    length: int = 0
    offset: int | None = None
    data: bytes = b""
    descriptor: int | None = None
    source: str = ""
    pid: int = 0
    tid: int = 0
    cookie: int = 0
    arguments: tuple[int, ...] = ()


class Go(msgspec.Struct, frozen=True):
    """The kernel does the call."""


class Fail(msgspec.Struct, frozen=True):
    """The call fails with that errno name and is not done; but a ``close`` that fails closes, as Linux does."""

    errno: str


class Give(msgspec.Struct, frozen=True):
    """The call returns ``value`` without being done."""

    value: int = 0


class Kill(msgspec.Struct, frozen=True):
    """Everything the run started is killed before the call is done.

    Another ``signal`` is sent to all of it instead. Who survives it makes the call when its handler is done.
    """

    signal: str = "SIGKILL"


class Torn(msgspec.Struct, frozen=True):
    """Only ``size`` bytes are written or copied; then the run is killed, or the call returns ``size``: a short write.

    A call that would write no more than that is done as it is.
    """

    size: int
    kill: bool = True


class Delay(msgspec.Struct, frozen=True):
    """The kernel does the call after so many seconds."""

    seconds: float


class Hold(msgspec.Struct, frozen=True):
    """The call waits until ``Supervisor.answer`` is called for it."""


Answer = Go | Fail | Give | Kill | Torn | Delay | Hold
Decision = Callable[[Call], Answer]
Rest = Callable[[bool], float | None]


class Struck(msgspec.Struct, frozen=True):
    """A call that did not go as the program asked: ``proof`` is what it met.

    That is an errno name, a signal's name, ``12 bytes`` of a torn write, ``delayed``, or ``given``.
    """

    call: Call
    answer: Answer
    proof: str
