"""What a call that is not permitted is told: the last error, the wait, what becomes of it. Pure.

LK-CB-13, LK-RP-01, LK-RP-04, and the treatment of the surplus in LK-CB-18.
"""

from collections.abc import Mapping
from typing import Final

from harness.systems.circuit_breaker.contract import AcquireResult, Held, State
from harness.systems.circuit_breaker.oracle.breaker import SECOND, Asked, Breaker
from harness.systems.circuit_breaker.oracle.fields import TOLERANCE
from harness.systems.circuit_breaker.oracle.notes import Notes
from harness.systems.circuit_breaker.oracle.state_file import Belief

Teller = tuple[int, int]  # a process, and how often anything may have been started anew before

_SAME: Final = "refused with the last error"


class LastErrors:
    """The errors that a breaker may refuse with, and who was told of them."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str | None]] = {}
        self._told: dict[str, frozenset[Teller]] = {}
        self._heard: dict[tuple[str, Teller], set[str | None]] = {}  # every text, by breaker and process
        self.uncertain = False  # a fault may have kept one from being written down

    def told(self, asked: Asked, teller: Teller, *, alone: bool) -> None:
        """A failure was recorded. ``alone``: it surely counts, and no other was recorded at the same time."""
        self._heard.setdefault((asked.name, teller), set()).add(asked.error)
        before = frozenset() if alone else self._known.get(asked.name, frozenset((None,)))
        tellers = frozenset() if alone else self._told.get(asked.name, frozenset())
        self._known[asked.name] = before | {asked.error}
        self._told[asked.name] = tellers | {teller}

    def judge(self, asked: Asked, told: str | None, teller: Teller, notes: Notes) -> None:
        """Notes whether a call was refused with the last error."""
        known = self._known.get(asked.name, frozenset())
        elsewhere = self._told.get(asked.name) != frozenset((teller,))
        if not known or None in known or self.uncertain:
            notes.agrees("LK-CB-13", "refused, with an error or without one")
        elif told in known:
            heard = told in self._heard.get((asked.name, teller), ())  # then that it was kept does not show
            notes.agrees("LK-CB-13", _SAME, ("kept",) if elsewhere and not heard else None)
        elif elsewhere and told:
            notes.agrees("LK-CB-13", _SAME, ("generic",))
        else:
            notes.breaks("LK-CB-13", f"{_SAME}, {_one(known)!r}", f"{told!r} in {asked.said}")


def _one(known: frozenset[str | None]) -> str:
    return min(filter(None, known))[:120]


def judge_held(asked: Asked, answer: AcquireResult, notes: Notes) -> None:
    """Notes what becomes of a call that was not permitted."""
    held = answer.held or Held.REFUSED
    if answer.state is State.HALF_OPEN:
        if asked.urgent:
            notes.agrees("LK-CB-18", "the surplus held in one way", (held.value,))
    elif not asked.urgent and held is not Held.BLOCKED:
        notes.agrees(
            "LK-RP-04",
            "a non-urgent call does not run",
            ("caller_queues",) if held is Held.REFUSED else ("breaker_queues",),
        )
    elif held is not Held.REFUSED:
        notes.breaks("LK-CB-13", "refused at once while OPEN", f"{held.value} in {asked.said}")


def judge_wait(asked: Asked, state: State, wait_s: float | None, belief: Belief, notes: Notes) -> None:
    """Notes whether the wait is what is left of the cooldown, and never less than nothing."""
    if wait_s is None:
        return
    open_: Mapping[Breaker, int] = {each: cases for each, cases in belief.items() if each.mode is State.OPEN}
    least, most = 0, 0
    if state is State.OPEN and open_:
        least = min(max(0, each.early - asked.at) for each in open_)
        most = max(max(0, each.until - asked.at) for each in open_)
    expected = f"a wait of {least / SECOND:g} to {most / SECOND:g} s"
    if least - TOLERANCE < wait_s * SECOND < most + TOLERANCE and wait_s >= 0:
        notes.agrees("LK-RP-01", "the wait is what is left of the cooldown")
    else:
        notes.breaks("LK-RP-01", expected, f"{wait_s} in {asked.said}")
