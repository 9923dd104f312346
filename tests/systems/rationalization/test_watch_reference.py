"""The reference watch: what it finds, what it does about it, and what it logs.

Source: document 000, Rationalization Tables.
"""

import json

import pytest

from harness.ports.fake_files import FakeFiles
from harness.systems.rationalization.contract import (
    FLAGS,
    TABLE,
    AssessArguments,
    AttemptsArguments,
    Behaviour,
    Configuration,
    EnforceArguments,
    Entry,
    Kind,
    ScanArguments,
    Scope,
    Verification,
)
from harness.systems.rationalization.reference import create

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
LOG = "/world/.loki/memory/episodic/rationalizations.jsonl"
PHRASES = [*(row.phrase for row in TABLE.values()), *(phrase for family in FLAGS.values() for phrase in family)]
WAYS = ("{}", 'a "b" `c`\n{0} "{0}"', "```\n{}\n```", "> {}", "`` {} ` ``", "\u201ca\n{}\u201d", "``a` {}")
"""Three of them say it."""


def watch(files=None):
    return create(Configuration("/world"), FakeFiles() if files is None else files)


def found(text, *, has_output=False):
    findings = watch().scan(ScanArguments(text, has_output), NOW).findings
    return [(each.phrase, text[each.start : each.end]) for each in findings]


def places(text):
    return [(each.phrase, each.start, each.end) for each in watch().scan(ScanArguments(text), NOW).findings]


def said(text):
    return [words for _, words in found(text)]


def enforce(made, text="The tests are flaky", action="merge", **fields):
    return made.enforce(EnforceArguments(text, action, **fields), NOW)


def attempts(made):
    return made.attempts(AttemptsArguments(), NOW)


def steps(result):
    return [(step.action, step.detail) for step in result.steps]


class Refusing(FakeFiles):
    """Files of which one method raises."""

    def __init__(self, method, error):
        super().__init__()
        setattr(self, method, self._raising(error))

    def _raising(self, error):
        def call(*_arguments):
            raise error

        return call


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_is_found_as_it_is_said(phrase):
    for text in (phrase, phrase.upper(), phrase.replace(" ", "\r\n\t"), phrase.replace("'", "\u2019")):
        assert found(f"({text})") == [(phrase, text)]
    for text in (f"x{phrase}", f"{phrase}x", f"{phrase}9", f"`{phrase}`", f'"{phrase}"', phrase.replace(" ", "")[:-1]):
        assert found(text) == []


@pytest.mark.parametrize("phrase", [each for each in PHRASES if " " in each])
def test_words_that_are_written_as_one_are_no_phrase(phrase):
    words = phrase.split()
    for place in range(1, len(words)):
        glued = " ".join(words[:place]) + " ".join(words[place:])
        assert found(f"So, {glued} now") == []


def test_rows_and_flags_have_their_counters():
    for entry, row in TABLE.items():
        (one,) = watch().scan(ScanArguments(row.phrase), NOW).findings
        assert (one.kind, one.entry, one.required_action) == (Kind.EXCUSE, entry, row.required_action)
    for kind, family in FLAGS.items():
        for phrase, counter in family.items():
            (one,) = watch().scan(ScanArguments(phrase), NOW).findings
            assert (one.kind, one.entry, one.required_action) == (kind, None, counter)


def test_phrases_come_in_the_order_of_their_places():
    text = "Probably the tests are flaky, I think. PROBABLY most likely this is out of scope."
    assert said(text) == [
        "Probably",
        "the tests are flaky",
        "I think",
        "PROBABLY",
        "most likely",
        "this is out of scope",
    ]
    assert said("I already verified this is good enough") == ["I already verified this", "this is good enough"]


@pytest.mark.parametrize(
    "text", ["\u0130\u0130 I think", "\u1e9e\ufb01 I THINK", "\U0001f600 I think", "\ud800 I think"]
)
def test_places_are_characters_whatever_stands_before(text):
    assert [words.upper() for words in said(text)] == ["I THINK"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []), ("thinking I thin", []), ("I think", ["I think"]), ("I\u00a0think", ["I\u00a0think"]), ("I think-so", ["I think"]),
        ("`I think`", []), ("``I ` think``", []), ("`` I think `", ["I think"]), ("`a` I think `b`", ["I think"]),
        ("```\nI think\n```\nI think", ["I think"]), ("~~~\nI think\n```\n~~~\nI think", ["I think"]),
        ("```a```\nI think", ["I think"]), ("```\nI think", []), ("````\n```\nI think", []), ("> I think\nI think", ["I think"]),
        ("I think\n> I think\nI think", ["I think", "I think"]), ("  > I think", []), ('"I think" I think', ["I think"]),
        ('"a\nI think\nb"', []), ('"a\n\nI think\n\nb"', ["I think"]), ('"I think', ["I think"]), ('I think"', ["I think"]),
        ("\u201cI think\u201d", []), ("\u201c\u201cI think\u201d", []), ("I think\u201d", ["I think"]),
        ('"a `"` I think" I think', ["I think"]), ('a "\n```\n"\n```\nI think "b"', ["I think"]), ('a "\n> b\nI think "c"', ["I think"]),
        ('"\n```\na\n```\nI think"', ["I think"]), ("a\n\n\nI think\n\n`b`", ["I think"]), ("```\n```\nI think\n```\n```", ["I think"]),
        ("`` I think ` b``", []), ('"`a` I think" b', []), ('"I think `a`"', []), ('"a" I think "b"', ["I think"]),
        ("\u201cI think \u201ca\u201d", []), ('"a\n \t\nI think b"', ["I think"]), ('"a\r\n\r\nI think b"', ["I think"]),
        ("```\n```\nI think ``` b", ["I think"]), ('"a\n1 b\nI think"', []), ('"a\nI think\n(b)"', []),
        ("`a\n\nI think`", ["I think"]), ("\u201ca `b\u201d I think` c", []), ("I think\n```", ["I think"]),
    ],
)  # fmt: skip
def test_what_is_said_and_what_is_only_mentioned(text, wanted):
    assert said(text) == wanted


