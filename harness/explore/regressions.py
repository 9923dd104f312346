"""Turns the failures of a run into scenario files that keep them from coming back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from harness.core.digest import canonical, sha256_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Scenario, Step
from harness.explore.shrink import shortened


class Failed(NamedTuple):
    """A scenario and the clause that it broke; ``slow`` when a time-out had to be waited for to see it."""

    scenario: Scenario
    clause: str
    observed: str
    slow: bool


def failed(judged: Iterable[tuple[Scenario, Sequence[Finding], bool]]) -> Iterator[Failed]:
    """Every clause broken by each scenario; one that found nothing gives nothing."""
    for scenario, findings, slow in judged:
        for finding in findings:
            if finding.verdict is CheckVerdict.FAIL:
                yield Failed(scenario, finding.clause, finding.observed, slow)


def smallest(failures: Iterable[Failed]) -> list[Failed]:
    """One failure for each clause and shape, the smallest, the smallest of all first."""
    best: dict[tuple[str, ...], Failed] = {}
    for each in failures:
        key = shape(each.clause, each.scenario)
        if key not in best or _size(each.scenario) < _size(best[key].scenario):
            best[key] = each
    return sorted(best.values(), key=lambda each: (_size(each.scenario), each.clause))


def shape(clause: str, scenario: Scenario) -> tuple[str, ...]:
    """What makes two failures the same: clause, profile, and the kinds of steps in their order."""
    return (clause, scenario.profile, *(_kind(step) for step in scenario.steps))


def regression(failure: Failed, fails: Callable[[Scenario], bool] | None) -> Scenario:
    """The scenario to keep, made smaller as long as ``fails`` says that its clause is broken still.

    Without ``fails``, or when time-outs would have to be waited for, it is kept as it is.
    """
    aimed = msgspec.structs.replace(failure.scenario, clauses=(failure.clause,))
    kept = aimed if fails is None or failure.slow else shortened(aimed, fails)
    changed = kept.steps != aimed.steps
    content = sha256_of([kept.world, kept.steps, kept.seed])[:8]
    level = "l2-" if kept.level == "L2" else ""
    view = kept.profile.rpartition("_")[2]
    named = msgspec.structs.replace(
        kept,
        id=f"{view}-{level}regression-{failure.clause.lower()}-{content}",
        title=f"{failure.clause} was broken: {' '.join(failure.observed.split())}"[:200],
        # what was allowed to the last operation is not what is allowed to another one
        allowed=() if changed and kept.steps[-1:] != aimed.steps[-1:] else kept.allowed,
    )
    # the chance in its faults hangs on the id: under another one it may no longer fail
    lost = fails is not None and not failure.slow and any(step.fault for step in named.steps) and not fails(named)
    return msgspec.structs.replace(named, id=kept.id) if lost else named


def _kind(step: Step) -> str:
    if step.op is not None:
        return step.op.name
    if step.fault is not None:
        return step.fault.name
    if step.repeat is not None:
        return f"repeat({','.join(_kind(inner) for inner in step.repeat.steps)})"
    return "clock" if step.clock is not None else "schedule"


def _size(scenario: Scenario) -> tuple[int, int, str]:
    return len(scenario.steps), len(canonical([scenario.steps, scenario.world])), scenario.id
