"""What an operation may do to one breaker, in every reading: the model's step. Pure.

Source: document 000, State Behaviors and State Transition Rules.
"""

from collections.abc import Iterator

from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.oracle.breaker import (
    COUNT,
    FAILURES,
    PROBES,
    STEPPED,
    SUCCESSES,
    Asked,
    Breaker,
    Limits,
    carried_over,
    closed,
    half_open,
    opened,
    probed,
    unknown,
)
from harness.systems.circuit_breaker.oracle.probes import Outcome, asked_for, held, moves
from harness.systems.circuit_breaker.oracle.readings import (
    CALL,
    CLEARS,
    COUNTED,
    EVERY,
    INCLUSIVE,
    LEAVES,
    SLIDING,
    WITH,
    windows,
)

_CLOSED, _OPEN, _HALF_OPEN = (State.CLOSED,), (State.OPEN,), (State.HALF_OPEN,)
_REST = (State.OPEN, State.HALF_OPEN)


def step(breaker: Breaker, asked: Asked) -> Iterator[tuple[Breaker, int]]:
    """The breaker after the operation, for each way in which it may have had the answer it had.

    Without an answer it may have done anything it could, or nothing.
    """
    for limit in asked.limits:
        for outcome in outcomes(breaker, asked, limit):
            if agrees(outcome, asked):
                yield outcome.after, outcome.assignments
        if asked.shaken:
            yield from ((after, EVERY) for after in _shaken(breaker, asked, limit))
    if asked.answer is None:
        yield breaker, EVERY


def agrees(outcome: Outcome, asked: Asked) -> bool:
    """May the operation be answered as it was, if that is what it did?"""
    if asked.answer is None:
        return True
    permitted = asked.answer.permitted if asked.op == "acquire" else None
    return outcome.permitted == permitted and asked.answer.state in outcome.shown


def outcomes(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Outcome]:
    """Everything the operation may do."""
    if asked.op == "acquire":
        yield from _acquire(breaker, asked, limit)
    elif asked.op == "record":
        yield from _record(breaker, asked, limit)
    else:
        yield from _inspect(breaker, asked.at)


def _inspect(breaker: Breaker, at: int) -> Iterator[Outcome]:
    if not breaker.at_rest(at):
        yield Outcome(breaker, (breaker.mode,))
        return
    yield Outcome(breaker, _REST)
    yield Outcome(half_open(breaker, at), _HALF_OPEN, WITH["LK-CB-07"][CALL])


def _acquire(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Outcome]:
    if breaker.mode is State.CLOSED:
        out = breaker._replace(calls=breaker.calls | {asked.call}, waiting=breaker.waiting - {asked.call})
        yield Outcome(out, _CLOSED, permitted=True)
    elif breaker.mode is State.HALF_OPEN:
        yield from asked_for(breaker, asked, limit)
    else:
        if asked.at < breaker.until:
            yield Outcome(held(breaker, asked), _OPEN, permitted=False)
        if breaker.at_rest(asked.at):
            for moved, assignments in moves(breaker, asked.at):
                for outcome in asked_for(moved, asked, limit):
                    yield outcome._replace(assignments=outcome.assignments & assignments)


def _record(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Outcome]:
    """A result of a call of this state counts, one that comes late may, and so may one of a call nobody knows."""
    if asked.call in breaker.calls:
        yield from _counted(breaker._replace(calls=breaker.calls - {asked.call}), asked, limit, of_this_state=True)
        return
    late = asked.call in breaker.late
    told = breaker._replace(late=breaker.late - {asked.call})
    ignored = told._replace(also_failed=asked.at) if asked.failure else told
    yield Outcome(ignored, _REST if breaker.at_rest(asked.at) else (breaker.mode,))
    for moved, assignments in moves(ignored, asked.at) if breaker.at_rest(asked.at) else ():
        yield Outcome(moved, _HALF_OPEN, assignments)
    counting = WITH["LK-CB-24"][COUNTED] if late else EVERY
    for outcome in _counted(told, asked, limit, of_this_state=False):
        yield outcome._replace(assignments=outcome.assignments & counting)


def _counted(breaker: Breaker, asked: Asked, limit: Limits, *, of_this_state: bool) -> Iterator[Outcome]:
    if breaker.mode is State.OPEN:
        if breaker.at_rest(asked.at):
            for moved, assignments in moves(breaker, asked.at):
                for outcome in _probe_result(moved, asked, limit):
                    yield outcome._replace(assignments=outcome.assignments & assignments)
    elif breaker.mode is State.HALF_OPEN:
        yield from _probe_result(breaker, asked, limit)
        if of_this_state and asked.call != breaker.probe_call:  # its slot was given up already
            yield Outcome(breaker._replace(also_failed=asked.at) if asked.failure else breaker, _HALF_OPEN)
    elif asked.failure:
        yield from _failure(breaker, asked.at, limit)
    else:
        yield Outcome(breaker, _CLOSED, WITH["LK-CB-23"][LEAVES])
        yield Outcome(breaker._replace(failures=(), soft=0), _CLOSED, WITH["LK-CB-23"][CLEARS])


def _probe_result(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Outcome]:
    if asked.failure:
        yield Outcome(opened(breaker, asked.at, limit.cooldown), _OPEN)
        return
    last = asked.call == breaker.probe_call
    after = breaker._replace(successes=breaker.successes + 1, ended=asked.at if last else breaker.ended)
    if after.successes >= limit.recovery or breaker.unsure & SUCCESSES:
        yield Outcome(closed(after, asked.at), _CLOSED)
    if after.successes < limit.recovery:
        yield Outcome(after, _HALF_OPEN)
        if not last:  # the end of a probe that was given up may be taken for that of the last one
            yield Outcome(after._replace(ended=asked.at), _HALF_OPEN)


