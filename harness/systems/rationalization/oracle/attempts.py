"""The attempts that were logged: each is told, and stays (LK-RAT-07). Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.rationalization.contract import Attempt, EnforceArguments
from harness.systems.rationalization.oracle.enforcing import LOGGED
from harness.systems.rationalization.oracle.phrases import Reason, named
from harness.systems.rationalization.oracle.weather import ATTEMPTS
from harness.systems.times import CLOSE, is_near


class Excused(NamedTuple):
    """An action that was excused with a reason, whether it was to proceed or not."""

    call: Call
    reason: Reason

    def is_told_by(self, told: Attempt) -> bool:
        """Is that what was logged of it?"""
        args: EnforceArguments = self.call.args
        if (told.agent, told.action) != (args.agent, args.action) or not is_near(told.timestamp, self.call.at):
            return False
        phrases = [named(each) for each in told.phrases]
        sure = {each.phrase for each in self.reason.sure(has_output=args.has_output)}
        return sure <= set(phrases) and all(each is not None and self.reason.may_have(each) for each in phrases)


class Attempts:
    """What is known to be logged in one world, in groups that overlapped, and what may be."""

    def __init__(self, notes: Notes, *, is_new: bool) -> None:
        self._notes = notes
        self._sure: list[list[Excused]] = []
        self._maybe: list[Excused] = []
        self._is_known = is_new  # nothing stood there before

    def forget(self) -> None:
        """The file was damaged: nothing is known of what was in it."""
        self._maybe += [each for group in self._sure for each in group]
        self._sure.clear()
        self._is_known = False

    def enforced(self, group: Sequence[Excused]) -> None:
        """Actions were excused, at once where there are several."""
        logged = [each for each in group if each.call.answer is not None and each.call.answer.logged]
        self._maybe += [each for each in group if each not in logged and not _has_proceeded(each.call)]
        if logged:
            self._sure.append(logged)

    def told(self, call: Call, beside: Sequence[Excused]) -> None:
        """All attempts were asked for, while those ``beside`` were under way."""
        told: list[Attempt | None] = list(call.answer.attempts)
        known = sum(map(len, self._sure))
        if ATTEMPTS in call.shaken:
            if not call.says_so and len(told) < known:
                self._notes.breaks(LOGGED, "who cannot read the attempts says so", call.said)
            return
        lost = self._take(told)
        left = [each for each in told if each is not None]
        if lost is not None:
            expected = f"the attempt of {lost.call.args.action[:80]!r} is told, in the order of logging"
            self._notes.breaks(LOGGED, expected, call.said)
        elif self._is_known and (unknown := _without(left, [*self._maybe, *beside])):
            self._notes.breaks(LOGGED, "no attempt that nobody made, and each once", f"{unknown[0]}"[:300])
        elif known:
            self._notes.agrees(LOGGED, "what was logged is told")

    def _take(self, told: list[Attempt | None]) -> Excused | None:
        """Takes away what is known to be logged; the first that is not told, or before what was logged earlier.

        Who sorts by time tells in the order of logging as long as time goes on.
        """
        floor = reached = 0
        time: datetime | None = None
        for group in self._sure:
            now = group[0].call.told
            if now is None or time is None or now < time:
                floor = 0
            elif now - time > CLOSE:
                floor = reached
            time = now
            for each in group:
                place = next(
                    (n for n in range(floor, len(told)) if (one := told[n]) is not None and each.is_told_by(one)), None
                )
                if place is None:
                    return each
                told[place] = None
                reached = max(reached, place + 1)
        return None


def _has_proceeded(call: Call) -> bool:
    """Was it answered that nothing was to be logged?"""
    return call.answer is not None and call.answer.proceeds


def _without(told: Sequence[Attempt], excused: Sequence[Excused]) -> list[Attempt]:
    """Those that are told of none of these; of each once."""
    left, unknown = list(excused), []
    for one in told:
        found = next((each for each in left if each.is_told_by(one)), None)
        if found is None:
            unknown.append(one)
        else:
            left.remove(found)
    return unknown
