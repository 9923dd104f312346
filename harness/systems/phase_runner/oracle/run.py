"""A run as the oracle follows it: how each phase stands, what is awaited, whether a halt was triggered. Pure."""

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Final

import msgspec

from harness.systems.notes import Notes
from harness.systems.phase_runner.contract import StartArguments, SubagentResult
from harness.systems.phase_runner.contract.words import MAX_ATTEMPTS
from harness.systems.phase_runner.oracle.failures import Outcome
from harness.systems.phase_runner.oracle.graph import Graph
from harness.systems.phase_runner.oracle.plans import Row

SECOND_FAILED: Final = "AB-RTY-03"
NOT_RETRYABLE: Final = "AB-RTY-04"
CONFLICT: Final = "AB-NRT-04"
TAKEN_FOR_FINAL: Final = "AB-CLS-03"
"""Of what may be retried, or not, as the implementation has it."""
REPORT: Final = "report"
VERIFICATION: Final = "verified"


class Book:
    """What is seen of each clause, until it is sure that it was so."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, bool, str, str, frozenset[str] | None]] = []
        self.is_broken = False

    def agrees(self, clause: str, expected: str, readings: Iterable[str] | None = None) -> None:
        """See Notes.agrees."""
        self._seen.append((clause, True, expected, "", None if readings is None else frozenset(readings)))

    def breaks(self, clause: str, expected: str, observed: str) -> None:
        """See Notes.breaks."""
        self.is_broken = True
        self._seen.append((clause, False, expected, observed, None))

    def holds(self, clause: str, ok: bool, expected: str, observed: str, readings: Iterable[str] | None = None) -> bool:
        """See Notes.holds."""
        if ok:
            self.agrees(clause, expected, readings)
        else:
            self.breaks(clause, expected, observed)
        return ok

    def write(self, notes: Notes) -> None:
        """It was so."""
        for clause, ok, expected, observed, readings in self._seen:
            notes.holds(clause, ok, expected, observed, readings)


class Stands(Enum):
    """How a phase stands.

    WAITING: it failed, and is to be retried; CLAIMED: what it claims was never verified, since a halt came between;
    UNSURE: it may be complete, or not.
    """

    PENDING = auto()
    RUNNING = auto()
    WAITING = auto()
    COMPLETE = auto()
    FAILED = auto()
    CLAIMED = auto()
    UNSURE = auto()


class Was(Enum):
    """How a phase stood when the run was started.

    ASIDE: somebody set it back by hand, or took its record away; CUT_OFF: it may have been launched by an operation
    that was cut off, so that nobody ever ran it.
    """

    NEW = auto()
    FAILED = auto()
    INTERRUPTED = auto()
    BLOCKED = auto()
    ASIDE = auto()
    CUT_OFF = auto()
    COMPLETE = auto()


class Phase(msgspec.Struct):
    """One phase of a run.

    ``waits_for`` is REPORT, VERIFICATION, or empty. ``open`` counts the dependencies that are not complete.
    ``interrupted_at`` is the attempt in which an interruption left it, ``failed_before``: it did before it was resumed.
    ``results`` are those its record had when it was complete. ``may_rerun``: it is complete, but what it depends on is
    not. ``subject`` is that of its commit, as far as it was told; ``wanted_subject`` what the sub-agent proposed.
    """

    row: Row
    stands: Stands = Stands.PENDING
    was: Was = Was.NEW
    attempt: int = 0
    waits_for: str = ""
    open: int = 0
    failures: dict[int, Outcome] = {}
    result: SubagentResult | None = None
    may_rerun: bool = False
    is_committed: bool = False
    subject: str | None = None
    wanted_subject: str = ""
    interrupted_at: int = 0
    failed_before: bool = False
    results: str = ""

    @property
    def is_complete(self) -> bool:
        """Is it certainly complete?"""
        return self.stands is Stands.COMPLETE

    @property
    def last(self) -> Outcome:
        """The last failure of one that has failed."""
        return self.failures[max(self.failures)]

    @property
    def must_be_retried(self) -> bool:
        """Did it fail so that it certainly is to be retried?"""
        return self.last.must_be_retried


class Run:
    """A run of a plan, or what is left of one.

    ``batch`` are the phases that run together, or did before their retries, ``round`` those that were launched together
    last; ``claims`` is what the sub-agents of the batch said. ``is_vague``: another process may answer, or something
    befell the state: until the next start nothing has to be accepted, and what is forbidden stays so.
    """

    def __init__(self, graph: Graph, args: StartArguments) -> None:
        self.graph = graph
        self.args = args
        self.phases = {each: Phase(row) for each, row in graph.rows.items()}
        self.running: set[str] = set()
        self.reporting = 0  # of those that run: whose sub-agents have not ended
        self.waiting: set[str] = set()
        self.batch: set[str] = set()
        self.claims: dict[str, SubagentResult] = {}
        self.triggers: dict[str, str] = {}  # clause -> what triggered the halt
        self.left = 0  # phases that are not complete
        self.is_halting = False
        self.is_halted = False
        self.is_completed = False
        self.is_vague = False
        self.has_waited = False
        self.has_failed_beside = False  # a retry failed of several that were launched together
        self.is_new = False  # nothing was there when it began
        self.names: Mapping[str, str | None] = {}  # that records had, where the plan has others; None: nobody saw
        self.is_logged = False  # has the execution log been looked at since it halted?
        self.blocked: frozenset[str] = frozenset()
        self.owner = 0
        self.round: set[str] = set()
        self.group = ""  # of what the graph says may run beside what runs

    def count(self) -> None:
        """Counts what is open, once every phase stands as it does at the start."""
        for phase in self.phases.values():
            phase.open = sum(not self.phases[each].is_complete for each in phase.row.depends_on)
        self.left = sum(not phase.is_complete for phase in self.phases.values())

    def set_complete(self, phase: Phase) -> None:
        """It is complete, and what depends on it has one dependency less to wait for."""
        self.left -= 1
        for each in self.graph.dependants[phase.row.phase_id]:
            self.phases[each].open -= 1
        phase.stands = Stands.COMPLETE
        self._drop(phase)

    def set_aside(self, phase: Phase, stands: Stands) -> None:
        """It is not complete, or nobody knows."""
        if phase.is_complete:
            self.left += 1
            for each in self.graph.dependants[phase.row.phase_id]:
                self.phases[each].open += 1
        phase.stands = stands
        self._drop(phase)

    def fail(self, phase: Phase, outcome: Outcome, *, is_final: bool) -> None:
        """An attempt failed; it is retried unless that ``is_final``."""
        phase.failures[phase.attempt] = outcome
        self.set_aside(phase, Stands.FAILED if is_final else Stands.WAITING)
        if not is_final:
            self.waiting.add(phase.row.phase_id)
        elif phase.attempt >= MAX_ATTEMPTS:
            self.triggers[SECOND_FAILED] = phase.row.phase_id
            self.has_failed_beside = sum(self.phases[each].attempt >= MAX_ATTEMPTS for each in self.round) > 1
        elif not outcome.may_be_retried:
            self.triggers[NOT_RETRYABLE] = phase.row.phase_id
        else:
            self.triggers[TAKEN_FOR_FINAL] = phase.row.phase_id

    def begin(self, phase: Phase, attempt: int) -> None:
        """An attempt begins."""
        self.set_aside(phase, Stands.RUNNING)
        if not self.running:
            self.round = set()
            if attempt == 1:
                self.batch, self.claims = set(), {}
        phase.attempt = attempt
        if not self.reporting:
            self.group = self.graph.groups[phase.row.phase_id]
        phase.waits_for = REPORT
        phase.may_rerun = phase.is_committed = False
        self.reporting += 1
        self.running.add(phase.row.phase_id)
        self.batch.add(phase.row.phase_id)
        self.round.add(phase.row.phase_id)

    def lose(self, phase: Phase) -> None:
        """What was asked of it was done, or was not."""
        self.set_aside(phase, Stands.UNSURE)
        self.is_vague = True

    def verify(self, phase: Phase) -> None:
        """What it claims is being verified."""
        self._heard(phase)
        phase.waits_for = VERIFICATION

    def _heard(self, phase: Phase) -> None:
        self.reporting -= phase.waits_for == REPORT
        phase.waits_for = ""

    def _drop(self, phase: Phase) -> None:
        self._heard(phase)
        self.running.discard(phase.row.phase_id)
        self.waiting.discard(phase.row.phase_id)
