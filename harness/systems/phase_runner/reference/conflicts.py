"""Files that several phases of a batch changed (AB-NRT-04, ``file``). Pure."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from harness.systems.phase_runner.contract import Conflict, ConflictSide, Range
from harness.systems.phase_runner.contract.words import CONFLICT_OPTIONS
from harness.systems.phase_runner.reference.records import CommitNote

Changes = Mapping[str, tuple[Range, ...]]
"""Which lines of which files, by normalised path."""


class ConflictRules:
    """What a phase changed, and what others changed too."""

    def changes(self, commit: CommitNote | None) -> Changes:
        """The files a phase changed: created and deleted ones too, of which no lines are known."""
        found: dict[str, tuple[Range, ...]] = {}
        if commit is None:
            return found
        for path in (*commit.files_created, *commit.files_modified, *commit.files_deleted):
            name = self.normalised(path)
            if name:
                found[name] = merged((*found.get(name, ()), *commit.lines.get(path, ())))
        return found

    def normalised(self, path: str) -> str:
        """The one name of a file below the project; empty for none."""
        return "" if not path else posixpath.normpath(path)

    def found(self, own: Changes, siblings: Mapping[str, Changes], phase_id: str) -> tuple[Conflict, ...]:
        """The files of that phase which siblings changed as well, by id."""
        shared: list[Conflict] = []
        for file, lines in own.items():
            sides = [ConflictSide(other, changes[file]) for other, changes in siblings.items() if file in changes]
            if sides and self.is_conflict(lines, sides):
                shared.append(Conflict(file, (*sides, ConflictSide(phase_id, lines)), CONFLICT_OPTIONS))
        return tuple(shared)

    def is_conflict(self, lines: Sequence[Range], sides: Sequence[ConflictSide]) -> bool:
        """Do these changes of one file exclude each other? All do, whatever the lines."""
        return True


def joined(conflicts: Iterable[Conflict], ids: Iterable[str]) -> tuple[Conflict, ...]:
    """Each file once, with all phases that changed it, in the order of these ids; unknown ones come last."""
    place = {id_: number for number, id_ in enumerate(ids)}
    found: dict[str, Conflict] = {}
    for each in conflicts:
        before = found.get(each.file)
        sides = {side.phase_id: side for side in (*(before.sides if before else ()), *each.sides)}
        ordered = sorted(sides.values(), key=lambda side: place.get(side.phase_id, len(place)))
        found[each.file] = msgspec.structs.replace(each, sides=tuple(ordered))
    return tuple(found.values())


def merged(lines: Iterable[Range]) -> tuple[Range, ...]:
    """The ranges in order, each once."""
    return tuple(sorted(set(lines), key=lambda each: (each.first, each.last)))
