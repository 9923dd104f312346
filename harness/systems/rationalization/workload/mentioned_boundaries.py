"""What must not be found: code, quotations, longer words, words that only stand near each other. Level L1."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from harness.core.scenario import Scenario
from harness.systems.rationalization.contract import TABLE
from harness.systems.rationalization.workload.said_boundaries import CLAUSE_OF, curved
from harness.systems.rationalization.workload.watch_steps import (
    EVERY_FAMILY,
    HEDGING,
    MENTIONS,
    MINIMISING,
    NEUTRAL,
    PHRASED,
    calm,
    scenario,
)

MENTIONED: Final[Mapping[str, Callable[[str], str]]] = {
    "code-span": "See `{}` there.".format,
    "double-code-span": "See ``a ` {}`` there.".format,
    "code-span-over-lines": "See `a\n{}\nb` there.".format,
    "code-span-in-bold": "See **`{}`** there.".format,
    "fence": "See:\n```\n{}\n```\nthere.".format,
    "tilde-fence": "~~~\n{}\n~~~\n".format,
    "fence-with-a-language": "See:\n\n```python\nprint({!r})\n```\n".format,
    "long-fence": "`````\n```\n{}\n```\n`````\n".format,
    "fence-of-the-other-kind": "```\n~~~\n{}\n~~~\n```\n".format,
    "fence-with-another-of-a-language": "```\n```python\n{}\n```\n".format,
    "fence-with-blanks-after-it": "```\n{}\n```  \t\nThere.".format,
    "second-fence": "```\na\n```\n\nSee:\n\n```\n{}\n```\n".format,
    "fence-with-blank-lines": "```\n\na\n\n{}\n\n```\n".format,
    "windows-fence": "See:\r\n```\r\n{}\r\n```\r\n".format,
    "block-quote": "> {}\n".format,
    "later-line-of-a-block-quote": "> a\n> {}\n> b\n\nThere.".format,
    "nested-block-quote": "> > {}\n".format,
    "block-quote-after-text": "They wrote:\n> {}\n".format,
    "spaced-block-quote": "   >{}\n".format,
    "quotation": 'They wrote "{}" there.'.format,
    "longer-quotation": 'They wrote "well, {}, and so on".'.format,
    "quotation-over-lines": 'They wrote "well,\n{}\nand so on".'.format,
    "curved-quotation": "They wrote \u201c{}\u201d there.".format,
    "longer-curved-quotation": "They wrote \u201cwell, {}, and so on\u201d.".format,
    "second-quotation": '"A" and "B {}".'.format,
    "code-in-a-quotation": 'They wrote "see `{}`" there.'.format,
    "quotation-in-code": 'See `a = "{}"` there.'.format,
}
"""Ways to mention a phrase without saying it."""
LONGER: Final = (
    "improbably", "the probablyness", "probablyprobably", "Improbable cause", "probably2", "x1probably",
    "I thinking", "bI think", "We rethink", "Hi thinker", "hI think", "I thinks",
    "most likelyhood", "almost likely", "utmost likely", "most likelyish",
    "should be finest", "should be finely cut", "we shoulder be fine", "should be fineness",
    "a simple fixture", "simple fixed", "asimple fix", "simple fixing",
    "minor updates", "a minor updater", "aminor update", "minor updated",
    "quick tweaks", "quick tweaked", "aquick tweak", "quick tweaking",
    "just a small changes", "just a small changed", "adjust a small change", "just a small changelog",
)  # fmt: skip
"""Longer words that begin, or end, as a phrase does."""
LONGER_ALONE: Final = (
    "Improbably, it rained.", "The probablyness of rain", "probablyprobably", "We rethink it.", "The rethinker",
    "He hit hinkypunk.", "A changelog of fixtures", "An updater, tweaked", "Asimple fixture",
    "The adjustments", "minority updaters", "nice haven",
)  # fmt: skip
"""Longer words, without any that hedges or makes small by itself."""
APART: Final = (
    "probab ly", "prob\nably", "I, think", "I. Think", "I also think", "I/think", "mostlikely", "most, likely",
    "should be: fine", "should be very fine", "shouldbe fine", "simple. Fix", "simple\u200bfix", "simple, fix",
    "minor: update", "minorupdate", "quick (tweak)", "quick & tweak", "just a small, change", "just small change",
    "This is scope", "out of scope", "tests are flaky", "It works on machine", "The error benign", "nice having",
    "The component handles this", "I checked it's fine",
)  # fmt: skip
"""Words of a phrase that do not follow each other as there."""


def mentioned_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for name, mention in MENTIONED.items():
        story = calm()
        for phrase in CLAUSE_OF:
            story.scan(mention(phrase))
        yield scenario(f"mentioned-{name}", f"Every phrase in a {name.replace('-', ' ')} is none; then some are said.",
                       PHRASED, story.scan(EVERY_FAMILY))  # fmt: skip
    yield from _table()
    yield from _beside()
    yield from _longer()
    yield from _plain()
    yield from _odd()


def _table() -> Iterator[Scenario]:
    """The document's own table, which mentions every row."""
    head = "| Rationalization | Why It's Wrong | Required Action |\n|-----|-----|-----|\n"
    rows = [f'| "{row.phrase}" | It hides something | {row.required_action} |\n' for row in TABLE.values()]
    story = calm().scan(head + "".join(rows)).scan("".join(rows))
    for row in rows:
        story.scan(head + row)
    yield scenario("mentioned-table", "The document's table says none of its rows; then some are said.", PHRASED,
                   story.scan(EVERY_FAMILY))  # fmt: skip
    flags = "".join(f'- "{phrase}" - do not say it\n' for phrase in CLAUSE_OF)
    listed = f"**Red flags**\n{flags}"
    story = calm().scan(listed).scan(listed.replace('"', "`")).scan(EVERY_FAMILY)
    yield scenario("mentioned-list", "A list of every phrase, quoted, and in code; then some are said.", PHRASED, story)


