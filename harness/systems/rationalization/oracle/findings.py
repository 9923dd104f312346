"""What a scan of a text found: the phrases that are said, and no others (LK-RAT-01 to LK-RAT-05). Pure."""

from collections.abc import Sequence
from typing import Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.rationalization.contract import Entry, Finding, Kind, ScanArguments
from harness.systems.rationalization.oracle.phrases import (
    LACKING_OUTPUT,
    Certainty,
    Occurrence,
    Phrase,
    is_inside_a_word,
    named,
    occurrences,
    resembles,
    same_words,
)

CLAUSES: Final = {
    Kind.EXCUSE: "LK-RAT-01", Kind.HEDGING: "LK-RAT-02", Kind.MINIMIZATION: "LK-RAT-03", Kind.SCOPE_CHANGE: "LK-RAT-04",
    Kind.VERIFICATION_SKIPPED: "LK-RAT-05", Kind.UNVERIFIED_CLAIM: "LK-RAT-05",
}  # fmt: skip
_PARAPHRASED: Final = (Kind.EXCUSE, Kind.HEDGING, Kind.MINIMIZATION)
_PHRASE, _PARAPHRASE = "phrase", "paraphrase"


def has_to_be_found(found: Occurrence, *, has_output: bool) -> bool:
    """Is the phrase said for sure, and a rationalisation whatever is shown with it?"""
    return found.certainty is Certainty.SAID and not (has_output and found.phrase.text in LACKING_OUTPUT)


def judge_scan(call: Call, notes: Notes) -> None:
    """A text was scanned: every phrase that is said is found, with its counter, and nothing that is not said."""
    args: ScanArguments = call.args
    found: Sequence[Finding] = call.answer.findings
    places = [(each.start, each.end) for each in found]
    if places != sorted(places) or not all(0 <= start < end <= len(args.text) for start, end in places):
        notes.breaks(_first_clause(found), "places in the text, in their order", f"{places}"[:300])
        return
    stands = list(occurrences(args.text))
    for each in stands:
        if has_to_be_found(each, has_output=args.has_output):
            _judge_said(call, each, found, notes)
    for one in found:
        _judge_found(args.text, one, stands, notes)


def _first_clause(found: Sequence[Finding]) -> str:
    return CLAUSES[found[0].kind]


def _judge_said(call: Call, wanted: Occurrence, found: Sequence[Finding], notes: Notes) -> None:
    phrase = wanted.phrase
    clause = CLAUSES[phrase.kind]
    mine = [each for each in found if named(each.phrase) == phrase and _overlap(each, wanted)]
    expected = f"{phrase.text!r} is found at {wanted.start}, as {phrase.entry or phrase.kind}"
    if not mine:
        notes.breaks(clause, expected, f"it is not: {call.said}"[:500])
        return
    one = mine[0]
    if (one.start, one.end) != (wanted.start, wanted.end):
        notes.breaks(clause, f"{phrase.text!r} stands from {wanted.start} to {wanted.end}", f"{one.start} to {one.end}")
    elif len(mine) > 1:
        notes.breaks(clause, expected, "it is found twice at one place")
    else:
        wrong = _wrong(one, phrase)
        paired = "paired with its counter" if phrase.entry else "flagged"
        notes.holds(clause, not wrong, f"{phrase.text!r} is {paired}", f"{wrong}: {one}"[:400])


def _wrong(one: Finding, phrase: Phrase) -> str:
    """What is wrong with the finding of that phrase; "" when nothing is."""
    if one.kind != phrase.kind:
        return f"it is no {one.kind}"
    if phrase.entry is not None and one.entry != phrase.entry:
        return f"it is the row {phrase.entry}"
    if phrase.counter is not None and same_words(phrase.counter) not in same_words(one.required_action):
        return f"what counters it is {phrase.counter!r}"
    return "" if one.required_action.strip() else "nothing counters it"


def _judge_found(text: str, one: Finding, stands: Sequence[Occurrence], notes: Notes) -> None:
    """Something was found: is it said there?"""
    clause, said = CLAUSES[one.kind], text[one.start : one.end]
    expected = "what is only mentioned, or part of a longer word, is no rationalisation"
    phrase = named(one.phrase)
    own = [each for each in stands if each.phrase == phrase and (each.start, each.end) == (one.start, one.end)]
    if own:
        if own[0].certainty is Certainty.MENTIONED:
            notes.breaks(clause, expected, f"{said[:80]!r} is found in code or a quotation")
        return
    if is_inside_a_word(text, one.start, one.end):
        notes.breaks(clause, expected, f"{said[:80]!r} is found inside a word")
    elif one.kind not in _PARAPHRASED:
        notes.breaks(clause, "the phrases of the document are found", f"{one.phrase[:80]!r} in {said[:80]!r}")
    elif phrase is None or not resembles(said, phrase):
        notes.breaks(clause, "what is found says the same as the phrase", f"{one.phrase[:80]!r} in {said[:80]!r}")
    elif all(each.certainty is not Certainty.DOUBTFUL for each in stands if _overlap(one, each)):
        notes.agrees(clause, "other words that say the same", (_PARAPHRASE,))


def _overlap(one: Finding, other: Occurrence) -> bool:
    return one.start < other.end and other.start < one.end


def entries(found: Sequence[Occurrence]) -> list[Entry]:
    """The rows of the table that these name."""
    return [each.phrase.entry for each in found if each.phrase.entry is not None]
