"""Rules on the session id and its semaphore: document 004, sections 2 and 7.1. Pure."""

from harness.core.history import FileFact
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate.contract import SEMAPHORE_LIFETIME_S, LogCode
from harness.systems.stop_gate.oracle import struck, weather
from harness.systems.stop_gate.oracle.gate_files import unwritable
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted, guarded, no_texts, with_log
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, Check, GateView, on_the_way
from harness.systems.stop_gate.oracle.session import ANALYSED, ENDED_WELL, READ, Outcome, Semaphore

FUTURE_SKEW_S = 60  # PS-SES-05, reading ignored_beyond_skew
NAME_LIMIT_BYTES = 255 - len("._completed")  # what a file name takes, less what the semaphore's name adds
TIME_SLACK_S = 2.0  # a file system may round times


@RULES.rule("PS-SES-01")
def missing_id(view: GateView) -> Judgement | None:
    """2.1: a check without an id uses a fallback and warns."""
    judgements: list[Judgement | None] = []
    for check in view.judged():
        if check.args.session_id or check.odd or check.outcomes & {Outcome.SKIPPED, Outcome.DISABLED}:
            continue
        expected = f"as with an id ({check.wanted}), and a warning"
        judgement = with_log(check, expected, "warning", LogCode.SESSION_ID_MISSING)
        judgements.append(_fallback_reading(check, judgement) if judgement.ok else judgement)
    return combine(judgements)


def _fallback_reading(check: Check, judgement: Judgement) -> Judgement:
    """A fixed fallback meets its own semaphore again; a generated one may differ from call to call."""
    if check.overlapped or Outcome.ALREADY_RAN not in check.outcomes:
        return judgement
    met = check.answer is not None and check.answer.reasons == (Outcome.ALREADY_RAN.value,)
    return passed(judgement.expected, judgement.observed, readings={"fixed"} if met else {"generated", "fixed"})


@RULES.rule("PS-SES-02")
def semaphore_written(view: GateView) -> Judgement | None:
    """2.2: an approval at the end of an analysis leaves the semaphore in the runtime directory."""
    judgements: list[Judgement] = []
    for check in view.where(*ENDED_WELL):
        if check.overlapped or not check.has_safe_id or check.answer is None:
            continue
        if check.facts.semaphore is Semaphore.GONE:
            continue  # a link stands in the way
        fact = check.after.get(check.semaphore_path)
        expected = f"approve, and a file {check.semaphore_path}"
        if not check.permitted:
            judgements.append(failed(expected, check.said))
        elif fact is not None and fact.kind == "file":
            judgements.append(passed(expected))
        elif check.undisturbed(check.semaphore_path) and not unwritable(check, check.semaphore_path):
            judgements.append(failed(expected, "no such file" if fact is None else f"a {fact.kind} there"))
    return combine(judgements)


@RULES.rule("PS-SES-03")
def first_writer(view: GateView) -> Judgement | None:
    """2.2: of several writers the first wins, nobody fails, and an existing semaphore is left as it is."""
    judgements: list[Judgement] = []
    ends = {check.segment: check for check in sorted(view.checks, key=_end) if check.overlapped}
    last = {check.n for check in ends.values()}
    for check in view.judged():
        if not check.has_safe_id or not check.outcomes <= ENDED_WELL | {Outcome.ALREADY_RAN}:
            continue
        before = check.begin.files.get(check.semaphore_path)
        if check.overlapped:
            judgements.append(_several(check, last=check.n in last))
        elif before is not None and before.kind == "file" and check.undisturbed(check.semaphore_path):
            judgements.append(_kept(check, before))
    return combine(judgements)


def _end(check: Check) -> int:
    return -1 if check.end is None else check.end.n


def _several(check: Check, *, last: bool) -> Judgement:
    expected = "every one of the checks approves, and one semaphore stands there"
    if not check.permitted:
        return failed(expected, check.said)
    if not last or unwritable(check, check.semaphore_path) or not check.undisturbed(check.semaphore_path):
        return passed(expected)  # the others may still be at it, or none of them can write
    marks = sorted(path for path, fact in check.after.items() if _is_mark(path, check) and fact.kind == "file")
    if marks != [check.semaphore_path]:
        return failed(expected, f"{len(marks)} semaphores: {marks[:4]}")
    return passed(expected)


