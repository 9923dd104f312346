"""One world of a history: its breakers as far as they are known, its files, its processes, its weather. Pure."""

from collections.abc import Sequence
from typing import Final

from harness.core.fault import Fault
from harness.core.history import InputFact
from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.oracle import weather
from harness.systems.circuit_breaker.oracle.asking import Call
from harness.systems.circuit_breaker.oracle.breaker import Asked, Breaker, carried_over, stepped, unknown
from harness.systems.circuit_breaker.oracle.readings import EVERY
from harness.systems.circuit_breaker.oracle.records import Records
from harness.systems.circuit_breaker.oracle.recovery_log import RecoveryLog
from harness.systems.circuit_breaker.oracle.refusals import LastErrors, Teller
from harness.systems.circuit_breaker.oracle.state_file import Belief, breakers, is_valid, read
from harness.systems.circuit_breaker.oracle.tuning import Tuning
from harness.systems.circuit_breaker.oracle.weather import Takes

_FRESH: Final[Belief] = {Breaker(): EVERY}


class World:
    """What is known between two resets. ``beliefs`` are the states a breaker may be in, by its name."""

    def __init__(self, configured: object, state: InputFact | None, log: InputFact | None, at: int) -> None:
        self.tuning = Tuning(configured)
        self.recovery_log = RecoveryLog(log)
        self.records = Records(state)
        self.errors = LastErrors()
        self.beliefs: dict[str, Belief] = {}
        self.is_doubtful = False  # a fault may have taken something from any breaker, used or not
        self._wrong: set[str] | None = set()  # the names whose record is no valid one, None for all
        self._doubted = False  # a file that is not whole may be given up whole
        self._gone = False
        self._standing: tuple[Fault, ...] = ()
        self._restarts = 0
        self._processes: set[int] = set()
        self._apart = False
        self._users: dict[str, set[int]] = {}  # by breaker, the processes that have ever used it
        self._now = at
        self._hands: dict[str, set[Teller]] = {}
        self._touched: set[str] = set()
        self._asked: set[str] = set()
        self._unsettled: set[str] = set()
        self._unsaved: dict[str, Belief] = {}  # what is on disk of breakers of which more is in a process's memory
        self.died = False  # a process was killed in the middle of an operation
        self._found(state, at)
        self._from_file = frozenset(self.beliefs)

    def _found(self, state: InputFact | None, at: int) -> None:
        """The world begins with the records that stand there."""
        if state is None or state.kind == "missing":
            return
        raw = read(state)
        if raw is None:
            self._wrong = None
            self.is_doubtful = True
            return
        limit = self.tuning.limits(0)[0]
        self._wrong = {name for name, record in raw.items() if not is_valid(record)}
        self._doubted = self.is_doubtful = bool(self._wrong)
        for name in sorted(raw.keys() - self._wrong):
            may_be = breakers(raw[name], at, limit)
            if self._wrong:
                may_be = (*may_be, *unknown(at, limit))
                self._unsettled.add(name)
            self.beliefs[name] = dict.fromkeys(may_be, EVERY)

    def belief(self, name: str, at: int) -> Belief:
        """The states that breaker may be in; of one that is new it is the first, unless nobody knows."""
        if name not in self.beliefs:
            wrong = self._wrong is None or name in self._wrong
            care = dict.fromkeys(unknown(at, self.tuning.limits(0)[0]), EVERY)
            self.beliefs[name] = care if wrong else {**_FRESH, **care} if self._doubted else _FRESH
            self._unsettled |= {name} if wrong or self._doubted else set()
        return self.beliefs[name]

    def arrived(self, call: Call) -> Takes:
        """Notices what began to stand since the call before; gives what it took from the state file."""
        new, ended = _without(call.faults, self._standing), _without(self._standing, call.faults)
        if any(fault.family in weather.RESTARTING for fault in (*new, *ended)):
            self._restarts += 1
            self.tuning.restarted()
        self._standing = call.faults
        if any(weather.takes_log(fault) for fault in new):
            self.recovery_log.unreliable = True
        taken = {weather.damages(fault) for fault in new} - {Takes.NOTHING}
        return Takes.CONTENT if Takes.CONTENT in taken else Takes.FILE if taken else Takes.NOTHING

    def damaged(self, taken: Takes, state: InputFact | None, at: int) -> None:
        """The state file was damaged, or is gone: what was known may still be, in memory, or nothing is."""
        self.records = Records(state)
        limit = self.tuning.limits(0)[0]
        for name, belief in self.beliefs.items():
            fresh = {carried_over(Breaker(), each) for each in belief}
            may_be: set[Breaker] = set(belief)
            for each in belief:
                may_be |= {carried_over(care, each) for care in unknown(at, limit)}
            if taken is Takes.FILE or all(each.mode is State.CLOSED for each in belief):
                may_be |= fresh
            self.beliefs[name] = dict.fromkeys(sorted(may_be, key=repr), EVERY)
            self._unsettled.add(name)
        self._gone = taken is Takes.FILE
        self._touched.clear()
        self._doubted = True
        self.errors.uncertain = True
        self.recovery_log.unreliable = True

    def settle(self, name: str, shown: State, before: Belief) -> frozenset[str]:
        """The readings of LK-CB-26 that the first answer after damage agrees with; none where it speaks for none."""
        self._unsettled.discard(name)
        if self._gone:
            return frozenset()  # nobody can tell that from a first start
        if any(each.mode is State.CLOSED and not each.unsure for each in before):
            return frozenset()  # it was CLOSED, and may be that or anything else
        by_memory = any(each.mode is shown and not each.unsure for each in before)
        care = {State.HALF_OPEN: {"half_open"}, State.OPEN: {"open"}, State.CLOSED: set[str]()}[shown]
        return frozenset(care | ({"memory"} if by_memory else set()))

    def heard_of(self, name: str) -> None:
        """An answer about this breaker came, of which nobody knows what it answers: the next is not the first."""
        self._unsettled.discard(name)

    def is_damaged(self, name: str) -> bool:
        """Was the file damaged since this breaker was last heard of?"""
        return name in self._unsettled

    def teller(self, one: Asked) -> Teller:
        """Who was asked: a process, as far as it is still the same."""
        return one.process, self._restarts

    def time_is(self, at: int) -> None:
        """It is that time now. When it was later before, what was timed is uncertain, of every breaker in the file."""
        if at < self._now:
            limit = self.tuning.limits(0)[0]
            for name, belief in self.beliefs.items():
                back: dict[Breaker, int] = {}
                for each, cases in belief.items():
                    moved = stepped(each, at, self._now, limit)
                    back[moved] = back.get(moved, 0) | cases
                self.beliefs[name] = back
        self._now = at

    def is_apart(self, group: Sequence[Call]) -> bool:
        """Have several processes been on their own, since what one wrote, or was to write, was lost to the others?

        Each may go on by what it remembers itself, and no clause says whose memory is right.
        """
        self._processes |= {call.process for call in group}
        taken = any(
            weather.shakes(fault) or weather.damages(fault) is not Takes.NOTHING
            for call in group
            for fault in call.faults
        )
        self._apart = self._apart or (taken and len(self._processes) > 1)
        return self._apart

    def may_be_closed(self, one: Asked, before: Belief) -> bool:
        """May a process that is on its own take that breaker for CLOSED? Not when all know better, and cannot look."""
        vanished = any(weather.vanishes(fault) for fault in self._standing)
        heard_of = one.process in self._users.get(one.name, ()) or self.is_damaged(one.name)
        return vanished or heard_of or any(each.mode is State.CLOSED for each in before)

    def is_elsewhere(self, name: str, one: Asked) -> bool:
        """Did another process use the breaker since it last moved?"""
        return bool(self._hands.get(name, set()) - {self.teller(one)})

    def is_remembered(self, name: str, one: Asked) -> bool:
        """Did the process that is asked do everything itself that is known of the breaker?"""
        hands = self._hands.get(name)
        return name not in self._from_file if hands is None else hands == {self.teller(one)}

    def unsaved(self, name: str, one: Asked, before: Belief) -> Belief:
        """``before``, with what is on disk where another process could not write down what it did."""
        if one.shaken and name not in self._unsaved:
            self._unsaved[name] = before
        lost = self._unsaved.get(name, {}) if self.is_elsewhere(name, one) else {}
        return {**lost, **before}

    def is_all_remembered(self, process: int) -> bool:
        """Did that process do everything itself that is known of any breaker?"""
        teller = {(process, self._restarts)}
        return not self._from_file and all(hands == teller for hands in self._hands.values())

    @property
    def is_doubted(self) -> bool:
        """May there be breakers that are OPEN and that nobody knows of, since the file is or was no valid one?"""
        return self._doubted or self._wrong is None

    @property
    def has_unsaved(self) -> bool:
        """Is there a breaker of which more is known than is written down?"""
        return bool(self._unsaved)

    def others_moved(self, name: str) -> bool:
        """Is another breaker not CLOSED, or has it failed?"""
        return any(
            all(each.mode is not State.CLOSED or each.total for each in belief)
            for other, belief in self.beliefs.items()
            if other != name
        )

    def touched(self, one: Asked, *, seen: bool = True) -> None:
        """That breaker was used, and its record may be another one; ``seen``: the model knows which."""
        self._asked.add(one.name)
        self._users.setdefault(one.name, set()).add(one.process)
        hands = self._hands.setdefault(one.name, set())
        hands.add(self.teller(one))
        if not one.binds:
            self.is_doubtful = self.errors.uncertain = True
        if one.shaken or not seen:
            self._touched.discard(one.name)
            return
        self._touched.add(one.name)
        if one.answer is not None and one.op != "inspect":
            self._unsaved.pop(one.name, None)

    def moved(self, name: str, one: Asked) -> None:
        """The breaker went to another state: who used it before has nothing to be remembered by others."""
        self._hands[name] = {self.teller(one)}

    def to_look_at(self) -> tuple[frozenset[str], frozenset[str]]:
        """The breakers used since the file was last looked at: those that the model can follow, and all."""
        touched, used = frozenset(self._touched), frozenset(self._asked)
        self._touched.clear()
        self._asked.clear()
        return touched, used

    def ended(self, group: Sequence[Call]) -> None:
        """A process that gave no answer may have ended."""
        if any(call.answer is None and not call.is_refused for call in group):
            self._restarts += 1
            self.tuning.restarted()
        if any(weather.takes_log(fault) for call in group for fault in call.faults):
            self.recovery_log.unreliable = True
        if any(call.answer is None and weather.kills(fault) for call in group for fault in call.faults):
            self.died = True
            self.recovery_log.unfinished = True


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    """``faults`` without ``others``, each as often as it is there: the same damage may be done twice."""
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left
