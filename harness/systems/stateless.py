"""What the oracles of systems that keep nothing share: calls, how they ended, which had to be answered. Pure.

Who keeps nothing has nothing that a fault could take: under every fault an answer has to be the one of calm weather.
What a fault may take is the answer itself, where the process that would give it dies, or cannot begin.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any

import msgspec

from harness.core.clause import Catalogue, Level
from harness.core.fault import Fault
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Completed, Entry, EntryType, History
from harness.core.scenario import Scenario
from harness.systems.rules import Judgement, failed
from harness.systems.standing import faults_of

RESET = "reset"
# under these no answer may come: the process dies, cannot begin, or cannot speak
SILENCING = frozenset(
    ("process.killed", "process.few_descriptors", "environment.deleted_cwd", "environment.nothing",
     "environment.no_path", "environment.stdin_closed", "environment.stdout_closed", "environment.stdout_full")
)  # fmt: skip
CALLS = "syscall"
# whatever of these families begins or ends, another process answers from then on
RESTARTING = frozenset(("clock", "process", CALLS, "environment", "collaborator", "network"))
_HIDDEN_CHARACTERS = 120

Judge = Callable[[Scenario, History, Catalogue], tuple[Finding, ...]]


class Ended(StrEnum):
    """How a call ended; ``excused``: nothing can be said of it, since a fault may have taken its answer."""

    ANSWERED = "answered"
    REFUSED = "refused"
    SILENT = "silent"
    EXCUSED = "excused"


class Call(msgspec.Struct, frozen=True):
    """One operation of a history.

    ``args`` is None when what was asked is no call of the contract, which nobody has to answer; ``result`` is what was
    answered, whatever its shape. ``segment`` counts the worlds of the history; ``restarted`` is true when another
    process than that of the call before it may have answered.
    """

    n: int
    segment: int
    process: int
    op: str
    args: Any
    ended: Ended
    result: Mapping[str, Any]
    restarted: bool
    asked: Mapping[str, Any]

    @property
    def binds(self) -> bool:
        """Does this call say something of a clause?"""
        return self.args is not None and self.ended is not Ended.EXCUSED

    @property
    def answered(self) -> bool:
        """Is there a result?"""
        return self.ended is Ended.ANSWERED

    @property
    def said(self) -> str:
        """What was asked and what came of it, for a person."""
        return f"{self.op} {_short(self.asked)}: {self.ended.value} {_short(self.result)}".rstrip()


def calls(history: History, operations: Mapping[str, tuple[type, type]]) -> tuple[Call, ...]:
    """Every operation of ``history`` that is one of ``operations``, in order."""
    found: list[Call] = []
    segment = 0
    before: dict[int, tuple[tuple[Fault, ...], bool]] = {}  # by process: what stood last, and whether it answered
    for done in history.operations():
        if done.begin.op == RESET:
            segment += 1
            before = {}
        elif done.begin.op in operations:
            standing = tuple(each.fault for each in faults_of(done) if each.fault.family in RESTARTING)
            ended = _ended(done)
            stood, sound = before.get(done.begin.process, ((), True))
            new = stood != standing or not sound or done.begin.process > 0  # those begun beside it may end with a call
            before[done.begin.process] = standing, ended in (Ended.ANSWERED, Ended.REFUSED)
            found.append(_call(done, segment, ended, operations, restarted=new))
    return tuple(found)


def _call(
    done: Completed, segment: int, ended: Ended, operations: Mapping[str, tuple[type, type]], *, restarted: bool
) -> Call:
    begin, end = done.begin, done.end
    args: Any = None
    with suppress(msgspec.ValidationError, TypeError, ValueError):
        args = msgspec.convert(begin.value, operations[begin.op][0])
    result = end.value if end is not None and isinstance(end.value, Mapping) else {}
    return Call(begin.n, segment, begin.process, begin.op, args, ended, result, restarted, begin.value)


def _ended(done: Completed) -> Ended:
    if done.end is None:
        return Ended.EXCUSED  # the run stopped before it came
    if done.end.type is EntryType.OK:
        return Ended.ANSWERED
    faults = [each.fault for each in faults_of(done)]
    if any(fault.name in SILENCING or fault.family == CALLS for fault in faults):
        return Ended.EXCUSED
    return Ended.REFUSED if done.end.type is EntryType.FAIL else Ended.SILENT


def unanswered(call: Call, expected: str) -> Judgement:
    """The judgement of a call that had to be answered and was not."""
    return failed(expected, call.said, reason=f"the call was {call.ended.value}")


def number(value: object) -> float | None:
    """A number as JSON has it, infinite when no float holds it; None for anything else, true and texts included."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def permitted(
    judge: Judge,
    scenario: Scenario,
    history: History,
    catalogue: Catalogue,
    alternatives: Sequence[Mapping[str, Any]],
) -> tuple[Mapping[str, Any], ...]:
    """Those of ``alternatives`` that no MUST clause fails when the last operation of ``history`` had ended so.

    What an alternative does not say stays as it was answered. None at all for a history without an operation.
    """
    done = history.operations()
    if not done:
        return ()
    return tuple(
        alternative
        for alternative in alternatives
        if not _fails(judge(scenario, History(tuple(_ending(history, done[-1], alternative))), catalogue), catalogue)
    )


def _ending(history: History, last: Completed, alternative: Mapping[str, Any]) -> Iterator[Entry]:
    """The entries of the history, its last operation ended so."""
    begin, end = last.begin, last.end
    yield from (entry for entry in history.entries if end is None or entry.n != end.n)
    n = max(entry.n for entry in history.entries) + 1
    observed = end or Entry(n, begin.process, EntryType.OK, begin.op, {}, begin.now)
    value = observed.value if observed.type is EntryType.OK else {}
    yield msgspec.structs.replace(observed, type=EntryType.OK, value={**value, **alternative})


def _fails(findings: Sequence[Finding], catalogue: Catalogue) -> bool:
    return any(
        finding.verdict is CheckVerdict.FAIL and catalogue[finding.clause].level is Level.MUST for finding in findings
    )


def _short(value: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name} {item!r}" for name, item in value.items())
    return text if len(text) <= _HIDDEN_CHARACTERS else text[: _HIDDEN_CHARACTERS - 4] + " ..."
