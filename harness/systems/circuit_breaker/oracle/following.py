"""A history followed by the model, operation by operation, in every reading at once. Pure.

Each breaker is a set of states it may be in, each with the assignments of readings in which it may. An operation
leaves those that explain its answer. When none is left, the clause is blamed whose expectation was broken, and the
model goes on from what was observed, so that one defect is not blamed on ten clauses.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from harness.core.history import History, InputFact
from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.contract import AcquireResult, InspectResult, State
from harness.systems.circuit_breaker.oracle import fields, load, weather
from harness.systems.circuit_breaker.oracle.asking import Call, asked, calls, groups
from harness.systems.circuit_breaker.oracle.blame import Circumstances, blame
from harness.systems.circuit_breaker.oracle.breaker import Asked, Breaker
from harness.systems.circuit_breaker.oracle.moves import resynchronised, step
from harness.systems.circuit_breaker.oracle.notes import Notes
from harness.systems.circuit_breaker.oracle.readings import EVERY, QUESTIONS, surviving
from harness.systems.circuit_breaker.oracle.refusals import judge_held, judge_wait
from harness.systems.circuit_breaker.oracle.situations import situations
from harness.systems.circuit_breaker.oracle.state_file import Belief
from harness.systems.circuit_breaker.oracle.weather import Takes
from harness.systems.circuit_breaker.oracle.world import World
from harness.systems.linearizable import BeyondBoundError, Linearized, Overlapping, linearize

_MOST_STATES: Final = 512  # of one breaker


class Follower:
    """What a history shows: ``notes`` by clause, and the ``alive`` assignments of readings.

    ``permitted`` and ``refused`` count the calls that were, ``blamed`` the answers that nothing explains, by breaker.
    """

    def __init__(self, scenario: Scenario, history: History) -> None:
        self.notes = Notes()
        self.alive = EVERY
        self.permitted = 0
        self.refused = 0
        self.blamed: Counter[str] = Counter()
        self._configured = scenario.world.config.get("tunables")
        self._world: World | None = None
        self._were_beside = False
        for group in groups(tuple(calls(history))):
            if group[0].op == "reset":
                self._world = None
            else:
                self._follow(group)

    def _follow(self, group: Sequence[Call]) -> None:
        inputs = group[0].done.begin.inputs
        state, log = inputs.get("state"), inputs.get("recovery_log")
        if self._world is None:
            self._world = World(self._configured, state, log, group[0].at)
        world = self._world
        world.time_is(group[0].at)
        self.notes.silent = world.is_apart(group)
        self._look(world, group, state, log)
        on_breakers: dict[str, list[tuple[Call, Asked]]] = {}
        for call in group:
            one = asked(call, world.tuning.limits(call.process))
            if one is not None:
                on_breakers.setdefault(one.name, []).append((call, one))
            elif call.op in ("capacity", "configure"):
                self._on_all(world, call, alone=len(group) == 1)
        beside = len(group) > 1
        explained = [self._operate(world, name, found, beside=beside) for name, found in on_breakers.items()]
        if beside and explained and all(explained):
            self.notes.agrees("LK-CB-27", "operations that overlap take effect one after the other")
        self._were_beside = beside
        world.ended(group)

    def _look(self, world: World, group: Sequence[Call], state: InputFact | None, log: InputFact | None) -> None:
        """What the files say when the group begins, and what faults have done to them since the one before."""
        damage = world.arrived(group[0])
        if damage is not Takes.NOTHING:
            world.damaged(damage, state, group[0].at)
        elif state is not None and not any(weather.shakes(fault) for call in group for fault in call.faults):
            limit = world.tuning.limits(group[0].process)[0]
            lost_to = "LK-CB-27" if self._were_beside else "LK-CB-01"
            beliefs = {name: self._living(belief) for name, belief in world.beliefs.items()}
            world.records.look(state, beliefs, *world.to_look_at(), group[0].at, limit, self.notes, lost_to=lost_to)
            for name, belief in beliefs.items():
                self._learn(world, name, belief)
        world.recovery_log.look(log, world.beliefs, self.notes)

    def _living(self, belief: Belief) -> Belief:
        """The states in the readings that are left; all of them where breakers have disagreed on these."""
        return {each: cases & self.alive for each, cases in belief.items() if cases & self.alive} or belief

    def _learn(self, world: World, name: str, belief: Belief) -> None:
        """That breaker is in one of these states, and only the readings in which it is are left."""
        world.beliefs[name] = belief
        together = 0
        for cases in belief.values():
            together |= cases
        if self.alive & together:
            self.alive &= together
            return
        for clause in QUESTIONS:
            one, other = surviving(clause, self.alive), surviving(clause, together)
            if one is not None and other is not None and not one & other:
                seen = f"{' or '.join(sorted(one))} before, {' or '.join(sorted(other))} of {name[:80]!r}"
                self.notes.breaks(clause, "one reading, kept to", seen)
        self.alive = together

    def _on_all(self, world: World, call: Call, *, alone: bool) -> None:
        """Capacity was asked for, or tunables were set."""
        clauses = ("LK-RP-02", "LK-RP-03", "LK-RP-04") if call.op == "capacity" else ("LK-CB-25",)
        if call.answer is None:
            if not call.excused and call.is_sound:
                for clause in clauses:
                    self.notes.breaks(clause, "an answer", call.said)
        elif not call.is_sound:
            return
        elif call.op == "configure":
            world.tuning.set(call.process, call.args["tunables"], call.answer, self.notes)
        elif alone and not world.is_doubtful and call.args["agents"] >= 0:
            beliefs = [self._living(belief) for belief in world.beliefs.values()]
            shaken = any(map(weather.shakes, call.faults))
            if not (shaken or world.has_unsaved) or world.is_all_remembered(call.process):
                careful = shaken or world.is_doubted
                load.judge(call.args["agents"], call.answer, beliefs, call.at, self.notes, careful=careful)

    def _operate(self, world: World, name: str, found: Sequence[tuple[Call, Asked]], *, beside: bool) -> bool:
        """The operations on one breaker that overlapped, in every order. Is there one that explains the answers?"""
        one = found[0][1]
        before = self._living(world.unsaved(name, one, world.belief(name, one.at)))
        found = [
            (call, msgspec.structs.replace(each, remembered=world.is_remembered(name, each))) for call, each in found
        ]
        around = Circumstances(
            elsewhere=world.is_elsewhere(name, one),
            beside=beside,
            after_others=self._were_beside,
            damaged=world.is_damaged(name),
            others_moved=world.others_moved(name),
            after_death=world.died,
            lost=bool(world.records.lost),
            strange=world.records.is_strange,
        )
        result = linearize([Overlapping(each, call.n, call.ended) for call, each in found], before, step)
        explained = bool(result.after)
        if explained:
            after = _bounded(result.after)
            self._witness(result, beside=beside)
        else:
            after = self._blamed(world, result, before, [each for _, each in found], around)
        self._learn(world, name, after)
        for _, each in found:
            self._answered(world, each, before, around, explained=explained)
        if not {each.mode for each in before} & {each.mode for each in after}:
            world.moved(name, one)
        return explained

    def _witness(self, result: Linearized[Breaker, Asked], *, beside: bool) -> None:
        entered = {
            (one.n, clause) for was, one, now in result.steps for clause in situations(was, one, now, beside=beside)
        }
        for _, clause in sorted(entered):
            self.notes.agrees(clause, "as the model of the breaker has it")

    def _blamed(
        self,
        world: World,
        result: Linearized[Breaker, Asked],
        before: Belief,
        found: Sequence[Asked],
        around: Circumstances,
    ) -> Belief:
        """Blames one clause, and gives the breakers as they must be by what was observed."""
        was, one = result.stuck[0]
        if not _is_careful(one) and not world.may_be_closed(one, before):
            self.notes.silent = False
        clause, expected = blame(was, one, around)
        self.notes.breaks(clause, expected, one.said)
        self.blamed[one.name] += not self.notes.silent
        if was.mode is not State.CLOSED and one.answer is not None and one.answer.state is State.CLOSED:
            world.recovery_log.unreliable |= one.op != "record" or one.failure  # whether that was one, nobody knows
        belief: dict[Breaker, int] = dict(before)
        for each in found:
            if each.op == "inspect":
                continue  # asking changes nothing
            following: dict[Breaker, int] = {}
            for state, cases in belief.items():
                moved = [(after, cases & to) for after, to in step(state, each) if cases & to]
                for after, to in moved:
                    following[after] = following.get(after, 0) | to
            if not following:
                following = {resynchronised(state, each, each.limits[0]): cases for state, cases in belief.items()}
            belief = following
        return _bounded(belief)

    def _answered(self, world: World, one: Asked, before: Belief, around: Circumstances, *, explained: bool) -> None:
        """What the answer says besides, and what is to be remembered of it."""
        self._unanswered(one, before, around)
        alone = not around.beside
        if one.failure:
            counts = alone and all(each.mode is not State.OPEN and one.call in each.calls for each in before)
            world.errors.told(one, world.teller(one), alone=counts)
        if isinstance(one.answer, AcquireResult) and not self.notes.silent:
            self.permitted += one.answer.permitted
            self.refused += not one.answer.permitted
        sure = explained and alone and one.binds
        if one.answer is None or not sure:
            if one.answer is not None:
                world.heard_of(one.name)
            world.touched(one, seen=explained)
            return
        belief = world.beliefs[one.name]
        if isinstance(one.answer, AcquireResult):
            judge_wait(one, one.answer.state, one.answer.wait_s, belief, self.notes)
            if not one.answer.permitted:
                judge_held(one, one.answer, self.notes)
                if one.answer.state is State.OPEN:
                    world.errors.judge(one, one.answer.error, world.teller(one), self.notes)
        elif isinstance(one.answer, InspectResult):
            seen = fields.in_answer(one.name, one.answer)
            self._learn(world, one.name, fields.compare(seen, belief, one.at, one.limits[0], self.notes))
            judge_wait(one, one.answer.state, one.answer.wait_s, world.beliefs[one.name], self.notes)
        if around.damaged:
            self._after_damage(world, one, before)
        world.touched(one)

    def _unanswered(self, one: Asked, before: Belief, around: Circumstances) -> None:
        if one.answer is None and not one.excused:
            clause, expected = blame(next(iter(before)), one, around)
            self.notes.breaks(clause, f"an answer: {expected}", one.said)

    def _after_damage(self, world: World, one: Asked, before: Belief) -> None:
        """The first answer about a breaker after the state file was damaged shows how that is dealt with."""
        readings = world.settle(one.name, one.answer.state, before)
        if one.failure:
            readings = frozenset()  # a probe that fails opens it whatever it was
        self.notes.agrees("LK-CB-26", "no OPEN breaker is CLOSED, whatever became of the file", readings or None)


def _is_careful(one: Asked) -> bool:
    """Is that an answer of who does not know, and takes the breaker for no better than it may be?"""
    if one.answer is None or one.answer.state is State.HALF_OPEN:
        return True
    return one.answer.state is State.OPEN and getattr(one.answer, "permitted", False) is False


def _bounded(belief: Belief) -> Belief:
    """The states; BeyondBoundError when there are too many to go on with."""
    if len(belief) > _MOST_STATES:
        raise BeyondBoundError(f"a breaker may be in more than {_MOST_STATES} states")
    return belief
