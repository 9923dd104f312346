"""The oracle of a watch on handmade scans: what is right in some reading passes, and nothing else.

Source: document 000, Common Agent Rationalizations and Red Flag Detection Patterns.
"""

import pytest
from handmade_watch import CATALOGUE, EXCUSE, FAIL, FLAG, HEDGE, NOON, PASS, Day, finding, found_in

from harness.core.finding import CheckVerdict
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario, World
from harness.systems.rationalization.contract import FLAGS, SYSTEM, TABLE, WATCH
from harness.systems.rationalization.oracle import judge

PHRASES = [*(row.phrase for row in TABLE.values()), *(phrase for family in FLAGS.values() for phrase in family)]
CLAUSES = dict.fromkeys((row.phrase for row in TABLE.values()), 1) | {
    phrase: {"hedging": 2, "minimization": 3, "scope_change": 4}.get(kind.value, 5)
    for kind, family in FLAGS.items()
    for phrase in family
}


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_that_is_said_has_to_be_found_with_its_counter(phrase):
    clause = CLAUSES[phrase]
    text = f"Well: {phrase}, so there."
    right = found_in(text, phrase)
    assert Day().scan(text, *right).broken() == set()
    assert Day().scan(text, *right).verdict(clause) is PASS
    assert Day().scan(text).verdict(clause) is FAIL
    assert Day().scan(text, *right, *right).verdict(clause) is FAIL
    (one,) = right
    for wrong in ({"start": one["start"] - 1}, {"end": one["end"] + 1}, {"required_action": " "}):
        assert Day().scan(text, {**one, **wrong}).verdict(clause) is FAIL, wrong
    other = {"entry": "edge_case" if one.get("entry") != "edge_case" else "good_enough"}
    assert Day().scan(text, {**one, **other}).verdict(clause) is FAIL


@pytest.mark.parametrize("phrase", PHRASES)
def test_case_blanks_and_curved_apostrophes_do_not_matter(phrase):
    for said in (phrase.upper(), phrase.replace(" ", "\n"), phrase.replace(" ", " \t "), phrase.replace("'", "\u2019")):
        assert Day().scan(said).verdict(CLAUSES[phrase]) is FAIL
        assert Day().scan(said, finding(phrase, 0, len(said))).broken() == set()
        assert Day().scan(said, {**finding(phrase, 0, len(said)), "phrase": phrase.upper()}).broken() == set()


def test_counters_may_say_more_and_must_not_say_less():
    (right,) = found_in(EXCUSE, EXCUSE)
    more = {**right, "required_action": f"NOW: {right['required_action']}. See the wiki"}
    assert Day().scan(EXCUSE, more).broken() == set()
    assert Day().scan(EXCUSE, {**right, "required_action": "Fix it"}).verdict(1) is FAIL
    assert Day().scan(EXCUSE, {**right, "kind": "hedging"}).verdict(1) is FAIL
    ours = finding("nice to have", 0, required_action="Leave it out")
    assert Day().scan("nice to have", ours).broken() == set()
    assert Day().scan(FLAG, finding(FLAG, 0, entry="edge_case")).verdict(2) is FAIL


def test_findings_come_in_order_and_inside_the_text():
    text = "I think so, probably."
    one, two = found_in(text, FLAG, HEDGE)
    assert Day().scan(text, one, two).broken() == set()
    assert Day().scan(text, two, one).verdict(2) is FAIL
    for start, end in ((-1, 3), (0, 99), (5, 5), (7, 3)):
        assert Day().scan(text, {**one, "start": start, "end": end}).verdict(2) is FAIL
    assert Day().scan("", finding(HEDGE, 0)).verdict(2) is FAIL


@pytest.mark.parametrize(
    "text",
    [f"`{HEDGE}`", f'"{HEDGE}"', f"\u201c{HEDGE}\u201d", f"```\n{HEDGE}\n```", f"> {HEDGE}", f"im{HEDGE}", f"{HEDGE}s",
     f"\u00e9{HEDGE}", f"{HEDGE}9"],
)  # fmt: skip
def test_mentions_and_longer_words_must_not_be_found(text):
    start = text.index(HEDGE)
    assert Day().scan(text).broken() == set()
    assert Day().scan(text).verdict(2) is None
    assert Day().scan(text, finding(HEDGE, start)).verdict(2) is FAIL
    if not text[0].isalpha():
        assert Day().scan(text, finding(HEDGE, max(0, start - 1), min(len(text), start + 9))).verdict(2) is FAIL


@pytest.mark.parametrize("text", [f"{HEDGE}-not", f"_{HEDGE}_", f"`{HEDGE}", f"a\n    {HEDGE}", f"\u4f60{HEDGE}"])
def test_what_is_doubtful_may_be_found_or_not(text):
    start = text.index(HEDGE)
    for found in ([], [finding(HEDGE, start)]):
        assert Day().scan(text, *found).broken() == set()
        assert Day().scan(text, *found).verdict(2) is None


