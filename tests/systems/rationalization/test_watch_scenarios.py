"""The scenarios of a watch: every phrase, mention, fact and step is there, and what they rely on holds.

Source: issue 8 (scenarios at every boundary, L1 to L3); document 000, Rationalization Tables.
"""

import re

from scenario_checks import operations

from harness.core.scenario import FileSpec
from harness.systems.rationalization.contract import (
    ATTEMPTS_PATH,
    FLAGS,
    TABLE,
    Scope,
    Verification,
)
from harness.systems.rationalization.oracle.phrases import Certainty, Reason
from harness.systems.rationalization.workload import boundaries
from harness.systems.rationalization.workload.behaviour_boundaries import OF_SCOPE, OF_VERIFICATION
from harness.systems.rationalization.workload.mentioned_boundaries import LONGER, LONGER_ALONE, MENTIONED, ODD
from harness.systems.rationalization.workload.said_boundaries import AROUND, BLANKS, CLAUSE_OF, SHOWN
from harness.systems.rationalization.workload.watch_steps import (
    BEHAVIOUR,
    BOTH,
    EVERY_FAMILY,
    EXCUSE,
    FLAG,
    MENTIONS,
    NEUTRAL,
    PHRASED,
)

SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
PHRASES = [*(row.phrase for row in TABLE.values()), *(phrase for family in FLAGS.values() for phrase in family)]


def said(text):
    return [each.phrase.text for each in Reason(text).sure(has_output=False)]


def test_every_phrase_is_said_in_every_way_and_mentioned_in_every_way():
    assert len(PHRASES) == len(set(PHRASES)) == 23
    assert list(CLAUSE_OF) == PHRASES
    scanned = {each.args["text"] for each in operations(OF_LEVEL["L1"], "scan")}
    for phrase in PHRASES:
        assert {f"{before}{phrase}{after}" for before, after in AROUND} <= scanned
        assert {mention(phrase) for mention in MENTIONED.values()} <= scanned


def test_what_the_scenarios_take_for_said_is_said_for_sure():
    for phrase in PHRASES:
        texts = [f"{before}{phrase}{after}" for before, after in AROUND]
        texts += [phrase.replace(" ", blank) for blank in BLANKS.values()]
        texts += [phrase.upper(), phrase.lower(), phrase.title(), phrase.swapcase()]
        assert [[phrase]] * len(texts) == [said(text) for text in texts], phrase
    assert {CLAUSE_OF[phrase] for phrase in said(EVERY_FAMILY)} == set(PHRASED)
    assert [len(said(text)) for text in (EXCUSE, FLAG, BOTH)] == [1, 1, 2]


def test_what_the_scenarios_take_for_mentioned_is_mentioned_for_sure():
    for mention in MENTIONED.values():
        for phrase in PHRASES:
            found = [each for each in Reason(mention(phrase)).occurrences if each.phrase.text == phrase]
            assert [Certainty.MENTIONED] == [each.certainty for each in found], mention(phrase)
    assert [] == [text for text in LONGER if Reason(text).occurrences]
    clean = (NEUTRAL, MENTIONS, *LONGER_ALONE, *(mention("This is out of scope") for mention in MENTIONED.values()))
    assert [] == [text for text in clean if not Reason(text).is_clean()]


def test_odd_texts_are_doubtful_somewhere_and_nothing_in_them_is_demanded():
    of_kind = {name: [each for text in texts for each in Reason(text).occurrences] for name, texts in ODD.items()}
    assert [] == [name for name, found in of_kind.items() if name not in ("empty", "long") and not found]
    doubtful = [name for name, found in of_kind.items() if any(each.certainty is Certainty.DOUBTFUL for each in found)]
    assert set(of_kind) - {"empty", "long"} <= set(doubtful)


