"""The rules of the order of recoveries: DR-REC-01, DR-REC-06, DR-REC-07, and the templates' order. Pure.

Source: 001 Recovery Planner, Recovery Strategy Templates, Configuration Flags, Open Questions 2.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from harness.systems.diagnosis.contract import FLAG_DEFAULTS, SHELLS, Approach, ErrorType, Flag
from harness.systems.diagnosis.oracle.classification import shown_by, type_of
from harness.systems.diagnosis.oracle.failure import tools_of
from harness.systems.diagnosis.oracle.form import Raw, alternatives, asks, field, steps_of, tools_named
from harness.systems.diagnosis.oracle.proposals import approach_of, in_list, in_plan, is_fresh, says_approaches
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, Tried, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import unanswered

LIST_ORDER, PLAN_ORDER = "list_order", "plan_order"
PER_FAILURE, PER_TOOL = "per_failure", "per_tool"
_A = Approach
TEMPLATES: Final[Mapping[ErrorType, tuple[Approach, ...]]] = {
    ErrorType.COMMAND_NOT_FOUND: (_A.EQUIVALENT_BINARY, _A.DOWNLOAD_AND_EXTRACT, _A.ASK_USER),
    ErrorType.PERMISSION_DENIED: (_A.SANDBOX_BOUNDS, _A.ALLOWED_DIRECTORY, _A.ASK_USER),
    ErrorType.TIMEOUT: (_A.REDUCED_SCOPE, _A.STREAMING, _A.RAISED_LIMIT, _A.ASK_USER),
    ErrorType.TOOL_NOT_FOUND: (_A.SIMILAR_TOOL, _A.BUILT_IN, _A.ASK_USER),
}
# Recovery Planner: immediate fixes, fallback tools, scope reduction, user clarification
_KINDS: Final[Mapping[Approach, int]] = {
    _A.CORRECTED_RETRY: 0,
    _A.EQUIVALENT_BINARY: 1,
    _A.DOWNLOAD_AND_EXTRACT: 1,
    _A.SIMILAR_TOOL: 1,
    _A.BUILT_IN: 1,
    _A.ANOTHER_TOOL: 1,
    _A.REDUCED_SCOPE: 2,
    _A.ASK_USER: 3,
}


def template_of(seen: Observed) -> ErrorType | None:
    """The template that governs a failure: by what it unmistakably is, else by what it was taken for."""
    shown = shown_by(seen)
    kind = None if shown is None else shown.type
    if kind is None:
        taken = type_of(seen)
        kind = next((each for each in TEMPLATES if each.value == taken), None)
    return kind if kind in TEMPLATES else None


def judged_as(view: View, kind: ErrorType, judge: Callable[[Observed, Raw], Judgement | None]) -> list[Judgement]:
    """What is to be said of each fresh failure that is of that type, unmistakably and by its classification."""
    found = []
    for seen in view.diagnosed:
        if seen.diagnosis is None or type_of(seen) != kind.value or not is_fresh(view, seen):
            continue
        if template_of(seen) is kind and says_approaches(seen.diagnosis):
            judgement = judge(seen, seen.diagnosis)
            found += [] if judgement is None else [judgement]
    return found


def in_order(kind: ErrorType, needed: Iterable[Approach], seen: Observed, diagnosis: Raw) -> Judgement:
    """The steps of a template come in its order, the ``needed`` ones are there, and asking the user is the last."""
    template = TEMPLATES[kind]
    expected = f"{', '.join(template)}, in that order"
    ways = [wrong_order(template, needed, ways) for ways in (in_list(diagnosis), in_plan(diagnosis))]
    return (
        passed(expected) if "" in ways else failed(expected, f"{ways[0]} in {_listed(diagnosis)} of {seen.call.said}")
    )


def wrong_order(template: Sequence[Approach], needed: Iterable[Approach], ways: Sequence[Raw]) -> str:
    """What is wrong with that order of alternatives, "" when nothing is."""
    if not ways or tools_named(ways[-1]):
        return "the user is not asked last"
    named = [approach_of(each) for each in ways]
    places = [template.index(each) for each in named if each in template]
    if places != sorted(places):
        return "another order"
    missing = [each for each in needed if each not in named]
    return f"no {missing[0]}" if missing else ""


def _listed(diagnosis: Raw) -> str:
    return ", ".join(str(each.get("approach") or each["strategy"]) for each in alternatives(diagnosis))


@rule("DR-REC-01")
def by_preference(view: View) -> Judgement | None:
    """Corrected retries come before other tools, those before less, and asking the user comes last."""
    return combine(
        _preferred(seen, seen.diagnosis)
        for seen in view.diagnosed
        if seen.diagnosis is not None and is_fresh(view, seen) and says_approaches(seen.diagnosis)
    )


def _preferred(seen: Observed, diagnosis: Raw) -> Judgement:
    expected = "corrected retries, other tools, a smaller scope, and at last asking the user"
    # what a template orders otherwise is for the template to say
    template = TEMPLATES.get(template_of(seen) or ErrorType.UNKNOWN, ())
    kinds = {each: kind for each, kind in _KINDS.items() if each not in template or each is _A.ASK_USER}
    ways = {
        LIST_ORDER: _is_falling(in_list(diagnosis), kinds),
        PLAN_ORDER: _is_falling(in_plan(diagnosis), kinds),
    }
    found = [name for name, falling in ways.items() if falling]
    return passed(expected, f"{_listed(diagnosis)} of {seen.call.said}", readings=found)


def _is_falling(ways: Sequence[Raw], kinds: Mapping[Approach, int]) -> bool:
    places = []
    for each in ways:
        approach = approach_of(each)
        kind = kinds[_A.ASK_USER] if not tools_named(each) else None if approach is None else kinds.get(approach)
        places += [] if kind is None else [kind]
    return bool(ways) and places == sorted(places) and not tools_named(ways[-1])


@rule("DR-REC-06")
def without_template(view: View) -> Judgement | None:
    """A failure that no template governs has a plan with steps, too, and one that does something where it can."""
    return combine(_has_plan(view, seen) for seen in view.diagnosed if template_of(seen) is None)


def _has_plan(view: View, seen: Observed) -> Judgement | None:
    expected = "a plan: a strategy and its steps"
    diagnosis = seen.diagnosis or {}
    plan = diagnosis.get("recoveryPlan")
    if plan is None and field(diagnosis.get("errorClassification"), "canRecover") is False:
        return None  # which is a reading of DR-OUT-07
    strategy = field(plan, "strategy")
    if isinstance(strategy, str) and strategy and (steps_of(plan) or asks(strategy, diagnosis)):
        tools = tools_of(seen.args) or frozenset()
        able = seen.failure is not None and seen.args.tool in tools and bool(tools & SHELLS)
        if not able or not asks(strategy, diagnosis) or view.flags.attempts == 0 or not is_fresh(view, seen):
            return passed(expected)
        expected = "a plan that uses the tools there are"
    return failed(expected, f"{plan!r:.200} of {seen.call.said}")


@rule("DR-REC-07")
def attempts(view: View) -> Judgement | None:
    """After two recoveries that failed the user is asked; not before, while there is another one."""
    if view.flags.text(Flag.MAX_RECOVERY_ATTEMPTS) is not None:
        return None  # which is for DR-CFG-05 to say
    return combine(gave_up(view, tried, int(FLAG_DEFAULTS[Flag.MAX_RECOVERY_ATTEMPTS])) for tried in view.tried)


def gave_up(view: View, tried: Tried, most: int) -> Judgement | None:
    """What follows the outcome of a recovery where ``most`` are tried; None when nothing is to be said of it."""
    before = [each for each in (*tried.before, tried) if not each.args.success]
    if len(before) <= len(tried.before) or tried.of.diagnosis is None:
        return None  # one of them was a success
    number = len(before)
    if number >= most:
        expected = f"the user is asked after {number} of {most} recoveries failed"
        if not tried.call.answered:
            return unanswered(tried.call, expected)
        asked = tried.asks_user and (tried.next_plan is None or _asks(tried))
        return passed(expected) if asked else failed(expected, tried.call.said)
    return _another(view, tried, number, most)


def _another(view: View, tried: Tried, number: int, most: int) -> Judgement | None:
    """The control: before, another recovery is proposed while there is one."""
    diagnosis = tried.of.diagnosis or {}
    expected = f"control: another recovery after {number} of {most} failed"
    if not tried.call.answered:
        return unanswered(tried.call, expected)
    left = sum(bool(tools_named(each)) for each in alternatives(diagnosis)) > number
    if not tried.asks_user:
        known = {each["strategy"] for each in alternatives(diagnosis)}
        sound = tried.next_plan is not None and tried.next_plan.get("strategy") in known and not _asks(tried)
        if sound:
            return passed(expected)
        return failed(expected, tried.call.said, reason="the control failed") if left else None
    others = [each for each in view.tried if each.call.n < tried.call.n and each.of is not tried.of]
    failures = [each for each in others if not each.args.success and each.call.segment == tried.call.segment]
    if any(each.of.args.tool == tried.of.args.tool for each in failures):
        return passed(expected, readings=(PER_TOOL, PER_FAILURE))
    if tried.nothing_left and not tried.of.asks_user:
        return passed(f"{expected}; nothing else is left")
    if not left or failures or tried.of.asks_user:
        return None  # the failures of a cascade are counted as one, or there was nothing from the beginning
    return failed(expected, tried.call.said, reason="the control failed")


def _asks(tried: Tried) -> bool:
    return asks((tried.next_plan or {}).get("strategy"), tried.of.diagnosis or {})
