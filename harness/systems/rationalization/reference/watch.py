"""The watch: texts are scanned, facts assessed, and what a rationalisation excuses is stopped."""

from typing import Final

from harness.ports.clock import to_text
from harness.ports.files import Files, RealFiles
from harness.systems.rationalization.contract import (
    Action,
    AssessArguments,
    AssessResult,
    Attempt,
    AttemptsArguments,
    AttemptsResult,
    Behaviour,
    Configuration,
    EnforceArguments,
    EnforceResult,
    Finding,
    ScanArguments,
    ScanResult,
    Scope,
    StepTaken,
    Verification,
)
from harness.systems.rationalization.reference.attempts import Attempts
from harness.systems.rationalization.reference.phrases import Phrases
from harness.systems.trace import Trace

Claims = tuple[tuple[Behaviour, bool, bool], ...]
NOTHING: Final = False


class Watch:
    """A watch over rationalisations in one working directory. No operation raises."""

    phrases_class = Phrases
    attempts_class = Attempts

    def __init__(self, configuration: Configuration, files: Files) -> None:
        self.phrases = self.phrases_class()
        self.attempts_log = self.attempts_class(configuration.home, files)

    def scan(self, arguments: ScanArguments, now_s: float) -> ScanResult:
        """Every rationalisation in a text."""
        del now_s
        return ScanResult(self.phrases.findings(arguments.text, has_output=arguments.has_output))

    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        """Every behaviour that is a red flag."""
        del now_s
        claims = (*self.of_scope(arguments.scope), *self.of_verification(arguments.verification))
        return AssessResult(tuple(behaviour for behaviour, done, excused in claims if done and not excused))

    def of_scope(self, scope: Scope) -> Claims:
        """Behaviours, whether they were shown, and whether what makes up for them was done (LK-RAT-04)."""
        return (
            (Behaviour.UNJUSTIFIED_EXPANSION, scope.expanded, scope.justified),
            (Behaviour.UNDOCUMENTED_REDUCTION, scope.reduced, scope.documented),
            (Behaviour.SILENT_REINTERPRETATION, scope.reinterpreted, scope.announced),
            (Behaviour.UNSPECIFIED_FEATURE, scope.unspecified_feature, NOTHING),
        )

    def of_verification(self, facts: Verification) -> Claims:
        """The same of verification (LK-RAT-05)."""
        return (
            (Behaviour.UNTESTED_PROGRESS, facts.next_task_begun, facts.tests_run),
            (Behaviour.UNPROVEN_SUCCESS, facts.success_claimed, facts.evidence_shown),
            (Behaviour.DISMISSED_CHECK, facts.failed_check_dismissed, NOTHING),
            (Behaviour.UNVERIFIED_INTEGRATION, facts.relies_on_other_component, facts.integration_verified),
            (Behaviour.UNRUN_TESTS_CITED, facts.tests_cited, facts.cited_tests_run),
            (Behaviour.UNTESTED_COMPATIBILITY, facts.compatibility_claimed, facts.compatibility_tested),
            (Behaviour.UNDEMONSTRATED_BEHAVIOR, facts.behavior_asserted, facts.behavior_demonstrated),
        )

    def enforce(self, arguments: EnforceArguments, now_s: float) -> EnforceResult:
        """Stops what a rationalisation excuses, and logs the attempt; anything else proceeds (LK-RAT-06)."""
        found = self.phrases.findings(arguments.text, has_output=arguments.has_output)
        if not found:
            return EnforceResult((StepTaken(Action.PROCEED),), proceeds=True)
        trace = Trace()
        logged = self.documented(arguments, found, now_s, trace)
        path = self.attempts_log.name() if logged else None
        return EnforceResult(
            self.steps(found, logged=logged), proceeds=False, logged=logged, path=path, log=trace.told()
        )

    def steps(self, found: tuple[Finding, ...], *, logged: bool) -> tuple[StepTaken, ...]:
        """The four steps of the protocol."""
        countered = (step for each in self.once(found) for step in self.countered(each))
        return StepTaken(Action.STOP), *countered, StepTaken(Action.DOCUMENT, ok=logged)

    def once(self, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The first finding of each phrase."""
        first: dict[str, Finding] = {}
        for each in found:
            first.setdefault(each.phrase, each)
        return tuple(first.values())

    def countered(self, finding: Finding) -> tuple[StepTaken, ...]:
        """One rationalisation is named and countered."""
        named = finding.phrase if finding.entry is None else finding.entry.value
        return StepTaken(Action.IDENTIFY, detail=named), StepTaken(Action.COUNTER, detail=finding.required_action)

    def documented(self, arguments: EnforceArguments, found: tuple[Finding, ...], now_s: float, trace: Trace) -> bool:
        """Is the attempt logged?"""
        phrases = tuple(dict.fromkeys(each.phrase for each in found))
        return self.attempts_log.add(Attempt(to_text(now_s), arguments.agent, arguments.action, phrases), trace)

    def attempts(self, arguments: AttemptsArguments, now_s: float) -> AttemptsResult:
        """Every logged attempt."""
        del arguments, now_s
        trace = Trace()
        return AttemptsResult(self.attempts_log.read(trace), trace.told())


def create(configuration: Configuration, files: Files | None = None) -> Watch:
    """A watch on the files of the machine, unless others are given."""
    return Watch(configuration, RealFiles() if files is None else files)
