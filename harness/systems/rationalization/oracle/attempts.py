"""The attempts that were logged: each is told, and stays (LK-RAT-07). Pure."""

from collections.abc import Sequence

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.rationalization.contract import Attempt, EnforceArguments
from harness.systems.rationalization.oracle.enforcing import LOGGED, certain
from harness.systems.rationalization.oracle.phrases import same_words
from harness.systems.rationalization.oracle.weather import ATTEMPTS
from harness.systems.times import is_near


class Attempts:
    """What is known to be logged in one world, in order, and what may be."""

    def __init__(self, notes: Notes, *, is_new: bool) -> None:
        self._notes = notes
        self._certain: list[Call] = []
        self._maybe: list[Call] = []
        self._is_known = is_new  # nothing stood there before

    def forget(self) -> None:
        """The file was damaged: nothing is known of what was in it."""
        self._certain.clear()
        self._is_known = False

    def enforced(self, group: Sequence[Call]) -> None:
        """Actions were excused."""
        for call in group:
            if call.op != "enforce" or call.args is None:
                continue
            if call.answer is not None and call.answer.logged:
                self._certain.append(call)
            elif call.answer is None or certain(call.args) or not call.answer.proceeds:
                self._maybe.append(call)

    def told(self, call: Call) -> None:
        """All attempts were asked for."""
        told: list[Attempt] = list(call.answer.attempts)
        if ATTEMPTS in call.shaken:
            if not call.says_so and len(told) < len(self._certain):
                self._notes.breaks(LOGGED, "who cannot read the attempts says so", call.said)
            return
        place = 0
        for each in self._certain:
            found = next((n for n in range(place, len(told)) if _is_it(told[n], each)), None)
            if found is None:
                found = next((n for n, one in enumerate(told) if _is_it(one, each)), None)
                if found is None:
                    self._notes.breaks(LOGGED, f"the attempt of {each.args.action[:80]!r} is told", call.said)
                    return
            place = found
            told.pop(found)
        unknown = [one for one in told if not any(_is_it(one, each) for each in self._maybe)]
        if unknown and self._is_known:
            self._notes.breaks(LOGGED, "no attempt that nobody made, and each once", f"{unknown[0]}"[:300])
        elif self._certain:
            self._notes.agrees(LOGGED, "what was logged is told")


def _is_it(told: Attempt, call: Call) -> bool:
    """Is that what was logged of the operation?"""
    args: EnforceArguments = call.args
    wanted = {same_words(each.phrase.text) for each in certain(args)}
    has = {same_words(each) for each in told.phrases}
    return (
        (told.agent, told.action) == (args.agent, args.action)
        and wanted <= has
        and (call.at is None or is_near(told.timestamp, call.at))
    )
