"""Rules that hold for every check: the core principle, the answer's form, chaos and monitoring. Pure."""

from collections.abc import Mapping, Sequence

from harness.core.fault import Injection
from harness.systems import standing
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CheckerOutcome, LogCode
from harness.systems.stop_gate.oracle import struck, weather
from harness.systems.stop_gate.oracle.gate_checkers import called
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted, guarded
from harness.systems.stop_gate.oracle.gate_session import is_hostile
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, Check, GateView, Other
from harness.systems.stop_gate.oracle.session import ANALYSED, HANGING, RAISING, Outcome, Semaphore
from harness.systems.stop_gate.oracle.transcript import Kind

HOUR_S = 3600
REPEATEDLY = 3  # PS-MON-02: crashes of one checker
ERRORS_IN, TIMEOUTS_IN = 20, 10  # checks of which one may fail, or time out: 5 and 10 %
FAULTY = frozenset(
    {Outcome.MISSING, Outcome.UNREADABLE, Outcome.TOO_LARGE, Outcome.TOO_MANY_INVALID, Outcome.EMPTY, Outcome.TIMEOUT}
)
_BROKEN_CHECKERS = RAISING | HANGING | {CheckerOutcome.MISSING, CheckerOutcome.NETWORK_ERROR}


def _must_log(view: GateView, check: Check) -> str:
    """The levels of which the document demands an entry for what the check surely met, empty when for nothing."""
    if check.outcomes <= FAULTY:
        return "info warning error" if Outcome.EMPTY in check.outcomes else "warning error"
    if not check.outcomes <= ANALYSED:
        return ""
    broken = any(met is check for met, _ in called(view, _BROKEN_CHECKERS))
    config = check.facts.config
    return "warning error" if broken or config.state == "unusable" or config.bad else ""


def _given_up_log(check: Check) -> str:
    """The levels of which an entry says why it gave up; of a single call any will do, it may read like an absence."""
    return "info warning error" if any(map(struck.is_errno, check.faults)) else "warning error"


def _troubled(check: Check) -> bool:
    """Did the check surely meet something that could go wrong?"""
    transcript = check.facts.transcript
    asked = check.args.considerations or ()
    return bool(
        check.faults
        or check.outcomes <= FAULTY
        or check.facts.config.state == "unusable"
        or check.facts.config.bad
        or check.facts.semaphore in (Semaphore.LINK, Semaphore.GONE)
        or is_hostile(check.args.session_id)
        or any(item.outcome in _BROKEN_CHECKERS | {CheckerOutcome.PRINTS} for item in asked)
        or (transcript is not None and transcript.invalid_at_least)
    )


@RULES.rule("PS-FO-01")
def fail_open(view: GateView) -> Judgement | None:
    """Core principle: what goes wrong ends in approve and a log entry; a genuine blocker still blocks."""
    judgements: list[Judgement] = []
    for check in view.answered():
        if not _troubled(check):
            continue
        judgement = as_permitted(check)
        given_up = check.gave_up and not check.within(check.outcomes)
        levels = _given_up_log(check) if given_up else "" if check.gave_up else _must_log(view, check)
        if judgement.ok and levels and check.answer is not None:
            if not any(entry.level in levels.split() for entry in check.answer.log):
                judgement = failed(f"{check.wanted}, and a log entry about what went wrong", check.said)
        judgements.append(judgement)
    return guarded(view, judgements)


@RULES.rule("PS-FO-02")
def whole_check(view: GateView) -> Judgement | None:
    """Pattern 3: an exception that leaves the ordinary way of the check ends in an approval."""
    left = frozenset({CheckerOutcome.KEYLESS, CheckerOutcome.EXITS, CheckerOutcome.INTERRUPTS})
    judgements: list[Judgement] = []
    for check in view.answered():
        session_id = check.args.session_id or ""
        impossible_id = "\x00" in session_id or (is_hostile(session_id) and len(session_id) > 200)
        no_project = not view.has_project(check.args.project_root, check.begin)
        if impossible_id or no_project or any(item.outcome in left for item in check.args.considerations or ()):
            judgements.append(as_permitted(check))
    return guarded(view, judgements)


@RULES.rule("PS-FO-03")
def form(view: GateView) -> Judgement | None:
    """1.1, 8.2: the four fields, in both kinds of answer."""
    judgements = [_form(check) for check in view.answered() if check.answer is not None]
    if any(not judgement.ok for judgement in judgements):
        return combine(judgements)
    both = any(check.approved for check in view.checks) and any(check.blocked for check in view.checks)
    return combine(judgements) if both else None


