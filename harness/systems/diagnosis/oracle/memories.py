"""The rules of the two memories: DR-MEM-01 to DR-MEM-04. Pure. Source: 001 Memory Extensions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.core.log import LogLevel
from harness.systems.diagnosis.contract import WHYS, Reflection
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.files import CONTEXT, EPISODIC, PATHS, SESSION, Growth, Span, parsed
from harness.systems.diagnosis.oracle.form import Raw, field
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, Tried, View
from harness.systems.diagnosis.oracle.wording import is_alike
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number, unanswered

SUCCESS: Final = "success"
FAILURES: Final = ("failure", "failed")
_OUTCOMES: Final = (SUCCESS, *FAILURES)
_BAD: Final = (LogLevel.WARNING.value, LogLevel.ERROR.value)


class Kept:
    """One span whose memory was found afterwards: what happened in it, and the lines that are new."""

    def __init__(self, view: View, span: Span, growth: Growth, label: str) -> None:
        numbers = {call.n for call in span.calls}
        self.span, self.growth = span, growth
        self.may_lose = span.may_lose(label)
        self.made = [seen for seen in view.diagnosed if seen.call.n in numbers]
        self.tried = [tried for tried in view.tried if tried.call.n in numbers and tried.call.answered]

    @property
    def said(self) -> str:
        """What happened, for a person."""
        return f"{[line[:200] for line in self.growth.added]} after {self.span.calls[0].said}"


def kept(view: View, label: str) -> Iterator[Kept]:
    """Every span whose file of that label was found afterwards."""
    for span in view.spans:
        growth = span.growth(label)
        if growth is not None:
            yield Kept(view, span, growth, label)


def is_session_record(raw: object) -> bool:
    """Is it a line of ours in the session memory?"""
    return isinstance(field(raw, "failure_diagnosis"), dict)


def attempts(record: Raw) -> list[Raw]:
    """The recoveries that a session record tells of, as far as they are objects."""
    found = field(record.get("failure_diagnosis"), "recovery_attempted")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


@rule("DR-MEM-01")
def _session(view: View) -> Judgement | None:
    found: list[Judgement | None] = []
    for each in kept(view, SESSION):
        records = [raw for raw in each.growth.objects if is_session_record(raw)]
        found += [_session_form(record) for record in records]
        found.append(_untouched(each))
        if not each.may_lose:
            found += [_diagnosis_kept(seen, seen.diagnosis, records, each) for seen in each.made if seen.diagnosis]
            found += [_success_kept(tried, records, each) for tried in each.tried]
    return combine(found)


def _session_form(record: Raw) -> Judgement:
    expected = "a record of the form of the document"
    wrong = wrong_session(record)
    return failed(expected, f"{wrong} in {record}") if wrong else passed(expected)


def wrong_session(record: Raw) -> str:
    """What is wrong with the form of a session record, "" when nothing is."""
    failure = record["failure_diagnosis"]
    for name in ("immediate_cause", "root_cause"):
        if not form.is_text(failure.get(name)):
            return f"{name} {failure.get(name)!r}"
    chain = failure.get("why_chain")
    if not form.is_texts(chain) or len(chain) != len(WHYS):
        return f"why_chain {chain!r}"
    tried = failure.get("recovery_attempted")
    if not isinstance(tried, list):
        return f"recovery_attempted {tried!r}"
    for each in tried:
        wrong = _wrong_attempt(each)
        if wrong:
            return wrong
    pattern = record.get("learned_pattern")
    if pattern is None:
        return ""
    for name, is_sound in (("when", form.is_text), ("then", form.is_text), ("confidence", form.is_share)):
        if not is_sound(field(pattern, name)):
            return f"learned_pattern.{name} {field(pattern, name)!r}"
    return ""


def _wrong_attempt(raw: object) -> str:
    outcome, iterations = field(raw, "outcome"), field(raw, "iterations_to_success")
    if not form.is_text(field(raw, "strategy")):
        return f"recovery_attempted without a strategy: {raw!r}"
    if outcome not in _OUTCOMES:
        return f"outcome {outcome!r}"
    counted = form.is_count(iterations) or (iterations is None and outcome != SUCCESS)
    return "" if counted else f"iterations_to_success {iterations!r} of a {outcome}"


def _untouched(each: Kept) -> Judgement | None:
    """What others wrote stays; lines of our own may be written again in the reading ``amended``."""
    gone = [line for line in each.growth.lost if line != each.growth.torn.strip()]
    expected = "every line that stood there before"
    if each.may_lose:
        return None
    foreign = [line for line in gone if not is_session_record(parsed(line))]
    if foreign:
        return failed(expected, f"{foreign[0][:200]!r} is gone")
    if gone and (not each.tried or not _is_amended(each.growth, gone)):
        return failed(expected, f"{gone[0][:200]!r} is gone")
    if not each.tried:
        return None
    return passed(expected, readings=("amended",) if gone else ("appended",))


def _is_amended(growth: Growth, gone: Sequence[bytes]) -> bool:
    """May those lines have been written again: is there a new record of ours for each?"""
    ours = all(is_session_record(parsed(line)) for line in gone)
    return ours and len(gone) <= sum(map(is_session_record, growth.objects))


def _diagnosis_kept(seen: Observed, diagnosis: Raw, records: Sequence[Raw], each: Kept) -> Judgement | None:
    """Is there a record with the whys of that diagnosis?"""
    whys = list(form.whys(diagnosis))
    if not whys:
        return None
    expected = f"a record of the failure with why_chain {whys}"
    right = any(is_alike(field(record["failure_diagnosis"], "why_chain"), whys) for record in records)
    return passed(expected) if right else failed(expected, f"{each.said}, {seen.call.op}")


def _success_kept(tried: Tried, records: Sequence[Raw], each: Kept) -> Judgement | None:
    """Does a record tell of this success, of all that was tried before and of nothing else, and of what was learned?"""
    if tried.strategy is None:
        return None
    told = [*tried.before, tried]
    expected = f"a record of what was tried: {[(one.strategy, one.args.success) for one in told]}"
    # the record of this outcome is the one that tells of it last
    of_this = [record for record in records if _tells(record, tried)]
    if not of_this:
        return failed(expected, each.said) if tried.args.success else None
    wanted = Counter((one.strategy, one.args.success) for one in told)
    for record in of_this:
        if Counter(map(_as_told, attempts(record))) == wanted and _counts(record, tried):
            if not tried.args.success or record.get("learned_pattern") is not None:
                return passed(expected)
    return failed(expected, each.said)


def _as_told(attempt: Raw) -> tuple[Any, bool]:
    return str(attempt.get("strategy")), attempt.get("outcome") == SUCCESS


def _tells(record: Raw, tried: Tried) -> bool:
    last = attempts(record)[-1:]
    return [_as_told(each) for each in last] == [(tried.strategy, tried.args.success)]


def _counts(record: Raw, tried: Tried) -> bool:
    """After a success: does it say how many iterations that took?"""
    iterations = number(attempts(record)[-1].get("iterations_to_success"))
    return not tried.args.success or iterations == float(tried.args.iterations)


@rule("DR-MEM-02")
def _episodic(view: View) -> Judgement | None:
    found: list[Judgement | None] = []
    late = False  # a record that could not be written may come with a later one
    for each in kept(view, EPISODIC):
        records = [raw for raw in each.growth.objects if "error_encountered" in raw or "reusable_pattern" in raw]
        named = all(seen.named for seen in view.failed if seen.call.segment == each.span.calls[0].segment)
        for record in records:
            wrong = wrong_episode(record, named=named)
            expected = "a record of the form of the document"
            found.append(failed(expected, f"{wrong} in {record}") if wrong else passed(expected))
        if not each.may_lose:
            found += [
                _episode_kept(tried, records, each) for tried in each.tried if not (late and not tried.args.success)
            ]
        late = late or each.may_lose
    return combine(found)


def wrong_episode(record: Raw, *, named: bool) -> str:
    """What is wrong with the form of an episodic record, "" when nothing is; ``named``: each tool has a name."""
    error, pattern = record.get("error_encountered"), record.get("reusable_pattern")
    for name in ("type", *(("tool",) if named else ()), "diagnosis", "root_cause"):
        if not form.is_text(field(error, name)):
            return f"error_encountered.{name} {field(error, name)!r}"
    for name, is_sound in (("trigger", form.is_text), ("action", form.is_text), ("success_rate", form.is_share)):
        if not is_sound(field(pattern, name)):
            return f"reusable_pattern.{name} {field(pattern, name)!r}"
    recovery = record.get("successful_recovery")
    if recovery is None:
        return ""
    for name, is_sound in (
        ("strategy", form.is_text),
        ("tools", form.is_texts),
        ("iterations_to_success", form.is_count),
        ("confidence", form.is_share),
    ):
        if not is_sound(field(recovery, name)):
            return f"successful_recovery.{name} {field(recovery, name)!r}"
    return ""


def _episode_kept(tried: Tried, records: Sequence[Raw], each: Kept) -> Judgement | None:
    """Is there a record of that recovery when it succeeded, and none of a success when it failed?"""
    told = [record.get("successful_recovery") for record in records]
    found = [recovery for recovery in told if recovery is not None]
    if not tried.args.success:
        expected = "no successful recovery after one that failed"  # and no record at all, or one without it
        if len(each.tried) > 1:
            return None
        return failed(expected, each.said) if found else passed(expected)
    if tried.strategy is None:
        return None
    expected = f"a record of {tried.strategy} in {tried.args.iterations} iterations, of {tried.of.args.tool}"
    right = any(
        field(recovery, "strategy") == tried.strategy
        and number(field(recovery, "iterations_to_success")) == float(tried.args.iterations)
        and (not tried.of.named or field(record.get("error_encountered"), "tool") == tried.of.args.tool)
        for record, recovery in zip(records, told, strict=True)
    )
    return passed(expected) if right else failed(expected, each.said)


@rule("DR-MEM-03")
def _failures(view: View) -> Judgement | None:
    def judged(tried: Tried, each: Kept) -> Judgement | None:
        if tried.args.success or tried.strategy is None:
            return None
        expected = f"a record of {tried.strategy}, which failed"
        records = [raw for raw in each.growth.objects if is_session_record(raw)]
        stored = any((tried.strategy, False) in map(_as_told, attempts(record)) for record in records)
        return passed(expected) if stored else failed(expected, each.said)

    return combine(judged(tried, each) for each in kept(view, SESSION) if not each.may_lose for tried in each.tried)


@rule("DR-MEM-04")
def _robust(view: View) -> Judgement | None:
    found = [_span_robust(view, span, label) for span in view.spans for label in (SESSION, EPISODIC, CONTEXT)]
    return combine(found)


def _span_robust(view: View, span: Span, label: str) -> Judgement | None:
    """Was nothing lost but the line that was being written, and did the agent go on?"""
    expected = "no line lost but one that could not be written, which is told, and an answer"
    growth = span.growth(label)
    path = PATHS[label]
    is_shaken = any(call.shaken(path) for call in span.calls)
    refused = [call for call in span.calls if is_shaken and call.binds and not call.answered]
    if refused:
        return unanswered(refused[0], expected)
    if growth is None or not (is_shaken or _is_hard(span, label, growth)):
        return None
    torn = growth.torn.strip()
    whole = [line for line in growth.lost if line != torn or parsed(torn) is not None]
    if whole and not (label == SESSION and _is_amended(growth, whole)):
        return failed(expected, f"{whole[0][:200]!r} is gone from {path}")
    if growth.glued:
        return failed(expected, f"{growth.added[0][:200]!r} stands in one line with a torn one in {path}")
    short = _missing(view, span, label, growth)
    if short and not _is_told(span):
        return failed(expected, f"{short} lines are missing in {path} without a word: {span.calls[0].said}")
    if torn and parsed(torn) is None and growth.added:
        return passed(expected, readings=("cut_off",) if torn in growth.lost else ("ended_first",))
    return passed(expected)


def _is_hard(span: Span, label: str, growth: Growth) -> bool:
    """Did torn or foreign lines stand there, did several operations run at once, or was one cut off?"""
    fact = span.calls[0].inputs.get(label)
    stood = fact is not None and fact.data is not None
    lines = fact.data.split(b"\n") if fact is not None and fact.data is not None else []
    strange = stood and any(line.strip() and not isinstance(parsed(line), dict) for line in lines)
    return bool(growth.torn) or strange or len(span.calls) > 1 or not all(call.answered for call in span.calls)


def _missing(view: View, span: Span, label: str, growth: Growth) -> int:
    """How many lines of the operations that were answered are not there; the log may leave out fast paths."""
    numbers = {call.n for call in span.calls if call.answered}
    made = [seen for seen in view.diagnosed if seen.call.n in numbers]
    tried = [each for each in view.tried if each.call.n in numbers and each.strategy is not None]
    wanted = {
        SESSION: len(made) + len(tried),
        EPISODIC: sum(each.args.success for each in tried),
        CONTEXT: sum(seen.reflection == Reflection.FULL.value for seen in made),
    }
    return max(wanted[label] - len(growth.objects), 0)


def _is_told(span: Span) -> bool:
    """Does the log of an answer tell of a warning or an error?"""
    logs = [call.result.get("log") for call in span.calls]
    entries = [entry for log in logs if isinstance(log, list | tuple) for entry in log]
    return any(field(entry, "level") in _BAD for entry in entries)