BESIDE: Final = (
    "`{0}` they wrote. {0}", '{0}. They wrote "{0}". {0}', "```\n{0}\n```\n{0}\n```\n{0}\n```", "> {0}\n\n{0}",
)  # fmt: skip
"""A phrase that is mentioned, and said as well."""


def _beside() -> Iterator[Scenario]:
    """What is said stands beside what is mentioned."""
    story = calm()
    for phrase in CLAUSE_OF:
        for text in BESIDE:
            story.scan(text.format(phrase))
    yield scenario("mentioned-beside-said", "Each phrase is mentioned, and said beside that.",
                   PHRASED, story)  # fmt: skip
    story = calm().scan("'I think' they wrote").scan("'It is, I think, done', they wrote")
    yield scenario("said-in-single-marks", "What stands between single marks is said.", (HEDGING,),
                   story)  # fmt: skip
    story = calm().scan("```x``` is probably done").scan("The `I` I think of").scan("`a` probably `b`")
    story.scan('"a" I think "b"').scan("\u201ca\u201d most likely \u201cb\u201d").scan("a `b\n\nprobably `c")
    yield scenario("said-between-mentions", "What stands between two mentions is said.", (HEDGING,), story)


def _longer() -> Iterator[Scenario]:
    families = (HEDGING, MINIMISING)
    story = calm()
    for text in LONGER:
        story.scan(text).scan(f"Here {text.upper()}, there")
    yield scenario("longer-words", "Longer words have a phrase in them, and are none; then some are said.", families,
                   story.scan(EVERY_FAMILY))  # fmt: skip
    story = calm()
    for phrase in CLAUSE_OF:
        first, last = phrase[0], phrase[-1]
        story.scan(f"x{phrase}").scan(f"{phrase}x").scan(f"{first}{phrase}").scan(f"{phrase}{last}9")
        story.scan(f"\u00e9{curved(phrase)}").scan(f"{phrase}\u00e9")
    yield scenario("longer-ends", "A letter more at either end makes every phrase another one; then some are said.",
                   PHRASED, story.scan(EVERY_FAMILY))  # fmt: skip
    story = calm()
    for text in APART:
        story.scan(text)
    yield scenario("words-apart", "The words of a phrase stand near each other; then some are said.", PHRASED,
                   story.scan(EVERY_FAMILY))  # fmt: skip


