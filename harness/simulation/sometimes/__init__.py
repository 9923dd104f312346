"""What a campaign must have seen at least once, or else it proves little. Pure: a stream of events in, situations out.

Rules (``runtime/order.py``) say what must never happen; that none was broken says nothing of what was never tried. The
situations here are where mechanisms meet each other, a death or a full disk, each told by events in that order and
nothing weaker. The idea is the one of simulation testing at FoundationDB and of "sometimes" assertions.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from harness.core.events import SessionEvent
from harness.simulation.sometimes import (
    calls,
    code_reviews,
    drifts,
    humans,
    machine,
    plans,
    recoveries,
    stops,
    tasks,
)
from harness.simulation.sometimes.situation import Catalogue, Situation

__all__ = ["AWAITED", "SOMETIMES", "Situation", "Sometimes"]

_EVERY: Catalogue = {
    **calls.SITUATIONS,
    **recoveries.SITUATIONS,
    **stops.SITUATIONS,
    **tasks.SITUATIONS,
    **humans.SITUATIONS,
    **drifts.SITUATIONS,
    **plans.SITUATIONS,
    **code_reviews.SITUATIONS,
    **machine.SITUATIONS,
}
_NOT_YET = frozenset(
    {
        "decision-about-a-dead-letter-is-not-stored",
    }
)
SOMETIMES: Catalogue = {name: told for name, told in _EVERY.items() if name not in _NOT_YET}
"""What a campaign has to show, by id."""
AWAITED: Catalogue = {name: _EVERY[name] for name in sorted(_NOT_YET)}
"""What is watched for, and no simulation has been seen to show: a campaign need not."""


class Sometimes:
    """Watches all sessions of a simulation together. ``seen`` counts each situation of SOMETIMES and AWAITED."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        first = machine.MachineWatch(self._note)
        watchers = (
            first,  # what befalls the machine is known to the others at once
            calls.CallWatch(self._note),
            recoveries.RecoveryWatch(self._note, first),
            stops.StopWatch(self._note, first),
            tasks.TaskWatch(self._note, first),
            humans.HumanWatch(self._note),
            drifts.DriftWatch(self._note, first),
            plans.PlanWatch(self._note, first),
            code_reviews.CodeReviewWatch(self._note),
        )
        takes: dict[type, list[Callable[[str, Any], None]]] = {}
        for watcher in watchers:
            for kind, take in watcher.takes.items():
                takes.setdefault(kind, []).append(take)
        self._takes = {kind: tuple(each) for kind, each in takes.items()}

    def take(self, session: str, event: SessionEvent) -> None:
        """One more event; ``session`` is the one it belongs to; those of the machine and of humans may have any."""
        for take in self._takes.get(type(event), ()):
            take(session, event)

    def _note(self, situation: str) -> None:
        self.seen[situation] += 1
