"""Runs each mutant through the same path as anyone's implementation, until the clause it breaks fails."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec

from harness.certify import corpus
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, mutant_hook, served_python
from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.scenario import Scenario
from harness.errors import WindtunnelError
from harness.systems import registry
from harness.targets.player import play
from harness.targets.slots import Slots


class Killed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of one mutant.

    ``killed`` is true only when the clause it breaks failed; ``killed_by`` is that clause, or what failed instead;
    ``examples`` counts the scenarios that were played, ``scenario`` is the one that killed it; times in seconds.
    """

    name: str
    clause: str
    profile: str
    killed: bool
    killed_by: str
    layer: str
    scenario: str | None
    examples: int
    seconds: float
    error: str = ""


def qualify(
    system: registry.System, jobs: int, names: Sequence[str] = (), stopped: Callable[[], bool] = lambda: False
) -> Iterator[Killed]:
    """The fate of every mutant of ``system`` (or of those named), as each is known."""
    chosen = [mutant for name, mutant in system.mutants.MUTANTS.items() if not names or name in names]
    scenarios = corpus.scenarios(system.name)
    slots = Slots(jobs)

    def one(mutant: object) -> Killed:
        with slots.held():
            return _one(system, mutant, scenarios, slots, stopped)

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
    ordered = sorted(
        (scenario for scenario in scenarios if runs_for(scenario, reach)),
        key=lambda scenario: (
            scenario.level != level,  # what is sound in calm weather is looked for under faults
            clause not in scenario.clauses,
            scenario.full_length,
            len(scenario.steps),
        ),
    )
    others: dict[str, None] = {}
    played = 0

    def fate(*, killed: bool, by: str, scenario: str | None, error: str = "") -> Killed:
        seconds = round(time.monotonic() - begun, 3)
        return Killed(name, clause, profile, killed, by, "scenario", scenario, played, seconds, error)

    try:
        with reach.open(slots) as session:
            for scenario in ordered:
                if stopped():
                    break
                played += 1
                history = play(scenario, session, system.inputs_of)
                for finding in system.judge(scenario, history, system.catalogue):
                    if finding.verdict is not CheckVerdict.FAIL:
                        continue
                    if finding.clause == clause:
                        return fate(killed=True, by=clause, scenario=scenario.id)
                    others[finding.clause] = None
    except WindtunnelError as error:
        return fate(killed=False, by="", scenario=None, error=str(error))
    return fate(killed=False, by=", ".join(others), scenario=None)


def _reach(system: registry.System, name: str, profile: str) -> Reach:
    if profile == "gate":
        return served_python(system, name, timeout_scale=1.0)
    return mutant_hook(system, name, timeout_scale=1.0)
