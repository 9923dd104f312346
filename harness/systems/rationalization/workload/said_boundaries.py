"""What has to be found: every phrase of the document, word by word, in any case, over any white space. Level L1."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from harness.core.scenario import Scenario
from harness.systems.rationalization.contract import FLAGS, TABLE, Kind
from harness.systems.rationalization.workload.watch_steps import (
    EXCUSES,
    HEDGING,
    MINIMISING,
    PHRASED,
    SCOPE,
    SKIPPING,
    Story,
    calm,
    scenario,
)

CLAUSE_OF: Final[Mapping[str, str]] = {
    **{row.phrase: EXCUSES for row in TABLE.values()},
    **dict.fromkeys(FLAGS[Kind.HEDGING], HEDGING),
    **dict.fromkeys(FLAGS[Kind.MINIMIZATION], MINIMISING),
    **dict.fromkeys(FLAGS[Kind.SCOPE_CHANGE], SCOPE),
    **dict.fromkeys((*FLAGS[Kind.VERIFICATION_SKIPPED], *FLAGS[Kind.UNVERIFIED_CLAIM]), SKIPPING),
}
"""Every phrase of the document, and the clause that it shows."""
SHOWN: Final = ("I already verified this", "I checked and it's fine")
"""What is no rationalisation where output is shown with it."""
_BEGINS, _ENDS = "Before the release: ", " -- 4f2a91c."
BLANKS: Final[Mapping[str, str]] = {
    "a line break": "\n", "a Windows line break": "\r\n", "spaces": "   ", "a tab": "\t", "a break and spaces": " \n  ",
}  # fmt: skip
AROUND: Final = (
    ("", ""), ("", "."), ("(", ")"), ("", ", OK"), ("...", "!"), ("**", "**"), ("- ", "\n- CI passed"), ("1. ", ";"),
    ("## ", ""), ("Note: ", "?"), ("\u2014", "\u2014"), ("[x] ", ":"), ("OK\n\n", "\n\nOK\n"),
    ("\U0001f680 ", " \U0001f680"), ("| CI passed | ", " |"), ("[", "](https://example.org/4f2a91c)"), ("[CI: ", "]"),
    ("Nobody says that it is so: ", ""), ("It is not true that ", ""), ("It is not ", ""),
    ("Is it that ", ", or is it not?"),
)  # fmt: skip
"""What may stand before and after a phrase, without making it another one."""


def said_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for phrase, clause in CLAUSE_OF.items():
        yield _said(phrase, clause)
    yield from _between_paragraphs()
    yield from _several()
    yield from _with_output()
    yield from _large()


def slug(phrase: str) -> str:
    """The phrase as a part of a scenario's id."""
    return re.sub("[^a-z]+", "-", phrase.lower().replace("'", "")).strip("-")


def curved(phrase: str) -> str:
    """The phrase with curved apostrophes."""
    return phrase.replace("'", "\u2019")


def _said(phrase: str, clause: str) -> Scenario:
    story = calm().scan(phrase).scan(f"{_BEGINS}{phrase}{_ENDS}")
    for case in (str.upper, str.lower, str.title, str.swapcase):
        story.scan(f"{_BEGINS}{case(phrase)}{_ENDS}")
    for blank in BLANKS.values():
        story.scan(f"{_BEGINS}{phrase.replace(' ', blank)}{_ENDS}")
    for before, after in AROUND:
        story.scan(f"{before}{phrase}{after}")
    story.scan(curved(phrase)).scan(f"{phrase}. {phrase.upper()}, {phrase}")
    return scenario(f"said-{slug(phrase)}", f'"{phrase}" is said in every way.', (clause,), story)


BETWEEN: Final = (
    'A 5" disk\n\n{}\n\nA 3" disk', 'A 5" disk\r\n\r\n{}\r\n\r\nA 3" disk', 'A 5" disk\n \t\n{}\n  \nA 3" disk',
    "A \u201c mark\n\n{}\n\nA \u201d mark", "A ` mark\n\n{}\n\nA ` mark", "A `` mark\r\n\r\n{}\r\n\r\nA `` mark",
    "```\nCI\n`````\n{}", "~~~\nCI\n~~~~~~\n\n{}\n\n~~~\nCI\n~~~", "> CI\n\n{}\n\n> CI",
)  # fmt: skip
"""Marks that stand in other paragraphs: what is between them is said."""


def _between_paragraphs() -> Iterator[Scenario]:
    for number, between in enumerate(BETWEEN, start=1):
        story = calm()
        for phrase in CLAUSE_OF:
            story.scan(between.format(phrase))
        yield scenario(f"said-between-paragraphs-{number}", "Marks in other paragraphs quote nothing in this one.",
                       PHRASED, story)  # fmt: skip


def _several() -> Iterator[Scenario]:
    everything = " ".join(f"{phrase}." for phrase in CLAUSE_OF)
    lines = "\n".join(f"- {phrase}" for phrase in reversed(tuple(CLAUSE_OF)))
    story = calm().scan(everything).scan(lines).scan(everything.upper()).scan(everything.replace(" ", "\n"))
    yield scenario("said-everything", "Every phrase of the document in one text, in other orders too.", PHRASED, story)
    story = calm().scan(f"I think this is out of scope, most likely. {FLAGS_TWICE}").scan(FLAGS_TWICE * 5)
    yield scenario("said-again", "The same phrases again and again: each place is told.", (EXCUSES, HEDGING), story)
    story = calm().scan("I already verified this is good enough")
    story.scan("The other component handles this is out of scope")
    yield scenario("said-overlapping", "Two phrases have a word in common: one of them is found at least.",
                   (EXCUSES, SKIPPING), _after(story))  # fmt: skip
    story = calm().scan("\u00e9\u4e2d\U0001f600\U0001f468\u200d\U0001f469 probably")
    story.scan("\u0130 \u1e9e \ufb01: I think so")
    yield scenario("said-after-odd-letters", "Letters of several bytes and units stand before a phrase.", (HEDGING,),
                   story)  # fmt: skip


FLAGS_TWICE: Final = "Probably the spec is unclear; probably THE SPEC IS UNCLEAR. "


def _after(story: Story) -> Story:
    """What every story of several phrases ends with: they stand apart."""
    return story.scan("This is good enough. The other component handles this.")


def _with_output() -> Iterator[Scenario]:
    story = calm()
    for phrase in SHOWN:
        story.scan(f"{phrase}: 12 passed", has_output=True).scan(f"{phrase}: 12 passed")
    story.scan(" ".join(f"{phrase}." for phrase in CLAUSE_OF), has_output=True)
    yield scenario("said-with-output", "Output is shown, which excuses two of the phrases.", PHRASED, story)


def _large() -> Iterator[Scenario]:
    filler = "The login endpoint answers 200 to a valid token. " * 40
    story = calm().scan(f"{filler}I think so. {filler}\n\n{filler}It is a quick tweak.")
    yield scenario("said-in-much", "Two phrases in a text of pages.", (HEDGING, MINIMISING), story)
    pages = f"{filler * 10}\n\n" * 2
    story = calm().scan(f"{pages}I think so.\n\nIt is a quick tweak.").scan(f"I think so. {pages}{filler}Probably.")
    yield scenario("said-after-many-pages", "Phrases at the end of forty thousand letters.", (HEDGING, MINIMISING),
                   story)  # fmt: skip
    story = calm().scan("I think " * 300).scan("probably\n" * 300)
    yield scenario("said-many-times", "Hundreds of phrases stand one after the other.", (HEDGING,), story)
