"""Sleeps in a race: how long each lasts, told by what others do and not by time."""

from typing import Final

from harness.explore.accesses import Access
from harness.explore.races.footprints import changes, seen
from harness.faults.syscalls import Call

_REAL_AFTER: Final = 25  # sleeps in vain of a run while nobody else can go on: it may count on time to run


class Sleeps:
    """What each run has looked at between its sleeps.

    A sleep ends at once, unless the run did the same before it as before the sleep before, and nobody has changed since
    what it looks at: then looking again is in vain.
    """

    def __init__(self) -> None:
        self._looks: dict[int, list[Access]] = {}
        self._before: dict[int, list[Access]] = {}
        self._changed: set[int] = set()
        self._vain: dict[int, int] = {}

    def stepped(self, call: Call, access: Access) -> None:
        """The call was let go."""
        run = call.run
        self._looks.setdefault(run, []).append(seen(access))
        if not changes(call, access):
            return
        self._vain.clear()
        for other, looks in self._looks.items():
            if other != run and any(access.depends(look) for look in looks):
                self._changed.add(other)

    def in_vain(self, run: int) -> bool:
        """Whether the run, which is about to sleep, would only see again what it has just seen."""
        looks = self._looks.get(run)
        return run not in self._changed and looks is not None and looks == self._before.get(run)

    def slept(self, run: int) -> None:
        """A sleep of the run is over."""
        self._before[run] = self._looks.get(run, [])
        self._looks[run] = []
        self._changed.discard(run)

    def must_be_real(self, run: int) -> bool:
        """Whether a sleep of the run that nobody can end has to last, because its end may depend on the clock."""
        self._vain[run] = self._vain.get(run, 0) + 1
        return self._vain[run] > _REAL_AFTER