def _failure(breaker: Breaker, at: int, limit: Limits) -> Iterator[Outcome]:
    for kind, edge, assignments in windows():
        kept = within(breaker.failures, at, limit, kind, edge)
        failures = (*kept, at)
        # once the clock went back, a window may have begun later than it is now, and hold what seems too old
        again = len(breaker.failures) - len(kept) if breaker.unsure & STEPPED else 0
        soft = again + (breaker.soft if at <= breaker.until else 0)
        if len(failures) + soft >= limit.threshold:
            yield Outcome(opened(breaker, at, limit.cooldown), _OPEN, assignments)
        if len(failures) < limit.threshold:
            after = breaker._replace(
                failures=failures, soft=soft, total=breaker.total + 1, last_failure=at, also_failed=None,
                unsure=breaker.unsure & ~FAILURES, until=at + limit.window if again else breaker.until,
            )  # fmt: skip
            yield Outcome(after, _CLOSED, assignments)


def within(failures: tuple[int, ...], at: int, limit: Limits, kind: str, edge: str) -> tuple[int, ...]:
    """Those of ``failures`` that count together with one at that time."""
    if not failures:
        return ()
    if kind == SLIDING:
        return tuple(each for each in failures if _together(each, at, limit, edge))
    return failures if _together(failures[0], at, limit, edge) else ()


def _together(first: int, last: int, limit: Limits, edge: str) -> bool:
    return last - first < limit.window or (last - first == limit.window and edge == INCLUSIVE)


def _shaken(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Breaker]:
    """What may be so after an operation that a fault struck: it may have done nothing, or only in memory.

    It may have been answered with care, but an OPEN breaker is no CLOSED one, and a HALF_OPEN one neither. Who has all
    in memory answers from there, or is careful: HALF_OPEN.
    """
    if asked.remembered:
        if asked.answer is not None and asked.answer.state is State.HALF_OPEN and breaker.mode is not State.HALF_OPEN:
            yield from adopted(breaker, asked, limit)
        return
    if asked.answer is None:
        yield from () if breaker.mode is State.CLOSED else unknown(asked.at, limit)
        return
    shown, permitted = asked.answer.state, asked.op == "acquire" and asked.answer.permitted
    if breaker.mode is State.CLOSED:
        yield breaker
        yield breaker._replace(soft=breaker.soft + len(breaker.failures), failures=(), until=asked.at + limit.window)
    elif shown is State.CLOSED or (permitted and shown is State.OPEN):
        return
    else:
        yield breaker
    yield from adopted(breaker, asked, limit)


def adopted(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Breaker]:
    """A breaker in the state that was answered, of which nothing else is certain; none for CLOSED."""
    half, open_ = unknown(asked.at, limit)
    if asked.answer.state is State.OPEN:
        yield carried_over(open_, breaker)
    elif asked.answer.state is State.HALF_OPEN:
        care = carried_over(half, breaker)
        permitted = asked.op == "acquire" and asked.answer.permitted
        yield probed(care, asked.call, asked.at) if permitted else care


def resynchronised(breaker: Breaker, asked: Asked, limit: Limits) -> Breaker:
    """The breaker as it must be after an answer that the model cannot explain, so that one defect is blamed once."""
    shown: State = asked.answer.state
    if shown is State.CLOSED:
        return _as_closed(breaker, asked)
    permitted = asked.op == "acquire" and asked.answer.permitted
    if shown is State.HALF_OPEN:
        if breaker.mode is not State.HALF_OPEN:
            care = half_open(breaker, None)._replace(early=asked.at, unsure=PROBES | SUCCESSES | FAILURES)
        elif asked.op == "record":
            found = breaker._replace(calls=breaker.calls - {asked.call}, ended=asked.at, early=asked.at)
            if asked.failure:
                return found._replace(unsure=found.unsure | PROBES | SUCCESSES | FAILURES | COUNT)
            return found._replace(successes=found.successes + 1, unsure=found.unsure | PROBES)
        else:
            care = breaker._replace(early=asked.at, unsure=breaker.unsure | PROBES)
        return probed(care, asked.call, asked.at) if permitted else held_or_same(care, asked)
    if breaker.mode is State.OPEN:
        kept = breaker._replace(late=breaker.late | {asked.call}) if permitted else held_or_same(breaker, asked)
        return kept if asked.at < breaker.early else kept._replace(early=asked.at, until=asked.at + limit.cooldown)
    after = opened(breaker, asked.at, limit.cooldown)
    return after if asked.failure else after._replace(early=asked.at, unsure=FAILURES)


def held_or_same(breaker: Breaker, asked: Asked) -> Breaker:
    """The breaker after an operation that was answered as if it were OPEN."""
    return held(breaker, asked) if asked.op == "acquire" else breaker


def _as_closed(breaker: Breaker, asked: Asked) -> Breaker:
    if breaker.mode is State.HALF_OPEN and asked.op == "record" and not asked.failure:
        return closed(breaker._replace(calls=breaker.calls - {asked.call}), asked.at)
    if breaker.mode is not State.CLOSED:
        after = closed(breaker, asked.at)._replace(since=None, closings=breaker.closings, unsure=FAILURES | COUNT)
    elif asked.failure:
        after = breaker._replace(
            failures=(*breaker.failures, asked.at), total=breaker.total + 1, last_failure=asked.at,
            calls=breaker.calls - {asked.call}, unsure=breaker.unsure | COUNT,
        )  # fmt: skip
    else:
        after = breaker
    permitted = asked.op == "acquire" and asked.answer.permitted
    return after._replace(calls=after.calls | {asked.call}) if permitted else after
