"""The Enforcement Protocol: its four steps in order, and the attempt that is logged (LK-RAT-06, LK-RAT-07). Pure."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.rationalization.contract import (
    EPISODIC_DIRECTORY,
    HOME,
    TABLE,
    Action,
    EnforceResult,
    Entry,
    StepTaken,
)
from harness.systems.rationalization.oracle.phrases import (
    MOST_COUNTERS,
    PHRASES,
    Phrase,
    Reason,
    counters_in,
    same_words,
)
from harness.systems.rationalization.oracle.weather import ATTEMPTS, FILES

ORDER: Final = "LK-RAT-06"
LOGGED: Final = "LK-RAT-07"
_STEPS: Final = "stop, then identify and counter each, then document; the action does not proceed"
_PROTOCOL: Final = (Action.STOP, Action.IDENTIFY, Action.COUNTER, Action.DOCUMENT)
_NAMED, _NEAREST = "phrase_named", "nearest_entry"


def judge_enforced(call: Call, reason: Reason, notes: Notes) -> None:
    """An action was excused with a reason."""
    answer: EnforceResult = call.answer
    sure = list(dict.fromkeys(each.phrase for each in reason.sure(has_output=call.args.has_output)))
    if sure:
        readings, wrong = _protocol(answer, sure, reason)
        notes.holds(ORDER, not wrong, _STEPS, f"{wrong}: {call.said}"[:500], readings)
        _judge_logged(call, notes)
    elif reason.is_clean():
        acted = [step.action for step in answer.steps if step.action in _PROTOCOL]
        if not answer.proceeds or acted:
            notes.breaks(ORDER, "what is not excused proceeds", call.said)
        if answer.logged:
            notes.breaks(LOGGED, "what is not excused is not logged", call.said)
    elif not answer.proceeds:
        _judge_logged(call, notes)


def _protocol(answer: EnforceResult, sure: Sequence[Phrase], reason: Reason) -> tuple[frozenset[str] | None, str]:
    """The readings that agree with the steps, None for all; or what is wrong with them."""
    wrong = _disorder(answer) or _unspecific(answer.steps, sure, reason)
    if wrong:
        return None, wrong
    flags = [phrase for phrase in sure if phrase.entry is None]
    unnamed = [flag for flag in flags if not any(_names(step, flag) for step in _identifying(answer.steps))]
    if len(_identifying(answer.steps)) < len(sure):
        return None, "not each is identified"
    for phrase in sure:
        is_countered = _is_countered_as_row if phrase in unnamed else _is_countered
        if not is_countered(answer.steps, phrase):
            return None, f"{phrase.text!r} is not identified, and then countered"
    return frozenset((_NEAREST if unnamed else _NAMED,)) if flags else None, ""


def _disorder(answer: EnforceResult) -> str:
    """What is wrong with the order of the steps; "" when nothing is."""
    known = [step.action for step in answer.steps if step.action in tuple(Action)]
    if any(not step.ok for step in answer.steps if step.action in _PROTOCOL and step.action != Action.DOCUMENT):
        return "a step failed"
    if answer.proceeds or Action.PROCEED in known:
        return "it proceeds"
    if any(action not in known for action in _PROTOCOL):
        return "a step is missing"
    if known[0] != Action.STOP or known.count(Action.STOP) > 1:
        return "it stops first"
    if known[-1] != Action.DOCUMENT or known.count(Action.DOCUMENT) > 1:
        return "it documents last, once"
    counters = identified = 0
    for action in known[1:-1]:
        identified += action == Action.IDENTIFY
        counters += action == Action.COUNTER
        if counters > identified:
            return "what is countered was identified before"
    return "" if counters == identified else "what is identified is countered"


def _unspecific(steps: Sequence[StepTaken], sure: Sequence[Phrase], reason: Reason) -> str:
    """A step that names what is not in the reason; "" when there is none."""
    has_flags = any(phrase.entry is None for phrase in sure)
    for step in _identifying(steps):
        meant = [phrase for phrase in PHRASES if _names(step, phrase)]
        if not meant:
            return f"{step.detail[:80]!r} names none"
        if len(meant) > 1:
            return f"{step.detail[:80]!r} names several at once"
        if not any(reason.may_have(phrase) or (has_flags and phrase.entry is not None) for phrase in meant):
            return f"{step.detail[:80]!r} is named, and not there"
    return "" if all(_is_own(step, reason) for step in steps if step.action == Action.COUNTER) else "all is countered"


def _is_own(step: StepTaken, reason: Reason) -> bool:
    """Does it counter what is there, and not everything that there is?"""
    others = [phrase for phrase in counters_in(step.detail) if not reason.may_have(phrase)]
    return len(others) <= MOST_COUNTERS


def _identifying(steps: Sequence[StepTaken]) -> list[StepTaken]:
    return [step for step in steps if step.action == Action.IDENTIFY]


def _names(step: StepTaken, phrase: Phrase) -> bool:
    said = same_words(step.detail)
    return said == phrase.entry or same_words(phrase.text) in said


def _is_countered(steps: Sequence[StepTaken], phrase: Phrase) -> bool:
    """Is the phrase named, and after that what is required instead?"""
    return any(
        _counters(steps, place, phrase.counter or "")
        for place, step in enumerate(steps)
        if step.action == Action.IDENTIFY and _names(step, phrase)
    )


def _is_countered_as_row(steps: Sequence[StepTaken], flag: Phrase) -> bool:
    """Is some row of the table named, and after that what the row, or the flag, requires?"""
    return any(
        _counters(steps, place, action)
        for place, step in enumerate(steps)
        if step.action == Action.IDENTIFY
        for entry in Entry
        if step.detail == entry
        for action in _actions(entry, flag)
    )


def _actions(entry: Entry, flag: Phrase) -> Iterator[str]:
    yield TABLE[entry].required_action
    if flag.counter is not None:
        yield flag.counter


def _counters(steps: Sequence[StepTaken], named_at: int, action: str) -> bool:
    """Is that what a step after that place requires? Something is, where the document says nothing of it."""
    wanted = same_words(action)
    return any(
        step.action == Action.COUNTER and step.detail.strip() and wanted in same_words(step.detail)
        for step in steps[named_at + 1 :]
    )


def _judge_logged(call: Call, notes: Notes) -> None:
    """Is the attempt in a file below the directory, as the answer says?"""
    answer: EnforceResult = call.answer
    documented = [step.ok for step in answer.steps if step.action == Action.DOCUMENT]
    if not answer.logged:
        kept = ATTEMPTS in call.shaken and call.says_so
        if not kept or any(documented):
            notes.breaks(LOGGED, "the attempt is logged, or the answer says why it is not", call.said)
        return
    path = None if answer.path is None else posixpath.normpath(f"{HOME}/{answer.path}")
    if path is None or not path.startswith(f"{EPISODIC_DIRECTORY}/") or not all(documented):
        notes.breaks(LOGGED, f"the attempt is logged below {EPISODIC_DIRECTORY}", call.said)
        return
    if not call.left or ATTEMPTS in FILES.hidden(call.faults):
        return
    fact, before = call.left.get(path), call.found.get(path)
    is_there = fact is not None and fact.kind == "file" and fact.size > 0
    grown = is_there and (before is None or fact is None or (before.size, before.sha256) != (fact.size, fact.sha256))
    readings = ("one_file", "file_each") if before is None else ("one_file",)
    notes.holds(LOGGED, grown, f"{path} has the attempt", f"it has not after {call.said}"[:500], readings)
