"""The rules of the text that the next reflection reads, and of the one the user is shown: DR-PRM-01, DR-UI-01. Pure.

The document's own prompt shortens the diagnosis it is made of, so a text is shown when a third of its words are.
"""

import re
from typing import Final

from harness.systems.diagnosis.contract import NOT_ASKED
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.form import Raw, field
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Asked, Tried, View
from harness.systems.diagnosis.oracle.wording import MOST, Text
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import unanswered

_WORKED: Final = re.compile(r"succe|worked|recovered|solved|\bok\b|\bpass|\u2713|\u2714|\u2705")
_LEARNED: Final = re.compile(r"learn|pattern|\brule|lesson|remember|next time|in future")
_FAILED: Final = re.compile(r"fail|unsuccess|not work|no success|\u2717|\u2718|\u274c")


@rule("DR-PRM-01")
def _prompt(view: View) -> Judgement | None:
    expected = "root cause, numbered whys, recommended strategy with numbered steps, alternatives and the pattern"

    def judged(asked: Asked, diagnosis: Raw) -> Judgement:
        if not asked.call.answered:
            return unanswered(asked.call, expected)
        lost = not_in_prompt(Text(asked.text), diagnosis)
        return failed(expected, f"without {lost}: {asked.text!r}") if lost else passed(expected)

    return combine(
        judged(asked, asked.of.diagnosis)
        for asked in view.prompts
        if asked.of.diagnosis is not None and not asked.before and not form.incomplete(asked.of.diagnosis)
    )


def not_in_prompt(text: Text, diagnosis: Raw) -> str:
    """What of the diagnosis the text leaves out, "" when nothing; the diagnosis is complete."""
    cause, plan, learning = diagnosis["rootCause"], diagnosis["recoveryPlan"], diagnosis["learningOpportunity"]
    if not text.says(cause["description"]):
        return "the root cause"
    if not text.holds_share(cause["confidence"]):
        return "the confidence of the root cause"
    whys = text.in_order(_whys(diagnosis), numbered=True)
    if whys is None:
        return "the numbered whys"
    found = text.find(cause["description"])
    used = {*whys, *([found] if found is not None else [])}
    if plan is not None:
        lost = _plan_not_in(text, plan, diagnosis, used)
        if lost:
            return lost
    for each in form.alternatives(diagnosis):
        if each["strategy"] != field(plan, "strategy") and not _named(
            text, used, each["strategy"], each["description"]
        ):
            return f"the alternative {each['strategy']}"
    return "" if _is_learned(text, learning) else "the pattern to learn"


def _is_learned(text: Text, learning: Raw) -> bool:
    """Is there the pattern or its rule, or a line in other words of which it is said that it is to be learned?"""
    wanted = (learning["pattern"], learning["rule"])
    if any(text.holds(each) for each in wanted):
        return True
    told = Text("\n".join(text.around(place) for place, line in enumerate(text.lines) if _LEARNED.search(line)))
    return any(told.find(each) is not None for each in wanted)


def _plan_not_in(text: Text, plan: Raw, diagnosis: Raw, used: set[int]) -> str:
    """What of the plan it leaves out; ``used`` gains the lines that tell of it."""
    if not _named(text, used, plan["strategy"]):
        return "the recommended strategy"
    confidence = form.confidence_of(plan["strategy"], diagnosis)
    if confidence is not None and not text.holds_share(confidence):
        return "the confidence of the strategy"
    for place, step in enumerate(form.steps_of(plan), start=1):
        words = " ".join([step["action"], *(each for each in step["args"].values() if isinstance(each, str))])
        found = [text.find(each, numbered=place, besides=used) for each in (step["action"], words)]
        lines = [line for line in found if line is not None]
        if not lines:
            return f"step {place}"
        used.add(lines[0])
    return ""


def _named(text: Text, used: set[int], name: str, *words: str) -> bool:
    """Is that name said, in its words, or by what describes it, in a line that says nothing else?"""
    whole = [each for each in (name, *words) if text.holds(each)]
    if whole:
        used |= {line for line in (text.find(each, enough=1.0) for each in whole) if line is not None}
        return True
    found = [text.find(name, besides=used, enough=MOST), *(text.find(each, besides=used) for each in words)]
    used |= {line for line in found if line is not None}
    return any(line is not None for line in found)


def _whys(diagnosis: Raw) -> list[str]:
    """The whys that have to be shown: those that were not asked are the last, and may be left out."""
    return [why for why in form.whys(diagnosis) if not why.strip().lower().startswith(NOT_ASKED)]


@rule("DR-UI-01")
def _report(view: View) -> Judgement | None:
    expected = "the root cause, the whys in order, and each recovery that was tried with its outcome"

    def judged(asked: Asked, diagnosis: Raw) -> Judgement:
        if not asked.call.answered:
            return unanswered(asked.call, expected)
        lost = not_in_report(Text(asked.text), diagnosis, asked.before)
        return failed(expected, f"without {lost}: {asked.text!r}") if lost else passed(expected)

    return combine(
        judged(asked, asked.of.diagnosis)
        for asked in view.reports
        if asked.of.diagnosis is not None and not form.incomplete(asked.of.diagnosis)
    )


def not_in_report(text: Text, diagnosis: Raw, tried: tuple[Tried, ...]) -> str:
    """What the text leaves out of the diagnosis and of the recoveries that were tried, "" when nothing."""
    if not text.says(diagnosis["rootCause"]["description"]):
        return "the root cause"
    if text.in_order(_whys(diagnosis), numbered=False) is None:
        return "the whys in order"
    for each in tried:
        strategy = each.strategy
        if strategy is not None and not _is_told(text, strategy, success=each.args.success):
            return f"the outcome of {strategy}"
    return ""


def _is_told(text: Text, strategy: str, *, success: bool) -> bool:
    """Is there a line of that strategy that tells of this outcome, and not of the other?"""
    told = _WORKED if success else _FAILED
    lines = [place for place in range(len(text.lines)) if _names(text.lines[place], strategy)]
    return any(told.search(text.around(place)) for place in lines)


def _names(line: str, strategy: str) -> bool:
    return Text(line).find(strategy, enough=MOST) is not None
