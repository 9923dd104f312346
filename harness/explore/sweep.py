"""Every variant of one L3 scenario, one after the other, until whoever asked has seen enough: for mutants."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.enumerated import LIMIT, Variant, enumerated, explored_steps
from harness.explore.learning import Learned, learned
from harness.explore.operation_orders import SCHEDULES, explored_orders, in_order
from harness.explore.playing import head_of, play
from harness.explore.power_variants import power_variants, watched
from harness.targets.player import InputsOf
from harness.targets.session import Session

_CALL, _POWER, _ORDER = "call", "power", "order"
Judge = Callable[[Scenario, History], tuple[str, ...]]


class Swept(NamedTuple):
    """One play of a scenario or of a variant, and the clauses that failed in it.

    ``untold``: why orders of it say nothing, since they could not be made; "" when all could.
    """

    scenario: Scenario
    failed: tuple[str, ...]
    untold: str = ""


def swept(
    scenario: Scenario,
    session: Session,
    inputs_of: InputsOf,
    judge: Judge,
    *,
    first: Sequence[str] = (),
    limit: int = LIMIT,
) -> Iterator[Swept]:
    """``scenario`` as it is, then its variants; ``judge`` names the clauses that fail.

    Variants whose id, or the name or family of whose fault, is in ``first`` come before the others. Of orders the first
    that fails is given, none where none does, and one more that tells of those that say nothing.
    """
    known = learned(scenario, session, inputs_of)
    yield Swept(scenario, judge(scenario, known.histories[0]))
    for kind, number, place in sorted(_lanes(scenario), key=lambda lane: lane[0] != _asked_for(scenario, first)):
        if kind == _ORDER:
            yield from _orders(scenario, place, known, session, inputs_of, judge)
            continue
        variants: Iterable[Scenario]
        if kind == _POWER:
            found = watched(scenario, place, session, inputs_of)
            variants = power_variants(scenario, place, found, session.hide, limit).variants
            variants = sorted(variants, key=lambda each: each.id not in first)
        else:
            enumeration = enumerated(scenario, place, known.recordings[number], limit)
            variants = (each.scenario for each in sorted(enumeration.variants, key=lambda each: _turn(each, first)))
        head = head_of(scenario, place, known.histories[0])
        for variant in variants:
            yield Swept(variant, judge(variant, play(variant, session, inputs_of, head)))


def _lanes(scenario: Scenario) -> Iterator[tuple[str, int, int]]:
    """What is explored: orders, losses of power, or calls that are struck; and where, by number and place."""
    for number, place in enumerate(explored_steps(scenario)):
        explore = scenario.steps[place].explore
        if scenario.steps[place + 1].schedule is not None:
            yield _ORDER, number, place
            continue
        yield _CALL, number, place
        if explore is not None and "power" in explore.kinds:
            yield _POWER, number, place


def _asked_for(scenario: Scenario, first: Sequence[str]) -> str:
    """The lane that is to come before all others: an id says when it is one of losses of power."""
    return _POWER if any(each.startswith(f"{scenario.id}-power-") for each in first) else ""


def _turn(variant: Variant, first: Sequence[str]) -> tuple[bool, bool]:
    struck = (variant.fault.name, variant.fault.family)
    return variant.scenario.id not in first, not any(each in first for each in struck)


def _orders(
    scenario: Scenario,
    place: int,
    known: Learned,
    session: Session,
    inputs_of: InputsOf,
    judge: Judge,
) -> Iterator[Swept]:
    one = in_order(scenario, place, ())
    failing: list[str] = []

    def judged(history: History) -> str:
        failed = judge(one, history)
        failing.extend(failed)
        return ",".join(failed)

    report = explored_orders(
        scenario, place, session, inputs_of, judged,
        head=head_of(scenario, place, known.histories[0]),
        limit=SCHEDULES, seed=scenario.seed, over=lambda: bool(failing),
    )  # fmt: skip
    for failure in report.failures:
        yield Swept(in_order(scenario, place, failure.choices, failure.order), tuple(failure.verdict.split(",")))
    if report.inconclusive:
        yield Swept(
            scenario, (), f"{report.untold} of {report.schedules} say nothing, one because {report.inconclusive[0]}"
        )
