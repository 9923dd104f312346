"""What the files have to show once an operation is done, when the next one finds them. Pure.

Clauses: ER-BLD-01, ER-DEL-02, ER-DEL-03, ER-MCP-02, ER-PRG-02, ER-PRG-03, ER-RES-01, ER-SYN-01.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from harness.core.history import InputFact
from harness.systems.error_log.contract import HandleResult, Progress, RecoverResult
from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.handling import Broken, marked
from harness.systems.error_log.oracle.progress import Life
from harness.systems.notes import Notes

Check = Callable[[InputFact], None]
_PARTIAL: Final = "partial"
_IN_PROGRESS: Final = "in_progress"
_OTHER: Final = {"todo": "state", "state": "todo"}


def _is_marked(own: Sequence[str], before: Sequence[str]) -> bool:
    """Is the phase marked [PARTIAL], and nowhere as failed where it was not before?"""
    return any(map(documents.is_partial, own)) and not any(
        documents.is_failed(line) for line in own if line not in before
    )


def _may_change(line: str) -> bool:
    """May that line of a phase say something else once it was interrupted?"""
    return documents.is_mark(documents.read(line))


class Aftermath:
    """What is to be seen of each file, by its label, when it is found next."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._checks: dict[str, list[Check]] = {}
        self._plan: tuple[str, ...] | None = None  # its lines of completed phases
        self._last: dict[str, InputFact] = {}
        self._unmarked: list[tuple[Life, str, Sequence[str]]] = []  # by whom: phases that the plan could not tell of
        self._to_mark: list[tuple[str, Sequence[str]]] = []  # those that it can by now
        self._failed: dict[str, Sequence[str]] = {}  # phases that failed, each among which
        self.touched = False  # an error was handled since the plan was last seen

    def forget(self, labels: Iterable[str]) -> None:
        """These files were damaged, or others write to them as well: nothing has to be seen there."""
        for label in labels:
            self._checks.pop(label, None)
            self._last.pop(label, None)
            if label == "plan":
                self._plan = None
                self._to_mark = []

    def look(self, inputs: Mapping[str, InputFact], shaken: frozenset[str]) -> None:
        """Notes what the files show."""
        if "plan" in inputs:
            self._marked_late(inputs["plan"])
        for label, fact in inputs.items():
            if label in shaken or (fact.kind == "file" and fact.data is None):
                self.forget((label,))
                continue
            for check in self._checks.pop(label, ()):
                check(fact)
            self._last[label] = fact
            if label == "plan":
                self._completed_lines(fact)

    def _completed_lines(self, fact: InputFact) -> None:
        """Phases that were completed in the plan stay so."""
        lines = documents.lines(fact)
        lost = [line for line in self._plan or () if line not in (lines or ())]
        if lost:
            self._notes.breaks("ER-PRG-02", f"the plan keeps {lost[0]!r}", f"{lines}"[:400])
        elif self._plan and self.touched:
            self._notes.agrees("ER-PRG-02", "completed phases stay so in the plan")
        self.touched = False
        self._plan = tuple(line for line in lines or () if documents.is_completed(line))

    def _expect(self, label: str, check: Check) -> None:
        self._checks.setdefault(label, []).append(check)

    def begun(self) -> None:
        """A delegation began."""

        def check(fact: InputFact) -> None:
            raw = documents.metadata(fact)
            ok = raw is not None and raw["status"] == _IN_PROGRESS
            expected = "metadata are written before the work begins, with the status in_progress"
            self._notes.holds("ER-DEL-03", ok, expected, f"{fact.kind} {(fact.data or b'')[:160]!r}")

        self._expect("metadata", check)

    def stopped_at(self, point: str) -> None:
        """The task left off at that phase."""

        def check(fact: InputFact) -> None:
            there = documents.stage(documents.metadata(fact)) == point
            readings = None if there else ("elsewhere",)
            self._notes.agrees("ER-RES-01", "a resume point is stored", readings)

        self._expect("metadata", check)

    def partial(self, *, at_phase: bool) -> None:
        """Partial status was written to the metadata; ``at_phase``: there is a phase to go on from."""

        def check(fact: InputFact) -> None:
            raw = documents.metadata(fact) or {}
            ok = raw.get("status") == _PARTIAL and (
                "partial_progress" in raw if not at_phase else raw.get("partial_progress") is not None
            )
            expected = "the metadata have the status partial, and partial_progress"
            self._notes.holds("ER-MCP-02", ok, expected, f"{fact.kind} {(fact.data or b'')[:160]!r}")

        self._expect("metadata", check)

    def marked(self, answer: HandleResult | RecoverResult, phase: str, phases: Sequence[str]) -> None:
        """That phase was interrupted. A plan that does not speak of it shows nothing, and the step has to be enough."""
        before = documents.section(documents.lines(self._last.get("plan")) or (), phase, phases)
        spoken = bool(before)
        if self._plan:  # its own line may change
            own = set(documents.of_phase(self._plan, phase, phases))
            self._plan = tuple(line for line in self._plan if line not in own)

        def check(fact: InputFact) -> None:
            own = documents.section(documents.lines(fact) or (), phase, phases)
            ok = _is_marked(own, before)
            seen = marked(answer, in_file=ok if spoken else None)
            if isinstance(seen, Broken):
                self._notes.breaks(seen.clause, seen.expected, f"{seen.observed}: {list(own)}")
            else:
                self._notes.agrees(seen.clause, seen.expected, seen.readings)

        self._expect("plan", check)

    def handled(self, progress: Progress, points: Iterable[str | None] = ()) -> None:
        """An error was handled: of the plan only the phase's own mark may change, and those of completed phases.

        ``points`` are where it left off as the metadata or the error say. Phases that failed before may be marked late.
        """
        before = documents.raw_lines(self._last.get("plan"))
        phases = progress.phases
        self._failed |= {phase: phases for phase in (progress.failed_at, *points) if phase is not None}
        free: set[str] = set()
        for phase, among in (*self._failed.items(), *((each, phases) for each in progress.completed)):
            free |= set(documents.section(tuple(map(documents.read, before)), phase, among))
        kept = Counter(line for line in before if not (documents.read(line) in free and _may_change(line)))

        def check(fact: InputFact) -> None:
            lost = kept - Counter(documents.raw_lines(fact))
            if not lost:
                return
            line = next(iter(lost))
            bare = documents.unmarked(documents.read(line))
            now = [other for other in map(documents.read, documents.raw_lines(fact)) if documents.is_partial(other)]
            clause = "ER-PRG-03" if bare in map(documents.unmarked, now) else "ER-PRG-02"
            self._notes.breaks(clause, f"the plan keeps the line {line!r}"[:300], f"{documents.lines(fact)}"[:400])

        if kept:
            self._expect("plan", check)

    def unmarked(self, phase: str, phases: Sequence[str], life: Life) -> None:
        """That phase was interrupted when the plan could not be written; it waits in the memory of that process."""
        self._unmarked.append((life, phase, phases))

    def written(self, life: Life, completed: Collection[str]) -> None:
        """That process could write the plan again: phases that waited are marked, too, but for completed ones."""
        waited = [(phase, phases) for owner, phase, phases in self._unmarked if owner == life]
        self._to_mark += [(phase, phases) for phase, phases in waited if phase not in completed]
        self._unmarked = [each for each in self._unmarked if each[0] != life]

    def _marked_late(self, fact: InputFact) -> None:
        """Are the phases marked that had to wait? A plan that does not speak of one shows nothing."""
        for phase, phases in self._to_mark:
            own = documents.section(documents.lines(fact) or (), phase, phases)
            if own:
                ok = _is_marked(own, ())
                expected = f"{phase} is marked [PARTIAL] once the plan can be written again"
                self._notes.holds("ER-PRG-03", ok, expected, f"{list(own)}")
        self._to_mark = []

    def unchanged(self, label: str, clause: str, expected: str) -> None:
        """That file has to stay as it was, byte for byte."""
        before = self._last.get(label)
        if before is None:
            return

        def check(fact: InputFact) -> None:
            self._notes.holds(clause, fact == before, expected, f"{fact.kind} {(fact.data or b'')[:160]!r}")

        self._expect(label, check)

    def same_statuses(self, clause: str, expected: str) -> None:
        """The statuses of tasks stay as they were."""
        for label in ("todo", "state"):
            before = documents.statuses(self._last.get(label))
            if before is not None:
                self._expect(label, self._statuses(clause, expected, before))

    def synced(self, taken: str) -> None:
        """One of TODO.md and state.json was taken: both say what it said."""
        before, other = documents.statuses(self._last.get(taken)), documents.statuses(self._last.get(_OTHER[taken]))
        if not before or not other:
            return
        alone = len(before) == len(other) == 1  # else the other file may speak of more tasks
        for label in _OTHER:
            check = self._statuses(
                "ER-SYN-01", f"both files say what {taken} said", before, exactly=alone or label == taken
            )
            self._expect(label, check)

    def _statuses(self, clause: str, expected: str, wanted: frozenset[str], *, exactly: bool = True) -> Check:
        def check(fact: InputFact) -> None:
            found = documents.statuses(fact) or frozenset()
            if (found if exactly else found & wanted) != wanted:
                self._notes.breaks(clause, f"{expected}: {sorted(wanted)}", f"{sorted(found)}")

        return check

    def tells_statuses(self) -> bool:
        """Are both TODO.md and state.json there, with statuses?"""
        spoken = all(documents.statuses(self._last.get(label)) for label in _OTHER)
        return spoken and documents.decoded(self._last.get("state")) is not None
