"""Mutants of the aggregation by session: ER-AGG-01."""

from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.kept_records import KeptRecords
from harness.systems.error_log.reference.records import Record
from harness.systems.trace import Trace


@mutant("sessions-are-mixed", "ER-AGG-01", "the records of a session are all there are")
class SessionsAreMixed(ErrorLog):
    def belongs(self, record: Record, session_id: str | None) -> bool:
        return True


@mutant("sessions-by-prefix", "ER-AGG-01", "a session has what begins like it")
class SessionsByPrefix(ErrorLog):
    def belongs(self, record: Record, session_id: str | None) -> bool:
        return session_id is None or (self.session(record) or "").startswith(session_id)


@mutant("sessions-in-lower-case", "ER-AGG-01", "sessions that differ in case are one")
class SessionsInLowerCase(ErrorLog):
    def belongs(self, record: Record, session_id: str | None) -> bool:
        return session_id is None or (self.session(record) or "").lower() == session_id.lower()


@mutant("records-newest-first", "ER-AGG-01", "records come back in reverse")
class RecordsNewestFirst(KeptRecords):
    def all(self, trace: Trace) -> list[Record]:
        return super().all(trace)[::-1]


@mutant(
    "records-by-time", "ER-AGG-01", "records come back in the order of their timestamps, which a clock may set back"
)
class RecordsByTime(KeptRecords):
    def all(self, trace: Trace) -> list[Record]:
        return sorted(super().all(trace), key=lambda record: str(record["timestamp"]))


@mutant("same-messages-are-one", "ER-AGG-01", "records of the same type and message come back once")
class SameMessagesAreOne(KeptRecords):
    def all(self, trace: Trace) -> list[Record]:
        return list({(each["type"], str(each.get("message"))): each for each in super().all(trace)}.values())


@mutant("patterns-count-records-as-sessions", "ER-AGG-01", "each record of a pattern counts as a session")
class PatternsCountRecordsAsSessions(ErrorLog):
    def sessions(self, kind: str, records: list[Record]) -> int:
        return sum(each["type"] == kind for each in records)


@mutant("no-session-is-a-session", "ER-AGG-01", "the records without a session count as one in patterns")
class NoSessionIsASession(ErrorLog):
    def sessions(self, kind: str, records: list[Record]) -> int:
        return len({self.session(each) for each in records if each["type"] == kind})
