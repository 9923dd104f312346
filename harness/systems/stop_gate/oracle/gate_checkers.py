"""Rules on the checkers and their limits: document 004, sections 3 and 6.3. Pure."""

from collections.abc import Iterator

from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate.contract import CheckerOutcome, Consideration, LogCode
from harness.systems.stop_gate.oracle import session
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted, with_log
from harness.systems.stop_gate.oracle.gate_transcript import fixed_approval
from harness.systems.stop_gate.oracle.gate_view import Check, GateView
from harness.systems.stop_gate.oracle.session import ANALYSED, HANGING, RAISING, Outcome
from harness.systems.stop_gate.oracle.transcript import Answer3


def called(view: GateView, outcomes: frozenset[CheckerOutcome]) -> Iterator[tuple[Check, tuple[Consideration, ...]]]:
    """The checks whose analysis surely came to considerations of these outcomes, with those considerations."""
    for check in view.judged():
        asked = check.args.considerations
        if asked is None or check.args.off_main_thread or check.untold:
            continue
        if not check.outcomes <= ANALYSED | {Outcome.APPROVE}:
            continue
        met = tuple(item for item in session.reached(asked) if item.outcome in outcomes)
        if met:
            yield check, met


def each_logged(check: Check, met: tuple[Consideration, ...], expected: str, levels: str, code: LogCode) -> Judgement:
    """As permitted, and a log entry about every one of these considerations."""
    for item in met:
        judgement = with_log(check, f"{expected}: {check.wanted}", levels, code, checker=item.id)
        if not judgement.ok:
            return judgement
    return as_permitted(check, f"{expected}: {check.wanted}")


@RULES.rule("PS-CHK-01")
def missing_checker(view: GateView) -> Judgement | None:
    """3.1: a checker that does not exist counts as satisfied, with a warning."""
    judgements: list[Judgement] = []
    for check, met in called(view, frozenset({CheckerOutcome.MISSING, CheckerOutcome.KEYLESS})):
        named = tuple(item for item in met if item.outcome is CheckerOutcome.MISSING)
        judgements.append(each_logged(check, named, "satisfied, with a warning", "warning", LogCode.CHECKER_MISSING))
    return combine(judgements)


@RULES.rule("PS-CHK-02")
def raising_checker(view: GateView) -> Judgement | None:
    """3.2: a checker that raises counts as satisfied, is logged as an error, and the others still run."""
    judgements: list[Judgement] = []
    for check, met in called(view, RAISING):
        if check.outcomes == {Outcome.SATISFIED} and check.permitted:
            continue  # nothing after it was seen to answer
        judgement = each_logged(check, met, "satisfied, the others still run", "error", LogCode.CHECKER_RAISED)
        raised = {item.id for item in met if item.outcome is CheckerOutcome.RAISES}
        if judgement.ok and raised and check.answer is not None:
            entries = [entry for entry in check.answer.entries(LogCode.CHECKER_RAISED) if entry.checker in raised]
            if entries:
                traced = all(entry.traceback for entry in entries)
                reading = "with_traceback" if traced else "without_traceback"
                judgement = passed(judgement.expected, judgement.observed, readings={reading})
        judgements.append(judgement)
    return combine(judgements)


@RULES.rule("PS-CHK-03")
def checker_limit(view: GateView) -> Judgement | None:
    """3.3: a checker over its limit is abandoned, counts as satisfied, and is logged as an error."""
    judgements: list[Judgement] = []
    for check, met in called(view, HANGING | {CheckerOutcome.SLOW}):
        if check.facts.config.timeouts != {None}:
            continue  # PS-CFG-06: it may be the limit of one checker
        slack = session.SLACK_S / check.facts.scale
        heard = [session.fails(item, session.DEFAULT_CHECKER_S, slack) for item in met]
        late = tuple(item for item, fails in zip(met, heard, strict=True) if fails is Answer3.NO)
        if late:
            expected = "the late checker counts as satisfied, with an error"
            judgements.append(each_logged(check, late, expected, "error", LogCode.CHECKER_TIMED_OUT))
        elif Answer3.MAYBE not in heard:
            judgements.append(as_permitted(check, f"a checker within its limit is heard: {check.wanted}"))
    return combine(judgements)


@RULES.rule("PS-CHK-04")
def analysis_limit(view: GateView) -> Judgement | None:
    """3.4: the whole analysis is limited; within the limit it comes to its end."""
    judgements = [
        fixed_approval(check, "error", LogCode.ANALYSIS_TIMED_OUT)
        for check in view.where(Outcome.TIMEOUT)
        if not check.args.off_main_thread
    ]
    for check, met in called(view, HANGING | {CheckerOutcome.SLOW}):
        spent = sum(session.waiting_s(item, session.DEFAULT_CHECKER_S) for item in met)
        if spent >= session.DEFAULT_WHOLE_S / 2 and check.decision is not None:
            judgements.append(as_permitted(check, f"{spent:g} s are within the limit: {check.wanted}"))
    return combine(judgements)


@RULES.rule("PS-CHK-05")
def outer_limit(view: GateView) -> Judgement | None:
    """3.3: the limit of the whole still stands after a checker was timed out within it."""
    judgements: list[Judgement] = []
    for check in view.where(Outcome.TIMEOUT):
        asked = check.args.considerations or ()
        hanging = [item for item in asked if item.outcome in HANGING]
        if len(hanging) > 1 and check.facts.config.timeouts == {None} and not check.args.off_main_thread:
            judgements.append(as_permitted(check, "approve [timeout]: the limit of the whole fires"))
    return combine(judgements)


@RULES.rule("PS-CHK-06")
def off_main_thread(view: GateView) -> Judgement | None:
    """3.3 (gap): off the main thread the limits hold, or the check approves."""
    judgements: list[Judgement] = []
    for check in view.judged():
        asked = check.args.considerations or ()
        if not check.args.off_main_thread or not any(item.outcome in HANGING for item in asked):
            continue
        if check.outcomes & {Outcome.SKIPPED, Outcome.DISABLED, Outcome.ALREADY_RAN}:
            continue
        if not check.permitted:
            judgements.append(failed(check.wanted, check.said))
            continue
        readings = {"approves"} if check.approved else set()
        if check.within(check.outcomes - {Outcome.APPROVE}):
            readings.add("limit_holds")
        judgements.append(passed(check.wanted, check.said, readings=readings))
    return combine(judgements)


@RULES.rule("PS-CON-03")
def network_error(view: GateView) -> Judgement | None:
    """6.3: a network error counts as satisfied, with a warning."""
    return combine(
        each_logged(check, met, "satisfied, with a warning", "warning", LogCode.NETWORK_UNREACHABLE)
        for check, met in called(view, frozenset({CheckerOutcome.NETWORK_ERROR}))
    )
