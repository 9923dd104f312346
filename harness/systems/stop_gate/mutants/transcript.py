"""Mutants of how a transcript is read: PS-TR."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.systems.stop_gate.contract import TRANSCRIPT_LIMIT_BYTES, CheckArguments, CheckResult
from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference import json_text
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case, approve
from harness.systems.stop_gate.reference.transcript import (
    MalformedTranscriptError,
    Message,
    TranscriptReader,
    message_of,
)


@mutant("missing-transcript-reads-as-empty", "PS-TR-01", "a missing transcript is reported as an empty one")
class MissingTranscriptReadsAsEmpty(StopGate):
    def missing(self, case: Case) -> CheckResult:
        return self.empty(case)


@mutant("missing-transcript-blocks", "PS-TR-01", "a missing transcript blocks")
class MissingTranscriptBlocks(StopGate):
    def missing(self, case: Case) -> CheckResult:
        super().missing(case)
        return blocked("transcript_missing")


@mutant("empty-transcript-is-analysed", "PS-TR-02", "a transcript without messages goes on to the considerations")
class EmptyTranscriptIsAnalysed(StopGate):
    def empty(self, case: Case) -> CheckResult:
        return self.analysed(case)


@mutant("blank-lines-are-errors", "PS-TR-03", "blank lines count as invalid JSON lines")
class BlankLinesAreErrors(TranscriptReader):
    def is_blank(self, line: bytes) -> bool:
        return False


@mutant("line-numbers-without-blanks", "PS-TR-04", "the line number in a warning does not count blank lines")
class LineNumbersWithoutBlanks(TranscriptReader):
    def lines(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for number, (_, line) in enumerate(super().lines(data), 1):
            yield number, line


@mutant("invalid-line-ends-reading", "PS-TR-04", "nothing after the first invalid line is read")
class InvalidLineEndsReading(TranscriptReader):
    def lines(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for number, line in super().lines(data):
            yield number, line
            try:
                self.decode(line)
            except ValueError:
                return


@mutant("invalid-line-unlogged", "PS-TR-04", "invalid lines are skipped without a warning")
class InvalidLineUnlogged(TranscriptReader):
    def invalid_line(self, number: int, error: ValueError) -> None:
        return


@mutant("tenth-invalid-line-is-too-many", "PS-TR-05", "gives up at the tenth invalid line")
class TenthInvalidLineIsTooMany(TranscriptReader):
    def too_many(self, invalid: int) -> bool:
        return invalid >= 10


@mutant("eleventh-invalid-line-is-tolerated", "PS-TR-05", "gives up at the twelfth invalid line")
class EleventhInvalidLineIsTolerated(TranscriptReader):
    def too_many(self, invalid: int) -> bool:
        return invalid > 11


@mutant("too-many-invalid-lines-block", "PS-TR-06", "a transcript that is given up blocks")
class TooManyInvalidLinesBlock(StopGate):
    def malformed(self, case: Case, error: MalformedTranscriptError) -> CheckResult:
        super().malformed(case, error)
        return blocked("too_many_invalid_lines")


@mutant("size-limit-inclusive", "PS-TR-07", "a transcript of exactly 10 MiB counts as too large")
class SizeLimitInclusive(StopGate):
    def is_too_large(self, size: int) -> bool:
        return size >= TRANSCRIPT_LIMIT_BYTES


@mutant("size-limit-missing", "PS-TR-07", "transcripts of any size are analysed")
class SizeLimitMissing(StopGate):
    def load(self, case: Case) -> bytes | CheckResult:
        found = self.files.status(case.arguments.transcript_path)
        if found is not None and found.kind == "file" and self.is_too_large(found.size):
            return self.files.read(case.arguments.transcript_path, found.size)
        return super().load(case)


@mutant("too-large-blocks", "PS-TR-07", "a transcript that is too large blocks")
class TooLargeBlocks(StopGate):
    def too_large(self, case: Case, size: int) -> CheckResult:
        super().too_large(case, size)
        return blocked("transcript_too_large")


@mutant("any-role-is-valid", "PS-TR-08", "a message of any role, or of none, counts")
class AnyRoleIsValid(TranscriptReader):
    def message(self, record: Any) -> Message | None:
        known = super().message(record)
        if known is None and isinstance(record, dict) and "content" in record:
            return message_of(str(record.get("role", "")), record)
        return known


@mutant("flat-roles-only", "PS-TR-08", "only a role at the top counts, which empties every real transcript")
class FlatRolesOnly(TranscriptReader):
    def holders(self, record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        yield record


@mutant("wrong-role-ends-reading", "PS-TR-08", "a message of a wrong role gives up the whole transcript")
class WrongRoleEndsReading(TranscriptReader):
    def drop(self, number: int) -> None:
        raise MalformedTranscriptError(f"line {number} holds no message")


@mutant("non-object-line-raises", "PS-TR-09", "a JSON line that is no object breaks the check instead of being dropped")
class NonObjectLineRaises(TranscriptReader):
    def message(self, record: Any) -> Message | None:
        if "role" not in record:  # as the document's sample: a TypeError for numbers, a miss for lists
            return super().message(record)
        return super().message(record) if record["role"] else None


@mutant(
    "fifo-waits-for-a-writer", "PS-TR-09", "a FIFO as the transcript is opened before any limit is armed, and waits"
)
class FifoWaitsForAWriter(StopGate):
    def load(self, case: Case) -> bytes | CheckResult:
        found = self.files.status(case.arguments.transcript_path)
        if found is not None and found.kind == "other":
            with open(case.arguments.transcript_path, "rb") as file:
                return file.read()
        return super().load(case)


@mutant("directory-as-transcript-escapes", "PS-TR-09", "a transcript that is a directory raises out of the check")
class DirectoryAsTranscriptEscapes(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        found = self.files.status(arguments.transcript_path)
        if found is not None and found.kind == "directory":
            raise IsADirectoryError(arguments.transcript_path)
        return super().check(arguments, now_s)


@mutant("undecodable-bytes-escape", "PS-TR-09", "bytes that are no UTF-8 raise UnicodeDecodeError out of the check")
class UndecodableBytesEscape(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        for line in _lines(self, arguments):
            line.decode()
        return super().check(arguments, now_s)


@mutant("deep-nesting-escapes", "PS-TR-09", "a deeply nested line raises RecursionError out of the check")
class DeepNestingEscapes(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        for line in _lines(self, arguments):
            try:
                json.loads(line)
            except ValueError:
                continue
        return super().check(arguments, now_s)


@mutant("huge-integer-escapes", "PS-TR-09", "an integer of 5,000 digits raises a ValueError nobody catches")
class HugeIntegerEscapes(StopGate):
    def check(self, arguments: CheckArguments, now_s: float | None = None) -> CheckResult:
        for line in _lines(self, arguments):
            try:
                json.loads(line)
            except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
                continue
        return super().check(arguments, now_s)


@mutant("damaged-line-approves-at-once", "PS-TR-09", "a JSON line that is no object approves instead of being dropped")
class DamagedLineApprovesAtOnce(StopGate):
    def without_messages(self, case: Case) -> CheckResult | None:
        early = super().without_messages(case)
        if early is None:
            for line in _lines(self, case.arguments):
                with contextlib.suppress(ValueError):
                    if not isinstance(json_text.decode(line), dict):
                        return approve("error")
        return early


def _lines(gate: StopGate, arguments: CheckArguments) -> list[bytes]:
    try:
        data = gate.files.read(arguments.transcript_path, TRANSCRIPT_LIMIT_BYTES)
    except (OSError, ValueError):
        return []
    return data.splitlines()
