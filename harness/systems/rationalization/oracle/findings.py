"""What a scan of a text found: the phrases that are said, and no others (LK-RAT-01 to LK-RAT-05). Pure."""

from collections.abc import Sequence
from typing import Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.rationalization.contract import Finding, Kind, ScanArguments
from harness.systems.rationalization.oracle.mentions import Part
from harness.systems.rationalization.oracle.paraphrases import says_the_same
from harness.systems.rationalization.oracle.phrases import (
    LACKING_OUTPUT,
    MOST_COUNTERS,
    Certainty,
    Occurrence,
    Phrase,
    Reason,
    counters_in,
    is_inside_a_word,
    named,
    same_words,
)

CLAUSES: Final = {
    Kind.EXCUSE: "LK-RAT-01", Kind.HEDGING: "LK-RAT-02", Kind.MINIMIZATION: "LK-RAT-03", Kind.SCOPE_CHANGE: "LK-RAT-04",
    Kind.VERIFICATION_SKIPPED: "LK-RAT-05", Kind.UNVERIFIED_CLAIM: "LK-RAT-05",
}  # fmt: skip
_PARAPHRASED: Final = (Kind.EXCUSE, Kind.HEDGING, Kind.MINIMIZATION)
_PARAPHRASE: Final = "paraphrase"
_NO_RATIONALISATION: Final = "what is only mentioned, or part of a longer word, is no rationalisation"


def judge_scan(call: Call, notes: Notes) -> None:
    """A text was scanned: every phrase that is said is found, with its counter, and nothing that is not said."""
    args: ScanArguments = call.args
    found: Sequence[Finding] = call.answer.findings
    places = [(each.start, each.end) for each in found]
    if places != sorted(places) or not all(0 <= start < end <= len(args.text) for start, end in places):
        notes.breaks(CLAUSES[found[0].kind], "places in the text, in their order", f"{places}"[:300])
        return
    reason = Reason(args.text)
    sure = reason.sure(has_output=args.has_output)
    of_phrase: dict[Phrase | None, list[Finding]] = {}
    for one in found:
        of_phrase.setdefault(named(one.phrase), []).append(one)
    mine = {each: [one for one in of_phrase.get(each.phrase, ()) if _overlap(one, each)] for each in sure}
    for each in sure:
        # who looks for one phrase after the other finds one of two that have a word in common
        if mine[each] or not any(mine[other] for other in sure if other is not each and _overlap(other, each)):
            _judge_said(call, each, mine[each], notes)
    for one in found:
        _judge_found(reason, one, notes, is_answered=args.has_output and one.phrase in LACKING_OUTPUT)


def _judge_said(call: Call, wanted: Occurrence, mine: Sequence[Finding], notes: Notes) -> None:
    phrase = wanted.phrase
    clause = CLAUSES[phrase.kind]
    elsewhere = [each for each in mine if (each.start, each.end) != (wanted.start, wanted.end)]
    expected = f"{phrase.text!r} is found at {wanted.start}, as {phrase.entry or phrase.kind}"
    if not mine:
        notes.breaks(clause, expected, f"it is not: {call.said}"[:500])
    elif elsewhere:
        at = f"{elsewhere[0].start} to {elsewhere[0].end}"
        notes.breaks(clause, f"{phrase.text!r} stands from {wanted.start} to {wanted.end}", at)
    elif len(mine) > 1:
        notes.breaks(clause, expected, "it is found twice at one place")
    else:
        wrong = _wrong(mine[0], phrase)
        paired = "paired with its counter" if phrase.entry else "flagged"
        notes.holds(clause, not wrong, f"{phrase.text!r} is {paired}", f"{wrong}: {mine[0]}"[:400])


def _wrong(one: Finding, phrase: Phrase) -> str:
    """What is wrong with the finding of that phrase; "" when nothing is."""
    if one.kind != phrase.kind:
        return f"it is no {one.kind}"
    if one.entry != phrase.entry:
        return f"it is the row {phrase.entry}" if phrase.entry else "it is in no row of the table"
    if phrase.counter is not None and same_words(phrase.counter) not in same_words(one.required_action):
        return f"what counters it is {phrase.counter!r}"
    if len(counters_in(one.required_action)) > MOST_COUNTERS:
        return "it is paired with what counters the others"
    return "" if one.required_action.strip() else "nothing counters it"


def _judge_found(reason: Reason, one: Finding, notes: Notes, *, is_answered: bool) -> None:
    """Something was found: is it said there? ``is_answered``: it might have been left out."""
    clause, said = CLAUSES[one.kind], reason.text[one.start : one.end]
    phrase = named(one.phrase)
    near = [each for each in reason.occurrences if each.phrase == phrase and _overlap(one, each)]
    exact = [each for each in near if (each.start, each.end) == (one.start, one.end)]
    part = reason.parts.part(one.start, one.end)
    if part is Part.MENTIONED or any(each.certainty is Certainty.MENTIONED for each in exact or near):
        notes.breaks(clause, _NO_RATIONALISATION, f"{said[:80]!r} is found in code or a quotation")
    elif near:
        is_judged = any(each.certainty is Certainty.SAID for each in near) and not is_answered
        if not is_judged and (wrong := _wrong(one, near[0].phrase)):
            notes.breaks(clause, "what is found is paired with its counter", f"{wrong}: {one}"[:400])
    elif is_inside_a_word(reason.text, one.start, one.end):
        notes.breaks(clause, _NO_RATIONALISATION, f"{said[:80]!r} is found inside a word")
    elif one.kind not in _PARAPHRASED:
        notes.breaks(clause, "the phrases of the document are found", f"{one.phrase[:80]!r} in {said[:80]!r}")
    elif phrase is None or phrase.kind is not one.kind or not says_the_same(said, phrase.kind, phrase.entry):
        notes.breaks(clause, "what is found says the same as the phrase", f"{one.phrase[:80]!r} in {said[:80]!r}")
    elif wrong := _wrong(one, phrase):
        notes.breaks(clause, "what is found is paired with its counter", f"{wrong}: {one}"[:400])
    elif part is Part.SAID:
        notes.agrees(clause, "other words that say the same", (_PARAPHRASE,))


def _overlap(one: Finding | Occurrence, other: Occurrence) -> bool:
    return one.start < other.end and other.start < one.end