def test_the_table_of_the_document_is_scanned_row_by_row():
    texts = [each.args["text"] for each in operations(OF_LEVEL["L1"], "scan")]
    for row in TABLE.values():
        line = re.compile(
            rf'^\| "{re.escape(row.phrase)}" \| [^|]+ \| {re.escape(row.required_action)} \|$', re.MULTILINE
        )
        assert any(line.search(text) for text in texts), row.phrase


def test_every_phrase_excuses_an_action_and_some_with_output():
    reasons = [each.args for each in operations(OF_LEVEL["L1"], "enforce")]
    for phrase in PHRASES:
        assert any(phrase in reason["text"] for reason in reasons)
    shown = [reason["text"] for reason in reasons if reason.get("has_output")]
    assert all(any(phrase in text for text in shown) for phrase in SHOWN)


def test_every_fact_is_told_alone_and_with_what_makes_up_for_it_to_the_group_only():
    told = {"scope": [], "verification": []}
    for scenario in SCENARIOS:
        asked = operations([scenario], "assess")
        assert bool(asked) == (scenario.group == BEHAVIOUR), scenario.id
        for operation in asked:
            for word, facts in operation.args.items():
                told[word].append({name for name, value in facts.items() if value})
    for word, facts, form in (("scope", OF_SCOPE, Scope), ("verification", OF_VERIFICATION, Verification)):
        excuses = {excuse for excuse in facts.values() if excuse}
        assert {*facts, *excuses} == set(form.__struct_fields__)
        for done, excuse in facts.items():
            assert {done} in told[word]
            assert excuse is None or {done, excuse} in told[word]


def test_no_two_actions_of_a_story_have_the_same_name_unless_it_is_given():
    for scenario in SCENARIOS:
        named = [each.args["action"] for each in operations([scenario], "enforce")]
        own = [each for each in named if each.startswith("merge branch feature/")]
        assert len(own) == len(set(own)), scenario.id


def test_logs_of_others_are_found_and_no_world_is_empty():
    logs = [each.world.files[ATTEMPTS_PATH] for each in OF_LEVEL["L1"] if ATTEMPTS_PATH in each.world.files]
    assert len(logs) >= 7
    assert all(isinstance(log, FileSpec) for log in logs)
    assert all(scenario.world.files for scenario in SCENARIOS)


ROWS = """
| "I'll refactor later" | Refactor now or reduce scope |
| "This is just an edge case" | Handle edge case or document limitation |
| "The tests are flaky" | Fix flaky test before proceeding |
| "It works on my machine" | Must pass CI |
| "This is a temporary workaround" | No workarounds without issue filed |
| "The spec is unclear" | Block until spec clarified |
| "This is out of scope" | Verify against `.loki/queue/` task definition |
| "We can optimize later" | Implement acceptable performance OR document as known limitation |
| "This is good enough" | Run full test suite before claiming completion |
| "The error is benign" | Investigate error, document root cause |
| "I already verified this" | Show command output or test results |
| "The documentation is outdated" | Verify claim, update docs if true, follow docs if false |
"""
QUOTED = """
- "probably" - Replace with verified facts
- "should be fine" - Replace with test results
- "most likely" - Replace with confirmed behavior
- "I think" - Replace with verified knowledge
- "just a small change" - All changes require verification
- "simple fix" - Complexity is determined by test results
- "minor update" - Impact is determined by CI, not assumption
- "quick tweak" - Speed claims require evidence
- "The other component handles this" - Verify integration, don't assume
"""


def test_the_contract_has_the_phrases_and_counters_of_the_document_word_by_word():
    rows = re.findall(r'"(.+)" \| (.+) \|', ROWS)
    assert [(row.phrase, row.required_action) for row in TABLE.values()] == rows
    flags = {phrase: counter for family in FLAGS.values() for phrase, counter in family.items()}
    quoted = dict(re.findall(r'"(.+)" - (.+)', QUOTED))
    assert {phrase: flags[phrase] for phrase in quoted} == quoted
    assert set(flags) - set(quoted) == {"nice to have", "I checked and it's fine"}  # without a counter there
