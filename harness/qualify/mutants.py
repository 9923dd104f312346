"""Runs each mutant through the same path as anyone's implementation, until the clause it breaks fails."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from types import MappingProxyType

import msgspec

from harness.certify import corpus
from harness.certify.plan import runs_for
from harness.certify.reach import Reach
from harness.core import struct_types
from harness.core.clause import Level
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.core.verdict import L3
from harness.errors import WindtunnelError
from harness.explore.enumerated import explored_steps
from harness.explore.playing import play
from harness.qualify.killers import Killers, origin, short
from harness.qualify.layers import kinds_of, layer_of, layers_of, narrowed, struck
from harness.qualify.plays import Plays
from harness.qualify.subjects import Subject
from harness.sandbox.pool import SandboxPool
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots

CRASHED = frozenset({"died", "silent_exit", "cut_off", "not_started", "not_restartable"})
"""Ends of an operation in which the implementation was no more."""


WAITING = 8  # workers a job: those whose mutant hangs wait, and must not be all of them
CRASHES_SHOW = 25  # scenarios that fail by a crash alone: what has no other kill by then is given up


class Killed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of one mutant.

    ``killed`` is true only when the clause it breaks failed, twice, and the implementation had not crashed;
    ``killed_by`` is that clause, or what failed instead; ``examples`` counts the scenarios that were played,
    ``scenario`` is the one that killed it, of ``layer``; times in seconds. ``kind`` is that of its subject; a
    generated one names no ``clause``, and any of its system may kill it. ``level`` is the one the mutant is said to
    need, ``killed_at`` that of the scenario: a mutant of L2 that a scenario of L1 kills is not what it claims to be.
    ``flaky`` names a scenario that killed it once and not again. ``known``: it was begun with the scenario that killed
    it last time, which did so again.
    """

    name: str
    system: str
    kind: str
    clause: str
    profile: str
    level: str
    killed: bool
    killed_by: str
    layer: str
    scenario: str | None
    examples: int
    seconds: float
    error: str = ""
    killed_at: str | None = None
    crashed: bool = False
    flaky: str = ""
    known: bool = False

    @property
    def misplaced(self) -> bool:
        """Did a scenario of a lower level than the mutant's kill it?"""
        return self.kind == "written" and self.killed_at is not None and self.killed_at < self.level


def qualify(
    subjects: Sequence[Subject],
    jobs: int,
    stopped: Callable[[], bool] = lambda: False,
    *,
    thorough: bool = False,
    killers: Killers = MappingProxyType({}),
) -> Iterator[Killed]:
    """The fate of every subject, as each is known.

    ``thorough`` plays every scenario below a mutant's level first, which shows whether it needs that level. Each is
    begun with the scenario that ``killers`` has for it.
    """
    # those that may take longest are begun first
    chosen = sorted(subjects, key=lambda each: (each.level == "L1", not each.is_made))
    for system in {each.system.name: each.system for each in chosen}.values():
        system.load()
        corpus.enumerated(system.name)  # before the workers begin, which would each make it
    struct_types.build()

    def one(subject: Subject) -> Killed:
        with slots.held():
            hunt = _Hunt(subject, slots, stopped, thorough=thorough)
            return hunt.through(corpus.enumerated(subject.system.name), killers.get(subject.id, ""))

    with SandboxPool() as sandboxes, ThreadPoolExecutor(jobs * WAITING) as workers:
        slots = Slots(jobs, sandboxes)
        futures = [workers.submit(one, subject) for subject in chosen]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def fate_in(subject: Subject, slots: Slots, layer: str, stopped: Callable[[], bool]) -> Killed:
    """The fate of a subject in the scenarios of one layer only; what is explored is played whatever its level."""
    scenarios = [each for each in corpus.enumerated(subject.system.name) if layer in layers_of(each)]
    return _Hunt(subject, slots, stopped, everything=True).through(scenarios)


def without_mutant(system: registry.System) -> dict[str, str]:
    """The MUST clauses that no mutant breaks, each with the reason; they cannot be certified."""
    covered = {mutant.clause for mutant in system.mutants.MUTANTS.values()}
    return {
        clause.id: "untested: no mutant breaks it"
        for clause in system.catalogue
        if clause.level is Level.MUST and clause.id not in covered
    }


