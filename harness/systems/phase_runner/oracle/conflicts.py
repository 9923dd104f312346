"""Files that several phases of a batch changed, by their normalised paths. Pure. Clause AB-NRT-04."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from harness.systems.phase_runner.contract import Range, SubagentResult

FILE: Final = "file"
RANGE: Final = "range"


class Touch(msgspec.Struct, frozen=True):
    """What one phase did to one file."""

    phase_id: str
    sorts: frozenset[str]
    lines: tuple[Range, ...]


class Clash(msgspec.Struct, frozen=True):
    """A file with those who changed it.

    ``readings`` are those in which it is certainly a conflict; ``spared`` those in which it is certainly none.
    """

    path: str
    touches: tuple[Touch, ...]
    readings: frozenset[str]
    spared: frozenset[str]

    @property
    def phases(self) -> frozenset[str]:
        """Who changed it."""
        return frozenset(each.phase_id for each in self.touches)


class Found(msgspec.Struct, frozen=True):
    """The conflicts of a batch: all that may be some, by path, and the ones that are over and certain.

    ``is_odd``: paths are named of which nobody knows whether they are the same; ``is_clear``: several phases that are
    complete changed files, each its own.
    """

    every: Mapping[str, Clash] = {}
    certain: tuple[Clash, ...] = ()
    is_odd: bool = False
    is_clear: bool = False

    @property
    def must_halt(self) -> bool:
        """Is one of them a conflict in every reading?"""
        return bool(self.in_every_reading)

    @property
    def in_every_reading(self) -> tuple[Clash, ...]:
        """Those that are certain whichever reading one takes."""
        return tuple(clash for clash in self.certain if RANGE in clash.readings)


def touches(phase_id: str, result: SubagentResult) -> Iterator[tuple[str, Touch]]:
    """What a phase did, by path, each path once; ways that lead out of the project, or that look odd, not at all."""
    found: dict[str, tuple[set[str], list[Range]]] = {}
    changes = (("created", result.created), ("modified", result.modified), ("deleted", result.deleted))
    for sort, changed in changes:
        for change in changed:
            path = normal_path(change.path)
            if path is not None:
                sorts, lines = found.setdefault(path, (set(), []))
                sorts.add(sort)
                lines += change.lines
    for path, (sorts, lines) in found.items():
        yield path, Touch(phase_id, frozenset(sorts), tuple(lines))


def has_changed(result: SubagentResult) -> bool:
    """Names a phase files that it changed?"""
    return bool(result.created or result.modified or result.deleted)


def has_odd_paths(result: SubagentResult) -> bool:
    """Names a phase files that may be the same as others, or not?"""
    return any(normal_path(each.path) is None for each in (*result.created, *result.modified, *result.deleted))


def are_alike(claims: Mapping[str, SubagentResult]) -> bool:
    """Do phases name files that only some systems take for one: in other letters' case, or composed otherwise?"""
    known: dict[str, tuple[set[str], set[str]]] = {}
    for phase_id, result in claims.items():
        for path, _ in touches(phase_id, result):
            paths, phases = known.setdefault(unicodedata.normalize("NFC", path).casefold(), (set(), set()))
            paths.add(path)
            phases.add(phase_id)
    return any(len(paths) > 1 and len(phases) > 1 for paths, phases in known.values())


def normal_path(written: str) -> str | None:
    """The path below the project; None where nobody says which file that is."""
    if not written or written.startswith("/") or "\\" in written or "\0" in written or written != written.strip():
        return None
    parts: list[str] = []
    for part in written.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None


def clashes(claims: Mapping[str, SubagentResult]) -> list[Clash]:
    """The files that several of these phases changed."""
    held: dict[str, list[Touch]] = {}
    for phase_id, result in claims.items():
        for path, touch in touches(phase_id, result):
            held.setdefault(path, []).append(touch)
    return [_clash(path, each) for path, each in held.items() if len(each) > 1]


def _clash(path: str, found: Sequence[Touch]) -> Clash:
    both_created = sum("created" in each.sorts for each in found) > 1
    if both_created or _overlap(found):
        return Clash(path, tuple(found), frozenset((FILE, RANGE)), frozenset())
    is_known = all(each.sorts == {"modified"} and each.lines for each in found)
    return Clash(path, tuple(found), frozenset((FILE,)), frozenset((RANGE,)) if is_known else frozenset())


def _overlap(found: Sequence[Touch]) -> bool:
    """Did two phases change the same line?"""
    spans = sorted((each.first, each.last, touch.phase_id) for touch in found for each in touch.lines)
    reach: dict[str, int] = {}
    for first, last, phase_id in spans:
        furthest = sorted(reach.items(), key=lambda item: -item[1])[:2]
        if any(who != phase_id and until >= first for who, until in furthest):
            return True
        reach[phase_id] = max(reach.get(phase_id, last), last)
    return False