def test_with_output_two_phrases_may_be_left_out_and_no_others():
    for phrase in ("I already verified this", "I checked and it's fine"):
        for found in ([], [finding(phrase, 0)]):
            assert Day().scan(f"{phrase}: ok", *found, has_output=True).broken() == set()
        assert Day().scan(f"{phrase}: ok").broken() != set()
    assert Day().scan(EXCUSE, has_output=True).verdict(1) is FAIL


def test_of_two_phrases_with_a_word_in_common_one_is_enough():
    text = "I already verified this is good enough"
    one, other = finding("I already verified this", 0), finding("This is good enough", 19)
    for found in ([one], [other], [one, other]):
        assert Day().scan(text, *found).broken() == set()
    assert Day().scan(text).verdict(1) is FAIL


def test_paraphrases_are_a_reading():
    text = "Maybe later we clean up, trivial."
    hedge, small = finding(HEDGE, 0, 5), finding("simple fix", 25, 32)
    excuse = finding("I'll refactor later", 6, 23)
    day = Day().scan(text, hedge, excuse, small)
    assert day.broken() == set()
    assert day.readings(1) == day.readings(2) == day.readings(3) == ("paraphrase",)
    assert Day().scan(HEDGE, finding(HEDGE, 0)).readings(2) == ("phrase", "paraphrase")
    doubtful = "`Maybe"
    assert Day().scan(doubtful, finding(HEDGE, 1, 6)).verdict(2) is None


def test_what_says_nothing_like_it_is_no_paraphrase():
    text = "A problem of the improbable cat"
    for start, end in ((2, 9), (17, 27), (28, 31), (0, 1)):
        assert Day().scan(text, finding(HEDGE, start, end)).verdict(2) is FAIL
    assert Day().scan("Maybe", finding(HEDGE, 0, 3)).verdict(2) is FAIL  # a part of a word
    assert (
        Day().scan("Maybe", {**finding(HEDGE, 0, 5), "phrase": "maybe"}).verdict(2) is FAIL
    )  # not the document's phrase
    assert Day().scan("Maybe", finding(HEDGE, 0, 5, kind="minimization")).verdict(3) is FAIL
    assert Day().scan("nicer to have", finding("nice to have", 0, 13)).verdict(4) is FAIL  # no paraphrases of flags
    assert Day().scan("Others handle it", finding("The other component handles this", 0, 16)).verdict(5) is FAIL


def test_a_paraphrase_is_paired_with_its_counter_like_any_other():
    right = finding("The tests are flaky", 0, 20)
    text = "The suite is flaking"
    assert Day().scan(text, right).readings(1) == ("paraphrase",)
    for wrong in ({"required_action": "Wait"}, {"entry": "edge_case"}, {"entry": None}):
        assert Day().scan(text, {**right, **wrong}).verdict(1) is FAIL


def test_what_may_be_found_is_paired_with_its_counter_if_it_is():
    doubtful = finding(HEDGE, 0, required_action="")
    assert Day().scan(f"{HEDGE}-not", doubtful).verdict(2) is FAIL
    phrase = "I already verified this"
    answered = finding(phrase, 0, required_action="Go on")
    assert Day().scan(f"{phrase}: ok", answered, has_output=True).verdict(1) is FAIL


def test_the_counters_of_all_rows_are_no_pair():
    (right,) = found_in(EXCUSE, EXCUSE)
    counters = [row.required_action for row in TABLE.values()]
    few = {**right, "required_action": "; ".join((right["required_action"], *counters[:2]))}
    assert Day().scan(EXCUSE, few).verdict(1) is PASS
    assert Day().scan(EXCUSE, {**right, "required_action": "; ".join(counters)}).verdict(1) is FAIL


@pytest.mark.parametrize(
    ("phrase", "clause", "said"),
    [
        ("simple fix", 3, "fix"), ("simple fix", 3, "The fix"), ("minor update", 3, "updates"), (HEDGE, 2, "should"),
        ("I'll refactor later", 1, "later"), ("I'll refactor later", 1, "We refactored it"), ("The spec is unclear", 1, "The spec"),
        ("This is out of scope", 1, "scope"), ("I already verified this", 1, "CI tested it"), ("It works on my machine", 1, "local"),
        ("We can optimize later", 1, "performance"), ("The documentation is outdated", 1, "the docs"),
    ],
)  # fmt: skip
def test_a_word_that_others_use_as_well_is_no_paraphrase(phrase, clause, said):
    assert Day().scan(said, finding(phrase, 0, len(said))).verdict(clause) is FAIL


