"""Mutants of rationalization written from document 000 alone, without a look at what judges them."""
# ruff: noqa: D101, D102 - each says in its decorator what is wrong

import re
from collections.abc import Mapping
from typing import Final

from harness.systems.mutant import Mutant
from harness.systems.rationalization.contract import (
    Action,
    Attempt,
    Behaviour,
    Finding,
    Kind,
    LogCode,
    Scope,
    StepTaken,
    Verification,
)
from harness.systems.rationalization.mutants.table import TABLE as WRITTEN_KNOWING
from harness.systems.rationalization.reference.attempts import Attempts
from harness.systems.rationalization.reference.phrases import Phrase, Phrases
from harness.systems.rationalization.reference.spoken import Spoken
from harness.systems.rationalization.reference.watch import Claims, Watch
from harness.systems.trace import Trace

TABLE = WRITTEN_KNOWING.empty()
mutant = TABLE.mutant
MUTANTS: Mapping[str, Mutant] = TABLE.mutants

_SENTENCE_END: Final = re.compile(r"[.!?]")
_DENIED: Final = re.compile(r"\b(?:no|not|not an?|never|isn't|isn't an?)\s+\Z", re.IGNORECASE)


@mutant("blind-excuse-once-a-text", "LK-RAT-01", "an excuse that a text repeats is found the first time only")
class OnceAText(Phrases):
    def findings(self, text: str, *, has_output: bool) -> tuple[Finding, ...]:
        found = super().findings(text, has_output=has_output)
        first = {each.entry: each.start for each in reversed(found)}
        return tuple(each for each in found if each.entry is None or first[each.entry] == each.start)


@mutant("blind-hedge-in-question", "LK-RAT-02", "a hedge in a question is taken for none")
class HedgedQuestion(Phrases):
    def is_said(self, phrase: Phrase, start: int, end: int, spoken: Spoken) -> bool:
        said = super().is_said(phrase, start, end, spoken)
        stop = _SENTENCE_END.search(spoken.text, end)
        asked = phrase.kind == Kind.HEDGING and stop is not None and stop[0] == "?"
        return said and not asked


@mutant("blind-minimising-denied", "LK-RAT-03", "what is said not to be a simple fix is taken for no minimising")
class MinimisingDenied(Phrases):
    def is_said(self, phrase: Phrase, start: int, end: int, spoken: Spoken) -> bool:
        said = super().is_said(phrase, start, end, spoken)
        denied = phrase.kind == Kind.MINIMIZATION and _DENIED.search(spoken.text, max(0, start - 16), start)
        return said and not denied


@mutant("blind-reduction-justified", "LK-RAT-04", "a reduction that is justified needs no documented limitation")
class ReductionJustified(Watch):
    def of_scope(self, scope: Scope) -> Claims:
        reduction = (Behaviour.UNDOCUMENTED_REDUCTION, scope.reduced, scope.documented or scope.justified)
        return tuple(reduction if each[0] == reduction[0] else each for each in super().of_scope(scope))


@mutant("blind-success-proven-by-run", "LK-RAT-05", "tests that were run are evidence enough, shown or not")
class ProvenByRun(Watch):
    def of_verification(self, facts: Verification) -> Claims:
        success = (Behaviour.UNPROVEN_SUCCESS, facts.success_claimed, facts.evidence_shown or facts.tests_run)
        return tuple(success if each[0] == success[0] else each for each in super().of_verification(facts))


@mutant("blind-first-finding-countered", "LK-RAT-06", "of several rationalisations only the first is countered")
class FirstCountered(Watch):
    def once(self, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return super().once(found)[:1]


@mutant("blind-flag-named-by-family", "LK-RAT-06", "a red flag is identified by its family, not by its phrase")
class NamedByFamily(Watch):
    def countered(self, finding: Finding) -> tuple[StepTaken, ...]:
        named = finding.kind.value if finding.entry is None else finding.entry.value
        return StepTaken(Action.IDENTIFY, detail=named), StepTaken(Action.COUNTER, detail=finding.required_action)


@mutant("blind-same-attempt-logged-once", "LK-RAT-07", "an attempt that is made again is not logged again")
class LoggedOnce(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        known = {(each.agent, each.action, each.phrases) for each in self.read(Trace())}
        return (attempt.agent, attempt.action, attempt.phrases) in known or super().add(attempt, trace)


@mutant(
    "blind-unwritten-attempt-told-logged",
    "LK-RAT-07",
    "an attempt that could not be written is told to be logged",
    level="L2",
)
class ToldLogged(Attempts):
    def add(self, attempt: Attempt, trace: Trace) -> bool:
        try:
            self.write(self.line(attempt))
        except OSError as error:
            trace.error(LogCode.ATTEMPT_UNLOGGED, "the attempt is not logged", error)
        return True
