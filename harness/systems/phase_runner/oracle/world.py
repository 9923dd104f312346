"""One world of a history: the run in it, followed operation by operation. Pure."""

import copy
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

from harness.core.fault import Fault
from harness.core.history import FileFact
from harness.systems import file_faults
from harness.systems.notes import Notes
from harness.systems.phase_runner.contract.words import CONFIG_PATH, Mode, phase_path
from harness.systems.phase_runner.oracle import weather
from harness.systems.phase_runner.oracle.asking import Call
from harness.systems.phase_runner.oracle.failures import of_report
from harness.systems.phase_runner.oracle.graph import Graph, graph_of, problems_of
from harness.systems.phase_runner.oracle.keeping import judge_kept
from harness.systems.phase_runner.oracle.plan_errors import judge_plan_error, judge_refused_plan
from harness.systems.phase_runner.oracle.plans import read_plan
from harness.systems.phase_runner.oracle.reporting import take_report
from harness.systems.phase_runner.oracle.run import Book, Run
from harness.systems.phase_runner.oracle.showing import judge_files, judge_status
from harness.systems.phase_runner.oracle.standing import find
from harness.systems.phase_runner.oracle.starting import Starting
from harness.systems.standing import faults_of, proven

_MOST_AT_ONCE: Final = 4  # operations whose orders are looked at
_KILLS: Final = frozenset(("process.killed", "syscall.killed", "syscall.torn", "syscall.power"))
_MODES: Final = {
    frozenset(): "AB-NRT-05",
    frozenset((Mode.RESUME,)): "AB-RES-01",
    frozenset((Mode.FRESH,)): "AB-FRS-01",
}


class State:
    """What is known: the run, and the files that others have changed since, None for all of them.

    ``is_cut``: the operation before was cut off, or nobody knows what it did; ``was_killed``: the harness saw that a
    process was killed, or that power was lost, since the last start. ``has_commits``: commits were made that a fresh
    start has to tell of, as far as that is certain. ``may_be_afresh``: a fresh start failed, and the next may end it.
    """

    def __init__(self) -> None:
        self.run: Run | None = None
        self.touched: set[str] | None = set()
        self.is_cut = self.was_killed = self.may_be_afresh = False
        self.has_commits = False