def _is_mark(path: str, check: Check) -> bool:
    """Is it a semaphore of that session, or something left over from making one?"""
    name = path.removeprefix(RUNTIME + "/")
    return name != path and "/" not in name and f"{check.args.session_id}_completed" in name


def _kept(check: Check, before: FileFact) -> Judgement:
    expected = "the existing semaphore left as it is, unless it is stale: then its time may become now"
    if not check.permitted:
        return failed(check.wanted, check.said)
    after = check.after.get(check.semaphore_path)
    if after is None:
        return failed(expected, "it is gone")
    if after.mtime_s == before.mtime_s:
        stale = check.facts.semaphore is Semaphore.STALE
        return passed(expected, readings={"first_wins"} if stale else {"first_wins", "refreshed_when_stale"})
    renewed = abs(after.mtime_s - check.now_s) <= TIME_SLACK_S
    if renewed and check.facts.semaphore is Semaphore.STALE:
        return passed(expected, readings={"refreshed_when_stale"})
    if renewed and check.facts.semaphore is Semaphore.FUTURE:
        return passed(expected)  # what becomes of a semaphore from the future is open: PS-SES-05
    return failed(expected, f"its time moved by {after.mtime_s - before.mtime_s:.0f} s")


@RULES.rule("PS-SES-04")
def stale_semaphore(view: GateView) -> Judgement | None:
    """2.3: at 3600 s or younger the session counts as run; older is ignored, with a warning."""
    judgements: list[Judgement] = []
    for check in view.judged():
        if not check.has_safe_id or check.outcomes & {Outcome.SKIPPED, Outcome.DISABLED}:
            continue
        state = check.facts.semaphore
        if _hidden(check):
            continue  # whether it could be seen at all is open
        if state is Semaphore.FRESH:
            judgements.append(as_permitted(check, f"approve [already_ran]: at most {SEMAPHORE_LIFETIME_S} s old"))
        elif state is Semaphore.STALE:
            expected = f"older than {SEMAPHORE_LIFETIME_S} s, so ignored: {check.wanted}"
            judgements.append(with_log(check, expected, "warning", LogCode.SEMAPHORE_STALE))
    return combine(judgements)


def _hidden(check: Check) -> bool:
    """May a fault hide the semaphore from the gate, though the harness sees it?"""
    path = check.semaphore_path
    return any(on_the_way(each, path) and each.fault.name not in weather.OPEN_TO_SEE for each in check.injections)


@RULES.rule("PS-SES-05")
def future_semaphore(view: GateView) -> Judgement | None:
    """2.3 (gap): a semaphore dated in the future neither blocks nor crashes."""
    judgements: list[Judgement] = []
    for check in view.judged():
        if check.facts.semaphore is not Semaphore.FUTURE or check.outcomes & {Outcome.SKIPPED, Outcome.DISABLED}:
            continue
        if _hidden(check):
            continue
        judgement = as_permitted(check)
        if judgement.ok and check.answer is not None:
            ahead = check.begin.files[check.semaphore_path].mtime_s - check.now_s
            counts = check.answer.reasons == (Outcome.ALREADY_RAN.value,)
            near = ahead <= FUTURE_SKEW_S
            readings = {"counts"} if counts else {"ignored"}
            if counts is near or abs(ahead - FUTURE_SKEW_S) < 1:
                readings.add("ignored_beyond_skew")
            judgement = passed(judgement.expected, judgement.observed, readings=readings)
        judgements.append(judgement)
    return combine(judgements)


@RULES.rule("PS-SES-06")
def vanishing_semaphore(view: GateView) -> Judgement | None:
    """2.3 (derived): a semaphore that is there and is not does not break the check."""
    return guarded(
        view,
        (
            as_permitted(check, f"the check goes on: {check.wanted}")
            for check in view.judged()
            if (check.facts.semaphore in (Semaphore.LINK, Semaphore.GONE) or _comes_and_goes(check))
            and not check.outcomes & {Outcome.SKIPPED, Outcome.DISABLED}
        ),
    )