def _form(check: Check) -> Judgement:
    answer = check.answer
    assert answer is not None  # noqa: S101 - the caller asks for answered checks only
    if answer.malformed:
        return failed("decision, reasons, continuation_prompt and summary", answer.malformed)
    if answer.decision == "block":
        expected = "a block carries a prompt"
        return passed(expected) if answer.prompt else failed(expected, f"prompt {answer.prompt!r}")
    expected = "an approval carries no prompt"
    if answer.prompt:
        return failed(expected, f"prompt {answer.prompt[:80]!r}")
    empty = answer.prompt == "" or answer.summary == ""
    return passed(expected, readings={"prompt_empty_text"} if empty else {"null_when_absent", "prompt_empty_text"})


@RULES.rule("PS-TST-01")
def chaos(view: GateView) -> Judgement | None:
    """Testing Strategy: under damage, failing storage and concurrency, approvals unless a blocker is genuine."""
    judgements: list[Judgement] = []
    for check in view.answered():
        if not (check.faults or check.overlapped or _damaged(check)):
            continue
        if check.answer is None:
            judgements.append(failed(f"an answer: {check.wanted}", check.said))
        elif Outcome.BLOCK in check.outcomes:
            judgements.append(passed("an answer, either way: the session has a genuine blocker", check.said))
        elif check.approved:
            judgements.append(passed("approve", check.said))
        else:
            judgements.append(failed("approve: no blocker is genuine", check.said))
    return guarded(view, judgements)


def _damaged(check: Check) -> bool:
    transcript = check.facts.transcript
    bad = {Kind.INVALID, Kind.UNDECODABLE, Kind.NO_OBJECT}
    return transcript is not None and any(line.possible & bad for line in transcript.lines)


@RULES.rule("PS-MON-01")
def counters(view: GateView) -> Judgement | None:
    """Monitoring: the four counters, each raised by what it is named after."""
    return combine(_counters(view, metrics) for metrics in view.metrics)


def _before(view: GateView, metrics: Other) -> list[Check]:
    """The checks whose traces the metrics have to show: those of the same world and weather, and since a signal.

    What stands around a process is changed by starting it anew, and at L2 nobody asks that counters outlive that. At
    L3 nothing may be lost: a kill at a call takes the check it struck, and no other.
    """
    found: list[Check] = []
    for check in view.checks:
        if check.segment == metrics.segment and check.n < metrics.n:
            signalled = check.killed and not any(each.fault.family == struck.FAMILY for each in check.faults)
            # who is told that a file is not there cannot know that it was, and begins it anew
            told_gone = any(
                struck.hides(each, RUNTIME) or struck.at(each.fault, RUNTIME)
                for each in check.faults
                if struck.is_errno(each) and each.fault.params.get("errno") == struck.GONE
            )
            found = [] if signalled or told_gone else [*found, check]
    return [check for check in found if _standing(check.injections) == _standing(metrics.faults)]


def _standing(injections: tuple[Injection, ...]) -> list[Injection]:
    """Those that may keep something from being counted: not what only lies about."""
    return [each for each in injections if each.fault.name != "filesystem.leftover"]


def _unkept(metrics: Other) -> bool:
    """Does a fault keep the gate from writing, at least perhaps?"""
    return not all(
        weather.leaves_gate(each) and (each.fault.name in weather.WRITABLE or not standing.on_the_way(each, RUNTIME))
        for each in metrics.faults
    )


def _counters(view: GateView, metrics: Other) -> Judgement | None:
    before = _before(view, metrics)
    happened = {
        "power_steering_timeouts": [check for check in before if _timed_out(view, check)],
        "power_steering_transcript_errors": [check for check in before if check.outcomes == {Outcome.TOO_MANY_INVALID}],
        "power_steering_checker_crashes": [check for check in before if _crashed(view, check)],
    }
    if not all(happened.values()):
        return None
    expected = f"the counters {', '.join(contract.COUNTERS)}, raised by what happened"
    counters_ = metrics.result.get("counters") if metrics.result is not None else None
    if not isinstance(counters_, Mapping):
        return failed(expected, "no counters")
    values = {name: counters_.get(name) for name in contract.COUNTERS}
    numbers = {name: value for name, value in values.items() if type(value) is int and value >= 0}
    if len(numbers) < len(values):
        return failed(expected, f"{values}")
    if any(numbers[name] < len(checks) for name, checks in happened.items()):
        # counters that cannot be written may be lost: the document names no place for them
        return None if _unkept(metrics) else failed(expected, f"{values}")
    inclusive = numbers["power_steering_errors"] >= sum(
        len(happened[name]) for name in ("power_steering_timeouts", "power_steering_checker_crashes")
    )
    return passed(expected, f"{values}", readings={"own_counter"} if inclusive else {"separate"})


