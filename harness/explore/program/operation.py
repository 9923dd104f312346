"""Learning an operation: its file calls, what they change, and whether that is all and the same each time."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from harness.explore.program.commands import Words
from harness.explore.program.facts import Forecast, beginning, forecast
from harness.explore.program.names import Names, learned
from harness.explore.program.observing import Observer
from harness.explore.program.place import Place
from harness.explore.recording import Recording, recorded, touched
from harness.explore.writes import Contents, Files, Rename, Tree, Write
from harness.faults.syscalls import Call, Recorder, Site, Sites
from harness.sandbox import Ended

_SHOWN = 3  # paths named in a sentence


class Recorded(NamedTuple):
    """One run of a command from ``start``; ``base`` is what the directory held at those paths when all began.

    ``modes`` are permissions of files that were made. ``gap`` is "" when the recording accounts for every difference,
    else a sentence on what it does not.
    """

    recording: Recording
    base: Mapping[str, Contents]
    start: Mapping[str, Contents]
    gap: str
    ended: Ended
    modes: Mapping[str, int]


class Operation(NamedTuple):
    """What is known of op. ``steady``: two runs made the same calls with the same data under the same names."""

    calls: tuple[tuple[Site, Call], ...]
    names: Names
    record: Recorded
    steady: bool
    same_calls: bool

    def forecast(self, made: int, part: int = 0) -> Forecast | None:
        """The files after ``made`` changes and ``part`` bytes of the next; None where that differs from run to run."""
        if not self.steady or self.record.gap:
            return None
        return _forecast_after(self.record, made, part)


def record(place: Place, words: Words, base: Files, start: Files, observer: Observer | None = None) -> Recorded:
    """Run a command in ``place``, whose directory held ``base`` and holds ``start`` now, and record what it changes."""
    observer = observer or Observer(place.below)
    ended = place.operate(words, observer)
    observer.settle(place.link_target)
    named = touched(observer.seen)
    known = beginning(place.program.directory, {*named, *base})
    begun = {**{path: contents for path, contents in known.items() if path not in base}, **start}
    recording = recorded(observer.seen, begun)
    wrong = forecast(named, known, recording.after).wrong(place.differences())
    return Recorded(recording, known, begun, _gap(recording, wrong, ended), ended, _modes(place, recording, known))


def _modes(place: Place, recording: Recording, known: Files) -> dict[str, int]:
    """The permissions of files that were made, by every name they had: of one that is gone they are not known."""
    made = [path for path, held in recording.after.items() if path not in known and isinstance(held, bytes)]
    found = place.modes(made)
    for change in reversed(recording.changes):
        if isinstance(change, Rename) and change.new in found:
            found.setdefault(change.old, found[change.new])
    return found


def _gap(recording: Recording, wrong: list[str], ended: Ended) -> str:
    if ended.timed_out:
        return "it had to be killed"
    if not wrong:
        return ""
    more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    doubts = list(recording.doubts)
    if any(path.encode(errors="replace") != os.fsencode(path) for path in wrong):
        doubts.append("names that are no UTF-8 are not followed")
    because = f" ({'; '.join(doubts)})" if doubts else ""
    return f"{', '.join(wrong[:_SHOWN])}{more} changed in ways that its file calls do not tell{because}"


def learn(place: Place) -> Operation:
    """Run op twice from the beginning."""
    first, second = Recorder(), Recorder()
    place.fresh()
    place.operate(place.program.op, first)
    place.fresh()
    found = record(place, place.program.op, {}, {}, Observer(place.below, second))
    names, same_calls = learned(place.below, [call for _, call in first.calls], [call for _, call in second.calls])
    steady = same_calls and not names.patterns and _data(first.calls) == _data(second.calls)
    sites = Sites(names)
    return Operation(tuple((sites.of(call), call) for _, call in second.calls), names, found, steady, same_calls)


def _data(calls: list[tuple[Site, Call]]) -> list[tuple[Site, bytes]]:
    return [(site, call.data) for site, call in calls]


def _forecast_after(found: Recorded, made: int, part: int) -> Forecast | None:
    tree = Tree.of(found.start)
    for change in found.recording.changes[:made]:
        tree.apply(change)
    following = found.recording.changes[made] if made < len(found.recording.changes) else None
    if part and isinstance(following, Write):
        tree.apply(Write(following.path, following.offset, following.data[:part]))
    return forecast(found.recording.after, found.base, tree.files()[0])