PLAIN: Final = (
    "The fix is in commit 4f2a91c.", "CI tested the update of both changes.", "The scope has two parts.",
    "The spec lists nine endpoints, which the docs repeat.", "Performance: 40 ms at the 99th percentile.",
    "The local time is UTC.", "The machine has two cores.", "A test of the spec and of its docs: 12 passed.",
    "Three fixes, two updates, one change.", "It was changed, fixed and updated.", "Error 404 is a change of the docs.",
)  # fmt: skip
"""Words that an excuse may have as well, in sentences that excuse nothing."""


def _plain() -> Iterator[Scenario]:
    story = calm()
    for text in PLAIN:
        story.scan(text)
    yield scenario("plain-words", "Words that excuses have, too, excuse nothing; then some phrases are said.", PHRASED,
                   story.scan(" ".join(PLAIN)).scan(EVERY_FAMILY))  # fmt: skip
    story = calm()
    for text in ("It is perhaps done.", "Maybe a corner case.", "A trivial one.", "The suite is unreliable."):
        story.scan(text)
    yield scenario("other-words", "What says the same in other words may be found; then some phrases are said.",
                   PHRASED, story.scan(EVERY_FAMILY))  # fmt: skip


ODD: Final[Mapping[str, tuple[str, ...]]] = {
    "empty": ("", " ", "\n", "\t\r\n", "\x00", "\ufeff"),
    "unclosed": ("`probably", '"probably', "```\nprobably", "\u201cprobably", "probably`",
                 'probably"', "~~~\nI think\n```"),
    "escaped": ("\\`probably\\`", '\\"probably\\"', "&quot;probably&quot;", "<q>probably</q>", "<!-- probably -->"),
    "indented": ("    probably", "\tprobably", "*     probably", "- > a\nprobably", "    a `\nprobably ` b",
                 "- a\n\n      probably", "> a\nprobably", "- > probably",
                 "- ```\n  I think\n  ```"),
    "joined": ("most-likely", "probably-not", "probably_not", "_probably_", "~~probably~~", "src/probably/a.py",
               "probably.py", "@probably", "x=probably", "the probably's"),
    "other-letters": ("\u2170 think", "\u017fimple fix", "simple\u00a0fix", "probably\u0301", "probably\u4f60",
                      "\u0131 think", "prob\u200dably", "s\u0456mple fix",
                      "\uff50\uff52\uff4f\uff42\uff41\uff42\uff4c\uff59"),
    "odd-breaks": ("simple\u2028fix", "simple\x0cfix", "simple\x85fix", "simple\rfix", "simple\n\nfix", "# I\nthink"),
    "nested-marks": ('"a "probably" b"', "\u201ca \u201cprobably\u201d b\u201d", '"a `b" probably` c"',
                     "\u201eprobably\u201c", "\u00abprobably\u00bb", '5" probably 3"', "` `` probably ` ``"),
    "long": ("`" * 500 + " probably", '"' * 501 + "probably", ">" * 200 + "probably", "\u201c" * 300, "I " * 500,
             "should be " * 100 + "fine", " " * 2000 + "simple" + " " * 2000 + "fix"),
}  # fmt: skip
"""Texts of which readers of Markdown, or of letters, may see different things: each has to be answered."""


def _odd() -> Iterator[Scenario]:
    for name, texts in ODD.items():
        story = calm()
        for text in texts:
            story.scan(text)
        yield scenario(f"odd-{name}", f"Odd texts ({name.replace('-', ' ')}) are answered; then some phrases are said.",
                       PHRASED, story.scan(NEUTRAL).scan(MENTIONS).scan(EVERY_FAMILY))  # fmt: skip
