"""How much may run: LK-RP-02 to LK-RP-05. Pure. Source: document 000, Recovery Protocol 3 and 5."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from harness.systems.circuit_breaker.contract import (
    RAMP_START_PERCENT,
    RAMP_STEP_PERCENT,
    RAMP_STEP_S,
    REDUCED_AGENTS,
    CapacityResult,
    State,
)
from harness.systems.circuit_breaker.oracle.breaker import SECOND, STEPPED, Breaker
from harness.systems.circuit_breaker.oracle.notes import Notes
from harness.systems.circuit_breaker.oracle.state_file import Belief

STEP: Final = RAMP_STEP_S * SECOND
LONGEST_RAMP: Final = 4 * STEP  # 50, 62.5, 78.1, 97.7 and 100 percent, when each step is a quarter of what it was
POINTS: Final = "points"
READINGS: Final = ("points_up", "points_down", "multiplicative_up", "multiplicative_down")


def share(reading: str, steps: int) -> Fraction:
    """Which part of full capacity may run after so many steps."""
    start = Fraction(RAMP_START_PERCENT, 100)
    step = Fraction(RAMP_STEP_PERCENT, 100)
    grown = start + steps * step if reading.startswith(POINTS) else start * (1 + step) ** steps
    return min(grown, Fraction(1))


def agents(reading: str, steps: int, full: int) -> int:
    """How many agents that is, of ``full``."""
    part = share(reading, steps) * full
    return -(-part.numerator // part.denominator) if reading.endswith("up") else part.numerator // part.denominator


def judge(
    full: int, result: CapacityResult, beliefs: Iterable[Belief], at: int, notes: Notes, *, careful: bool
) -> None:
    """Notes what the answer says, as far as the model knows how the breakers stand.

    ``careful``: what is on disk cannot be read or written, or is no valid file; whoever is careful lets fewer run.
    """
    every = [tuple(belief) for belief in beliefs]
    if any(all(each.mode is State.OPEN and at < each.early for each in belief) for belief in every):
        _judge_open(full, result, notes)
        return
    if any(each.mode is not State.CLOSED or each.unsure & STEPPED for belief in every for each in belief):
        return  # HALF_OPEN, or nobody knows
    closings = {frozenset(each.closings[-1:] for each in belief) for belief in every}
    if any(len(each) > 1 for each in closings):
        return
    last = max((closing for each in closings for times in each for closing in times), default=None)
    if last is None or at - last >= LONGEST_RAMP:
        if not careful and not any(_may_be_recovering(each, at) for belief in every for each in belief):
            _judge_full(full, result, notes)
        return
    failed = careful or any(each.total for belief in every for each in belief)
    _judge_ramp(full, result, at - last, notes, failed=failed)


def _may_be_recovering(breaker: Breaker, at: int) -> bool:
    """A record that the model did not see close says since when it is CLOSED, not why."""
    return not breaker.closings and breaker.since is not None and at - breaker.since < LONGEST_RAMP


def _judge_open(full: int, result: CapacityResult, notes: Notes) -> None:
    fewer = min(REDUCED_AGENTS, full)
    wanted: Mapping[str, tuple[bool, str]] = {
        "LK-RP-02": (result.agents == fewer, f"{fewer} of {full} agents while a breaker is OPEN"),
        "LK-RP-03": (not result.background, "no background work while a breaker is OPEN"),
        "LK-RP-04": (result.queue_non_urgent, "non-urgent requests queued while a breaker is OPEN"),
    }
    _note(wanted, result, notes)


def _judge_full(full: int, result: CapacityResult, notes: Notes) -> None:
    wanted: Mapping[str, tuple[bool, str]] = {
        "LK-RP-02": (result.agents == full, f"control: all of {full} agents while no breaker is OPEN or recovers"),
        "LK-RP-03": (result.background, "control: background work while no breaker is OPEN or recovers"),
        "LK-RP-04": (not result.queue_non_urgent, "control: nothing queued while no breaker is OPEN or recovers"),
    }
    _note(wanted, result, notes)


def _note(wanted: Mapping[str, tuple[bool, str]], result: CapacityResult, notes: Notes) -> None:
    for clause, (as_wanted, expected) in wanted.items():
        if as_wanted:
            notes.agrees(clause, expected)
        else:
            notes.breaks(clause, expected, f"{result}")


def _judge_ramp(full: int, result: CapacityResult, since: int, notes: Notes, *, failed: bool) -> None:
    """A failure may hold the ramp up, or begin it anew."""
    last = max(since, 0) // STEP
    first = 0 if failed else last
    names = [
        reading
        for reading in READINGS
        if result.agents in {agents(reading, steps, full) for steps in range(first, last + 1)}
        or (full > 0 and result.agents == 1 and agents(reading, last, full) == 0)
    ]
    wanted = " or ".join(sorted({str(agents(reading, last, full)) for reading in READINGS}))
    expected = f"{wanted} of {full} agents, {since / SECOND:g} s after it closed"
    if names:
        notes.agrees("LK-RP-05", expected, names)
    elif failed and result.agents <= agents("points_up", last, full):
        notes.agrees("LK-RP-05", f"{expected}, or fewer after a failure")
    elif result == CapacityResult(min(REDUCED_AGENTS, full), False, True, result.log):
        notes.breaks("LK-RP-02", f"{expected}, and no breaker is OPEN", f"{result}")
    else:
        notes.breaks("LK-RP-05", expected, f"{result}")