def _timed_out(view: GateView, check: Check) -> bool:
    late = any(met is check for met, _ in called(view, HANGING))
    return late or check.outcomes == {Outcome.TIMEOUT}


def _crashed(view: GateView, check: Check) -> bool:
    return any(met is check for met, _ in called(view, RAISING))


@RULES.rule("PS-MON-02")
def alerts(view: GateView) -> Judgement | None:
    """Monitoring: no alert after a quiet hour, the fitting ones after one in which every check failed."""
    return combine(_alerts(view, metrics) for metrics in view.metrics)


def _alerts(view: GateView, metrics: Other) -> Judgement | None:
    before = [check for check in view.checks if check.segment == metrics.segment and check.n < metrics.n]
    if before != _before(view, metrics) or _unkept(metrics):
        return None  # what of the hour was kept is open
    window = [check for check in before if metrics.now_s - check.now_s < HOUR_S]
    this_hour = [check for check in before if check.now_s // HOUR_S == metrics.now_s // HOUR_S]
    if window != this_hour or not before:
        return None  # sliding and tumbling windows differ
    alerts_ = metrics.result.get("alerts", ()) if metrics.result is not None else None
    if not isinstance(alerts_, list | tuple) or not all(isinstance(alert, Mapping) for alert in alerts_):
        return failed("a list of alerts", "none")
    standing = {(str(alert.get("kind")), alert.get("checker")) for alert in alerts_}
    kinds = sorted({kind for kind, _ in standing})
    if not window or all(_quiet(check) for check in window):
        return passed("no alert") if not standing else failed("no alert after a quiet hour", f"{kinds}")
    above = _not_above(view, window) & set(kinds)
    if above:
        return failed("no alert at the rate itself, only above", f"{sorted(above)}")
    crashes = [item.id for _check, met in called(view, RAISING) if _check in window for item in met]
    wanted = {("checker_crashes", name) for name in crashes if crashes.count(name) >= REPEATEDLY}
    missing = sorted(name for name, checker in wanted if (name, checker) not in standing)
    if all(_timed_out(view, check) or _crashed(view, check) for check in window):
        missing += [] if "error_rate" in kinds else ["error_rate"]
        every_timeout = all(_timed_out(view, check) for check in window)
        missing += ["timeout_rate"] if every_timeout and "timeout_rate" not in kinds else []
    elif not wanted:
        return passed("no alert at the rate itself, only above") if _not_above(view, window) else None
    expected = "alerts for an hour in which every check failed"
    return failed(expected, f"{kinds}, without {missing}") if missing else passed(expected, f"{kinds}")


def _not_above(view: GateView, window: Sequence[Check]) -> set[str]:
    """The alerts of which so few checks speak, whatever they count, that they cannot stand."""
    troubled = sum(not _quiet(check) for check in window)
    hanging = sum(_timed_out(view, check) for check in window)
    rates = {"error_rate": troubled * ERRORS_IN <= len(window)}
    rates["timeout_rate"] = hanging == troubled and hanging * TIMEOUTS_IN <= len(window)
    return {kind for kind, is_below in rates.items() if is_below}


def _quiet(check: Check) -> bool:
    """Did nothing at all go wrong?"""
    log = check.answer.log if check.answer is not None else ()
    return not _troubled(check) and check.answer is not None and not any(entry.level == "error" for entry in log)


@RULES.rule("PS-MON-03")
def error_context(view: GateView) -> Judgement | None:
    """Monitoring: errors carry a stack trace, the transcript's path and the session's id."""
    judgements: list[Judgement] = []
    for check, met in called(view, frozenset({CheckerOutcome.RAISES})):
        if not check.args.session_id or check.answer is None:
            continue
        names = {item.id for item in met}
        entries = [entry for entry in check.answer.entries(LogCode.CHECKER_RAISED) if entry.checker in names]
        name = check.args.transcript_path.rpartition("/")[2]
        complete = [
            entry
            for entry in entries
            if entry.traceback
            and entry.session_id == check.args.session_id
            and (entry.transcript_path or "").endswith(name)
        ]
        expected = "an error with a stack trace, the session id and the transcript's path"
        judgements.append(passed(expected) if complete else failed(expected, f"{len(entries)} errors, none with all"))
    return combine(judgements)
