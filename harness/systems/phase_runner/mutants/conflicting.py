"""Mutants of files that several phases of a batch changed."""

import posixpath
from collections.abc import Mapping, Sequence

import msgspec

from harness.systems.phase_runner.contract import Conflict, ConflictSide, Range
from harness.systems.phase_runner.mutants.table import mutant
from harness.systems.phase_runner.reference.conflicts import Changes, ConflictRules
from harness.systems.phase_runner.reference.failures import Failure
from harness.systems.phase_runner.reference.progress import Progress
from harness.systems.phase_runner.reference.records import CommitNote, Record
from harness.systems.phase_runner.reference.run import Run

_replace = msgspec.structs.replace


@mutant("nobody-conflicts", "AB-NRT-04", "files that several phases changed are no conflict")
class NobodyConflicts(Progress):
    def conflict(self, record: Record) -> Failure | None:
        return None


@mutant("paths-as-they-are-written", "AB-NRT-04", "one file under two names is two files")
class PathsAsTheyAreWritten(ConflictRules):
    def normalised(self, path: str) -> str:
        return path


@mutant("files-by-their-last-name", "AB-NRT-04", "files of one name in two directories are one file")
class FilesByTheirLastName(ConflictRules):
    def normalised(self, path: str) -> str:
        return posixpath.basename(super().normalised(path))


@mutant("directories-conflict", "AB-NRT-04", "different files of one directory are a conflict")
class DirectoriesConflict(ConflictRules):
    def normalised(self, path: str) -> str:
        found = super().normalised(path)
        return posixpath.dirname(found) or found


@mutant("created-files-do-not-count", "AB-NRT-04", "a file that two phases created is no conflict")
class CreatedFilesDoNotCount(ConflictRules):
    def changes(self, commit: CommitNote | None) -> Changes:
        return super().changes(None if commit is None else _replace(commit, files_created=()))


@mutant("modified-files-do-not-count", "AB-NRT-04", "a file that two phases modified is no conflict")
class ModifiedFilesDoNotCount(ConflictRules):
    def changes(self, commit: CommitNote | None) -> Changes:
        return super().changes(None if commit is None else _replace(commit, files_modified=()))


@mutant("lines-that-meet-are-no-conflict", "AB-NRT-04", "lines that two phases changed are no conflict in one line")
class LinesThatMeetAreNoConflict(ConflictRules):
    def is_conflict(self, lines: Sequence[Range], sides: Sequence[ConflictSide]) -> bool:
        others = [each for side in sides for each in side.lines]
        if not lines or not others:
            return super().is_conflict(lines, sides)
        return any(one.first < other.last and other.first < one.last for one in lines for other in others)


def reported(name: str, description: str, **fields: object) -> None:
    """Enters a runner that says less of a conflict."""

    def found(
        self: ConflictRules, own: Changes, siblings: Mapping[str, Changes], phase_id: str
    ) -> tuple[Conflict, ...]:
        return tuple(_replace(each, **fields) for each in ConflictRules.found(self, own, siblings, phase_id))

    mutant(name, "AB-NRT-04", description)(type("Reported", (ConflictRules,), {"found": found}))


reported("nothing-resolves-a-conflict", "it is not told how a conflict is resolved", options=())
reported(
    "conflicts-are-merged", "of the ways to resolve a conflict one is told", options=("Manually merge the changes",)
)
reported("conflicts-have-no-sides", "it is not told which phases changed a file", sides=())


@mutant("one-side-is-told", "AB-NRT-04", "of the phases that changed a file the last is not told")
class OneSideIsTold(ConflictRules):
    def found(self, own: Changes, siblings: Mapping[str, Changes], phase_id: str) -> tuple[Conflict, ...]:
        return tuple(_replace(each, sides=each.sides[:-1]) for each in super().found(own, siblings, phase_id))


@mutant("one-conflict-is-told", "AB-NRT-04", "of several files that two phases changed one is told")
class OneConflictIsTold(ConflictRules):
    def found(self, own: Changes, siblings: Mapping[str, Changes], phase_id: str) -> tuple[Conflict, ...]:
        return super().found(own, siblings, phase_id)[:1]


@mutant("lines-are-not-told", "AB-NRT-04", "it is not told which lines of a file were changed")
class LinesAreNotTold(ConflictRules):
    def found(self, own: Changes, siblings: Mapping[str, Changes], phase_id: str) -> tuple[Conflict, ...]:
        return tuple(
            _replace(each, sides=tuple(_replace(side, lines=()) for side in each.sides))
            for each in super().found(own, siblings, phase_id)
        )


@mutant("whoever-ran-before-conflicts", "AB-NRT-04", "a file that a phase of an earlier batch changed is a conflict")
class WhoeverRanBeforeConflicts(Run):
    def siblings(self, phase_id: str) -> list[str]:
        return [each for each in self.ordered(self.complete) if each != phase_id]
