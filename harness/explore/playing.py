"""Playing scenarios with everything there is: the orders of file calls that a scenario names are made by a race."""

from collections.abc import Sequence
from typing import Final

from harness.core.history import Entry, EntryType, History
from harness.core.scenario import Scenario, Schedule, Step
from harness.errors import MachineError
from harness.explore import schedules
from harness.explore.operation_orders import IDLE_S
from harness.explore.races import Race
from harness.targets import player
from harness.targets.player import NO_HEAD, RESET, Head, InputsOf
from harness.targets.session import Session

TRIES: Final = 3  # to make an order


def play(scenario: Scenario, session: Session, inputs_of: InputsOf, head: Head = NO_HEAD) -> History:
    """The history of one run of ``scenario``, after its ``head``, begun in a fresh world.

    One whose order of calls could not be made is played again: of processes that took longer than they wait for each
    other, which a busy machine brings about, the next try may show something.
    """
    for _ in range(TRIES):
        history = player.play(scenario, session, inputs_of, ordered, head)
        if not history.given_up:
            break
    return history


def ordered(session: Session, schedule: Schedule) -> Race:
    """The race that lets the calls go as the schedule's order says. MachineError where there can be none."""
    return race(session, schedule, schedules.replay(schedule.order or ()))


def race(session: Session, schedule: Schedule, order: schedules.Schedule) -> Race:
    """The race of these operations in that order. MachineError where there can be none."""
    refused = session.unexplorable()
    if refused:
        raise MachineError(refused)
    below = session.ordered_below()
    return Race(order, below=below, runs=len(schedule.together), idle_s=IDLE_S, hide=session.hide)


def head_of(scenario: Scenario, place: int, history: History) -> Head:
    """What comes before the last reset ahead of ``place``, as it went in ``history``, a run of the whole scenario.

    A reset leaves nothing of what was before it, so a variant of what comes after it need not do that again. Steps that
    only say what to explore are not counted: a variant has none of them.
    """
    last = max((n for n, step in enumerate(scenario.steps[:place]) if _is_reset(step)), default=-1)
    steps = [step for step in scenario.steps[: last + 1] if step.explore is None]
    if not steps or any(step.repeat is not None and any(map(_is_reset, step.repeat.steps)) for step in steps):
        return NO_HEAD
    resets = sum(map(_is_reset, steps))
    return Head(len(steps), _until_reset(history.entries, resets))


def _until_reset(entries: Sequence[Entry], resets: int) -> tuple[Entry, ...]:
    ends = [n for n, entry in enumerate(entries) if entry.op == RESET and entry.type is EntryType.OK]
    return tuple(entries[: ends[resets - 1] + 1])


def _is_reset(step: Step) -> bool:
    return step.op is not None and step.op.name == RESET
