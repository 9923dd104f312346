"""Mutants of the diagnosis itself: DR-OUT-01 to DR-OUT-10, DR-CLS-01, DR-CLS-13."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from harness.systems.diagnosis.contract import ObserveArguments, ObserveResult
from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.planner import Planner
from harness.systems.diagnosis.reference.reading import Reading
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection
from harness.systems.diagnosis.reference.steps import Strategy


@mutant("ids-by-time-only", "DR-OUT-01", "two diagnoses of one millisecond have the same id")
class IdsByTimeOnly(DiagnosticReflection):
    def ulid(self, at_ms: int) -> str:
        return f"{super().ulid(at_ms)[:10]}{'0' * 16}"


@mutant("ids-are-numbers-in-hex", "DR-OUT-01", "the id is unique, and no ULID")
class IdsAreNumbersInHex(DiagnosticReflection):
    def ulid(self, at_ms: int) -> str:
        return f"{at_ms:012x}{self.entropy(10).hex()}"


@mutant("ids-with-forbidden-letters", "DR-OUT-01", "the id has letters that no ULID has")
class IdsWithForbiddenLetters(DiagnosticReflection):
    def ulid(self, at_ms: int) -> str:
        return f"{super().ulid(at_ms)[:24]}UL"


@mutant("timestamp-in-words", "DR-OUT-02", "the timestamp is a date in words")
class TimestampInWords(DiagnosticReflection):
    def identity(self, now_s: float) -> tuple[str, str]:
        identity, at = super().identity(now_s)
        return identity, datetime.fromisoformat(at).strftime("%a %b %d %H:%M:%S %Y")


@mutant("iteration-is-counted-on", "DR-OUT-02", "the iteration is the next one")
class IterationIsCountedOn(Reading):
    def iteration(self, given: Any) -> int:
        return super().iteration(given) + 1


@mutant("iteration-is-one", "DR-OUT-02", "the iteration is always 1")
class IterationIsOne(Reading):
    def iteration(self, given: Any) -> int:
        return 1


def _merged(found: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The object with these fields as they should not be; ``...`` leaves one out, a callable makes one of another."""
    made = dict(found)
    for name, value in change.items():
        if value is ...:
            made.pop(name, None)
        elif callable(value):
            made[name] = value(made[name])
        elif isinstance(value, dict):
            made[name] = _merged(made[name], value)
        else:
            made[name] = value
    return made


def _answering(change: Mapping[str, Any]) -> Callable[..., ObserveResult]:
    def observe(self: DiagnosticReflection, arguments: ObserveArguments, now_s: float) -> ObserveResult:
        found = DiagnosticReflection.observe(self, arguments, now_s)
        if found.diagnosis is None:
            return found
        return msgspec.structs.replace(found, diagnosis=_merged(found.diagnosis, change))

    return observe


def _each(change: Mapping[str, Any]) -> Callable[[Sequence[Mapping[str, Any]]], list[dict[str, Any]]]:
    return lambda found: [_merged(each, change) for each in found]


def _renamed(found: Mapping[str, Any], name: str, other: str) -> dict[str, Any]:
    return {other if each == name else each: value for each, value in found.items()}


