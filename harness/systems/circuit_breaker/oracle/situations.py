"""Which clauses an operation witnesses that went as they say, by what the breaker was and became. Pure."""

from collections.abc import Iterator

from harness.systems.circuit_breaker.contract import State
from harness.systems.circuit_breaker.oracle.breaker import STEPPED, Asked, Breaker, Limits


def situations(before: Breaker, asked: Asked, after: Breaker, *, beside: bool) -> Iterator[str]:
    """The clauses whose situation the operation entered. One that was not answered, or may be excused, enters none."""
    care = asked.shaken and after.mode is State.HALF_OPEN and before.mode is not State.HALF_OPEN
    if asked.answer is None or not asked.binds or care:
        return
    limit = asked.limits[0]
    if before.mode is not State.CLOSED or after.mode is not State.CLOSED:
        yield "LK-CB-22"
    if before.unsure & STEPPED:
        yield "LK-CB-28"
    if asked.op == "record" and asked.call in before.late:
        yield "LK-CB-24"
    if before.mode is State.CLOSED:
        yield from _closed(before, asked, after, limit)
    elif before.mode is State.OPEN:
        yield from _open(before, asked, limit)
    else:
        yield from _half_open(before, asked, limit, beside=beside)


def _closed(before: Breaker, asked: Asked, after: Breaker, limit: Limits) -> Iterator[str]:
    if asked.op == "acquire":
        yield "LK-CB-09"
    elif asked.failure:
        if limit.tuned & {"threshold", "window_s"}:
            yield "LK-CB-25"
        if after.mode is State.OPEN:
            yield "LK-CB-10"
        elif after.total > before.total:
            yield "LK-CB-11"
    elif asked.op == "record" and before.failures:
        yield "LK-CB-23"


def _open(before: Breaker, asked: Asked, limit: Limits) -> Iterator[str]:
    if not before.at_rest(asked.at):
        yield "LK-CB-14"
        if asked.op == "acquire":
            yield "LK-CB-13"
    elif asked.op == "acquire" and asked.answer.permitted:
        yield "LK-CB-14"
        yield "LK-CB-12"
        yield "LK-CB-16"
        if limit.tuned & {"cooldown_s"}:
            yield "LK-CB-25"


def _half_open(before: Breaker, asked: Asked, limit: Limits, *, beside: bool) -> Iterator[str]:
    if asked.op == "acquire":
        if before.probe is not None and before.ended is None:
            yield "LK-CB-16" if before.probes == 1 and (beside or before.probe == asked.at) else "LK-CB-18"
        elif before.probe is not None:
            yield "LK-CB-17"
            if limit.tuned & {"half_open_interval_s"}:
                yield "LK-CB-25"
    elif asked.failure:
        yield "LK-CB-21"
    elif asked.op == "record":
        yield "LK-CB-19"
        if before.carried:
            yield "LK-CB-15"
        if limit.tuned & {"recovery_threshold"}:
            yield "LK-CB-25"
