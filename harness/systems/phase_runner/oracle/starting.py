"""A run begins, goes on, or begins afresh. Pure.

Clauses AB-RES-01, 02 and 04, AB-FRS-01 to 03, AB-PRT-01, AB-COR-01, AB-STA-06, AB-NRT-05.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from harness.core.history import FileFact
from harness.systems.file_faults import is_below
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    MAX_ATTEMPTS,
    STATE_DIRECTORY,
    LogCode,
    Mode,
    log_path,
    phase_path,
)
from harness.systems.phase_runner.oracle.asking import Call, is_same
from harness.systems.phase_runner.oracle.graph import Graph
from harness.systems.phase_runner.oracle.halting import NONE_FOUND, settle
from harness.systems.phase_runner.oracle.launching import take_commits, take_launches
from harness.systems.phase_runner.oracle.run import Book, Run, Stands, Was
from harness.systems.phase_runner.oracle.standing import Found

_MADE_ANEW: Final = (CONFIG_PATH, EXECUTION_LOG_PATH)
_AFRESH: Final = "fresh takes the state away and starts at the first phase"


class Starting:
    """One start of a sound plan, and what it made of the state that was there."""

    def __init__(self, call: Call, graph: Graph, found: Found, before: Run | None, book: Book) -> None:
        self._call, self._graph, self._found, self._before, self._book = call, graph, found, before, book
        self.is_fresh = Mode.FRESH in call.args.modes
        self._answer: Any = call.answer
        self._is_active = before is not None and not (before.is_halted or before.is_completed or before.is_vague)

    @property
    def is_plain(self) -> bool:
        """Was nothing in its way, and nothing odd there?"""
        is_odd = self._found.leads_away if self.is_fresh else self._found.is_odd
        return self._call.is_calm and not is_odd

    def refused(self, *, was_killed: bool) -> None:
        """It was not accepted: only for a reason."""
        found, answer, modes = self._found, self._answer, self._call.args.modes
        if answer.launch:
            self._book.breaks("AB-RTY-01", "what is not accepted launches nothing", self._call.said[:400])
        if not self.is_plain or self._is_active or found.torn:
            return
        if self.is_fresh:
            self._book.breaks("AB-COR-01" if found.corrupt else "AB-FRS-01", _AFRESH, self._call.said[:400])
        elif found.has_state or Mode.RESUME not in modes:
            clause = "AB-STA-06" if was_killed else "AB-RES-01" if found.has_state else "AB-NRT-05"
            self._book.breaks(clause, "a run of a sound plan starts", self._call.said[:400])

    def meets_corrupt(self) -> bool:
        """Is a record damaged, so that the run halts, or is refused? It is judged here then."""
        found, answer, book = self._found, self._answer, self._book
        for phase_id in found.torn:
            book.breaks("AB-STA-06", "no file is torn", f"the record of {phase_id!r} is")
        if not found.corrupt or self.is_fresh:
            return bool(found.torn) and not answer.accepted
        wanted = "a damaged record halts the run, or it is refused, and never counts as complete"
        if answer.launch or answer.completed or (answer.accepted and not (answer.halted or answer.halting)):
            book.breaks("AB-COR-01", wanted, self._call.said[:400])
            return True
        if not answer.accepted and not answer.halted:
            book.agrees("AB-COR-01", wanted, ("asks",))
            return True
        texts = [entry.message for entry in answer.log]
        texts += [] if answer.summary is None else [answer.summary.reason, answer.summary.text]
        is_named = any(f"phase-{each}.json" in text for each in found.corrupt for text in texts)
        book.holds(
            "AB-COR-01",
            is_named or not self._call.is_calm,
            wanted,
            f"no damaged file is named: {self._call.said[:300]}",
            ("halts",),
        )
        return True

    def accepted(self) -> Run:
        """The run that begins."""
        run = Run(self._graph, self._call.args)
        run.owner = self._call.process
        if not self.is_fresh:
            self._take_over(run)
            run.names = self._found.names
        run.is_new = self.is_fresh or not self._found.has_state
        run.count()
        run.is_vague = not self._call.is_calm or (self._found.is_odd and not self.is_fresh) or bool(self._found.torn)
        was_vague = run.is_vague
        self._judge_first(run)
        if self._answer.halted and not run.is_vague and self._is_counted(run):
            self._book.agrees("AB-RES-04", "the attempt that was cut off counts", ("counted",))
            run.is_vague = True
        take_commits(run, self._answer.commits, self._book)
        launched = take_launches(run, self._answer, None, self._book)
        settle(run, self._call, self._book, NONE_FOUND, launched, was_idle=False)
        if was_vague and self._call.is_calm and not run.is_halted:
            run.is_vague = False
        return run

    def _is_counted(self, run: Run) -> bool:
        """May a phase have no attempt left, since the one that was cut off counts?"""
        left = [each for each in run.phases.values() if each.was is Was.INTERRUPTED]
        return any(each.interrupted_at in (0, MAX_ATTEMPTS) for each in left)

    def _take_over(self, run: Run) -> None:
        """How the phases stood goes over into the run that takes them up."""
        for phase_id, (stands, was, attempt) in self._found.stands.items():
            phase = run.phases[phase_id]
            phase.stands, phase.was = stands, was
            phase.interrupted_at = attempt if was is Was.INTERRUPTED else 0
            phase.failed_before = was is Was.FAILED
            old = None if self._before is None else self._before.phases.get(phase_id)
            if old is not None and stands is Stands.COMPLETE:
                phase.subject, phase.wanted_subject, phase.is_committed = (
                    old.subject,
                    old.wanted_subject,
                    old.is_committed,
                )
                phase.attempt, phase.failures = old.attempt, old.failures
                phase.results = old.results if phase_id in self._found.followed else ""
        unfinished = [each for each, phase in run.phases.items() if not phase.is_complete]
        for phase_id in self._graph.downstream(unfinished):
            run.phases[phase_id].may_rerun = run.phases[phase_id].is_complete

    def _judge_first(self, run: Run) -> None:
        """What is launched first: what failed, or was interrupted, after a halt; the first phase afresh."""
        launched = {each.phase_id for each in self._answer.launch}
        if self.is_fresh or run.is_vague:
            return
        complete = [each for each in run.phases.values() if each.is_complete]
        if complete and self._answer.accepted:
            self._book.agrees("AB-RES-02", "what is complete is not executed again")
        first = {each for each, phase in run.phases.items()
                 if phase.was in (Was.FAILED, Was.INTERRUPTED) and not phase.open}  # fmt: skip
        has_failed = any(run.phases[each].was is Was.FAILED for each in first)
        if has_failed and launched and not first & launched:
            self._book.breaks("AB-RES-01", "what failed is executed, before what remains", self._call.said[:400])

    def judge_fresh(self, run: Run, owned: Mapping[str, FileFact], *, has_commits: bool) -> None:
        """What a fresh start leaves of what was there; ``owned`` is what lay there before the first operation."""
        call, book = self._call, self._book
        row = next(iter(run.graph.rows.values()))
        launched = {each.phase_id for each in self._answer.launch}
        is_first = row.phase_id != "0" or bool(row.depends_on) or "0" in launched or bool(row.parallel_with)
        left = _leftovers(call, set(run.graph.rows), launched, owned) if self.is_plain else []
        wrong = f"{left[0]} is there still" if left else "" if is_first else f"it launches {sorted(launched)}"
        if wrong:
            book.breaks("AB-FRS-01", _AFRESH, wrong[:300])
        elif self._found.has_state and call.is_calm:
            book.agrees("AB-FRS-01", _AFRESH)
            if self._found.corrupt:
                book.agrees("AB-COR-01", "a damaged state is left by a fresh start")
        if has_commits and self.is_plain:
            warned = any(entry.code == LogCode.COMMITS_REMAIN for entry in self._answer.log)
            book.holds("AB-FRS-02", warned, "it is told that commits remain", "it is not")

    def judge_outside(self) -> None:
        """Nothing outside .autobuild is touched, wherever that leads."""
        call = self._call
        if not call.found or not call.left:
            return
        place = call.found.get(STATE_DIRECTORY)
        lost = [
            path
            for path, fact in call.found.items()
            if not is_below(path, STATE_DIRECTORY) and fact.sha256 and not is_same(fact, call.left.get(path))
        ]
        if lost:
            self._book.breaks("AB-FRS-02", "what is outside .autobuild stays", f"{lost[0]} does not")
        elif place is not None and place.kind == "symlink":
            self._book.agrees("AB-FRS-02", "what .autobuild leads to stays")


def _leftovers(call: Call, ids: Collection[str], launched: Collection[str], owned: Mapping[str, FileFact]) -> list[str]:
    """The files below .autobuild that a fresh start has to take away, and has not."""
    found: list[str] = []
    for path, fact in call.left.items():
        if not is_below(path, STATE_DIRECTORY) or fact.kind != "file" or fact.size == 0 or path in _MADE_ANEW:
            continue
        phase_id = path.rpartition("/phase-")[2].rpartition(".")[0]
        if path == phase_path(phase_id):
            is_left = phase_id not in ids
        elif path == log_path(phase_id) or path == COMMITS_PATH:
            is_left = is_same(fact, call.found.get(path)) and phase_id not in launched
        else:
            is_left = is_same(fact, owned.get(path))
        if is_left:
            found.append(path)
    return found