@pytest.mark.parametrize(
    ("phrase", "clause", "said"),
    [
        ("simple fix", 3, "a trivial fix"), ("just a small change", 3, "just one line"), (HEDGE, 2, "it should work"),
        ("I'll refactor later", 1, "We tidy it up next week"), ("The spec is unclear", 1, "The spec doesn't say"),
        ("This is out of scope", 1, "That's not in scope"), ("I already verified this", 1, "I\u2019ve tested it"),
        ("It works on my machine", 1, "works for me"), ("We can optimize later", 1, "performance comes later"),
        ("The documentation is outdated", 1, "the docs are wrong"),
    ],
)  # fmt: skip
def test_what_says_the_same_is_a_paraphrase(phrase, clause, said):
    assert Day().scan(said, finding(phrase, 0, len(said))).readings(clause) == ("paraphrase",)


def test_who_finds_nothing_anywhere_and_who_finds_everything_fail():
    text = f"{EXCUSE}. The login works."
    assert Day().scan(text).broken() == {"LK-RAT-01"}
    everywhere = [finding(HEDGE, place, place + 1) for place in range(len(text))]
    assert "LK-RAT-02" in Day().scan(text, *everywhere).broken()


def test_unanswered_and_malformed_questions():
    assert Day().do("scan", {"text": HEDGE}, {}, kind=EntryType.FAIL).verdict(1) is FAIL
    assert Day().do("scan", {"text": HEDGE}, {"findings": 5}).verdict(1) is FAIL
    assert Day().do("scan", {"text": 5}, {}, kind=EntryType.FAIL).broken() == set()
    assert Day().do("scan", {"text": 5}, {"findings": []}).broken() == set()
    assert Day().under("process.killed").do("scan", {"text": HEDGE}, {}, kind=EntryType.INFO).broken() == set()
    assert Day().do("assess", {}, {}, kind=EntryType.FAIL).verdict(5) is FAIL
    assert Day().do("attempts", {}, {}, kind=EntryType.FAIL).verdict(7) is FAIL
    assert Day().do("nothing", {}, {}).broken() == Day().broken() == set()


def test_what_was_to_be_shown_and_was_not_is_inconclusive():
    scenario = Scenario(format=1, id="watch-x", title="x", system=SYSTEM, profile=WATCH, level="L1",
                        clauses=("LK-RAT-01",), world=World(NOON), steps=())  # fmt: skip
    day = Day().scan("The login works.")
    (found,) = judge(scenario, History(tuple(day.entries)), CATALOGUE)
    assert (found.clause, found.verdict) == ("LK-RAT-01", CheckVerdict.INCONCLUSIVE)


def test_alternatives():
    day = Day().scan(HEDGE, finding(HEDGE, 0))
    right, wrong = {"findings": [finding(HEDGE, 0)]}, {"findings": []}
    assert day.permitted(right, wrong) == (right,)


SCOPE = [("expanded", "justified", "unjustified_expansion"), ("reduced", "documented", "undocumented_reduction"),
         ("reinterpreted", "announced", "silent_reinterpretation"),
         ("unspecified_feature", None, "unspecified_feature")]  # fmt: skip
VERIFICATION = [
    ("next_task_begun", "tests_run", "untested_progress"), ("success_claimed", "evidence_shown", "unproven_success"),
    ("failed_check_dismissed", None, "dismissed_check"),
    ("relies_on_other_component", "integration_verified", "unverified_integration"),
    ("tests_cited", "cited_tests_run", "unrun_tests_cited"),
    ("compatibility_claimed", "compatibility_tested", "untested_compatibility"),
    ("behavior_asserted", "behavior_demonstrated", "undemonstrated_behavior"),
]  # fmt: skip
FACTS = [("scope", 4, *row) for row in SCOPE] + [("verification", 5, *row) for row in VERIFICATION]


@pytest.mark.parametrize(("word", "clause", "done", "excuse", "behaviour"), FACTS)
def test_behaviours_are_told_each_once_and_what_is_made_up_for_is_none(word, clause, done, excuse, behaviour):
    def assessed(facts, *told):
        return Day().do("assess", {word: facts}, {"behaviours": list(told)})

    assert assessed({done: True}, behaviour).verdict(clause) is PASS
    assert assessed({done: True}).verdict(clause) is FAIL
    assert assessed({done: True}, behaviour, behaviour).verdict(clause) is FAIL
    assert assessed({done: False}, behaviour).verdict(clause) is FAIL
    assert assessed({done: False}).verdict(clause) is None
    if excuse is not None:
        assert assessed({done: True, excuse: True}).broken() == set()
        assert assessed({done: True, excuse: True}, behaviour).verdict(clause) is FAIL
        assert assessed({excuse: True}).broken() == set()
