"""Mutants of the Enforcement Protocol: steps that are missing, or come in another order, and who goes on after all."""

import msgspec

from harness.systems.rationalization.contract import (
    Action,
    EnforceArguments,
    EnforceResult,
    Entry,
    Finding,
    StepTaken,
)
from harness.systems.rationalization.mutants.table import mutant
from harness.systems.rationalization.reference.phrases import PHRASES
from harness.systems.rationalization.reference.watch import Watch

Steps = tuple[StepTaken, ...]


@mutant("stops-last", "LK-RAT-06", "the action is stopped when everything else is done")
class StopsLast(Watch):
    def steps(self, found: tuple[Finding, ...], *, logged: bool) -> Steps:
        stop, *others = super().steps(found, logged=logged)
        return *others, stop


@mutant("documents-before-countering", "LK-RAT-06", "the attempt is logged before it is countered")
class DocumentsBeforeCountering(Watch):
    def steps(self, found: tuple[Finding, ...], *, logged: bool) -> Steps:
        stop, *others, document = super().steps(found, logged=logged)
        return stop, document, *others


@mutant("counters-before-identifying", "LK-RAT-06", "a rationalisation is countered before it is named")
class CountersBeforeIdentifying(Watch):
    def countered(self, finding: Finding) -> Steps:
        return super().countered(finding)[::-1]


@mutant("nothing-is-countered", "LK-RAT-06", "a rationalisation is named only")
class NothingIsCountered(Watch):
    def countered(self, finding: Finding) -> Steps:
        return super().countered(finding)[:1]


@mutant("only-the-first-is-countered", "LK-RAT-06", "of several rationalisations the first is named and countered")
class OnlyTheFirstIsCountered(Watch):
    def once(self, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return super().once(found)[:1]


@mutant("all-rows-are-named", "LK-RAT-06", "not the row of the table is named, but all of them")
class AllRowsAreNamed(Watch):
    def countered(self, finding: Finding) -> Steps:
        identify, counter = super().countered(finding)
        every = (StepTaken(Action.IDENTIFY, detail=entry) for entry in Entry if finding.entry not in (None, entry))
        return identify, counter, *(step for named in every for step in (named, counter))


@mutant("no-row-is-named", "LK-RAT-06", "it is not said which rationalisation it is")
class NoRowIsNamed(Watch):
    def countered(self, finding: Finding) -> Steps:
        identify, counter = super().countered(finding)
        return StepTaken(identify.action, detail="a rationalisation"), counter


@mutant("counters-of-another", "LK-RAT-06", "of several the counter of the first is applied to each")
class CountersOfAnother(Watch):
    def steps(self, found: tuple[Finding, ...], *, logged: bool) -> Steps:
        steps = super().steps(found, logged=logged)
        first = next(step for step in steps if step.action == Action.COUNTER)
        return tuple(first if step.action == Action.COUNTER else step for step in steps)


@mutant("red-flags-proceed", "LK-RAT-06", "who has only a red flag for a reason goes on")
class RedFlagsProceed(Watch):
    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        found = super().enforce(arguments, now_s)
        named = [step.detail for step in found.steps if step.action == Action.IDENTIFY]
        if any(detail in tuple(Entry) for detail in named):
            return found
        return EnforceResult(found.steps, proceeds=True, logged=found.logged, path=found.path, log=found.log)


@mutant(
    "long-reasons-are-stopped",
    "LK-RAT-06",
    "a reason of several lines is stopped, whatever it says",
)
class LongReasonsAreStopped(Watch):
    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        found = super().enforce(arguments, now_s)
        if found.proceeds and "\n" in arguments.text:
            return EnforceResult((StepTaken(Action.STOP),), proceeds=False)
        return found


@mutant("every-phrase-at-once", "LK-RAT-06", "each step that names one names all phrases of the document")
class EveryPhraseAtOnce(Watch):
    def countered(self, finding: Finding) -> Steps:
        identify, counter = super().countered(finding)
        return StepTaken(identify.action, detail="; ".join(each.text for each in PHRASES)), counter


@mutant("every-counter-is-applied", "LK-RAT-06", "whatever was said, all counters of the document are applied")
class EveryCounterIsApplied(Watch):
    def countered(self, finding: Finding) -> Steps:
        identify, counter = super().countered(finding)
        return identify, StepTaken(counter.action, detail="; ".join(each.required_action for each in PHRASES))


@mutant("it-cannot-be-stopped", "LK-RAT-06", "that the action was stopped is tried in vain")
class ItCannotBeStopped(Watch):
    def steps(self, found: tuple[Finding, ...], *, logged: bool) -> Steps:
        stop, *others = super().steps(found, logged=logged)
        return StepTaken(stop.action, ok=False), *others


@mutant("long-reasons-are-cut", "LK-RAT-06", "of a reason the first two thousand letters are looked at")
class LongReasonsAreCut(Watch):
    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        return super().enforce(msgspec.structs.replace(arguments, text=arguments.text[:2000]), now_s)
