"""The rules on what a guard is for: it holds the unfinished session, lets the finished go, and ends its blocks. Pure.

They continue stop_hook_rules.py, and are two-sided: each is about sessions that the hook's owner described.
"""

from itertools import chain

from harness.core.fault import Fault
from harness.systems import standing
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate.contract import CONFIG_PATH, Decision
from harness.systems.stop_gate.oracle import struck
from harness.systems.stop_gate.oracle.session import BLOCKS_BEFORE_MERCY
from harness.systems.stop_gate.oracle.stop_hook_rules import RULES, odd_weather
from harness.systems.stop_gate.oracle.stop_hook_settings import may_end_early
from harness.systems.stop_gate.oracle.stop_hook_stops import L3, Stop, StopHistory

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
    alive = (_alive(stop) for stop in chain(calm, steady) if _deserves_block(stop))
    return combine([*alive, *_of_rivals(view)])


def _deserves_block(stop: Stop) -> bool:
    return stop.arguments.deserves is Decision.BLOCK and stop.started


def _alive(stop: Stop) -> Judgement:
    expected = f"the session its owner says it blocks is blocked {stop.weather}"
    return passed(expected, stop.answer) if stop.blocked else failed(expected, stop.answer, reason="the guard is dead")


def _of_rivals(view: StopHistory) -> list[Judgement]:
    """Of several first stops of one unfinished session at once the hook may let go all but one: one was the first."""
    groups: dict[tuple[int, str, str], list[Stop]] = {}
    for stop in view.subjects if view.scenario.level == L3 else ():
        if stop.rivals and stop.fresh and _deserves_block(stop) and not stop.injections and not stop.odd:
            key = (stop.epoch, stop.arguments.session_id, stop.arguments.transcript_path)
            groups.setdefault(key, []).append(stop)
    expected = "of stops of one unfinished session at once, one is blocked"
    return [
        passed(expected, f"{sum(stop.blocked for stop in group)} of {len(group)} blocked")
        if any(stop.blocked for stop in group)
        else failed(expected, f"none of {len(group)} was blocked", reason="the guard is dead")
        for group in groups.values()
        if len(group) > 1 and not any(stop.arguments.stop_hook_active for stop in group)
    ]


def untouched(view: StopHistory, stop: Stop) -> bool:
    """Whatever is unusual about the stop takes nothing that a hook needs to hold an unfinished session.

    So it is the first of its session: who was blocked before may be let go. Who follows document 004 checks a session
    again (7.1), so a stop that a single call cost its answer does not end that.
    """
    if stop.arguments.role == "repeat" or stop.arguments.stop_hook_active:
        return False
    if not (odd_weather(stop) or stop.together):
        return False
    again = view.in_group and stop.held < BLOCKS_BEFORE_MERCY and any(map(_single, stop.aftermath))
    if not stop.first and not (again and not stop.rivals):
        return False
    return stop.steady(follower=view.in_group) and not (view.in_group and may_end_early(stop))


def _single(fault: Fault) -> bool:
    return fault.family == struck.FAMILY


def as_calm(stop: Stop) -> bool:
    """In calm weather, or with nothing but the world's configuration taken away, to show what the hook does without."""
    if stop.calm:
        return True
    taken = {(each.fault.name, each.fault.path) for each in stop.injections if standing.proven(each)}
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