class World:
    """What is known between two resets."""

    def __init__(self, first: Call, notes: Notes) -> None:
        self._notes = notes
        self._state = State()
        self._standing: tuple[Fault, ...] = first.faults
        self._left: Mapping[str, FileFact] = {}
        self._owned = first.found

    def take(self, group: Sequence[Call]) -> None:
        """Operations that overlapped, mostly one: in some order nothing is broken."""
        self._arrive(group[0])
        if len(group) > _MOST_AT_ONCE:
            self._state = State()
            self._state.touched = None
        elif len(group) == 1:
            book = Book()
            self._do(self._state, group[0], book, beside=())
            book.write(self._notes)
        else:
            self._take_together(group)
        self._left = max(group, key=lambda call: call.ended).left

    def _take_together(self, group: Sequence[Call]) -> None:
        first = self._played(group)
        orders = filter(_is_possible, permutations(group))
        tried = (first, *(self._played(order) for order in orders if first[0].is_broken))
        book, self._state = next((each for each in tried if not each[0].is_broken), first)
        book.write(self._notes)

    def _played(self, order: Sequence[Call]) -> tuple[Book, State]:
        """What these operations show, one after another."""
        book, state = Book(), copy.deepcopy(self._state)
        for call in order:
            self._do(state, call, book, beside=[each for each in order if each is not call and _overlap(each, call)])
        return book, state

    def _arrive(self, call: Call) -> None:
        """What began to stand, or ended, since the operation before, and what it changed."""
        state, run = self._state, self._state.run
        new, ended = _without(call.faults, self._standing), _without(self._standing, call.faults)
        if run is not None and (weather.restarts(self._standing, call.faults) or call.process != run.owner):
            run.is_vague = True
        self._standing = call.faults
        arrived = [*new, *ended, *file_faults.unsteady(call.faults)]
        if not weather.disturbs(arrived):
            return
        state.has_commits = False
        if run is not None:
            run.is_vague = True
        if state.touched is None or not call.found or not self._left:
            state.touched = None
            return
        paths = {path for path, fact in call.found.items() if self._left.get(path) != fact}
        paths |= self._left.keys() - call.found.keys()
        known = {phase_path(each) for each in run.phases} if run is not None else set()
        over = weather.struck_by({CONFIG_PATH, *known, *call.found}, file_faults.unsteady(ended))
        state.touched |= over | (paths - weather.struck_by(paths, file_faults.unsteady(call.faults)))

    def _do(self, state: State, call: Call, book: Book, *, beside: Sequence[Call]) -> None:
        if call.args is None:
            return
        if call.answer is None and not call.excused:
            book.breaks(_unanswered(call), "an answer", call.said[:400])
        if state.run is not None and not beside:
            judge_files(state.run, call, book)
        if call.op == "start":
            self._start(state, call, book)
        elif call.op == "status":
            if state.run is not None and call.answer is not None:
                judge_status(state.run, call, book)
        elif state.run is not None:
            take_report(state.run, call, book, is_watched=all(map(_writes_nothing, beside)))
            if call.answer is not None:
                state.has_commits = state.has_commits or bool(call.answer.commits)
        elif call.answer is not None and call.answer.launch and state.touched == set() and not state.is_cut:
            book.breaks("AB-RTY-01", "before a run was started nothing is launched", call.said[:400])
        state.is_cut = state.is_cut or call.answer is None
        state.was_killed = state.was_killed or any(
            each.fault.name in _KILLS and proven(each) for each in faults_of(call.done)
        )
        if call.answer is not None and call.op != "status" and state.run is not None:
            judge_kept(state.run, call, book)
        is_undone = file_faults.loses_power(call.faults) or (not call.is_calm and call.says_so)
        if call.answer is not None and is_undone and state.run is not None:
            state.run.is_vague = True

    def _start(self, state: State, call: Call, book: Book) -> None:
        args, answer = call.args, call.answer
        plan = read_plan(args.plan)
        problems = problems_of(plan)
        is_fresh = Mode.FRESH in args.modes
        if answer is None:
            if state.run is not None:
                state.run.is_vague = True
            if is_fresh:
                _leave_half(state)
            return
        if plan.is_doubtful or problems.is_doubtful:
            state.run, state.has_commits, state.is_cut = None, False, True
            return
        if problems.told:
            judge_plan_error(plan, problems, call, book)
            if state.run is not None:
                state.run.is_vague = True
            return
        if answer.error is not None:
            judge_refused_plan(args, answer.error, book)
            state.run, state.is_cut = None, True
            return
        if is_fresh and Mode.RESUME in args.modes and not self._takes_both(call, book):
            return
        self._begin(state, call, graph_of(plan.rows), book)

    def _begin(self, state: State, call: Call, graph: Graph, book: Book) -> None:
        """The start of a sound plan, and what it made of the state that was there."""
        answer, is_fresh = call.answer, Mode.FRESH in call.args.modes
        found = find(call, graph, state.run, state.touched, is_cut=state.is_cut)
        if state.may_be_afresh:
            found.doubt_complete()
        starting = Starting(call, graph, found, state.run, book)
        if is_fresh:
            starting.judge_outside()
        if starting.meets_corrupt():
            return
        if not answer.accepted:
            starting.refused(was_killed=state.was_killed)
            if is_fresh and not call.is_calm:  # it may have failed before, amid or after taking the state away
                _leave_half(state)
                state.is_cut = True
            elif state.run is not None and not call.is_calm:
                state.run.is_vague = True
            return
        if state.was_killed and not is_fresh and found.has_state:
            book.agrees("AB-STA-06", "it goes on as after an interruption", ("resumed",))
        run = starting.accepted()
        if is_fresh:
            starting.judge_fresh(run, self._owned, has_commits=state.has_commits)
            state.has_commits = False
        state.run, state.touched, state.is_cut = run, set(), False
        state.was_killed = state.may_be_afresh = False
        state.has_commits = state.has_commits or bool(answer.commits)

    def _takes_both(self, call: Call, book: Book) -> bool:
        """Fresh and resume together are refused, or fresh wins with a warning; does it go on?"""
        wanted = "fresh and resume together are refused, or fresh wins with a warning"
        answer = call.answer
        if not answer.accepted:
            book.holds("AB-FRS-03", not answer.launch, wanted, call.said[:400], ("refused",))
            return False
        book.holds("AB-FRS-03", call.says_so, wanted, "there is no warning", ("fresh_wins",))
        return True


def _leave_half(state: State) -> None:
    """A fresh start that failed may have taken nothing away, or some of it, or all."""
    state.run, state.has_commits, state.may_be_afresh = None, False, True


def _unanswered(call: Call) -> str:
    """The clause that an operation without an answer breaks."""
    if call.op == "start":
        return _MODES.get(frozenset(call.args.modes), "AB-FRS-03")
    if call.op == "report":
        types = of_report(call.args).types
        return "AB-ERR-04" if "timeout" in types else "AB-ERR-07" if "parse_error" in types else "AB-HLT-01"
    return "AB-STA-04" if call.op == "status" else "AB-ERR-05"


def _overlap(one: Call, other: Call) -> bool:
    """Was neither over when the other began?"""
    return one.n < other.ended and other.n < one.ended


def _writes_nothing(call: Call) -> bool:
    """Was it refused, so that nothing is its doing?"""
    return call.op != "status" and call.answer is not None and not call.answer.accepted


def _is_possible(order: Sequence[Call]) -> bool:
    """Did none end before one began that stands before it?"""
    return all(each.ended > before.n for place, before in enumerate(order) for each in order[place + 1 :])


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    """``faults`` without ``others``, each as often as it is there: the same damage may be done twice."""
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left
