"""Runs each mutant through the same path as anyone's implementation, until the clause it breaks fails."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec

from harness.certify import corpus
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, mutant_hook, served_python
from harness.core import struct_types
from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import Scenario, Step
from harness.core.verdict import L3
from harness.errors import WindtunnelError
from harness.explore.enumerated import explored_steps
from harness.explore.sweep import swept
from harness.systems import registry
from harness.targets.player import Player
from harness.targets.session import Reply, Session
from harness.targets.slots import Slots


class Killed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of one mutant.

    ``killed`` is true only when the clause it breaks failed; ``killed_by`` is that clause, or what failed instead;
    ``examples`` counts the scenarios that were played, ``scenario`` is the one that killed it; times in seconds.
    ``level`` is the one the mutant is said to need, ``killed_at`` that of the scenario: a mutant of L2 that a scenario
    of L1 kills is not what it claims to be.
    """

    name: str
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

    @property
    def misplaced(self) -> bool:
        """Did a scenario of a lower level than the mutant's kill it?"""
        return self.killed_at is not None and self.killed_at < self.level


def qualify(
    system: registry.System,
    jobs: int,
    names: Sequence[str] = (),
    stopped: Callable[[], bool] = lambda: False,
    *,
    thorough: bool = False,
) -> Iterator[Killed]:
    """The fate of every mutant of ``system`` (or of those named), as each is known.

    ``thorough`` plays every scenario below a mutant's level first, which shows whether it needs that level.
    """
    chosen = [mutant for name, mutant in system.mutants.MUTANTS.items() if not names or name in names]
    chosen.sort(key=lambda mutant: mutant.level == "L1")  # those of L2 take longest, and are begun first
    scenarios = corpus.scenarios(system.name)
    slots = Slots(jobs)
    system.load()
    struct_types.build()

    def one(mutant: object) -> Killed:
        with slots.held():
            ordered = sorted(scenarios, key=lambda each: _turn(mutant, each, thorough=thorough))
            return _one(system, mutant, ordered, slots, stopped)

    with ThreadPoolExecutor(jobs * 3) as pool:
        futures = [pool.submit(one, mutant) for mutant in chosen]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def without_mutant(system: registry.System) -> dict[str, str]:
    """The MUST clauses that no mutant breaks, each with the reason; they cannot be certified."""
    covered = {mutant.clause for mutant in system.mutants.MUTANTS.values()}
    return {
        clause.id: "untested: no mutant breaks it"
        for clause in system.catalogue
        if clause.level is Level.MUST and clause.id not in covered
    }


def _one(
    system: registry.System, mutant: object, scenarios: Sequence[Scenario], slots: Slots, stopped: Callable[[], bool]
) -> Killed:
    name, clause, profile, level = (str(getattr(mutant, field)) for field in ("name", "clause", "profile", "level"))
    begun = time.monotonic()
    reach = _reach(system, name, profile)
    others: dict[str, None] = {}
    played = 0

    def fate(killer: Scenario | None, by: str, error: str = "") -> Killed:
        seconds = round(time.monotonic() - begun, 3)
        where, at = (killer.id, killer.level) if killer is not None else (None, None)
        return Killed(
            name, clause, profile, level, killer is not None, by, "scenario", where, played, seconds, error, at
        )

    try:
        with reach.open(slots) as session:
            for scenario in (each for each in scenarios if runs_for(each, reach) and _may_kill(level, each)):
                if stopped():
                    break
                for found, failed in _plays(system, mutant, scenario, session):
                    played += 1
                    if clause in failed:
                        return fate(found, clause)
                    others |= dict.fromkeys(failed)
                    if stopped():
                        break
    except WindtunnelError as error:
        return fate(None, "", str(error))
    return fate(None, ", ".join(others))


def _turn(mutant: object, scenario: Scenario, *, thorough: bool) -> tuple[bool | int, ...]:
    """When a scenario is played, cheapest first of those that are likely to kill: it decides how long that takes."""
    level, clause, under = (str(getattr(mutant, field)) for field in ("level", "clause", "under"))
    return (
        scenario.full_length,
        (scenario.level < level) is not thorough,  # what is sound below its own level need not be looked at there
        bool(under) and under not in struck(scenario) and under not in scenario.id,
        scenario.level != level,
        clause not in scenario.clauses,
        len(scenario.steps),
    )


def struck(scenario: Scenario) -> frozenset[str]:
    """What goes wrong in a scenario: its faults, their families, ``clock_step`` and ``schedule``."""
    found: set[str] = set()
    for step in (inner for outer in scenario.steps for inner in _with_inner(outer)):
        if step.fault is not None:
            found |= {step.fault.name, step.fault.family}
        found |= {word for word in ("schedule",) if step.schedule is not None}
        found |= {f"syscall.{kind}" for kind in (step.explore.kinds if step.explore is not None else ())}
        found |= {word for word in ("syscall",) if step.explore is not None}
        found |= {word for word in ("clock_step",) if step.clock is not None}
    return frozenset(found)


def _with_inner(step: Step) -> tuple[Step, ...]:
    return (step, *(step.repeat.steps if step.repeat is not None else ()))


def _may_kill(level: str, scenario: Scenario) -> bool:
    """Is it worth to explore a scenario for a mutant of that level? Below L3 there are cheaper ways, or none."""
    return level >= L3 or not explored_steps(scenario)


def _plays(
    system: registry.System, mutant: object, scenario: Scenario, session: Session
) -> Iterator[tuple[Scenario, Sequence[str]]]:
    """What fails when the scenario is played, and in each of its variants."""
    if not explored_steps(scenario):
        yield scenario, _failed(system, scenario, session, str(getattr(mutant, "clause", "")))
        return

    def judged(variant: Scenario, history: History) -> tuple[str, ...]:
        findings = system.judge(variant, history, system.catalogue)
        return tuple(finding.clause for finding in findings if finding.verdict is CheckVerdict.FAIL)

    for played in swept(scenario, session, system.inputs_of, judged, first=str(getattr(mutant, "under", ""))):
        yield played.scenario, played.failed


def _failed(system: registry.System, scenario: Scenario, session: Session, clause: str) -> list[str]:
    """The clauses that fail in one scenario. Once an operation has hung, ``clause`` may have failed already."""
    player = Player(scenario, session, system.inputs_of)
    player.begin()
    looked = False
    for step in scenario.steps:
        if any(map(_hung, player.take(step))) and not looked:
            looked = True
            failed = _judged(system, scenario, player)
            if clause in failed:
                return failed
    return _judged(system, scenario, player)


def _judged(system: registry.System, scenario: Scenario, player: Player) -> list[str]:
    findings = system.judge(scenario, player.history(), system.catalogue)
    return [finding.clause for finding in findings if finding.verdict is CheckVerdict.FAIL]


def _hung(reply: Reply) -> bool:
    return reply.value.get("timed_out") is True or reply.value.get("reason") == "timed_out"


def _reach(system: registry.System, name: str, profile: str) -> Reach:
    if profile == system.served_profile:
        return served_python(system, name, timeout_scale=1.0)
    return mutant_hook(system, name, timeout_scale=1.0)
