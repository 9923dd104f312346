"""One breaker as the model sees it: a small value that never changes. Pure.

Source: document 000, State Transition Rules.

Times are whole microseconds since the epoch.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from harness.systems.circuit_breaker.contract import Outcome, State, Tunables

SECOND: Final = 1_000_000
# what the model does not know of a breaker, as bits
PROBES: Final = 1  # when it was probed last
SUCCESSES: Final = 2  # how many probes in a row succeeded
STEPPED: Final = 4  # the clock went back, or its record lies in the future: no time is certain
FAILURES: Final = 8  # when it failed last
COUNT: Final = 16  # how many failures it has counted


class Limits(NamedTuple):
    """The tunables in force; times in microseconds. ``tuned`` names those that are not the default."""

    threshold: int = 3
    window: int = 60 * SECOND
    cooldown: int = 300 * SECOND
    interval: int = 10 * SECOND
    recovery: int = 3
    tuned: frozenset[str] = frozenset()


DEFAULT_TUNABLES: Final = Tunables()


@lru_cache(maxsize=256)
def limits(tunables: Tunables) -> Limits:
    """The tunables as the model needs them."""
    names = Tunables.__struct_fields__
    return Limits(
        tunables.threshold,
        microseconds(tunables.window_s),
        microseconds(tunables.cooldown_s),
        microseconds(tunables.half_open_interval_s),
        tunables.recovery_threshold,
        frozenset(name for name in names if getattr(tunables, name) != getattr(DEFAULT_TUNABLES, name)),
    )


def microseconds(seconds: float) -> int:
    """The duration in whole microseconds."""
    return round(seconds * SECOND)


class Breaker(NamedTuple):
    """A breaker in one state of the model.

    ``since`` is when it moved to its state, None when it never did or nobody knows. CLOSED: ``failures`` are those in
    the window, ``soft`` is how many more may count until ``until``, ``total`` counts all failures since it closed.
    OPEN: it is until ``early``, and from ``until`` on no more; in between nobody knows; ``reopened`` says that a probe
    failed. HALF_OPEN: ``probe`` is the start of the last probe, by ``probe_call``, ``ended`` its end, ``probes`` counts
    them; ``early`` is since when nothing is known of earlier ones. ``successes`` counts those in a row, ``carried``
    those of the time before it was OPEN. ``calls`` are out and were admitted in this state, ``late`` before it,
    ``waiting`` are held. ``also_failed`` is the time of a late failure; ``closings`` are all recoveries; ``unsure`` has
    the bits of what is not known.
    """

    mode: State = State.CLOSED
    since: int | None = None
    failures: tuple[int, ...] = ()
    soft: int = 0
    total: int = 0
    early: int = 0
    until: int = 0
    reopened: bool = False
    probe: int | None = None
    probe_call: str = ""
    ended: int | None = None
    probes: int = 0
    successes: int = 0
    carried: int = 0
    calls: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    last_failure: int | None = None
    also_failed: int | None = None
    closings: tuple[int, ...] = ()
    unsure: int = 0

    def at_rest(self, at: int) -> bool:
        """Is it OPEN, with a cooldown that may be over? It may say OPEN then, or HALF_OPEN."""
        return self.mode is State.OPEN and at >= self.early


class Asked(msgspec.Struct, frozen=True):
    """One operation on a breaker, and its answer.

    ``n`` is its place in the history, ``at`` its time in microseconds; ``limits`` are those that may be in force, more
    than one when nobody knows whether the process is another one. ``answer`` is the contract's result, None when there
    was none: then it may have been done, or not. ``shaken``: a fault may keep it from reading or writing the file;
    ``remembered``: the process that is asked did everything itself that the breaker knows, and has it in memory.
    """

    n: int
    process: int
    op: str
    name: str
    at: int
    limits: tuple[Limits, ...]
    answer: Any = None
    call: str = ""
    urgent: bool = True
    outcome: Outcome = Outcome.SUCCESS
    error: str | None = None
    shaken: bool = False
    remembered: bool = False
    excused: bool = False
    said: str = ""

    @property
    def binds(self) -> bool:
        """Has the answer to be that of calm weather, or one of care?"""
        return not self.shaken or self.remembered

    @property
    def failure(self) -> bool:
        """Is a failure recorded?"""
        return self.op == "record" and self.outcome is Outcome.FAILURE


def opened(breaker: Breaker, at: int, cooldown: int) -> Breaker:
    """The breaker, OPEN from now on for a whole cooldown. (CLOSED -> OPEN, HALF_OPEN -> OPEN)"""
    return Breaker(
        State.OPEN,
        at,
        early=at + cooldown,
        until=at + cooldown,
        reopened=breaker.mode is State.HALF_OPEN,
        carried=breaker.successes,
        late=breaker.late | breaker.calls,
        waiting=breaker.waiting,
        last_failure=at,
        closings=breaker.closings,
    )


def half_open(breaker: Breaker, since: int | None) -> Breaker:
    """The breaker, HALF_OPEN since then, with all its counts zero. (OPEN -> HALF_OPEN)"""
    return Breaker(
        State.HALF_OPEN,
        since,
        carried=breaker.carried,
        late=breaker.late | breaker.calls,
        waiting=breaker.waiting,
        last_failure=breaker.last_failure,
        also_failed=breaker.also_failed,
        closings=breaker.closings,
        unsure=breaker.unsure & FAILURES,
    )


def closed(breaker: Breaker, at: int) -> Breaker:
    """The breaker, CLOSED again, with nothing counted. (HALF_OPEN -> CLOSED)"""
    return Breaker(
        State.CLOSED,
        at,
        late=breaker.late | breaker.calls,
        waiting=breaker.waiting,
        last_failure=breaker.last_failure,
        also_failed=breaker.also_failed,
        closings=(*breaker.closings, at),
        unsure=breaker.unsure & FAILURES,
    )


def probed(breaker: Breaker, call: str, at: int) -> Breaker:
    """The breaker, with a probe that began now."""
    return breaker._replace(
        probe=at,
        probe_call=call,
        ended=None,
        probes=breaker.probes + 1,
        calls=breaker.calls | {call},
        waiting=breaker.waiting - {call},
        unsure=breaker.unsure & ~PROBES,
    )


def stepped(breaker: Breaker, at: int, before: int, limit: Limits) -> Breaker:
    """The breaker, once the clock has gone back from ``before``: what was timed is uncertain from now on.

    A cooldown may be cut to its length from now, or stay; failures that lie in the future may count, or not.
    """
    if breaker == Breaker(calls=breaker.calls):
        return breaker  # nothing of it is timed
    unsure = breaker.unsure | STEPPED
    if breaker.mode is State.CLOSED:
        return breaker._replace(
            failures=(),
            soft=breaker.soft + len(breaker.failures),
            until=max(breaker.until, before + limit.window),
            unsure=unsure,
        )
    if breaker.mode is State.OPEN:
        return breaker._replace(early=min(breaker.early, at + limit.cooldown), unsure=unsure)
    return breaker._replace(early=at, unsure=unsure)


def carried_over(breaker: Breaker, others: Breaker) -> Breaker:
    """The breaker, with the calls and recoveries that ``others`` knows of."""
    return breaker._replace(late=others.late | others.calls, closings=others.closings, waiting=others.waiting)


def unknown(at: int, limit: Limits) -> tuple[Breaker, Breaker]:
    """What a breaker may be of which only one thing is known, that it is not CLOSED: HALF_OPEN, or OPEN for a while."""
    half = Breaker(State.HALF_OPEN, early=at, unsure=PROBES | SUCCESSES | FAILURES)
    return half, Breaker(State.OPEN, early=at, until=at + limit.cooldown, unsure=FAILURES)
