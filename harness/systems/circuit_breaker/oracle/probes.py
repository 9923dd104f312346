"""When a HALF_OPEN breaker may be probed, when it has to be, and what asking for it then does. Pure.

A probe has an interval to itself, by three readings of where that begins (LK-CB-17), and none runs beside it
(LK-CB-18). One that is lost, or takes longer than the interval, gives its slot up after the interval, at the latest
after another one. A call that is queued or blocked may begin by itself, and is seen when it is asked for again.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from harness.systems.circuit_breaker.contract import Held, State
from harness.systems.circuit_breaker.oracle.breaker import PROBES, STEPPED, Asked, Breaker, Limits, half_open, probed
from harness.systems.circuit_breaker.oracle.readings import CALL, DUE, END, EVERY, START, WITH

WAITS: Final = (Held.QUEUED, Held.BLOCKED)
UNSEEN: Final = "\0unseen"  # the call of a probe that began by itself


class Outcome(NamedTuple):
    """What an operation may do to a breaker: what is so ``after`` it, by which assignments of readings.

    ``shown`` are the states that may be answered; ``permitted`` is whether a call is, None where none was asked for.
    """

    after: Breaker
    shown: tuple[State, ...]
    assignments: int = EVERY
    permitted: bool | None = None


def moves(breaker: Breaker, at: int) -> Iterator[tuple[Breaker, int]]:
    """An OPEN breaker that is at rest, once it has moved, stamped with the time of the call or with cooldown_until."""
    due = breaker.until if breaker.early == breaker.until else None
    if due == at:
        yield half_open(breaker, at), EVERY
        return
    yield half_open(breaker, due), WITH["LK-CB-07"][DUE]
    yield half_open(breaker, at), WITH["LK-CB-07"][CALL]


def due(breaker: Breaker, origin: str, limit: Limits) -> tuple[int, int]:
    """The first time at which a HALF_OPEN breaker may be probed, and that from which on it has to permit it."""
    earliest, latest = (0, 0) if breaker.probe is None else _after_probe(breaker, breaker.probe, origin, limit)
    if breaker.unsure & (PROBES | STEPPED):
        latest = max(latest, breaker.early + 2 * limit.interval)
    return 0 if breaker.unsure & STEPPED else earliest, latest


def _after_probe(breaker: Breaker, probe: int, origin: str, limit: Limits) -> tuple[int, int]:
    if breaker.ended is None:
        first, last = probe + limit.interval, probe + 2 * limit.interval
        return (first, last) if origin in (START, END) else (first, _slot(breaker, last - 1, limit)[1])
    if origin == START:
        return probe + limit.interval, probe + limit.interval
    if origin == END:
        return breaker.ended + limit.interval, breaker.ended + limit.interval
    return _slot(breaker, probe, limit)


def _slot(breaker: Breaker, probe: int, limit: Limits) -> tuple[int, int]:
    """When the slot ends that ``probe`` lies in: at one time, unless it is not known when they began."""
    if breaker.since is None:
        return probe, probe + limit.interval
    end = breaker.since + ((probe - breaker.since) // limit.interval + 1) * limit.interval
    return end, end


def asked_for(breaker: Breaker, asked: Asked, limit: Limits) -> Iterator[Outcome]:
    """What becomes of a call that is asked for in HALF_OPEN."""
    if asked.call in breaker.calls:  # it waited, has begun, and is asked about once more
        yield Outcome(breaker, (State.HALF_OPEN,), permitted=True)
    yield from _decided(breaker, asked, limit, EVERY)
    if not breaker.waiting:
        return
    if breaker.probe is not None and breaker.probe_call == UNSEEN and asked.call in breaker.waiting:
        yield Outcome(_seen(breaker, asked.call), (State.HALF_OPEN,), permitted=True)
    for started, assignments in _begun_unseen(breaker, asked.at, limit):
        if asked.call in breaker.waiting:
            yield Outcome(_seen(started, asked.call), (State.HALF_OPEN,), assignments, permitted=True)
        yield from _decided(started, asked, limit, assignments)


def _begun_unseen(breaker: Breaker, at: int, limit: Limits) -> Iterator[tuple[Breaker, int]]:
    """One of the calls that wait has begun; nobody knows which until it is asked for again."""
    for origin, assignments in WITH["LK-CB-17"].items():
        earliest, _ = due(breaker, origin, limit)
        for begun in sorted({max(earliest, breaker.since or at), at}):
            if earliest <= begun <= at:
                yield probed(breaker, UNSEEN, begun), assignments


def _seen(breaker: Breaker, call: str) -> Breaker:
    calls = (breaker.calls - {UNSEEN}) | {call}
    return breaker._replace(probe_call=call, calls=calls, waiting=breaker.waiting - {call})


def _decided(breaker: Breaker, asked: Asked, limit: Limits, assignments: int) -> Iterator[Outcome]:
    for origin, taking in WITH["LK-CB-17"].items():
        earliest, latest = due(breaker, origin, limit)
        together = taking & assignments
        if asked.at >= earliest:
            yield Outcome(probed(breaker, asked.call, asked.at), (State.HALF_OPEN,), together, permitted=True)
        if asked.at < latest:
            yield Outcome(held(breaker, asked), (State.HALF_OPEN,), together, permitted=False)


def held(breaker: Breaker, asked: Asked) -> Breaker:
    """The breaker after a call was not permitted, which may wait now."""
    if asked.answer is None or asked.answer.held not in WAITS:
        return (
            breaker if asked.call not in breaker.waiting else breaker._replace(waiting=breaker.waiting - {asked.call})
        )
    return breaker._replace(waiting=breaker.waiting | {asked.call})