class _Hunt:
    """One subject, played until it is killed."""

    def __init__(
        self,
        subject: Subject,
        slots: Slots,
        stopped: Callable[[], bool],
        *,
        everything: bool = False,
        thorough: bool = False,
    ) -> None:
        self._subject = subject
        self._everything = everything
        self._thorough = thorough
        self._slots = slots
        self._stopped = stopped
        self._begun = time.monotonic()
        self._played = 0
        self._others: dict[str, None] = {}
        self._flaky = ""
        self._killer = ""
        self._crashes = 0

    def through(self, scenarios: Sequence[Scenario], killer: str | None = "") -> Killed:
        """Its fate, once those that can be run for it have been played in turn, to the first right kill.

        ``killer`` is the id of what is begun with, None of a mutant that nothing killed last time.
        """
        try:
            reach = self._subject.reach()
            self._killer = killer or ""
            with reach.open(self._slots) as session:
                for scenario in self._in_turn(scenarios, reach, gives_up_soon=killer is None):
                    if self._stopped() or self._crashes >= CRASHES_SHOW:
                        break
                    killed = self._killed_in(scenario, session)
                    if killed is not None:
                        return killed
        except WindtunnelError as error:
            return self._fate(None, "", str(error))
        return self._fate(None, ", ".join(self._others))

    def _in_turn(self, scenarios: Sequence[Scenario], reach: Reach, *, gives_up_soon: bool) -> Iterator[Scenario]:
        """Those that can be run for it. What killed it last time is begun with: most often no other is looked at."""

        def may_run(scenario: Scenario) -> bool:
            return runs_for(scenario, reach) and self._may_kill(scenario)

        known = origin(scenarios, self._killer)
        if known is not None and may_run(known):
            yield known
        rest = [each for each in _ordered(self._subject, scenarios, thorough=self._thorough) if may_run(each)]
        yield from short(rest) if gives_up_soon else (each for each in rest if each is not known)

    def _killed_in(self, scenario: Scenario, session: Session) -> Killed | None:
        subject = self._subject
        if subject.explored and not self._everything:
            scenario = narrowed(scenario, subject.explored)
        for played in Plays(subject.system, subject.clause, (self._killer, subject.under)).of(scenario, session):
            self._played += 1
            right = [clause for clause in played.failed if subject.clause in ("", clause)]
            crashed = self._has_crashed(played.history)
            if right and crashed:
                self._crashes += 1
            elif right and self._again(played.scenario, right[0], session):
                return self._fate(played.scenario, right[0])
            elif right:
                self._flaky = self._flaky or played.scenario.id
            self._others |= dict.fromkeys(played.failed)
            if self._stopped():
                return None
        return None

    def _again(self, scenario: Scenario, clause: str, session: Session) -> bool:
        """Does it fail once more? Otherwise nothing is known: two of one answer, or an accident."""
        if explored_steps(scenario) or any(step.schedule is not None for step in scenario.steps):
            return True  # an order that was found is replayed by the exploration itself; others race on purpose
        system = self._subject.system
        findings = system.judge(scenario, play(scenario, session, system.inputs_of), system.catalogue)
        return any(finding.clause == clause and finding.verdict.value == "FAIL" for finding in findings)

    def _has_crashed(self, history: History | None) -> bool:
        """Did it end, or (when it was generated) raise, where no fault ended it?"""
        for entry in () if history is None else history.entries:
            if entry.type is EntryType.INFO and entry.value.get("blame") == "implementation":
                if entry.value.get("reason") in CRASHED:
                    return True
            if entry.type is EntryType.FAIL and self._subject.is_made and not self._subject.raises:
                return True
        return False

    def _may_kill(self, scenario: Scenario) -> bool:
        """Is it worth to play or explore a scenario? For what shows below L3 there are cheaper ways, or none."""
        if self._everything:
            return True
        if self._subject.explored:
            return bool(self._subject.explored & kinds_of(scenario))
        return self._subject.kind == "generated" or self._subject.level >= L3 or not explored_steps(scenario)

    def _fate(self, killer: Scenario | None, by: str, error: str = "") -> Killed:
        subject = self._subject
        seconds = round(time.monotonic() - self._begun, 3)
        where, at = (killer.id, killer.level) if killer is not None else (None, None)
        return Killed(
            subject.name,
            subject.system.name,
            subject.kind,
            subject.clause or (by if killer is not None else ""),
            subject.profile,
            subject.level,
            killer is not None,
            by,
            layer_of(killer) if killer is not None else "",
            where,
            self._played,
            seconds,
            error,
            at,
            self._crashes > 0 and killer is None,
            self._flaky,
            where is not None and where == self._killer,
        )


def _ordered(subject: Subject, scenarios: Sequence[Scenario], *, thorough: bool) -> list[Scenario]:
    """The scenarios in turn, cheapest first of those that are likely to kill: it decides how long that takes."""
    if subject.clause:
        return sorted(scenarios, key=lambda each: _turn(subject, each, thorough=thorough))
    rounds: dict[str, int] = {}
    turns: dict[str, tuple[int, ...]] = {}
    # of each clause one after the other, so that every kind of situation comes early
    for scenario in sorted(scenarios, key=lambda each: len(each.steps)):
        first = next(iter(scenario.clauses), "")
        rounds[first] = rounds.get(first, 0) + 1
        cheap = (scenario.full_length, _lies_above(subject, scenario), int(scenario.level[1:]))
        turns[scenario.id] = (*map(int, cheap), rounds[first], len(scenario.steps))
    return sorted(scenarios, key=lambda each: turns[each.id])


def _lies_above(subject: Subject, scenario: Scenario) -> bool:
    return subject.level >= L3 and scenario.level < subject.level


def _turn(subject: Subject, scenario: Scenario, *, thorough: bool) -> tuple[bool | int, ...]:
    level, under = subject.level, subject.under
    return (
        scenario.full_length,
        (scenario.level < level) is not thorough,  # what is sound below its own level need not be looked at there
        bool(under) and under not in struck(scenario) and under not in scenario.id,
        scenario.level != level,
        subject.clause not in scenario.clauses,
        len(scenario.steps),
    )
