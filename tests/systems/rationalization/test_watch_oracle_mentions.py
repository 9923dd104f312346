"""What the oracle takes for said, for mentioned, and for doubtful: where readers of Markdown disagree it says nothing."""

import pytest

from harness.systems.rationalization.oracle.mentions import Part, Text
from harness.systems.rationalization.oracle.paraphrases import may_excuse
from harness.systems.rationalization.oracle.phrases import Certainty, Reason

SAID, MENTIONED, DOUBTFUL = Certainty.SAID, Certainty.MENTIONED, Certainty.DOUBTFUL


def certainties(text):
    return [each.certainty for each in sorted(Reason(text).occurrences, key=lambda each: each.start)]


@pytest.mark.parametrize(
    "text",
    [
        "probably", "probably.", "(probably)", "**probably**", "- probably", "# probably", "a\nprobably\nb", "PROBABLY",
        "`a` probably `b`", '"a" probably "b"', "\u201ca\u201d probably", "``` a ``` probably", "```a```\nprobably",
        "```\na\n```\nprobably", "~~~\n```\n~~~\nprobably", "> a\n\nprobably", "I\n  think", "'a probably b'",
        "| a | probably |", "R&D probably", "a -> b probably", "2 < 3, probably", "C:\\a probably", "a\r\nprobably\r\n",
        "probably\u2026", "\u2014probably\u2014", "1. I think", "```\n```\nprobably",
        "``a ` b`` probably", "a\n---\nprobably", "Title\n===\nprobably", "# a\nprobably", "`a`, probably \"x 'y'\"",
    ],
)  # fmt: skip
def test_what_is_said(text):
    assert certainties(text) == [SAID]


@pytest.mark.parametrize(
    "text",
    [
        "`probably`", "``probably``", "`` ` probably ` ``", "`a\nprobably`", "```\nprobably\n```", "```py\nprobably\n```",
        "````\n```\nprobably\n```\n````", "~~~\nprobably\n~~~", "```\n~~~\nprobably\n```", "```\n\nprobably\n\n```",
        "> probably", "   > probably", "a\n> probably", "> a\n> probably", "> > probably", "> `probably",
        '"probably"', '"a probably b"', '"a\nprobably b"', "\u201cprobably\u201d", "\u201ca `b` probably\u201d",
        '`"probably"`', '"`probably`"', '| "I think" | a |', '- "I think" - a', '("I think")', '"a", "I think".',
        "```\r\nprobably\r\n```\r\n", '\u201c"probably"\u201d',
    ],
)  # fmt: skip
def test_what_is_only_mentioned(text):
    assert certainties(text) == [MENTIONED]


@pytest.mark.parametrize(
    "text",
    [
        # marks that are not closed, or not as they open
        "`probably", "probably`", '"probably', 'probably"', "\u201cprobably", "probably\u201d", "```\nprobably",
        "~~~\nprobably\n```", '5" a, probably 3" b', '"a "probably" b"', "\u201ca \u201cprobably\u201d b\u201d",
        '"" probably ""', '" probably "', '"a \u201cb" probably c\u201d', "\u201eprobably\u201c", "\u00abprobably\u00bb",
        '"a `b" probably` c"',
        # closed in another block
        '- "a\n- probably\n- b"', "- `a\n- probably` b", '# "a\nprobably "b"', '| "a | probably" |', "| `a | probably` |",
        'a | "b\n--|--\nprobably" | c', 'x | y\n--|--\n"a | probably" | c', '# a "\nprobably "',
        # lines that may be code, or go on
        "    probably", "\tprobably", "a\n     probably", "> a\nprobably", "- > probably", "1. > probably",
        "- ```\n  probably\n  ```", "  ```\nprobably\n  ```", "    ```\n    probably\n    ```", "- a\n  ```\n  probably\n  ```",
        "*     probably", "1.      probably", "- -     probably", "-\t\tprobably", "- > a\nprobably", "1. \t\t+  probably",
        "    a `\nprobably ` b", "> a\n`b\nprobably`",
        # escapes, entities, tags
        "\\`probably\\`", '\\"probably\\"', "&quot;probably&quot;", "<q>probably</q>", "<!-- a\n\nprobably\n\n-->",
        "<pre>\n\nprobably", "<b>probably</b>", "&#34; probably",
        # longer words to some
        "probably-not", "not-probably", "probably_not", "_probably_", "~probably~", "probably's", "a/probably", "probably/a",
        "probably.py", "a.probably", "a:probably", "probably:a", "@probably", "#probably", "probably=1", "$probably", "50%probably",
        "\u4f60probably", "probably\u0301", "probably\u200d", "probably\u00b2", "\ufeffprobably",
        # blanks and letters to some
        "I\u00a0think", "I\x1cthink", "\u017fimple fix", "I\u2028think", "I\x0bthink", "I\x0cthink", "I\rthink", "I\x85think",
        "a\u2028probably",
        # in two blocks
        "I\n\nthink", "# I\nthink", "I\n \nthink",
    ],
)  # fmt: skip
def test_what_is_doubtful(text):
    assert certainties(text) == [DOUBTFUL]


