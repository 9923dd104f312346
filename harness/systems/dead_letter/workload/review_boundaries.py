"""What a review decides about each task, in which order, and what follows from it on disk. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.dead_letter.contract import ABANDONED_PATH, IN_PROGRESS_PATH
from harness.systems.dead_letter.workload.dead_letter_steps import (
    DAY_S,
    KINDS,
    Task,
    attempts,
    calm,
    dead,
    only,
    queue,
    scenario,
    task,
)
from harness.systems.queue_files import ABANDONED, COMPLETED, PENDING

SCOPE = {"title": "Write the lexer only", "description": "Tokens of numbers and names, nothing else"}
DEPENDENCY, FIXED, APPROACH, SIMPLER = (
    {"dependency_available": True}, {"fixed_by": "4f2c9e1d"}, {"new_approach": "a table of states"},
    {"simpler_scope": SCOPE},
)  # fmt: skip
RETRIES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "dependency": (DEPENDENCY, "LK-DQ-13"),
    "approach": (APPROACH, "LK-DQ-14"),
    "scope": (SIMPLER, "LK-DQ-15"),
    "fixed": (FIXED, "LK-DQ-16"),
}
"""The retry conditions: the facts that meet each, and the clause of its action."""

ABANDONS: Mapping[str, Mapping[str, Any]] = {"never": {"dependency_never": True}, "irrelevant": {"irrelevant": True}}
REVIEW = ("LK-DQ-10", "LK-DQ-11")
GIVEN_UP = ("LK-DQ-20", *REVIEW)
RECOVERED = ("LK-DQ-12", *REVIEW)
BLOCKED_TASK = "dependency_blocked"


def review_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _retries()
    yield from _at_length()
    yield from _several()
    yield from _orders()
    yield from _total()
    yield from _same_error()
    yield from _abandons()
    yield from _humans_abandon()
    yield from _left()
    yield from _lives()


def _by_kind(count: int, kind: str) -> list[dict[str, Any]]:
    return attempts(count, kinds=(kind,))


def _retries() -> Iterator[Scenario]:
    for word, (facts, clause) in RETRIES.items():
        shown = (*(REVIEW if word == "scope" else RECOVERED), clause)
        yield scenario(
            f"retry-{word}", f"A task is retried by one condition, {word}; another one is left.",
            (*shown, *(("LK-DQ-22",) if word in ("dependency", "scope") else ())),
            calm().session({"one": facts}).look().list(PENDING).review({"one": facts}).look(),
            files=only(dead("one"), dead("other", 1)),
        )  # fmt: skip
        if word not in ("approach", "scope"):
            continue
        again = dead("one", 8, original_queue="in-progress", attempts=_by_kind(8, "dependency"), owner="bob",
                     recovery_strategy=BLOCKED_TASK, task_data={"estimate": 3})  # fmt: skip
        yield scenario(
            f"retry-{word}-of-eight", f"A task of eight attempts, with fields of its own, is retried: {word}.",
            (*shown, "LK-DQ-23"), calm().review({"one": facts}).look().list(PENDING),
            files=only(dead("before"), again, dead("after")),
        )  # fmt: skip


def _at_length() -> Iterator[Scenario]:
    long = "first this,\nthen that \u2013 \u65e5\u672c; " * 60
    scope = {"simpler_scope": {"title": long[:1200], "description": f"{long}, and no more"}}
    for word, facts, clause in (
        ("approach", {"new_approach": long}, "LK-DQ-14"), ("scope", scope, "LK-DQ-15"),
        ("fixed", {"fixed_by": f"the merge of {'4f2c9e1d' * 40}"}, "LK-DQ-16"),
    ):  # fmt: skip
        yield scenario(
            f"retry-{word}-at-length", f"What a task is retried for takes many words: {word}.", (*REVIEW, clause),
            calm().review({"one": facts}).look().list(PENDING), files=only(dead("one"), dead("other", 1)),
        )  # fmt: skip


def _several() -> Iterator[Scenario]:
    pairs: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("approach-dependency", {**APPROACH, **DEPENDENCY}),
        ("scope-fixed", {**SIMPLER, **FIXED}),
        ("all", {**DEPENDENCY, **APPROACH, **SIMPLER, **FIXED}),
    )
    for word, facts in pairs:
        yield scenario(
            f"retry-several-{word}", f"Several conditions are met at once: {word}.", RECOVERED[1:],
            calm().review({"one": facts}).look().list(PENDING), files=only(dead("one"), dead("other", 1)),
        )  # fmt: skip


HUMANS: Mapping[str, Mapping[str, Any]] = {
    "auth": {"touches": ["auth"]},
    "confidence": {"confidence": 0.1},
    "needs": {"needs": ["an API key of the weather service"]},
}


def _orders() -> Iterator[Scenario]:
    for word, (facts, clause) in RETRIES.items():
        yield scenario(
            f"order-{word}-of-ten", f"A task of ten attempts meets a retry condition: {word}.", (*REVIEW, clause),
            calm().review({"one": facts}).look(), files=only(dead("one", 10)),
        )  # fmt: skip
        beside = {**facts, "dependency_never": True, "irrelevant": True, **HUMANS["auth"], "confidence": 0.0}
        yield scenario(
            f"order-{word}-first", f"A retry condition, {word}, beside what abandons and what needs a human.",
            (*REVIEW, clause), calm().review({"one": beside}).look(), files=only(dead("one"), dead("other", 1)),
        )  # fmt: skip
    for word, facts in HUMANS.items():
        yield scenario(
            f"order-ten-{word}", f"A task of ten attempts needs a human: {word}.", (*GIVEN_UP, "LK-DQ-17"),
            calm().review({"one": facts}).look(), files=only(dead("one", 10), dead("other", 1)),
        )  # fmt: skip
    yield scenario(
        "order-irrelevant-auth", "A task that is irrelevant needs a human.", (*GIVEN_UP, "LK-DQ-19"),
        calm().review({"one": {**HUMANS["auth"], "irrelevant": True}}).look(),
        files=only(dead("one"), dead("other", 1)),
    )  # fmt: skip
    waits = dead("one", recovery_strategy="requires_human_review")
    yield scenario("order-waiting", "A retry condition is met for a task that waits for a human.", REVIEW,
                   calm().review({"one": FIXED}).look(), files=only(waits, dead("other", 1)))  # fmt: skip


def _total() -> Iterator[Scenario]:
    for count in (5, 9, 10, 11, 20):
        clauses = (*GIVEN_UP, "LK-DQ-17") if count > 9 else (*REVIEW, "LK-DQ-17") if count == 9 else REVIEW
        one = dead("one", count, failure_count=count - 5)
        yield scenario(
            f"total-{count}", f"A task has {count} attempts, its count was reset after five.", clauses,
            calm().review().look().list(ABANDONED), files=only(one, dead("other", 1)),
        )  # fmt: skip
    planned = {**attempts(1)[0], "approach": "a table of states", "error_type": None, "error_message": None}
    for failed in (8, 9, 10):
        tried = [*attempts(failed), {**planned, "attempt_number": failed + 1}]
        yield scenario(
            f"total-{failed}-and-planned", f"A task has {failed} failed attempts, and an approach nobody tried.",
            (*REVIEW, *{9: ("LK-DQ-14",), 10: ("LK-DQ-17",)}.get(failed, ())),
            calm().review().look(), files=only(dead("one", 5, attempts=tried), dead("other", 1)),
        )  # fmt: skip


_THREE = ("direct", "cached", "a table of states")
_SAME: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (
    ("two-approaches", "in two approaches", attempts(6, KINDS[:1], _THREE[:2], ("it does not hold",))),
    ("three-approaches", "in three approaches", attempts(5, KINDS[:1], _THREE, ("it does not hold",))),
    ("four-approaches", "in four approaches",
     attempts(5, KINDS[:1], (*_THREE, "by hand"), ("it does not hold",))),
    ("among-others", "in three approaches, with other errors between",
     [{**each, "attempt_number": number + 1} for number, each in enumerate(
         [one for pair in zip(attempts(3, ("timeout",), _THREE, ("no answer",)),
                              attempts(3, ("validation",), _THREE[:1]), strict=True) for one in pair])]),
    ("other-messages", "of one type, with other messages, in three approaches", attempts(6, KINDS[:1], _THREE)),
    ("other-types", "with one message, of three types, in three approaches",
     attempts(6, KINDS, _THREE, ("it does not hold",))),
    ("other-digits", "that differs in numbers, in three approaches",
     attempts(6, KINDS[:1], _THREE, ("line 1 fails", "line 22 fails", "line 333 fails"))),
    ("other-case", "that differs in case and spaces, in three approaches",
     attempts(6, KINDS[:1], _THREE, ("It fails", "it  fails", " IT FAILS\n"))),
    ("two-and-another", "in two approaches, and another one in a third",
     [*attempts(4, ("timeout",), _THREE[:2], ("no answer",)), attempts(5, ("validation",), _THREE[2:])[4]]),
    ("nothing-same", "that is never the same, in three approaches",
     attempts(3, ("test_failure", "timeout", "validation"), _THREE)),
)  # fmt: skip


def _same_error() -> Iterator[Scenario]:
    for word, title, tried in _SAME:
        yield scenario(
            f"same-{word}", f"A task had an error {title}.", ("LK-DQ-18", *REVIEW),
            calm().review().look().list(ABANDONED), files=only(dead("one", 5, attempts=tried), dead("other")),
        )  # fmt: skip
    listed = [{**each, "approach": [each["approach"]]} for each in attempts(6, KINDS[:1], _THREE, ("no answer",))]
    yield scenario(
        "same-approaches-are-lists", "The approaches of a task are told as lists, not as texts.", REVIEW,
        calm().review().look().list(ABANDONED), files=only(dead("one", 5, attempts=listed), dead("other")),
    )  # fmt: skip


def _abandons() -> Iterator[Scenario]:
    for word, facts in ABANDONS.items():
        yield scenario(
            f"abandon-{word}", f"A task is abandoned: {word}.", (*GIVEN_UP, "LK-DQ-19"),
            calm().session({"one": facts}).look().list(ABANDONED).review({"one": facts}).look(),
            files=only(dead("one", owner="bob", task_data={"estimate": 3}), dead("other", 1)),
        )  # fmt: skip
    before = {
        ABANDONED_PATH: FileSpec(text='[{"task_id": "long-gone", "abandon_reason": "nobody asked", "x": [1]}, 7]')
    }
    yield scenario(
        "abandon-beside", "Tasks are abandoned beside one that was, in a bare array.", (*GIVEN_UP, "LK-DQ-23"),
        calm().review({"one": ABANDONS["never"], "two": ABANDONS["irrelevant"]}).look().list(ABANDONED),
        files={**only(dead("one"), dead("other", 1), dead("two", 12)), **before},
    )  # fmt: skip


def _humans_abandon() -> Iterator[Scenario]:
    clauses = ("LK-DQ-19", "LK-DQ-20")
    story = calm().abandon("one", "Replaced by the new billing: see #12").look().list(ABANDONED)
    yield scenario("human-abandons", "A human gives a task up, twice.", clauses, story.abandon("one"),
                   ({"abandoned": True},), files=only(dead("one", owner="bob"), dead("other", 1)))  # fmt: skip
    yield scenario(
        "human-abandons-unknown", "A human gives a task up that is nowhere.", ("LK-DQ-23",),
        calm().abandon("nobody").abandon("old").look().abandon("nobody"), ({"abandoned": False},),
    )  # fmt: skip
    yield scenario("human-abandons-at-work", "A human gives a task up that is at work.", ("LK-DQ-23",),
                   calm().abandon("new").abandon("old").look().list(ABANDONED))  # fmt: skip
    yield scenario("human-abandons-done", "A human gives a task up that is completed.", ("LK-DQ-23",),
                   calm().abandon("done").abandon("old").look().list(COMPLETED),
                   files={"{home}/.loki/queue/completed.json": queue(task("done"))})  # fmt: skip
    long = "Costs too much:\n- first\n- second \u65e5\u672c " * 30
    yield scenario("human-abandons-at-length", "A human gives a task up, at length, and fails it later.", clauses,
                   calm().abandon("old", long, "b\u00f6b").look().fail("old").session().look())  # fmt: skip


_LEFT: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("dependency", "whose attempts all failed for a dependency", "retry_with_simpler_approach", ("dependency",)),
    ("none", "of whose attempts none failed for a dependency", "retry_with_simpler_approach", KINDS),
    ("other", "that is blocked, although no attempt failed for a dependency", BLOCKED_TASK, KINDS),
    ("mixed", "whose attempts failed for a dependency and otherwise", BLOCKED_TASK, ("dependency", "timeout")),
)


def _left() -> Iterator[Scenario]:
    for word, title, strategy, kinds in _LEFT:
        clauses = (*REVIEW, "LK-DQ-07", *(() if word == "mixed" else ("LK-DQ-24",)))
        one = dead("one", attempts=attempts(6, kinds), recovery_strategy=strategy)
        yield scenario(f"left-{word}", f"A task is left {title}.", clauses, calm().review().look(), files=only(one))
    odd: tuple[tuple[str, Any], ...] = (("null", None), ("unknown", "wait_and_see"))
    for word, odd_strategy in odd:
        yield scenario(f"left-strategy-{word}", f"A task is left whose strategy is odd: {odd_strategy!r}.", REVIEW,
                       calm().review().look(), files=only(dead("one", recovery_strategy=odd_strategy)))  # fmt: skip
    yield scenario("left-facts-of-others", "The facts are about tasks that are not in the queue.", REVIEW,
                   calm().review({"nobody": FIXED, "new": FIXED, "one": {}}).look().list(PENDING),
                   files=only(dead("one")))  # fmt: skip
    waits = dead("one", attempts=_by_kind(5, "dependency"), recovery_strategy=BLOCKED_TASK)
    story = calm()
    for _ in range(3):
        story.session().later(DAY_S + 1)
    yield scenario(
        "left-daily", "A task waits for a dependency for three days; then it is there.",
        (*RECOVERED, "LK-DQ-09", "LK-DQ-13", "LK-DQ-22"), story.session({"one": DEPENDENCY}).look().list(PENDING),
        files=only(waits, dead("other", 1)),
    )  # fmt: skip
    until = calm().session().later(DAY_S + 1).session({"one": SIMPLER}).look().later(DAY_S + 1)
    yield scenario(
        "left-until-simpler", "A task waits for a simpler scope; the review after that finds it defined still.",
        (*REVIEW, "LK-DQ-15", "LK-DQ-22"),
        until.session({"one": SIMPLER}).look(),
        files=only(dead("one"), dead("other", 1)),
    )  # fmt: skip


def mixed() -> tuple[tuple[Task, ...], Mapping[str, Mapping[str, Any]]]:
    """Tasks of which each is decided about in another way, and the facts that do it."""
    tasks = (
        dead("left"), dead("ten", 10), dead("fixed"), dead("auth"), dead("back", original_queue="in-progress"),
        dead("gone"), dead("simpler"), dead("fresh", 7), dead("last"),
    )  # fmt: skip
    facts = {
        "fixed": FIXED, "auth": HUMANS["auth"], "back": DEPENDENCY, "gone": ABANDONS["irrelevant"], "simpler": SIMPLER,
        "fresh": APPROACH,
    }  # fmt: skip
    return tasks, facts


def _lives() -> Iterator[Scenario]:
    tasks, facts = mixed()
    clauses = (
        *RECOVERED, "LK-DQ-13", "LK-DQ-14", "LK-DQ-15", "LK-DQ-16", "LK-DQ-17", "LK-DQ-19", "LK-DQ-20", "LK-DQ-21",
        "LK-DQ-23", "LK-ES-01",
    )  # fmt: skip
    yield scenario(
        "mixed", "Nine tasks, each decided about in another way, in one review.", clauses,
        calm().session(facts).look().list(PENDING).session(facts).look(), files=only(*tasks),
    )  # fmt: skip
    yield scenario(
        "mixed-turned", "The same tasks in the opposite order, reviewed twice.", clauses,
        calm().review(facts).look().list(ABANDONED).review(facts).look(), files=only(*reversed(tasks)),
    )  # fmt: skip
    story = calm().fails("new", 5).review({"new": APPROACH}).look().fails("new", 5).look()
    yield scenario(
        "life-of-ten", "A task fails five times, is tried in a new way, fails five times more, and is abandoned.",
        ("LK-DQ-01", "LK-DQ-12", "LK-DQ-14", "LK-DQ-17", "LK-DQ-20", "LK-DQ-23"), story.review().look().list(ABANDONED),
    )  # fmt: skip
    story = calm().fails("fourth", 1).review({"fourth": FIXED}).look().fails("fourth", 1).look()
    yield scenario(
        "life-without-approach", "A task that came back without a new approach fails once, and is dead again.",
        ("LK-DQ-01", "LK-DQ-12", "LK-DQ-14", "LK-DQ-16", "LK-DQ-23"), story.review().look(),
    )  # fmt: skip
    kinds: tuple[Mapping[str, Any], ...] = (FIXED, ABANDONS["never"], {})
    many = [dead(f"many-{number}", 1) for number in range(40)]
    facts = {f"many-{number}": kinds[number % 3] for number in range(40)}
    yield scenario("life-of-many", "Forty tasks are reviewed at once.", (*RECOVERED, "LK-DQ-20", "LK-DQ-23"),
                   calm().review(facts).look(), files=only(*many))  # fmt: skip
    yield scenario(
        "life-back-to-work", "A task goes back to pending while tasks of that id's kin are in progress.", RECOVERED,
        calm().review({"one": FIXED}).look().fail("one-2").fail("one").look(),
        files={**only(dead("one"), dead("waits")), IN_PROGRESS_PATH: queue(task("one-2", 1), task("on", 4))},
    )  # fmt: skip