def _comes_and_goes(check: Check) -> bool:
    if not check.has_safe_id:
        return False
    gone = any(
        struck.hides(each, check.semaphore_path) and each.fault.params.get("errno") == struck.GONE
        for each in check.faults
    )
    return gone or bool(weather.moving(check.semaphore_path, check.faults))


def is_hostile(session_id: str | None) -> bool:
    """Does the id hold a separator, .. or NUL, or is it longer than a file name can be?"""
    if not session_id:
        return False
    if any(bad in session_id for bad in ("/", "\\", "\x00", "..")) or session_id == ".":
        return True
    return len(session_id.encode("utf-8", "surrogatepass")) > NAME_LIMIT_BYTES


@RULES.rule("PS-SES-07")
def contained(view: GateView) -> Judgement | None:
    """2.2, 5.3: whatever the id, nothing is written outside the runtime directory."""
    excused = {path for check in view.checks if check.has_safe_id for path in check.written()}
    judgements: list[Judgement] = []
    for check in view.checks:
        if not is_hostile(check.args.session_id):
            continue
        expected = f"an answer ({check.wanted}), and nothing written outside {RUNTIME}"
        away = sorted(path for path in check.written() if not _belongs(path) and path not in excused)
        if away or _removed(check):
            judgements.append(failed(expected, f"written: {away[:5]}; removed: {_removed(check)[:5]}"))
        elif not check.dismissed:
            judgements.append(as_permitted(check, expected))
    return guarded(view, judgements)


def _belongs(path: str) -> bool:
    return path == RUNTIME or path.startswith(RUNTIME + "/") or RUNTIME.startswith(path + "/")


def _removed(check: Check) -> list[str]:
    gone = (path for path in check.begin.files if path not in check.after and not _belongs(path))
    return sorted(path for path in gone if not weather.stirred(path, check.injections))


@RULES.rule("PS-LOOP-01")
def already_ran(view: GateView) -> Judgement | None:
    """7.1: the semaphore is tested before anything else, and ends the check."""
    return combine(_already(check) for check in view.where(Outcome.ALREADY_RAN))


def _already(check: Check) -> Judgement:
    expected = "approve [already_ran], no prompt, no summary"
    judgement = as_permitted(check, expected)
    return failed(expected, check.said) if judgement.ok and not no_texts(check) else judgement


@RULES.rule("PS-LOOP-02")
def marked_on_approval_only(view: GateView) -> Judgement | None:
    """7.1: a block leaves no semaphore, so the session is checked again; early approvals may leave one."""
    judgements: list[Judgement] = []
    witnessed = False
    for check in view.checks:
        if not check.has_safe_id or check.overlapped or weather.stirred(check.semaphore_path, check.injections):
            continue
        stands = check.semaphore_path in check.after
        stood = check.semaphore_path in check.begin.files
        if check.killed:
            if check.outcomes == {Outcome.BLOCK} and stands and not stood:
                expected = "no semaphore after a check that was ended before it could have approved"
                judgements.append(failed(expected, f"{check.semaphore_path} appeared"))
                witnessed = True
            continue
        if check.dismissed or check.gave_up or check.answer is None:
            continue
        if check.blocked and Outcome.BLOCK in check.outcomes:
            if stands and not stood:
                judgements.append(failed("no semaphore after a block", f"{check.semaphore_path} appeared"))
                witnessed = True
        elif check.approved and not stood and not check.outcomes & (ANALYSED | _UNTOLD) and check.calm:
            judgements.append(passed(_EARLY, readings={"early_too"} if stands else {"analysed_only"}))
        if check.outcomes <= READ and _was_blocked(view, check):
            witnessed = True
            judgements.append(as_permitted(check, f"checked again after a block: {check.wanted}"))
    return combine(judgements) if witnessed else None


_EARLY = "early approvals all leave a semaphore, or none does"
_UNTOLD = frozenset({Outcome.SKIPPED, Outcome.DISABLED, Outcome.ALREADY_RAN, Outcome.APPROVE, Outcome.UNREADABLE})


def _was_blocked(view: GateView, check: Check) -> bool:
    return any(other.blocked and other.args.session_id == check.args.session_id for other in view.earlier(check))
