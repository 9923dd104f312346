"""The rules of the Output Diagnosis: DR-OUT-01 to DR-OUT-10. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, timedelta
from typing import Any, Final

from harness.systems.diagnosis.contract import Approach, Severity
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.asking import Call
from harness.systems.diagnosis.oracle.failure import iteration_of, tools_of
from harness.systems.diagnosis.oracle.form import Raw, field
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number

NEAR: Final = timedelta(minutes=10)  # no clock that is told the time of a call is further from it
_NO_TOOL: Final = ("", Approach.ASK_USER.value)


def diagnoses(view: View) -> list[tuple[Observed, Raw]]:
    """Every diagnosis that was made, with what it is of."""
    return [(each, each.diagnosis) for each in view.diagnosed if each.diagnosis is not None]


def each_of(view: View, expected: str, wrong: Callable[[Raw], str]) -> Judgement | None:
    """One judgement over all diagnoses: what is wrong with the first that is wrong."""
    return combine(
        failed(expected, f"{what} in {seen.call.said}") if (what := wrong(diagnosis)) else passed(expected)
        for seen, diagnosis in diagnoses(view)
    )


@rule("DR-OUT-01")
def _id(view: View) -> Judgement | None:
    expected = "an id that is a ULID, with diag_ before it or not, and that no other diagnosis has"
    found: list[Judgement] = []
    known: set[tuple[int, str]] = set()
    for seen, diagnosis in diagnoses(view):
        match = None if form.wrong_id(diagnosis) else form.ULID.fullmatch(diagnosis["id"])
        if match is None:
            found.append(failed(expected, form.wrong_id(diagnosis)))
            continue
        name = seen.call.segment, match["ulid"].upper()
        again, reading = name in known, "bare" if match["prefix"] is None else "prefixed"
        found.append(failed(expected, f"{match[0]} again") if again else passed(expected, readings=(reading,)))
        known.add(name)
    return combine(found)


@rule("DR-OUT-02")
def _time_and_iteration(view: View) -> Judgement | None:
    expected = "a timestamp in ISO 8601 at which it was made, and the iteration of the context"

    def judged(seen: Observed, diagnosis: Raw) -> Judgement:
        wrong = form.wrong_time(diagnosis)
        if not wrong and not is_near(diagnosis["timestamp"], seen.call):
            wrong = f"timestamp {diagnosis['timestamp']} at {seen.call.at}"
        given, iteration = iteration_of(seen.args), diagnosis.get("iteration")
        if not wrong and given is not None and number(iteration) != float(given):
            wrong = f"iteration {iteration!r} in iteration {given}"
        return failed(expected, wrong) if wrong else passed(expected)

    return combine(judged(seen, diagnosis) for seen, diagnosis in diagnoses(view))


def is_near(text: str, call: Call) -> bool:
    """May that time have been told by the clock of that call? True where there is no telling."""
    moment, begun, ended = form.instant(text), form.instant(call.at), form.instant(call.ended_at)
    if moment is None or moment.tzinfo is None or begun is None or ended is None:
        return True
    if any(fault.family == "clock" for fault in call.faults):
        return True
    since = moment.astimezone(UTC)
    return begun - NEAR <= since <= max(begun, ended) + NEAR


@rule("DR-OUT-03")
def _five_whys(view: View) -> Judgement | None:
    return each_of(view, "whyChain with the five texts why1 to why5, and nothing else", form.wrong_whys)


@rule("DR-OUT-04")
def _root_cause(view: View) -> Judgement | None:
    return each_of(view, "rootCause with category, description and a confidence within 0.0 and 1.0", form.wrong_cause)


@rule("DR-OUT-05")
def _classification(view: View) -> Judgement | None:
    expected = "errorClassification with type, severity, and canRecover exactly when an alternative names a tool"

    def judged(diagnosis: Raw) -> Judgement:
        wrong = form.wrong_classification(diagnosis)
        if wrong:
            return failed(expected, wrong)
        found = diagnosis["errorClassification"]
        exist = any(map(form.tools_named, form.alternatives(diagnosis)))
        by_reading = {
            "fatal_is_final": exist and found["severity"] != Severity.FATAL.value,
            "strategies_exist": exist,
        }
        readings = [name for name, value in by_reading.items() if value is found["canRecover"]]
        said = f"canRecover {found['canRecover']}, severity {found['severity']}, alternatives with tools: {exist}"
        return passed(expected, said, readings=readings)

    return combine(judged(diagnosis) for _, diagnosis in diagnoses(view))


@rule("DR-OUT-06")
def _alternatives(view: View) -> Judgement | None:
    expected = f"at least {form.FEWEST} alternatives, each with all its fields"

    def judged(diagnosis: Raw) -> Judgement:
        readings = [
            name
            for name, ranges in (("number", False), ("range", True))
            if not form.wrong_alternatives(diagnosis, ranges=ranges)
        ]
        return passed(expected, form.wrong_alternatives(diagnosis, ranges=True) or "as expected", readings=readings)

    return combine(judged(diagnosis) for _, diagnosis in diagnoses(view))


@rule("DR-OUT-07")
def _plan(view: View) -> Judgement | None:
    expected = "a recovery plan with priority, strategy, steps in order and fallbackChain"

    def judged(diagnosis: Raw) -> Judgement:
        plan = diagnosis.get("recoveryPlan")
        if plan is None:
            hopeless = field(diagnosis.get("errorClassification"), "canRecover") is False
            return passed(expected, "no plan", readings=("null_when_hopeless",) if hopeless else ())
        wrong = form.wrong_plan(plan, highest=True)
        if not wrong and not form.asks(plan["strategy"], diagnosis) and not plan["steps"]:
            wrong = f"the plan {plan['strategy']!r} has no step"
        return failed(expected, wrong) if wrong else passed(expected)

    def judged_next(plan: Raw) -> Judgement:
        wrong = form.wrong_plan(plan, highest=False)
        return failed(f"{expected}, after one that failed", wrong) if wrong else passed(expected)

    made = [judged(diagnosis) for _, diagnosis in diagnoses(view)]
    going_on = [judged_next(each.next_plan) for each in view.tried if each.next_plan is not None]
    return combine([*made, *going_on])


@rule("DR-OUT-08")
def _chain(view: View) -> Judgement | None:
    expected = "a plan that is one of the alternatives, then the others in their order, and the user at the end"

    def judged(diagnosis: Raw) -> Judgement | None:
        plan = diagnosis.get("recoveryPlan")
        if not isinstance(plan, Mapping) or form.wrong_plan(plan, highest=False):
            return None
        names = [each["strategy"] for each in form.alternatives(diagnosis)]
        strategy, chain = plan["strategy"], list(plan["fallbackChain"])
        said = f"strategy {strategy!r}, fallbackChain {chain}, alternatives {names}"
        # whoever is asked at once need not be asked once more in the end
        is_open = form.asks(strategy, diagnosis) or (bool(chain) and form.asks(chain[-1], diagnosis))
        if strategy not in names or not is_open:
            return failed(expected, said)
        names.remove(strategy)
        with_tools = [name for name in names if not form.asks(name, diagnosis)]
        of_chain = [name for name in chain if not form.asks(name, diagnosis)]
        if of_chain == with_tools:
            return passed(expected)
        kept = [name for name in of_chain if name in with_tools]
        return passed(expected, said, readings=("others_too",) if _is_in_order(kept, with_tools) else ())

    return combine(judged(diagnosis) for _, diagnosis in diagnoses(view))


def _is_in_order(some: Sequence[str], of: Iterable[str]) -> bool:
    left = iter(of)
    return all(name in left for name in some)


@rule("DR-OUT-09")
def _learning(view: View) -> Judgement | None:
    return each_of(
        view,
        "learningOpportunity with pattern, rule, applicableTaskTypes and a generalizability within 0.0 and 1.0",
        form.wrong_learning,
    )


@rule("DR-OUT-10")
def _available(view: View) -> Judgement | None:
    expected = "strategies that use only available tools, and none to ask the user"

    def judged(seen: Observed, diagnosis: Raw, plans: Iterable[Any]) -> Judgement | None:
        available = tools_of(seen.args)
        if available is None:
            return None
        for each in form.alternatives(diagnosis):
            named = form.tools_named(each)
            if set(named) - available:
                return failed(expected, f"{each['strategy']} names {named} of {sorted(available)}")
            asking = Approach.ASK_USER.value in (each.get("approach"), each["strategy"])
            if asking and named:
                return failed(expected, f"{each['strategy']} asks the user with {named}")
        for step in (step for plan in plans for step in form.steps_of(plan)):
            tool = step.get("tool")
            if isinstance(tool, str) and tool not in _NO_TOOL and tool not in available:
                return failed(expected, f"a step with {tool!r} of {sorted(available)}")
        return passed(expected)

    return combine(
        judged(
            seen,
            diagnosis,
            [diagnosis.get("recoveryPlan"), *(tried.next_plan for tried in view.outcomes(seen))],
        )
        for seen, diagnosis in diagnoses(view)
    )
