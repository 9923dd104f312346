"""The rules of the model and of what the root cause rests on: DR-LLM-01 and DR-MET-02. Pure.

Source: 001 Open Questions 4, Acceptance 1 and 2.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from harness.systems.diagnosis.contract import ErrorType, ModelBehaviour, ModelScript
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.classification import shown_by, type_of
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import unanswered

WITHOUT_IT: Final = "without_it"
STANDS: Final = "classification_stands"
_FENCED: Final = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
_PARTS: Final = ("whyChain", "rootCause", "errorClassification", "alternatives", "recoveryPlan", "learningOpportunity")


def answer_of(model: ModelScript) -> Any:
    """The JSON that the model answers with, in a fence or not; None when it answers with none, or not at all."""
    if model.behaviour not in (ModelBehaviour.ANSWERS, ModelBehaviour.SLOW):
        return None
    fenced = _FENCED.search(model.text)
    try:
        return msgspec.json.decode(fenced[1] if fenced else model.text)
    except (msgspec.DecodeError, RecursionError):
        return None


def is_of_no_use(model: ModelScript) -> bool:
    """Does it fail, hang, keep one waiting, or answer with what is no whole diagnosis?"""
    answer = answer_of(model)
    if model.behaviour is not ModelBehaviour.ANSWERS or not isinstance(answer, Mapping):
        return True
    wrong = (
        form.wrong_whys(answer),
        form.wrong_cause(answer),
        form.wrong_classification(answer),
        form.wrong_alternatives(answer, ranges=True),
        form.wrong_plan(answer.get("recoveryPlan"), highest=False),
        form.wrong_learning(answer),
    )
    return any(part not in answer for part in _PARTS) or any(wrong)


@rule("DR-LLM-01")
def without_it(view: View) -> Judgement | None:
    """Whatever becomes of the model, the diagnosis is whole."""
    if view.flags.enabled is not True:
        return None
    return combine(_whole(seen, seen.args.model) for seen in view.failed if seen.args.model is not None)


def _whole(seen: Observed, model: ModelScript) -> Judgement | None:
    if not is_of_no_use(model):
        return None
    expected = f"a whole diagnosis, although the model {model.behaviour.value} {model.text!r:.80}"
    if not seen.call.answered:
        return unanswered(seen.call, expected)
    wrong = "no diagnosis" if seen.diagnosis is None else form.incomplete(seen.diagnosis)
    return failed(expected, f"{wrong} in {seen.call.said}") if wrong else passed(expected, readings=(WITHOUT_IT,))


@rule("DR-MET-02")
def not_invented(view: View) -> Judgement | None:
    """What a failure unmistakably is stands, whatever a model says, and every root cause carries a confidence."""
    return combine([*map(_contradicted, view.diagnosed), *map(_confident, view.diagnosed)])


def _contradicted(seen: Observed) -> Judgement | None:
    shown = shown_by(seen)
    if shown is None or shown.type is None or seen.args.model is None:
        return None
    answer = answer_of(seen.args.model)
    said = form.field(form.field(answer, "errorClassification"), "type")
    if not isinstance(said, str) or said == shown.type.value or said not in list(ErrorType):
        return None
    expected = f"{shown.type.value}, although a model says {said}"
    if type_of(seen) == said:
        return failed(expected, f"{said} in {seen.call.said}")
    return passed(expected, readings=(STANDS,))


def _confident(seen: Observed) -> Judgement:
    expected = "a root cause with a description and a confidence from 0 to 1"
    wrong = form.wrong_cause(seen.diagnosis or {})
    return failed(expected, f"{wrong} in {seen.call.said}") if wrong else passed(expected, readings=(STANDS,))
