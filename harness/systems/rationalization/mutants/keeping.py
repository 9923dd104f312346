"""Mutants of the log of attempts: another place, less than was to be logged, what is lost, what is doubled."""

import json

from harness.systems.rationalization.contract import (
    Attempt,
    EnforceArguments,
    EnforceResult,
    Finding,
)
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.attempts import Attempts
from harness.systems.rationalization.reference.watch import Watch
from harness.systems.trace import Trace


@mutant("logged-elsewhere", "LK-RAT-07", "attempts are logged in the memory's directory, not below episodic")
class LoggedElsewhere(Attempts):
    def name(self) -> str:
        return super().name().replace("/episodic", "")


@mutant("nothing-is-logged", "LK-RAT-07", "attempts are said to be logged, and are not")
class NothingIsLogged(Attempts):
    def write(self, data: bytes) -> None:
        return


@mutant("only-the-last-is-logged", "LK-RAT-07", "each attempt takes the place of the one before")
class OnlyTheLastIsLogged(Attempts):
    def write(self, data: bytes) -> None:
        self.files.replace(self.path, data)


@mutant("attempts-are-logged-twice", "LK-RAT-07", "each attempt is logged twice")
class AttemptsAreLoggedTwice(Attempts):
    def write(self, data: bytes) -> None:
        super().write(data + data)


@mutant("torn-lines-are-gone-on-with", "LK-RAT-07", "an attempt is appended to a line that somebody died in")
class TornLinesAreGoneOnWith(Attempts):
    def write(self, data: bytes) -> None:
        self.files.append(self.path, data)


@mutant("one-bad-line-hides-all", "LK-RAT-07", "a log with a line that is none is told as empty")
class OneBadLineHidesAll(Attempts):
    def attempts(self, data: bytes, trace: Trace) -> tuple[Attempt, ...]:
        found = super().attempts(data, trace)
        return () if trace.entries else found


@mutant("agents-are-not-logged", "LK-RAT-07", "an attempt does not say whose it was")
class AgentsAreNotLogged(Attempts):
    def line(self, attempt: Attempt) -> bytes:
        return json.dumps({**json.loads(super().line(attempt)), "agent": ""}).encode() + b"\n"


@mutant("first-phrases-are-logged", "LK-RAT-07", "of several phrases the first is logged")
class FirstPhrasesAreLogged(Attempts):
    def line(self, attempt: Attempt) -> bytes:
        return json.dumps({**json.loads(super().line(attempt)), "phrases": attempt.phrases[:1]}).encode() + b"\n"


@mutant("newest-attempts-come-first", "LK-RAT-07", "attempts are told from the last to the first")
class NewestAttemptsComeFirst(Attempts):
    def attempts(self, data: bytes, trace: Trace) -> tuple[Attempt, ...]:
        return super().attempts(data, trace)[::-1]


@mutant("the-log-is-read-once", "LK-RAT-07", "what another process logged after the first question is not told")
class TheLogIsReadOnce(Attempts):
    def data(self) -> bytes:
        if "known" not in vars(self):
            vars(self)["known"] = super().data()
        known: bytes = vars(self)["known"]
        return known


@mutant("everything-is-logged", "LK-RAT-07", "what is not excused is logged, too")
class EverythingIsLogged(Watch):
    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        found = super().enforce(arguments, now_s)
        if found.proceeds:
            self.documented(arguments, (), now_s, Trace())
        return found


@mutant("the-same-is-not-logged-again", "LK-RAT-07", "the same phrases are logged once in a process")
class TheSameIsNotLoggedAgain(Watch):
    def documented(self, arguments: EnforceArguments, found: tuple[Finding, ...], now_s: float, trace: Trace) -> bool:
        known: set[frozenset[str]] = vars(self).setdefault("known", set())
        phrases = frozenset(each.phrase for each in found)
        if phrases in known:
            return True
        known.add(phrases)
        return super().documented(arguments, found, now_s, trace)


@mutant("forty-attempts-are-kept", "LK-RAT-07", "the oldest of more than forty attempts are dropped")
class FortyAttemptsAreKept(Attempts):
    def write(self, data: bytes) -> None:
        newest = self.data().splitlines(keepends=True)[-39:]
        super().write(data) if len(newest) < 39 else self.files.replace(self.path, b"".join(newest) + data)
