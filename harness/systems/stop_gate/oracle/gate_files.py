"""Rules on what is written, and what cannot be: document 004, section 5. Pure."""

import hashlib
from collections.abc import Iterator

from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate.contract import LogCode
from harness.systems.stop_gate.oracle import struck, weather
from harness.systems.stop_gate.oracle.gate_paths import LINKS
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted, guarded, with_log
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, Check, GateView, link_target, on_the_way
from harness.systems.stop_gate.oracle.session import ENDED_WELL, Outcome

# after these it is open whether a path can be written, or they are refused for another reason (PS-FS-04)
_UNCERTAIN = weather.WRITABLE | weather.MOVING | LINKS


def unwritable(check: Check, path: str) -> bool:
    """Did the harness prove that this path cannot be written, or does a file stand where its directory would be?"""
    for injection in check.faults:
        fault = injection.fault
        if fault.family == "filesystem" and fault.name not in _UNCERTAIN and on_the_way(injection, path):
            return True
        if struck.refuses(injection, check.places, path):
            return True
    parts = path.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts)))
    return any(parent in check.begin.files and check.begin.files[parent].kind == "file" for parent in above)


def as_without_fault(view: GateView, check: Check) -> Judgement | None:
    """The answer equals that of the same session without the fault, None when the history has none to compare."""
    mine = check.answer
    for other in view.judged():
        theirs = other.answer
        same = (
            other.facts.args.considerations == check.facts.args.considerations
            and other.facts.input == check.facts.input
            and other.outcomes == check.outcomes
        )
        if other.n == check.n or not same or not other.calm or mine is None or theirs is None:
            continue
        told = (mine.decision, mine.reasons, mine.prompt, mine.summary is None)
        if told != (theirs.decision, theirs.reasons, theirs.prompt, theirs.summary is None):
            return failed(f"as without the fault: {theirs}", check.said)
    return None


def _cannot_write(view: GateView, which: str) -> Iterator[Check]:
    for check in view.judged():
        path = check.semaphore_path if which == "semaphore" else check.summary_path
        if check.has_safe_id and check.outcomes <= ENDED_WELL and unwritable(check, path):
            yield check


def _told(check: Check, expected: str, code: LogCode) -> Judgement:
    """As permitted, and the failure in the log, as one of writing or of the path."""
    if check.answer is not None and check.answer.logged("warning error", LogCode.PATH_OUTSIDE_ROOT):
        return as_permitted(check, expected)
    return with_log(check, expected, "warning error", code)


@RULES.rule("PS-FS-01")
def semaphore_fails(view: GateView) -> Judgement | None:
    """5.1: not being able to write the semaphore is logged and changes nothing else."""
    judgements: list[Judgement | None] = []
    for check in _cannot_write(view, "semaphore"):
        if check.semaphore_path in check.after and check.answer is not None:
            continue  # it could be written after all
        expected = f"{check.wanted}, and the failed semaphore in the log"
        judgements.append(_told(check, expected, LogCode.SEMAPHORE_WRITE_FAILED))
        judgements.append(as_without_fault(view, check))
    if not judgements:
        return None
    blocked = [check for check in view.where(Outcome.BLOCK) if unwritable(check, check.semaphore_path)]
    judgements += [as_permitted(check) for check in blocked if not check.permitted]
    return guarded(view, judgements)


@RULES.rule("PS-FS-02")
def summary_fails(view: GateView) -> Judgement | None:
    """5.2: not being able to write the summary is logged and changes nothing else."""
    judgements: list[Judgement | None] = []
    for check in _cannot_write(view, "summary"):
        summary = None if check.answer is None else check.answer.summary
        if check.outcomes != {Outcome.ONLY_WARNINGS} and not summary:
            continue  # nothing says that there was one to write
        if summary and _holds(check, summary):
            continue  # it could be written after all
        expected = f"{check.wanted}, and the failed summary in the log"
        judgements.append(_told(check, expected, LogCode.SUMMARY_WRITE_FAILED))
        judgements.append(as_without_fault(view, check))
    return guarded(view, judgements)


def _holds(check: Check, summary: str) -> bool:
    """Does summary.md hold that text, with or without a last newline?"""
    fact = check.after.get(check.summary_path)
    if fact is None or fact.kind != "file":
        return False
    forms = (summary, summary + "\n", summary.rstrip("\n"))
    return fact.sha256 in {hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest() for form in forms}


@RULES.rule("PS-FS-03")
def summary_written(view: GateView) -> Judgement | None:
    """5.2: the summary stands in summary.md, in a directory of the session's name."""
    judgements: list[Judgement] = []
    for check in view.where(*ENDED_WELL):
        answer = check.answer
        if check.overlapped or not check.has_safe_id or answer is None or not answer.summary or not check.approved:
            continue
        if unwritable(check, check.summary_path) or outward_links(view, check):
            continue
        expected = f"the summary in {check.summary_path}"
        if _holds(check, answer.summary):
            judgements.append(passed(expected))
        elif check.undisturbed(check.summary_path):
            fact = check.after.get(check.summary_path)
            judgements.append(failed(expected, "no such file" if fact is None else f"a {fact.kind} with another text"))
    return combine(judgements)


def outward_links(view: GateView, check: Check) -> dict[str, str]:
    """Links that point out of the runtime directory, in the way of what the check would write; with their targets."""
    found: dict[str, str] = {}
    for path in (f"{RUNTIME}/{check.args.session_id}", check.summary_path, check.semaphore_path):
        fact = check.begin.files.get(path)
        if fact is None or fact.kind not in ("symlink", "link"):
            continue
        target = link_target(path, view.scenario, check.injections)
        if target is not None and target != RUNTIME and not target.startswith(RUNTIME + "/"):
            found[path] = target
    return found


def _linked(view: GateView) -> Iterator[tuple[Check, dict[str, str]]]:
    for check in view.judged():
        links = outward_links(view, check) if check.has_safe_id else {}
        if links and check.outcomes <= ENDED_WELL | {Outcome.APPROVE}:
            yield check, links


def _leads_to(path: str, links: dict[str, str]) -> bool:
    """Is it a path that one of these links leads to, or that only a link can have led to?"""
    targets = ("{outside}", *links.values())
    return any(path == target or path.startswith(target + "/") for target in targets)


@RULES.rule("PS-FS-04")
def refused(view: GateView) -> Judgement | None:
    """5.3: nothing is written through a link that leads out of the runtime directory, and the refusal is logged."""
    judgements: list[Judgement] = []
    for check, links in _linked(view):
        expected = "nothing written where the link leads, and a security error in the log"
        away = sorted(path for path in check.written() if _leads_to(path, links))
        summary_refused = set(links) != {check.semaphore_path} and (
            check.outcomes == {Outcome.ONLY_WARNINGS} or (check.answer is not None and bool(check.answer.summary))
        )
        if away:
            judgements.append(failed(expected, f"written: {away[:5]}"))
        elif check.answer is None or (
            summary_refused and not check.answer.logged("warning error", LogCode.PATH_OUTSIDE_ROOT)
        ):
            judgements.append(failed(expected, check.said))
        elif summary_refused or check.semaphore_path in links:
            judgements.append(passed(expected, check.said))
    return guarded(view, judgements)


@RULES.rule("PS-FS-05")
def refusal_approves(view: GateView) -> Judgement | None:
    """5.3 and the core principle: refusing a path never keeps a session from ending."""
    return guarded(view, (as_permitted(check, "approve") for check, _ in _linked(view)))
