"""Mutants of the texts and of the model: DR-PRM-01, DR-UI-01, DR-LLM-01."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from harness.systems.diagnosis.contract import WHYS, LogCode
from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.answers import Answers, Insight
from harness.systems.diagnosis.reference.flags import Settings
from harness.systems.diagnosis.reference.memories import Trace
from harness.systems.diagnosis.reference.model import Asking, Model
from harness.systems.diagnosis.reference.planner import Attempt, Plan
from harness.systems.diagnosis.reference.prompt import Prompt


def _reflection(begins: str, instead: str = "") -> Any:
    def reflection(self: Prompt, diagnosis: Mapping[str, Any], plan: Plan) -> str:
        lines = Prompt.reflection(self, diagnosis, plan).split("\n")
        return "\n".join(instead if each.startswith(begins) else each for each in lines)

    return reflection


enter(
    Prompt, "prompt-without-root-cause", "DR-PRM-01", "the prompt names no root cause", reflection=_reflection("Root")
)
enter(
    Prompt, "prompt-without-strategy", "DR-PRM-01", "the prompt names no strategy", reflection=_reflection("Strategy")
)
enter(
    Prompt,
    "prompt-without-pattern",
    "DR-PRM-01",
    "the prompt has no pattern to learn",
    reflection=_reflection("Pattern"),
)
enter(
    Prompt, "prompt-without-alternatives", "DR-PRM-01", "the prompt has no alternatives", reflection=_reflection("  - ")
)
enter(Prompt, "prompt-without-steps", "DR-PRM-01", "the prompt has no steps", steps=lambda self, plan: [])


@mutant("prompt-with-four-whys", "DR-PRM-01", "the prompt and the report have four whys")
class PromptWithFourWhys(Prompt):
    def numbered_whys(self, diagnosis: Mapping[str, Any]) -> list[str]:
        return super().numbered_whys(diagnosis)[:-1]


@mutant("prompt-without-numbers", "DR-PRM-01", "the whys of the prompt are not numbered")
class PromptWithoutNumbers(Prompt):
    def numbered_whys(self, diagnosis: Mapping[str, Any]) -> list[str]:
        return [f"- {each[3:]}" for each in super().numbered_whys(diagnosis)]


@mutant("prompt-without-confidence", "DR-PRM-01", "the prompt has no confidences")
class PromptWithoutConfidence(Prompt):
    def reflection(self, diagnosis: Mapping[str, Any], plan: Plan) -> str:
        return "\n".join(each.partition(" (confidence")[0] for each in super().reflection(diagnosis, plan).split("\n"))


@mutant("report-is-empty", "DR-UI-01", "the user is shown nothing")
class ReportIsEmpty(Prompt):
    def report(self, diagnosis: Mapping[str, Any], plan: Plan, attempts: Sequence[Attempt], *, asks: bool) -> str:
        return ""


@mutant("report-is-the-id", "DR-UI-01", "the user is shown the id of the diagnosis")
class ReportIsTheId(Prompt):
    def report(self, diagnosis: Mapping[str, Any], plan: Plan, attempts: Sequence[Attempt], *, asks: bool) -> str:
        return f"Diagnosis {diagnosis['id']}"


@mutant("attempts-are-not-shown", "DR-UI-01", "the user is not shown what was tried")
class AttemptsAreNotShown(Prompt):
    def attempts(self, attempts: Sequence[Attempt]) -> list[str]:
        return []


@mutant("outcomes-are-not-shown", "DR-UI-01", "the user is not shown how what was tried ended")
class OutcomesAreNotShown(Prompt):
    def attempts(self, attempts: Sequence[Attempt]) -> list[str]:
        return [each.partition(":")[0] for each in super().attempts(attempts)]


@mutant("model-failure-escapes", "DR-LLM-01", "a model that raises, or is late, ends the operation")
class ModelFailureEscapes(Asking):
    def ask(self, model: Model, prompt: str, settings: Settings, limit_s: float, trace: Trace) -> str | None:
        found = super().ask(model, prompt, settings, limit_s, trace)
        if found is None:
            raise TimeoutError("there is no answer of the model")
        return found


@mutant("half-an-answer-escapes", "DR-LLM-01", "an answer that is no JSON ends the operation")
class HalfAnAnswerEscapes(Answers):
    def parsed(self, text: str) -> Mapping[str, Any] | None:
        found: Mapping[str, Any] = msgspec.json.decode(text)
        return found


@mutant("model-confidence-is-taken-as-it-is", "DR-OUT-04", "a confidence of a model is taken, whatever it is")
class ModelConfidenceIsTakenAsItIs(Answers):
    def share(self, value: object) -> float | None:
        return value  # type: ignore[return-value]  # that is what is wrong


@mutant("empty-whys-of-a-model-are-taken", "DR-OUT-03", "a why of a model is taken, empty as it is")
class EmptyWhysOfAModelAreTaken(Answers):
    def checked(self, answer: Mapping[str, Any]) -> Insight:
        found = super().checked(answer)
        chain = answer.get("whyChain")
        given = [chain.get(why) for why in WHYS] if isinstance(chain, Mapping) else []
        found.whys = tuple(each if isinstance(each, str) else "" for each in given) or found.whys
        return found


@mutant("late-model-is-waited-for", "DR-LLM-01", "a model that is late is waited for twice as long, and then an error")
class LateModelIsWaitedFor(Asking):
    def ask(self, model: Model, prompt: str, settings: Settings, limit_s: float, trace: Trace) -> str | None:
        found = super().ask(model, prompt, settings, limit_s, trace)
        if any(entry.code == LogCode.MODEL_TIMED_OUT for entry in trace.entries):
            raise TimeoutError("the model is late")
        return found