def test_output_excuses_two_phrases():
    text = "I already verified this. I checked and it's fine. I think."
    assert len(found(text)) == 3
    assert found(text, has_output=True) == [("I think", "I think")]


def test_the_protocol():
    made = watch()
    result = enforce(made, "The tests are flaky. I think the tests are flaky.")
    row, flag = TABLE[Entry.FLAKY_TESTS].required_action, FLAGS[Kind.HEDGING]["I think"]
    assert steps(result) == [
        ("stop", ""), ("identify", "flaky_tests"), ("counter", row), ("identify", "I think"), ("counter", flag),
        ("document", ""),
    ]  # fmt: skip
    assert (result.proceeds, result.logged, result.path) == (False, True, LOG.removeprefix("/world/"))
    nothing = enforce(made, "The login answers 200.")
    assert (steps(nothing), nothing.proceeds, nothing.logged, nothing.path) == ([("proceed", "")], True, False, None)
    assert len(attempts(made).attempts) == 1


def test_attempts_are_logged_and_told():
    files = FakeFiles()
    made = watch(files)
    enforce(made, "I think", "deploy \u4f60", agent="qa")
    made.enforce(EnforceArguments("probably, I think. Probably", "merge"), NOW + 61.5)
    told = attempts(watch(files)).attempts
    assert [(each.timestamp, each.agent, each.action, each.phrases) for each in told] == [
        ("2026-03-01T12:00:00Z", "qa", "deploy \u4f60", ("I think",)),
        ("2026-03-01T12:01:01.500000Z", "eng-001", "merge", ("probably", "I think")),
    ]
    assert len(files.contents[LOG][0].splitlines()) == 2


def test_what_is_no_attempt_stays_and_is_told_of():
    files = FakeFiles()
    one = {"timestamp": "t", "agent": "a", "action": "b", "phrases": ["c"], "more": 1}
    bad = [
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"timestamp": 1}',
        json.dumps({**one, "phrases": [1]}).encode(),
        b"{}",
    ]
    files.append(LOG, b"\n".join([*bad, b"", b"  ", json.dumps(one).encode()]) + b'\n{"torn')
    made = watch(files)
    assert enforce(made).logged
    result = attempts(made)
    assert [each.agent for each in result.attempts] == ["a", "eng-001"]
    assert [(each.level, each.code) for each in result.log] == [("warning", "attempts_invalid")] * (len(bad) + 1)
    assert files.contents[LOG][0].startswith(bad[0] + b"\n")


@pytest.mark.parametrize("error", [PermissionError("no"), OSError(28, "full"), NotADirectoryError("a file")])
def test_a_log_that_cannot_be_written_stops_nonetheless(error):
    result = enforce(watch(Refusing("append_lines", error)))
    assert (result.proceeds, result.logged, result.path) == (False, False, None)
    assert [step.ok for step in result.steps] == [True, True, True, False]
    assert [(each.level, each.code) for each in result.log] == [("error", "attempt_unlogged")]


def test_a_log_that_cannot_be_read_is_told():
    result = attempts(watch(Refusing("read", PermissionError("no"))))
    assert (result.attempts, [each.code for each in result.log]) == ((), ["attempts_unreadable"])
    assert attempts(watch()).log == ()


def assess(scope=None, verification=None):
    return watch().assess(AssessArguments(scope or Scope(), verification or Verification()), NOW).behaviours


def test_behaviours():
    assert assess() == ()
    every = assess(
        Scope(expanded=True, reduced=True, reinterpreted=True, unspecified_feature=True),
        Verification(
            next_task_begun=True, success_claimed=True, failed_check_dismissed=True, relies_on_other_component=True,
            tests_cited=True, compatibility_claimed=True, behavior_asserted=True,
        ),
    )  # fmt: skip
    assert every == tuple(Behaviour)
    made_up_for = assess(
        Scope(expanded=True, justified=True, reduced=True, documented=True, reinterpreted=True, announced=True),
        Verification(
            next_task_begun=True, tests_run=True, success_claimed=True, evidence_shown=True, tests_cited=True,
            cited_tests_run=True, relies_on_other_component=True, integration_verified=True, compatibility_claimed=True,
            compatibility_tested=True, behavior_asserted=True, behavior_demonstrated=True,
        ),
    )  # fmt: skip
    assert made_up_for == ()


def test_of_each_paragraph_the_same_is_found_beside_others():
    parts = [f"{way.format(phrase)}\n\n" for phrase in PHRASES for way in WAYS]
    alone, place = [], 0
    for part in parts:
        alone += [(phrase, place + start, place + end) for phrase, start, end in places(part)]
        place += len(part)
    assert places("".join(parts)) == alone
    assert len(alone) == 3 * len(PHRASES)


@pytest.mark.parametrize(
    "part", ["`a` ", '"a" ', "\u201c", "I think ", "```\n", "> I think\n", "probably\n", "`` ` ", '" ', "I ", "\n"]
)
def test_hostile_texts_of_any_length_are_gone_through(part):
    """In quadratic time each of these would take minutes."""
    hits = {"I think ": 10_000, "probably\n": 10_000}
    assert len(found(part * 10_000)) == hits.get(part, 0)


def test_files_of_the_machine_are_the_default(tmp_path):
    made = create(Configuration(str(tmp_path)))
    assert enforce(made).logged
    assert len(attempts(made).attempts) == 1
