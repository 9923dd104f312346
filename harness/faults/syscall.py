"""Faults at one file call of one operation: it fails, the process dies before it, its write is torn, it takes longer.

Carried out by the session that starts the process, under a supervisor; each strikes the next operation only, and its
proof comes with that operation's end. A call is named by its name, its path and which of those it is. A path may hold
``*``, which stands for any characters of one name: temporary files are called otherwise in every run.
"""

import errno
import functools
import re
from collections.abc import Callable, Sequence

from harness.core.fault import Fault
from harness.errors import MachineError
from harness.faults.kind import FaultKind, Param, whole
from harness.faults.syscalls import probe
from harness.faults.syscalls.answers import Answer, Call, Delay, Fail, Kill, Struck, Torn
from harness.faults.syscalls.calls import FILE_CALLS, SIGNATURES, Kind
from harness.faults.syscalls.sites import Site, Strike
from harness.sandbox import Sandbox
from harness.sandbox.room import Room

_WHERE = {
    "call": Param("text", "write", "the name of the call", choices=tuple(sorted(FILE_CALLS))),
    "nth": Param("whole", 1, "which of these calls of the operation", low=1),
    "to": Param("text", "", "the second path, of calls that have two"),
}

KINDS = (
    FaultKind(
        "syscall.errno",
        "the next operation only: the call fails with `errno`; of a write for want of space half is written first",
        {**_WHERE, "errno": Param("text", "EIO", "the name", choices=tuple(sorted(errno.errorcode.values())))},
        placed=True,
    ),
    FaultKind(
        "syscall.killed",
        "the next operation only: everything it started gets `signal` before the call",
        {**_WHERE, "signal": Param("text", "SIGKILL", "which signal", choices=("SIGKILL", "SIGTERM"))},
        placed=True,
    ),
    FaultKind(
        "syscall.torn",
        "the next operation only: of the write `bytes` are done, then everything it started is killed",
        {**_WHERE, "bytes": Param("whole", 0, "bytes", low=0)},
        placed=True,
    ),
    FaultKind(
        "syscall.delayed",
        "the next operation only: the call takes `delay_ms` longer",
        {**_WHERE, "delay_ms": Param("whole", 100, "milliseconds", low=1, high=60_000)},
        placed=True,
    ),
)
FAMILY = "syscall"
# calls by which a file that has no room left can be written further
_WRITING = frozenset(name for name, signature in SIGNATURES.items() if signature.kind in (Kind.WRITE, Kind.COPY))


def place(room: Room) -> str:
    """Nothing is proven yet: the session carries it out. MachineError where no file call can be struck."""
    refused = probe.refusal(room) if isinstance(room, Sandbox) else "a file call is struck in a sandbox; here is none"
    if refused:
        raise MachineError(refused)
    return ""


class CallFault:
    """One such fault while its operation runs: a decision for a supervisor, and afterwards its proof.

    ``hide`` writes a path of the process as scenarios do.
    """

    def __init__(self, fault: Fault, hide: Callable[[str], str]) -> None:
        self.fault = fault
        self._kind = fault.name.partition(".")[2]
        patterns = tuple(filter(None, (fault.path or "", str(fault.params.get("to", "")))))
        self._strike = Strike(_site(fault, patterns), self._answer(), canonical(patterns, hide))

    @property
    def names(self) -> frozenset[str]:
        """The calls that have to be supervised for it."""
        name = str(self.fault.params["call"])
        return frozenset({name}) | (_WRITING if name in _WRITING else frozenset())

    @property
    def kills(self) -> bool:
        """Does the operation end by it, without an answer?"""
        return self._kind in ("killed", "torn")

    @property
    def only_fails(self) -> bool:
        """Does the call return an error, and the process go on?"""
        return self._kind == "errno"

    def __call__(self, call: Call) -> Answer:
        """See Supervisor."""
        return self._strike(call)

    def proof(self, struck: Sequence[Struck]) -> str:
        """What the call met, of all that was ``struck`` by the supervisor; empty when it never came."""
        if self._strike.met is None:
            return ""
        proof = next((each.proof for each in struck if each.call == self._strike.met), "")
        if self._kind == "errno":
            return str(self.fault.params["errno"]) if proof else ""  # of a full disk it began with a short write
        if proof and self._kind == "torn":
            return f"{proof} of {self._strike.met.length}"
        return proof

    def _answer(self) -> Answer:
        params = self.fault.params
        if self._kind == "errno":
            return Fail(str(params["errno"]))
        if self._kind == "torn":
            return Torn(whole(params, "bytes"))
        return Kill(str(params["signal"])) if self._kind == "killed" else Delay(whole(params, "delay_ms") / 1000)


def _site(fault: Fault, patterns: tuple[str, ...]) -> Site:
    return Site(str(fault.params["call"]), patterns, whole(fault.params, "nth"))


def canonical(patterns: tuple[str, ...], hide: Callable[[str], str] = str) -> Callable[[str], str]:
    """Writes a path as the first of the patterns that it fits, or as ``hide`` writes it."""
    known = [(pattern, _compiled(pattern)) for pattern in patterns if "*" in pattern]

    def named(path: str) -> str:
        hidden = hide(path)
        return next((pattern for pattern, fits in known if fits.fullmatch(hidden)), hidden)

    return named


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("[^/]*".join(map(re.escape, pattern.split("*"))))
