"""What has been logged in one world, and whether errors.json says so from one operation to the next. Pure.

Clauses: ER-LOG-01 and ER-LOG-10 (what was acknowledged stands there, once), the fields of each record when it is first
found, and what had to wait until it was.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from harness.core.history import FileFact, InputFact
from harness.systems.error_log.oracle import documents
from harness.systems.error_log.oracle.documents import same
from harness.systems.error_log.oracle.logged import (
    Known,
    Logged,
    direction,
    has,
    is_taken_over,
    is_vague,
    said,
)
from harness.systems.error_log.oracle.owed import pay
from harness.systems.error_log.oracle.records import (
    CLAUSES,
    context_of,
    could_be,
    is_kept,
    judge_both,
    judge_record,
)
from harness.systems.notes import Notes

_CHANGES: Final = ("fix_status",)
_LOGGED: Final = ("ER-SEV-02",)  # what says of an error that it is logged
_NOTHING_LOST: Final = ("nothing_lost",)
_WHOLE: Final = "every error that was logged stands in errors.json, once"


class Ledger:
    """The errors of one world, in the order in which they were logged.

    ``spare`` is how many more records there may be than errors: of what a procedure, or what failed beside it, left.
    ``unseen``: there is a file that the history does not show.
    """

    def __init__(self, first: InputFact | None, notes: Notes) -> None:
        self.logged: list[Logged] = []
        self.spare = 0
        self.unseen = False
        self._notes = notes
        self._beside: Mapping[str, Any] = {}
        self._shapes: tuple[str, ...] | None = (documents.OBJECT, documents.LIST)
        self._ids: dict[str, Mapping[str, Any]] = {}
        self._grades: set[object] = set()
        self._times: set[datetime] = set()
        self._said_of_tasks: set[tuple[str, str]] = set()
        self._others: tuple[Any, ...] = ()  # what stands in the file and is no record
        self._remnants: tuple[bytes, ...] = ()  # files that were there before, whole or not
        self._lenient = False
        self._took_over(first)

    @property
    def is_odd(self) -> bool:
        """Does something stand in the file that is no record?"""
        return bool(self._others)

    def may_salvage(self, record: Mapping[str, Any]) -> bool:
        """Does the record come out of a file that was there before?"""
        key = record.get("id")
        return isinstance(key, str) and any(key.encode(errors="replace") in remnant for remnant in self._remnants)

    def _took_over(self, fact: InputFact | None) -> None:
        """What stands in the file is what it begins with: its shape, its records, and what stands beside them."""
        self._bad = fact
        if fact is not None and fact.data:
            self._remnants = (*self._remnants, fact.data)
            self._lenient = documents.errors(fact) is None and documents.errors(fact, lenient=True) is not None
        self._shapes = None if fact is not None and fact.kind != "missing" else self._shapes
        errors = documents.errors(fact)
        self._beside = errors.beside if errors is not None else {}
        self._others = errors.others if errors is not None else ()
        self.unseen = fact is not None and fact.kind == "file" and fact.data is None
        if errors is None:
            return
        self._bad = None
        known = {each.id for each in self.logged if each.id is not None}
        for record in errors.records:
            key = record.get("id")
            if not isinstance(key, str) or key not in known:
                self.logged.append(
                    Logged(name=None, given=None, group=-1, life=(-1, -1), known=Known.REQUIRED, found=record, fix=None,
                           id=key if isinstance(key, str) else None)
                )  # fmt: skip

    def damaged(self, fact: InputFact | None) -> None:
        """The file was damaged: nothing of what stood there has to stay; what is there now may be kept aside."""
        self.logged = [each for each in self.logged if each.given is not None or each.found is None]
        waiting = [each for each in self.logged if each.known is Known.WAITING]
        for each in self.logged:
            if each.known is Known.REQUIRED and each.found is None:
                self._without_evidence(each)
            each.known = Known.MAYBE
        self._took_over(fact)
        for each in self.logged:
            each.known = Known.WAITING if each in waiting else Known.MAYBE

    def _without_evidence(self, each: Logged) -> None:
        """The record was never found, since what was there was taken: what was told of it has to be enough."""
        if each.answered is not None:
            self.judge_new(each, each.answered)
        for owed in each.owed:
            if not owed.response:
                self._notes.agrees(owed.clause, owed.expected, None if owed.progress else owed.readings)
        each.owed = ()

    def tells(self, name: str, value: object) -> None:
        """An operation on a task told that of it: an error that comes without may be taken to belong there."""
        self._said_of_tasks.add((name, str(value)))

    def told(self, at: datetime | None) -> None:
        """An operation was told that time."""
        self._times |= {at} if at is not None else set()

    def judge_new(self, each: Logged, record: Mapping[str, Any]) -> None:
        """Notes the fields of a new record, as it was found or answered."""
        at = each.at
        later = sorted(time for time in self._times if time > at) if at is not None else ()
        judge_record(record, each.given, at, self._notes, later)

    def of_procedures(self, kind: str) -> int:
        """How many records of that type there are that procedures left."""
        return sum(each.given is None and each.group >= 0 and (each.found or {}).get("type") == kind
                   for each in self.logged)  # fmt: skip

    def named(self, name: str) -> Logged | None:
        """The only error of that name; None when there is none, or several."""
        found = [each for each in self.logged if each.name == name]
        return found[0] if len(found) == 1 else None

    def ended(self, process: int | None) -> None:
        """A process ended, or all: what waited in its memory may be lost."""
        for each in self.logged:
            if each.known is Known.WAITING and process in (None, each.life[0]):
                each.known = Known.MAYBE

    def recalled(self) -> None:
        """The files are those of another run: records are there, with other ids and at other times."""
        self._ids = {}
        for each in self.logged:
            if each.given is not None:
                each.id = each.answered = each.found = each.at = None

    def written(self, life: tuple[int, int]) -> None:
        """That process could write the file: what waited in its memory is there too."""
        for each in self.logged:
            if each.known is Known.WAITING and each.life == life:
                each.known = Known.REQUIRED

    def look(self, fact: InputFact | None, files: Mapping[str, FileFact], *, lost_to: str) -> None:
        """Notes whether the file has what it has to; ``lost_to`` is the clause to blame where it has not.

        ``files`` is what lies on the disk: what was no errors.json has to be there still.
        """
        if fact is None or (self._bad is not None and fact == self._bad and self._keeps_bad()):
            return
        self.unseen = fact.kind == "file" and fact.data is None
        if self.unseen:
            return
        errors = documents.errors(fact, lenient=self._lenient)
        if errors is None:
            self._without(fact, lost_to)
            return
        self._judge_aside(errors, files)
        self._agree_on_shape(errors)
        places = self._places(errors.records, lost_to)
        self._judge_order(places)
        lacking = [name for name in self._beside if name not in errors.beside]
        if lacking:
            self._notes.breaks("ER-LOG-10", "what others keep in errors.json stays", f"{lacking} gone")
        self._beside = {name: value for name, value in self._beside.items() if name in errors.beside}

    def _keeps_bad(self) -> bool:
        """May what stands there, and is no errors.json, stay as it is? Not when something was written to it."""
        return not any(each.known is Known.REQUIRED for each in self.logged)

    def _without(self, fact: InputFact, lost_to: str) -> None:
        """There is no errors.json, or it is none."""
        lost = [each for each in self.logged if each.known is Known.REQUIRED]
        if fact.kind == "missing" and not lost:
            return
        said = f"there is a {fact.kind}, {(fact.data or b'')[:120]!r}"
        self._notes.breaks(self._lost(lost[-1], lost_to) if lost else lost_to, _WHOLE, said)
        for each in lost:
            self._not_logged(each)
        self.logged = [each for each in self.logged if each.known is not Known.REQUIRED]
        self._bad = fact

    def _lost(self, each: Logged, lost_to: str) -> str:
        """The clause to blame: what was acknowledged last, by one operation alone, was never there."""
        last = all(other is each or other.group < each.group for other in self.logged)
        return "ER-LOG-01" if each.found is None and (last or each.late) else lost_to

    def _not_logged(self, each: Logged) -> None:
        for owed in each.owed:
            if owed.clause in _LOGGED:
                self._notes.breaks(owed.clause, owed.expected, f"{each.name!r} is not logged")

    def _judge_aside(self, errors: documents.Errors, files: Mapping[str, FileFact]) -> None:
        """What stood there and was no errors.json is kept, in another file or beside the records."""
        bad, self._bad = self._bad, None
        if (bad is None and not self._others) or not files:
            return
        if bad is None:
            kept = all(any(same(each, other) for other in errors.others) for each in self._others)
            kept = kept or any(fact.sha256 == hashlib.sha256(self._remnants[-1]).hexdigest() for fact in files.values())
            self._notes.holds("ER-LOG-10", kept, "what is no record is kept", f"{errors.others}", _NOTHING_LOST)
            return
        document = documents.decoded(bad, lenient=True)
        beside = isinstance(document, dict) and "errors" not in document and has(errors.beside, document)
        digest = hashlib.sha256(bad.data or b"").hexdigest()
        kept = (
            beside
            or not (bad.data or b"").strip()
            or any(fact.sha256 == digest for fact in files.values())
            or is_taken_over(bad, errors)
        )
        self._notes.holds("ER-LOG-10", kept, "what is no errors.json is kept aside", "it is in no file", _NOTHING_LOST)

    def _agree_on_shape(self, errors: documents.Errors) -> None:
        if self._shapes is None:
            self._notes.agrees("ER-LOG-01", "errors.json is as it was found") if self.logged else None
            return
        self._notes.agrees("ER-LOG-01", "errors.json is an object with errors, or a list", (errors.shape,))

    def _places(self, records: Sequence[Mapping[str, Any]], lost_to: str) -> list[tuple[int, Logged]]:
        """Where in the file each error's record stands; what is wrong with them is noted."""
        free = dict(enumerate(records))
        places: list[tuple[int, Logged]] = []
        for each in sorted(self.logged, key=is_vague):
            place = self._place(each, free)
            if place is not None:
                record = free.pop(place)
                places.append((place, each))
                self._found(each, record)
            elif each.known is Known.REQUIRED:
                self.logged.remove(each)
                self._notes.breaks(self._lost(each, lost_to), _WHOLE, f"none of {each.name!r}: {said(each)}")
                self._not_logged(each)
        self._judge_others(free)
        return places

    def _place(self, each: Logged, free: Mapping[int, Mapping[str, Any]]) -> int | None:
        if each.id is not None:
            own = next((place for place, record in free.items() if record.get("id") == each.id), None)
            if own is not None or each.found is not None or each.known is not Known.REQUIRED:
                return own
        if each.found is not None:
            return next((place for place, record in free.items() if has(record, each.found)), None)
        taken = {other.id for other in self.logged if other.id is not None}
        return next(
            (
                place
                for place, record in free.items()
                if record.get("id") not in taken and could_be(each.given, record)
            ),
            None,
        )  # fmt: skip

    def _judge_others(self, free: Mapping[int, Mapping[str, Any]]) -> None:
        """Records that no error explains: a procedure may leave some; another is a record twice, or of nothing."""
        for record in free.values():
            key = record.get("id")
            if self.may_salvage(record) and not (isinstance(key, str) and key in self._ids):
                self._add_own(record)
            elif self.spare > 0 and not (isinstance(key, str) and key in self._ids) and not self._is_double(record):
                self.spare -= 1
                self._add_own(record)
            else:
                twice = isinstance(key, str) and any(each.id == key for each in self.logged)
                clause = "ER-LOG-03" if twice else "ER-LOG-01"
                self._notes.breaks(clause, _WHOLE, f"a record more: {str(record)[:200]}")
                if not twice:
                    self._add_own(record)

    def _is_double(self, record: Mapping[str, Any]) -> bool:
        """Is it the record of an error that was only logged, made once more?"""
        return any(
            each.plain and each.found is not None and each.given is not None and could_be(each.given, record)
            and is_kept(each.given.type) and is_kept(each.given.message)
            for each in self.logged
        )  # fmt: skip

    def _add_own(self, record: Mapping[str, Any]) -> None:
        key = record.get("id")
        group = max((each.group for each in self.logged), default=0)
        self.logged.append(
            Logged(name=None, given=None, group=group, life=(-1, -1), known=Known.MAYBE, found=record, fix=None,
                   id=key if isinstance(key, str) else None)
        )  # fmt: skip

    def _found(self, each: Logged, record: Mapping[str, Any]) -> None:
        """The record of that error is there."""
        if each.known is not Known.MAYBE or each.found is None:
            each.known = Known.REQUIRED
        if each.found is None:
            self.first_seen(each, record)
            return
        for name, clause in CLAUSES.items():
            if name in _CHANGES:
                continue
            if not same(each.found.get(name), record.get(name)):
                expected = f"{name} of a record stays {each.found.get(name)!r}"
                self._notes.breaks("ER-LOG-01" if clause == "ER-LOG-02" else clause, expected, f"{record.get(name)!r}")
        gone = [name for name, value in each.found.items()
                if each.is_of_others and name not in CLAUSES and not same(value, record.get(name))]  # fmt: skip
        if gone:
            expected = f"{gone[0]!r} stays in the record of another: {each.found[gone[0]]!r}"
            self._notes.breaks("ER-LOG-10", expected, f"{record.get(gone[0])!r}"[:200])
        if each.fix is not None and record.get("fix_status") != each.fix:
            expected = f"the fix_status of {each.name!r} is {each.fix!r}"
            self._notes.breaks("ER-LOG-09", expected, f"{record.get('fix_status')!r}")
        each.found = record
        each.fix = record["fix_status"] if isinstance(record.get("fix_status"), str) and each.fix is not None else None

    def first_seen(self, each: Logged, record: Mapping[str, Any]) -> None:
        """Notes the fields of a record when it is seen first, and what had to wait for it."""
        notes = self._notes
        changed = each.fix != "unfixed"
        self.judge_new(each, {**record, "fix_status": "unfixed"} if changed else record)
        self._judge_leaks(each, record)
        if changed and each.fix is not None and record.get("fix_status") != each.fix:
            notes.breaks("ER-LOG-09", f"the fix_status of {each.name!r} is {each.fix!r}", f"{record.get('fix_status')}")
        if each.answered is not None:
            judge_both(each.answered, record, notes)
        each.found = record
        self.identify(each, record)
        if each.grades:
            self._grades.add(record.get("severity"))
            if len(self._grades) > 1:
                notes.agrees("ER-LOG-04", "errors without a severity are graded", ("graded",))
        notes.agrees("ER-LOG-01", "an error is recorded")
        for owed in each.owed:
            pay(owed, record, notes)
        each.owed = ()

    def _judge_leaks(self, each: Logged, record: Mapping[str, Any]) -> None:
        """What was not given is not taken from the context of another error, unless other operations told it, too."""
        context, own = record.get("context"), context_of(each.given)
        if each.given is None or not each.plain or not isinstance(context, Mapping):
            return
        for name in ("session_id", "task", "phase"):
            value = context.get(name)
            if value is None or value == "" or name in own or (name, str(value)) in self._said_of_tasks:
                continue
            if any(same(value, context_of(other.given).get(name)) for other in self.logged if other is not each):
                expected = f"{name} of {each.name!r}, which was not given, is not that of another error"
                self._notes.breaks("ER-LOG-05", expected, f"{value!r}")
                return

    def identify(self, each: Logged, record: Mapping[str, Any]) -> None:
        """The record has an id, which no other has."""
        key = record.get("id")
        if not isinstance(key, str):
            return
        others = [other for other in self.logged if other.id == key and other is not each]
        if others or (key in self._ids and each.id != key):
            self._notes.breaks("ER-LOG-03", "an id is unique", f"{key!r} a second time")
        self._ids[key] = record
        each.id = key if not others else each.id

    def _judge_order(self, places: Sequence[tuple[int, Logged]]) -> None:
        """Records stand in the order in which they were logged, the oldest first or last."""
        ranked = [
            each.group
            for _, each in sorted(places, key=lambda pair: pair[0])
            if each.known is Known.REQUIRED and not each.late
        ]
        mine = [group for group in ranked if group >= 0]
        waited = [each.group for _, each in sorted(places, key=lambda pair: pair[0])
                  if each.known is Known.REQUIRED and each.late]  # fmt: skip
        wrong = any(some not in (sorted(some), sorted(some, reverse=True)) for some in (mine, waited))
        if wrong or (direction(mine) and direction(waited) and direction(mine) != direction(waited)):
            names = [each.name or each.id for _, each in sorted(places, key=lambda pair: pair[0]) if each.group >= 0]
            self._notes.breaks("ER-LOG-01", "records stand in the order in which they were logged", f"{names}"[:300])
