"""When a session begins: how old the last review is, whatever stands in its place, and what comes first. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH
from harness.systems.dead_letter.workload.dead_letter_steps import (
    ANY,
    DAY_S,
    Allowed,
    Facts,
    ago,
    asked,
    calm,
    dead,
    letters,
    only,
    queue,
    scenario,
    text,
)

REVIEWED: Allowed = ({"reviewed": True},)
NOT: Allowed = ({"reviewed": False}, {"reviewed": True})  # who reviews at every start does so here, too
STALE = ("LK-DQ-09", "LK-DQ-10", "LK-DQ-11")
FRESH = ("LK-DQ-09",)
_SECOND = 1.0
_INSTANT = 0.000001


def session_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _ages()
    yield from _forms()
    yield from _no_times()
    yield from _files()
    yield from _in_succession()


def _ages() -> Iterator[Scenario]:
    ages = (
        ("now", 0.0), ("an-hour", 3600.0), ("a-second-less", DAY_S - _SECOND), ("an-instant-less", DAY_S - _INSTANT),
        ("a-day", DAY_S), ("an-instant-more", DAY_S + _INSTANT), ("a-second-more", DAY_S + _SECOND),
        ("a-year", 365 * DAY_S), ("a-second-ahead", -_SECOND), ("a-day-ahead", -DAY_S), ("a-year-ahead", -365 * DAY_S),
    )  # fmt: skip
    for word, age_s in ages:
        stale = age_s > DAY_S
        yield scenario(
            f"age-{word}", f"A session begins {age_s:g} s after the last review.", STALE if stale else FRESH,
            calm().session({"old": {"fixed_by": "4f2c9e1"}}).look().session(), NOT,
            files=only(dead("old"), dead("other", 1), reviewed=ago(age_s)),
        )  # fmt: skip
        if word not in ("now", "a-day"):
            continue
        yield scenario(
            f"age-{word}-review", f"Somebody asks for a review {age_s:g} s after the last one.", ("LK-DQ-10",),
            calm().review({"old": {"fixed_by": "4f2c9e1"}}).look().review(), REVIEWED,
            files=only(dead("old"), dead("other", 1), reviewed=ago(age_s)),
        )  # fmt: skip


_FORMS: tuple[tuple[str, str, bool], ...] = (  # all of 2026-02-28T11:59:59Z, which is stale, or of a second later
    ("offset", "2026-02-28T17:59:59+06:00", True),
    ("offset-day", "2026-02-28T18:00:00+06:00", False),
    ("offset-west", "2026-02-27T23:59:59-12:00", True),
    ("fraction-day", "2026-02-28T12:00:00.000Z", False),
)


def _forms() -> Iterator[Scenario]:
    for word, when, stale in _FORMS:
        yield scenario(
            f"form-{word}", f"The last review has the form {when}.", STALE if stale else FRESH,
            calm().session().look(), files=only(dead("old"), reviewed=when),
        )  # fmt: skip


_NO_TIMES: tuple[tuple[str, Any], ...] = (
    ("empty", ""), ("words", "yesterday"), ("number", 1772366400), ("list", ["2026-03-01T11:00:00Z"]),
)  # fmt: skip


def _no_times() -> Iterator[Scenario]:
    for word, value in _NO_TIMES:
        yield scenario(
            f"no-time-{word}", f"The last review is no time: {value!r}.", STALE,
            calm().session().look(), files=only(dead("old"), reviewed=value),
        )  # fmt: skip
    metadatas: tuple[tuple[str, Any], ...] = (
        ("null-time", {"last_reviewed": None, "total_abandoned": 0, "total_recovered": 0}), ("empty", {}),
        ("null", None), ("list", [1]), ("text", "2026-03-01T11:00:00Z"),
        ("counts-odd", {"last_reviewed": ago(30 * 3600), "total_abandoned": "two", "total_recovered": None}),
    )  # fmt: skip
    for word, metadata in metadatas:
        facts: Facts = {"old": {"fixed_by": "4f2c9e1"}, "other": {"irrelevant": True}}
        yield scenario(
            f"metadata-{word}", f"The metadata of the queue is odd: {word}.", STALE, calm().session(facts).look(),
            files={DEAD_LETTER_PATH: queue(dead("old"), dead("other", 1), dead("waits"), metadata=metadata)},
        )  # fmt: skip


def _files() -> Iterator[Scenario]:
    yield scenario(
        "file-missing", "A session begins, and there is no dead letter file.", ("LK-DQ-23",),
        calm().session().fail("fourth").look(), files={DEAD_LETTER_PATH: FileSpec(kind="absent")},
    )  # fmt: skip
    yield scenario("file-empty", "A session begins, and there is no dead letter.", ("LK-DQ-23",),
                   calm().session().look(), files={DEAD_LETTER_PATH: letters()})  # fmt: skip
    yield scenario("file-bare", "The dead-letter file is a bare array.", ("LK-DQ-02", *STALE),
                   calm().session({"old": {"fixed_by": "4f2c9e1"}}).look(),
                   files={DEAD_LETTER_PATH: text([dead("old"), dead("other", 1)])})  # fmt: skip


def _in_succession() -> Iterator[Scenario]:
    facts = {"old": {"dependency_available": True}}
    for word, wait_s in (("at-once", 0.0), ("a-day-later", DAY_S), ("later", DAY_S + _SECOND), ("two-days", 2 * DAY_S)):
        stale = wait_s > DAY_S
        yield scenario(
            f"succession-{word}", f"Two sessions begin, the second {wait_s:g} s after the first.", STALE,
            calm().session().look().later(wait_s).session(facts).look().later(1).session(), NOT if stale else ANY,
            files=only(dead("old"), dead("other", 1)),
        )  # fmt: skip
    yield scenario("succession-back", "The clock goes back between two sessions.", STALE,
                   calm().session().later(-3600).session().look())  # fmt: skip
    yield scenario(
        "succession-restarts", "Each session is a process of its own, a day and a second after the one before.", STALE,
        calm().session().restart().later(DAY_S + 1).session().restart().later(DAY_S + 1).session().look(),
    )  # fmt: skip
    yield scenario("succession-together", "Two sessions begin at once.", ("LK-DQ-23",),
                   calm().together(asked("start_session", facts), asked("start_session", facts)).look())  # fmt: skip