_CHANGES: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    ("four-whys", "DR-OUT-03", "there is no fifth why", {"whyChain": {"why5": ...}}),
    ("fifth-why-is-empty", "DR-OUT-03", "the fifth why is empty", {"whyChain": {"why5": ""}}),
    ("whys-in-a-list", "DR-OUT-03", "the chain is a list", {"whyChain": lambda found: list(found.values())}),
    ("root-cause-has-no-category", "DR-OUT-04", "the root cause has no category", {"rootCause": {"category": ...}}),
    ("root-confidence-in-percent", "DR-OUT-04", "the confidence of the root cause is in percent",
     {"rootCause": {"confidence": lambda found: found * 100}}),
    ("root-confidence-in-words", "DR-OUT-04", "the confidence of the root cause is a word",
     {"rootCause": {"confidence": "high"}}),
    ("root-confidence-is-true", "DR-OUT-04", "the confidence of the root cause is true",
     {"rootCause": {"confidence": True}}),
    ("always-recoverable", "DR-OUT-05", "canRecover is always true", {"errorClassification": {"canRecover": True}}),
    ("never-recoverable", "DR-OUT-05", "canRecover is always false", {"errorClassification": {"canRecover": False}}),
    ("no-can-recover", "DR-OUT-05", "there is no canRecover", {"errorClassification": {"canRecover": ...}}),
    ("two-alternatives", "DR-OUT-06", "two alternatives are told", {"alternatives": lambda found: found[-2:]}),
    ("no-estimated-iterations", "DR-OUT-06", "alternatives do not estimate their iterations",
     {"alternatives": _each({"estimatedIterations": ...})}),
    ("tools-in-a-text", "DR-OUT-06", "the tools of an alternative are one text",
     {"alternatives": _each({"tools": ", ".join})}),
    ("alternatives-in-percent", "DR-OUT-06", "the confidences of alternatives are in percent",
     {"alternatives": _each({"confidence": lambda found: found * 100})}),
    ("plan-in-snake-case", "DR-OUT-07", "the chain of the plan is called fallback_chain",
     {"recoveryPlan": lambda found: _renamed(found, "fallbackChain", "fallback_chain")}),
    ("priority-in-words", "DR-OUT-07", "the priority of the plan is a word", {"recoveryPlan": {"priority": "high"}}),
    ("steps-are-texts", "DR-OUT-07", "the steps of the plan are texts",
     {"recoveryPlan": {"steps": lambda found: [step["action"] for step in found]}}),
    ("steps-expect-nothing", "DR-OUT-07", "the steps of the plan do not say what is expected of them",
     {"recoveryPlan": {"steps": _each({"expectedOutcome": ...})}}),
    ("no-plan", "DR-OUT-07", "there is no plan", {"recoveryPlan": None}),
    ("plan-is-no-alternative", "DR-OUT-08", "the strategy of the plan is none of the alternatives",
     {"recoveryPlan": {"strategy": lambda found: f"{found}_v2"}}),
    ("chain-ends-early", "DR-OUT-08", "the fallback chain does not end with asking the user",
     {"recoveryPlan": {"fallbackChain": lambda found: found[:-1]}}),
    ("learns-no-rule", "DR-OUT-09", "what can be learned has no rule", {"learningOpportunity": {"rule": ...}}),
    ("task-types-in-a-text", "DR-OUT-09", "the task types are one text",
     {"learningOpportunity": {"applicableTaskTypes": ", ".join}}),
    ("generalizes-beyond-one", "DR-OUT-09", "the generalizability is above 1",
     {"learningOpportunity": {"generalizability": lambda found: found + 1}}),
    ("generalizes-in-words", "DR-OUT-09", "the generalizability is a word",
     {"learningOpportunity": {"generalizability": "broad"}}),
    ("names-tools-there-are-not", "DR-OUT-10", "alternatives name a tool that nobody has",
     {"alternatives": lambda found: [{**each, "tools": [*each["tools"], "repo_browser_pro"] if each["tools"] else []}
                                     for each in found]}),
    ("type-is-the-category", "DR-CLS-01", "the category is told as the type",
     {"errorClassification": {"type": lambda found: f"{found}_error"}}),
    ("types-in-capitals", "DR-CLS-01", "types are written in capitals", {"errorClassification": {"type": str.upper}}),
    ("one-type-for-all", "DR-CLS-01", "there is one type, error", {"errorClassification": {"type": "error"}}),
    ("severity-is-high", "DR-CLS-13", "the severity is high", {"errorClassification": {"severity": "high"}}),
    ("severity-in-capitals", "DR-CLS-13", "the severity is written in capitals",
     {"errorClassification": {"severity": str.upper}}),
    ("no-severity", "DR-CLS-13", "there is no severity", {"errorClassification": {"severity": ...}}),
)  # fmt: skip

for _name, _clause, _description, _change in _CHANGES:
    enter(DiagnosticReflection, _name, _clause, _description, observe=_answering(_change))


@mutant("fallbacks-in-reverse", "DR-OUT-08", "the fallback chain is in reverse, asking the user first")
class FallbacksInReverse(Planner):
    def others(self, chosen: Strategy, alternatives: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
        return super().others(chosen, alternatives)[::-1]