@pytest.mark.parametrize(
    "text", ["improbably", "probablyx", "probably9", "9probably", "\u00e9probably", "Hi think", "I  thinks"]
)
def test_longer_words_are_none(text):
    assert certainties(text) == []


def test_one_text_has_parts_of_every_kind():
    text = 'probably `probably` "probably" probably\n> probably\n\nprobably\n\n"probably\n\nprobably\n```\nprobably\n```\nprobably'
    assert certainties(text) == [
        SAID, MENTIONED, MENTIONED, SAID, MENTIONED, SAID, DOUBTFUL, SAID, MENTIONED, SAID,
    ]  # fmt: skip
    after_odd = "probably <!-- probably\n\nprobably"
    assert certainties(after_odd) == [DOUBTFUL, DOUBTFUL, DOUBTFUL]
    assert certainties("probably\n\n<!-- -->\n\nprobably") == [SAID, DOUBTFUL]


def test_parts_of_places():
    text = Text("a `b` c")
    assert [text.part(0, 2), text.part(2, 5), text.part(0, 7), text.part(1, 1)] == [
        Part.SAID, Part.MENTIONED, Part.DOUBTFUL, Part.DOUBTFUL,
    ]  # fmt: skip
    assert text.unmentioned() == "a     c"
    assert Text("> a\nb").unmentioned() == "   \nb"


@pytest.mark.parametrize(
    "said",
    ["Maybe", "it could work", "a trivial one-liner", "later", "We clean up next week", "a corner case", "works for me",
     "the docs", "It will do", "unspecified", "ignore it", "unrelated", "It failed intermittently", "acceptable"],
)  # fmt: skip
def test_what_somebody_may_take_for_a_paraphrase(said):
    assert may_excuse(said)


@pytest.mark.parametrize(
    "said", ["", "The login endpoint answers 200.", "improbable", "a problem", "rethinking", "I am", "most"]
)
def test_what_nobody_takes_for_a_paraphrase(said):
    assert not may_excuse(said)
    assert Reason(said).is_clean()


def test_what_is_mentioned_excuses_nothing():
    assert Reason('`probably` and "I\'ll refactor later"\n\n> maybe').is_clean()
    assert not Reason("probably").is_clean()
    assert not Reason("`probably").is_clean()
    assert not Reason("maybe").is_clean()


@pytest.mark.parametrize(
    "part",
    ["`a` ", '"a" ', "\u201c", "I think ", "```\n", "> a\n", "- `\n", "|", "-", " ", "<", "\\", "  ```\n", "`` ` ", '"'],
)  # fmt: skip
def test_hostile_texts_of_any_length_are_gone_through(part):
    """In quadratic time each of these would take minutes."""
    text = Reason(part * 10_000)
    assert len(text.occurrences) == (10_000 if part == "I think " else 0)


def test_a_mark_before_what_may_be_a_fence_leaves_its_paragraph_doubtful():
    """The fence may close what the mark opened, or begin a block of its own: readers of Markdown differ."""
    assert [DOUBTFUL] == certainties("a ```\n probably\n  ```; b")
    assert [SAID] == certainties("probably\n\na ```\n b\n  ```; c")
