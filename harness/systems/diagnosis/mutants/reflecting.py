"""Mutants of the trigger, the loop and the input: DR-TRG-01 to DR-IN-04."""

from collections.abc import Mapping
from typing import Any

from harness.systems.diagnosis.contract import Approach, ObserveArguments, PromptArguments, PromptResult
from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.memories import Trace
from harness.systems.diagnosis.reference.planner import Attempt, Plan, Planner
from harness.systems.diagnosis.reference.prompt import Prompt
from harness.systems.diagnosis.reference.reading import Failure, Reading
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection, Held
from harness.systems.diagnosis.reference.steps import Case, Step, Strategy
from harness.systems.diagnosis.reference.strategies import Strategies


@mutant("never-reflects", "DR-TRG-01", "no failure triggers a reflection")
class NeverReflects(DiagnosticReflection):
    def triggers(self, arguments: ObserveArguments) -> bool:
        return False


@mutant("reflects-on-success", "DR-TRG-01", "every tool call triggers a reflection, successes as well")
class ReflectsOnSuccess(DiagnosticReflection):
    def triggers(self, arguments: ObserveArguments) -> bool:
        return self.settings.enabled


@mutant("reflects-on-codes-only", "DR-TRG-01", "a failure without a code triggers nothing")
class ReflectsOnCodesOnly(DiagnosticReflection):
    def triggers(self, arguments: ObserveArguments) -> bool:
        error = arguments.error
        return super().triggers(arguments) and isinstance(error, Mapping) and error.get("code") is not None


@mutant("same-failure-once-only", "DR-TRG-01", "a failure of a tool and arguments that were diagnosed triggers nothing")
class SameFailureOnceOnly(DiagnosticReflection):
    def triggers(self, arguments: ObserveArguments) -> bool:
        failures = (held.case.failure for held in self._held.values())
        known = any((each.tool, each.args) == (arguments.tool, arguments.args) for each in failures)
        return super().triggers(arguments) and not known


@mutant("prompt-comes-late", "DR-TRG-02", "the diagnosis is not in the next reflection, but in the one after it")
class PromptComesLate(DiagnosticReflection):
    def prompt(self, arguments: PromptArguments, now_s: float) -> PromptResult:
        held = self._held.get(arguments.call)
        latest = held is not None and held is next(reversed(self._held.values()))
        return PromptResult("") if latest else super().prompt(arguments, now_s)


@mutant("memory-only-after-recovery", "DR-TRG-03", "the diagnosis is stored when its recovery has ended, not before")
class MemoryOnlyAfterRecovery(DiagnosticReflection):
    def store(self, held: Held, begun_s: float, trace: Trace) -> None:
        session = (self.configuration.conv_id, self.configuration.trace_id)
        self.context_log.add(self.context_log.event(held.diagnosis, held.case.failure.tool, session, 0), trace)


@mutant("next-reflection-sees-the-error-only", "DR-TRG-03", "the next reflection reads the error, and no diagnosis")
class NextReflectionSeesTheErrorOnly(Prompt):
    def reflection(self, diagnosis: Mapping[str, Any], plan: Plan) -> str:
        return "Previous iteration failed. Tool: shell, Error: Command failed"


@mutant("retries-as-it-was", "DR-TRG-04", "the first strategy is to make the failed call again")
class RetriesAsItWas(Strategies):
    def of(self, case: Case) -> tuple[Strategy, ...]:
        again = Step("Try again", case.failure.tool, case.failure.args, "It works")
        first = Strategy("retry", Approach.CORRECTED_RETRY, "Try again", 0.9, 1, (again,))
        return (first, *super().of(case))


@mutant("same-strategy-again", "DR-TRG-04", "after a failed recovery the same strategy is recommended once more")
class SameStrategyAgain(Planner):
    def after_failure(self, plan: Plan, attempts: list[Attempt], most_attempts: int) -> Plan:
        return self.asking((plan.strategy, *plan.rest)) if self.is_over(attempts, most_attempts) else plan


def _without(name: str) -> Any:
    def facts(self: Prompt, failure: Failure) -> list[str]:
        return [fact for fact in Prompt.facts(self, failure) if not fact.startswith(f"{name}:")]

    return facts


for _name, _clause in (
    ("message", "DR-IN-01"), ("code", "DR-IN-01"), ("signal", "DR-IN-01"), ("stdout", "DR-IN-01"),
    ("stderr", "DR-IN-01"),
    ("available tools", "DR-IN-02"), ("files", "DR-IN-02"), ("directories", "DR-IN-02"), ("task", "DR-IN-02"),
    ("previous action", "DR-IN-03"),
):  # fmt: skip
    enter(
        Prompt, f"no-{_name.replace(' ', '-')}-in-the-question", _clause, f"the model is not told of: {_name}",
        facts=_without(_name),
    )  # fmt: skip


@mutant("four-previous-actions", "DR-IN-03", "one previous action more is supplied")
class FourPreviousActions(Reading):
    def latest(self, given: list[Any] | tuple[Any, ...]) -> list[Any]:
        return list(given[-4:])


@mutant("two-previous-actions", "DR-IN-03", "one previous action less is supplied")
class TwoPreviousActions(Reading):
    def latest(self, given: list[Any] | tuple[Any, ...]) -> list[Any]:
        return list(given[-2:])


@mutant("first-three-actions", "DR-IN-03", "the first three previous actions are supplied instead of the last")
class FirstThreeActions(Reading):
    def latest(self, given: list[Any] | tuple[Any, ...]) -> list[Any]:
        return list(given[:3])


@mutant("numeric-message-escapes", "DR-IN-04", "a message that is no text ends the operation")
class NumericMessageEscapes(Reading):
    def text(self, name: str, given: Any, *, required: bool = False) -> str:
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} is no text")
        return super().text(name, given, required=required)


@mutant("null-context-escapes", "DR-IN-04", "a context that is no object ends the operation")
class NullContextEscapes(Reading):
    def object(self, name: str, given: Any, *, required: bool = True) -> Mapping[str, Any]:
        if required and not isinstance(given, Mapping):
            raise TypeError(f"{name} is no object")
        return super().object(name, given, required=required)
