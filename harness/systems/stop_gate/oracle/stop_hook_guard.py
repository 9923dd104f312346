"""The rules on what a guard is for: it holds the unfinished session, lets the finished go, and ends its blocks. Pure.

They continue stop_hook_rules.py, and are two-sided: each is about sessions that the hook's owner described.
"""

from itertools import chain

from harness.systems.stop_gate.contract import CONFIG_PATH, TRANSCRIPT_LIMIT_BYTES, Decision
from harness.systems.stop_gate.oracle import weather
from harness.systems.stop_gate.oracle.stop_hook_rules import RULES, odd_weather
from harness.systems.stop_gate.oracle.stop_hook_settings import config_of
from harness.systems.stop_gate.oracle.stop_hook_steering import semaphore_of
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory
from harness.systems.stop_gate.oracle.table import Judgement, combine, failed, passed

__all__ = ["RULES"]


def bounded(view: StopHistory) -> Judgement | None:
    """A session that was blocked and is stopped again and again is let go in the end."""
    found: list[Judgement | None] = []
    expected = "the same session, stopped again and again after a block, may end after a bounded number of blocks"
    for first, repeats in view.runs():
        blocks = sum(stop.blocked for stop in (first, *repeats))
        last = repeats[-1]
        if blocks and last.blocked:
            found.append(failed(expected, f"still blocked after {blocks} blocks, the last {last.weather}"))
        elif blocks and last.approved:
            found.append(passed(expected, f"let go after {blocks} blocks"))
    return combine(found)


@RULES.rule("SH-03")
def blocks_are_bounded(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: a sound hook stops blocking identical stops."""
    return bounded(view)


@RULES.rule("SH-08")
def guard_is_alive(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: the session it says it blocks is blocked."""
    calm = filter(as_calm, view.controls)
    steady = (stop for stop in view.subjects if untouched(view, stop))
    return combine(_alive(stop) for stop in chain(calm, steady) if _deserves_block(stop))


def _deserves_block(stop: Stop) -> bool:
    return stop.arguments.deserves is Decision.BLOCK and stop.started


def _alive(stop: Stop) -> Judgement:
    expected = f"the session its owner says it blocks is blocked {stop.weather}"
    return passed(expected, stop.answer) if stop.blocked else failed(expected, stop.answer, reason="the guard is dead")


def untouched(view: StopHistory, stop: Stop) -> bool:
    """Whatever is unusual about the stop takes nothing that a hook needs to hold an unfinished session.

    So it is the first of its session: who was blocked before may be let go.
    """
    if stop.arguments.role == "repeat" or stop.arguments.stop_hook_active or not stop.first or not odd_weather(stop):
        return False
    return stop.steady(follower=view.in_group) and not (view.in_group and _may_end_early(stop))


def _may_end_early(stop: Stop) -> bool:
    """What document 004 asks before it looks at a session, or may: configuration, semaphore and size."""
    configured = config_of(stop).state not in ("missing", "usable") or False in config_of(stop).enabled
    return configured or semaphore_of(stop) in stop.before or stop.transcript.size > TRANSCRIPT_LIMIT_BYTES


def as_calm(stop: Stop) -> bool:
    """In calm weather, or with nothing but the world's configuration taken away, to show what the hook does without."""
    if stop.calm:
        return True
    taken = {(each.fault.name, each.fault.path) for each in stop.injections if weather.proven(each)}
    return not stop.odd and taken == {("filesystem.missing", CONFIG_PATH)}


@RULES.rule("PS-LOOP-04")
def session_is_let_go(view: StopHistory) -> Judgement | None:
    """004 7.2: a finite number of blocks."""
    return bounded(view)


@RULES.rule("PS-PRM-02")
def blocks_exactly_unfinished(view: StopHistory) -> Judgement | None:
    """004 8.2: an unfinished session is blocked and a finished one is not."""
    found: dict[Decision, list[Judgement | None]] = {Decision.APPROVE: [], Decision.BLOCK: []}
    calm = filter(as_calm, view.controls)
    steady = (stop for stop in view.subjects if untouched(view, stop) and stop.sample)
    for stop in chain(calm, steady):
        deserves = stop.arguments.deserves
        if deserves is None or not stop.started:
            continue
        right = stop.blocked if deserves is Decision.BLOCK else stop.approved
        expected = f"the session that deserves {deserves.value} gets it {stop.weather}"
        found[deserves].append(passed(expected, stop.answer) if right else failed(expected, stop.answer))
    judgement = combine([*found[Decision.APPROVE], *found[Decision.BLOCK]])
    both = found[Decision.APPROVE] and found[Decision.BLOCK]
    return judgement if judgement is None or not judgement.ok or both else None
