"""Every error a person can meet stands in the catalogue, once, and is found by its text. Source: issue 13, 3."""

import re
from collections import Counter

import click
import pytest
from raise_sites import ROOT, opaque, raise_sites, string_constants

from harness import messages
from harness.certify.reach import UNCONTAINED
from harness.errors import AdapterError, FileFormatError, HarnessFault, UntestableError, UsageError
from harness.messages import GAP, KINDS, PREFIX, code_of, fits

SITES = raise_sites()
FAMILIES = messages.families().values()
LETTERS = {kind: letter for letter, kind in KINDS.items()}
PLACES = {letter: f"harness/messages/{kind.file}.yaml" for letter, kind in KINDS.items()}
RAISED = {(site.letter, site.template) for site in SITES if not opaque(site)}
LISTED = [(LETTERS[family.kind], template) for family in FAMILIES for template in family.says]
SHORT = 8  # a part of fewer characters is anywhere
BUILT = [
    (LETTERS[family.kind], module, template)
    for family in FAMILIES
    for module, templates in family.built.items()
    for template in templates
]


def test_the_sources_are_read_as_they_speak():
    """A text given in two ways, a constant of another module, one of two sentences, and what click is told to say."""
    assert {
        ("M", "{} failed in the sandbox: {}"),
        ("H", "{} failed in the sandbox: {}"),
        ("M", UNCONTAINED),
        ("U", "{}, so it cannot be shown without windtunnel"),
        ("C", "{} is no duration; write it as 90s, 2m or 1h"),
        ("C", "there is no command {}"),
    } <= RAISED


def test_every_message_that_is_raised_stands_in_the_catalogue():
    """When red: write each into the `says` of the family whose cause and remedy it has, or into a new family."""
    assert [] == [f"add to {PLACES[letter]}: {text!r}" for letter, text in sorted(RAISED - set(LISTED))]


def test_no_message_of_the_catalogue_is_one_that_nothing_raises():
    assert [] == [f"take out of {PLACES[letter]}: {text!r}" for letter, text in sorted(set(LISTED) - RAISED)]


def test_no_message_stands_in_two_families():
    assert {} == {told: count for told, count in Counter(LISTED).items() if count > 1}
    built = {
        (letter, text, family.code) for family in FAMILIES for letter, _, text in BUILT if text in family.templates()
    }
    assert {} == {told: count for told, count in Counter(built).items() if count > 1}
    assert set() == {(letter, text) for letter, _, text in BUILT} & set(LISTED)


def test_what_is_built_elsewhere_is_listed_for_each_file_that_raises_it():
    """When red: such a file raises a text without words of its own. List what that can be under `built`, by the file."""
    raising = {(site.letter, site.module) for site in SITES if opaque(site) and site.letter != "C"}
    known = {(letter, module) for letter, module, _ in BUILT if module not in ("click", "harness/cli/__init__.py")}
    assert known == raising


def test_what_is_built_elsewhere_is_built_of_words_that_stand_in_the_sources():
    texts = [text for _, module, text in BUILT if module != "click"]
    parts = {part.strip(":; ") for text in texts for part in text.split(GAP) if len(part) > SHORT}
    assert set() == {part for part in parts if not any(part in text for text in string_constants())}


def test_a_code_is_a_kind_and_a_number_and_belongs_to_one_family():
    written = [line.partition("code: ")[2] for place in PLACES.values() for line in (ROOT / place).read_text().splitlines() if line.startswith("- code:")]  # fmt: skip
    assert written == [family.code for family in FAMILIES]
    for letter, place in PLACES.items():
        numbers = re.findall(rf"^- code: {PREFIX}{letter}(\d\d)$", (ROOT / place).read_text("utf-8"), re.MULTILINE)
        assert sorted(set(numbers)) == numbers
        assert len(numbers) == sum(family.code[3] == letter for family in FAMILIES) > 0


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.code)
def test_a_family_helps(family):
    assert family.templates()
    assert all(len(text) > 20 and text.endswith(".") for text in (family.cause, family.remedy))
    assert family.cause.lower() != family.title.lower()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.code)
def test_a_message_is_found_by_its_text(family):
    """A template with words in its gaps has the code of its own family, and of no other."""
    found = {text: code_of(text.replace(GAP, "'x' (y)"), family.kind.error) for text in family.templates()}
    assert dict.fromkeys(family.templates(), family.code) == found


def test_a_template_fits_what_has_all_its_parts_in_their_order():
    assert fits("cannot read {}: {}", "cannot read a: b: c")
    assert fits("a {} b", "a  b")
    assert not fits("a {} b", "a b")
    assert not fits("{} x {} y", "1 y 2 x 3 y"[:-2])
    assert fits("there are no events", "there are no events")
    assert not fits("there are no events", "there are no events.")


def test_the_template_with_most_text_of_its_own_wins():
    assert "WT-U09" == code_of("cannot read the target file x: no", UsageError)
    assert "WT-U22" == code_of("s.yaml: there is no rule 'x'; docs/order.md has them all", UsageError)


def test_an_error_that_lost_its_class_on_the_way_from_a_worker_is_known_all_the_same():
    assert "WT-F06" == code_of("r has format 2; this version reads format 1", UsageError)
    assert "WT-A04" == code_of("the result of ask is not its schema's: x; it was y", UntestableError)
    assert "WT-T04" == code_of("it chose protocol 2; we speak 1", AdapterError)


def test_what_the_catalogue_does_not_know_has_no_code():
    assert "" == code_of("something else altogether", FileFormatError)
    assert "" == code_of("", UsageError)


def test_what_only_a_defect_can_say_and_whatever_click_says_has_a_code():
    assert "WT-H01" == code_of("something else altogether", HarnessFault)
    assert "WT-C05" == code_of("something else altogether", click.ClickException)


def test_every_message_keeps_its_code(snapshot):
    """When red: a code that people have met may not mean another thing; only new messages are to be seen here."""
    told = [f"{messages.readable(text)} [{family.code}]" for family in FAMILIES for text in family.templates()]
    assert snapshot == "\n".join(told)
