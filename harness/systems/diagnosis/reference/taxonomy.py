"""What a failure is: one of ten types, in a stated order when several match. Source: 001, Primary Categories.

The order: a tool that is not available; exit code 127; codes; the exit code and the signals of a time limit; what the
message and standard error say, the most specific first (``indications``), how a traceback ends before all else, quoted
source never (``error_lines``); what standard output says; the rest.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from harness.systems.diagnosis.contract import ErrorType, Severity
from harness.systems.diagnosis.reference.error_lines import is_broken, is_fault, last_words, own_words
from harness.systems.diagnosis.reference.error_names import Indication
from harness.systems.diagnosis.reference.hostile import HEAD
from harness.systems.diagnosis.reference.indications import CODES, TEXTS, VAGUE_CODES, WORDS
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.subjects import subject_of

NO_COMMAND: Final = (127, 9009)  # of a shell, of cmd.exe
CANNOT_RUN: Final = 126
TIMED_OUT: Final = (124, 128 + 14, 128 + 24)  # of timeout(1), SIGALRM, SIGXCPU
KILLED: Final = (137, -9)

SURE, TOLD, LIKELY, GUESSED, NOT_KNOWN = 0.95, 0.9, 0.7, 0.5, 0.2

CATEGORIES: Mapping[ErrorType, str] = {
    ErrorType.TOOL_NOT_FOUND: "tool_unavailable",
    ErrorType.COMMAND_NOT_FOUND: "missing_binary",
    ErrorType.PERMISSION_DENIED: "permission_denied",
    ErrorType.INVALID_ARGUMENTS: "invalid_args",
    ErrorType.TIMEOUT: "timeout",
    ErrorType.OUTPUT_TOO_LARGE: "output_too_large",
    ErrorType.RATE_LIMITED: "rate_limited",
    ErrorType.NETWORK_ERROR: "network_failure",
    ErrorType.SYNTAX_ERROR: "syntax_error",
    ErrorType.ENVIRONMENT_MISSING: "missing_dependency",
    ErrorType.UNKNOWN: "unknown",
}


class Verdict(NamedTuple):
    """``subject`` is what the failure is about: a binary, a module, a host, a path; else the tool."""

    kind: ErrorType
    category: str
    subject: str
    confidence: float


class Taxonomy:
    """Classification. It is deterministic, and asks nobody."""

    categories: Mapping[ErrorType, str] = CATEGORIES
    words: Mapping[str, ErrorType] = WORDS
    codes: Mapping[int, ErrorType] = CODES
    texts: Mapping[ErrorType, tuple[Indication, ...]] = TEXTS

    def verdict(self, failure: Failure) -> Verdict:
        """What the failure is, and about what."""
        kind, confidence = self.kind(failure)
        return Verdict(kind, self.categories[kind], subject_of(kind, failure), confidence)

    def kind(self, failure: Failure) -> tuple[ErrorType, float]:
        """The type, and how sure that is."""
        if not self.is_available(failure):
            return ErrorType.TOOL_NOT_FOUND, SURE
        if failure.code in NO_COMMAND:
            return ErrorType.COMMAND_NOT_FOUND, SURE
        coded = self.by_code(failure)
        if coded is not None:
            return coded, SURE
        if self.ran_out_of_time(failure):
            return ErrorType.TIMEOUT, TOLD
        told = self.by_text(failure.told)
        if told is not None:
            return told, TOLD
        return self.by_rest(failure)

    def is_available(self, failure: Failure) -> bool:
        """May the tool be used? Where nobody said which tools there are, it may."""
        return failure.available is None or failure.tool in failure.available

    def by_code(self, failure: Failure) -> ErrorType | None:
        """What a code of the system, of HTTP or of JSON-RPC says."""
        found = self.words.get(failure.word.upper())
        return self.codes.get(failure.code) if found is None and failure.code is not None else found

    def ran_out_of_time(self, failure: Failure) -> bool:
        """Does the exit code of timeout(1), or the signal of a timer, say that a time limit was exceeded?"""
        return failure.code in TIMED_OUT or failure.signal in {"SIGALRM", "SIGXCPU"}

    def by_text(self, text: str) -> ErrorType | None:
        """What a text says: how its last traceback ends, else its own words; nothing when that is a program's fault."""
        own = own_words(text.replace("\u2019", "'").replace("\u2018", "'"))
        last = last_words(own)
        started = self.by_words(own, only=ErrorType.COMMAND_NOT_FOUND)
        if started is not None and (not last or "_execute_child" in own):
            return started
        if is_fault(last or own):
            return self.by_words(last, only=ErrorType.ENVIRONMENT_MISSING) if last else None
        if (
            is_broken(last.partition(":")[0] if last else own)
            and self.by_words(last or own, only=ErrorType.SYNTAX_ERROR) is not None
        ):
            return ErrorType.SYNTAX_ERROR
        found = self.by_words(last) if last else None
        return found if found is not None else self.by_words(own)

    def by_words(self, text: str, *, only: ErrorType | None = None) -> ErrorType | None:
        """The first type, or that type only, one of whose indications stands in the text."""
        lowered = text.lower()
        for kind, indications in self.texts.items():
            if (only is None or kind is only) and says(text, lowered, indications):
                return kind
        return None

    def by_rest(self, failure: Failure) -> tuple[ErrorType, float]:
        """What is likely when neither codes nor the error's own words say it."""
        if failure.code == CANNOT_RUN:
            return ErrorType.PERMISSION_DENIED, LIKELY
        if failure.code in KILLED or failure.signal == "SIGKILL":
            return ErrorType.TIMEOUT, GUESSED  # or memory ran out: both want less work at once
        vague = VAGUE_CODES.get(failure.code or 0)
        if vague is not None:
            return vague, LIKELY
        printed = self.by_text(_OF_TESTS.sub("", failure.stdout[-HEAD:]))
        return (printed, GUESSED) if printed is not None else (ErrorType.UNKNOWN, NOT_KNOWN)

    def severity(self, verdict: Verdict, *, recoverable: bool) -> Severity:
        """Recoverable when some strategy names a tool, else the user has to act; never fatal, which nobody can tell."""
        del verdict
        return Severity.RECOVERABLE if recoverable else Severity.USER_ACTION_REQUIRED


def says(text: str, lowered: str, indications: tuple[Indication, ...]) -> bool:
    """Does one of the indications stand in that text? ``lowered`` is the text in lower case."""
    for indication in indications:
        needle = indication if isinstance(indication, str) else indication[0]
        if needle in lowered and _pattern(indication).search(text) is not None:
            return True
    return False


_OF_TESTS = re.compile(r"^ *(?:#|ok\b|not ok\b|PASS|FAIL|\S* ?(?:PASSED|FAILED)).*$", re.MULTILINE)


@cache
def _pattern(indication: Indication) -> re.Pattern[str]:
    if isinstance(indication, str):
        return re.compile(rf"(?<!\w){re.escape(indication)}(?!\w)", re.IGNORECASE)
    return re.compile(indication[1], re.MULTILINE | re.IGNORECASE)
