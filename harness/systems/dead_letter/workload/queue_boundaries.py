"""What stands in the queue files: their forms, what is somebody's, what is damaged, and what a crash left. Level L1."""

import json
from collections.abc import Iterator
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.dead_letter.contract import ABANDONED_PATH, DEAD_LETTER_PATH, IN_PROGRESS_PATH, PENDING_PATH
from harness.systems.dead_letter.workload.dead_letter_steps import (
    CONTROL_FOURTH,
    CONTROL_NEW,
    MOVED,
    Facts,
    Files,
    attempts,
    calm,
    dead,
    letters,
    only,
    pending,
    queue,
    scenario,
    task,
    text,
)
from harness.systems.queue_files import ABANDONED, PENDING, QUEUES

KEPT = ("LK-DQ-23",)
_CONTROL = (task(CONTROL_NEW), task(CONTROL_FOURTH, 4))
_FACTS: Facts = {"one": {"fixed_by": "4f2c9e1"}, "two": {"irrelevant": True}}


def queue_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _forms()
    yield from _damaged()
    yield from _duplicates()
    yield from _lists()


def _busy(name: str, title: str, files: Files, clauses: tuple[str, ...] = KEPT) -> Scenario:
    """Tasks move between all queues, in a world with these files."""
    story = calm().list().fail("running").look().review(_FACTS).look().list(PENDING).list(ABANDONED)
    return scenario(f"queue-{name}", title, clauses, story, files={**only(dead("one"), dead("two")), **files})


def _forms() -> Iterator[Scenario]:
    bare: Files = {
        PENDING_PATH: text(_CONTROL),
        IN_PROGRESS_PATH: text([task("running", 4)]),
        DEAD_LETTER_PATH: text([dead("one"), dead("two")]),
        ABANDONED_PATH: text([]),
    }
    yield _busy("bare", "Every queue file is a bare array.", bare, (*KEPT, *MOVED))
    beside: Files = {
        PENDING_PATH: queue(*_CONTROL, version=3, owner={"name": "bob"}),
        IN_PROGRESS_PATH: queue(task("running", 4), updated="2026-02-28T12:00:00Z"),
        DEAD_LETTER_PATH: letters(dead("one"), dead("two"), version=3, notes=["a", None]),
        ABANDONED_PATH: queue(metadata={"by": "alice"}),
    }
    yield _busy("beside", "There are fields beside the tasks of every queue file.", beside, (*KEPT, "LK-DQ-02"))
    odd: Files = {
        PENDING_PATH: queue(1, *_CONTROL, None, "two", ["three"], {"title": "without an id"}, {"task_id": 7}),
        IN_PROGRESS_PATH: queue({"task_id": ""}, task("running", 4), {}),
        DEAD_LETTER_PATH: letters(dead("one"), 3, {"title": "without an id"}, dead("two"), {"task_id": None}),
    }
    yield _busy("odd", "There are entries without an id among the tasks of every queue file.", odd)
    spaced: Files = {
        PENDING_PATH: text({"tasks": [*_CONTROL]}, indent=4),
        IN_PROGRESS_PATH: FileSpec(text=json.dumps({"tasks": [task("running", 4)]}) + "\n\n  "),
    }
    yield _busy("spaced", "Queue files are indented, and end in white space.", spaced)
    for word, metadata in (("extra", {"last_reviewed": "2026-02-01T00:00:00Z", "total_abandoned": 0,
                                      "total_recovered": 0, "reviewer": "carol"}), ("missing", ...)):  # fmt: skip
        whole = {"tasks": [dead("one"), dead("two")], "metadata": metadata}
        found = {name: value for name, value in whole.items() if value is not ...}
        yield _busy(f"metadata-{word}", f"The metadata of dead-letter is odd: {word}.", {DEAD_LETTER_PATH: text(found)},
                    (*KEPT, "LK-DQ-02"))  # fmt: skip
    none = {path: FileSpec(kind="absent") for path in (PENDING_PATH, DEAD_LETTER_PATH, ABANDONED_PATH)}
    yield _busy("absent", "There is no queue file but in-progress.", none, MOVED)
    empty = {path: FileSpec(text='{"tasks": []}') for path in (PENDING_PATH, DEAD_LETTER_PATH, ABANDONED_PATH)}
    yield _busy("empty", "Every queue but in-progress is empty.", empty, MOVED)
    many: Files = {
        PENDING_PATH: pending(*(task(f"task-{number}", number % 2) for number in range(60))),
        DEAD_LETTER_PATH: letters(dead("one"), *(dead(f"dead-{number}", 1) for number in range(30)), dead("two")),
    }
    yield _busy("many", "There are a hundred tasks beside those that move.", many)


_DAMAGE: tuple[tuple[str, str, FileSpec], ...] = (
    ("nothing", "has no bytes", FileSpec(text="")),
    ("truncated", "is torn", FileSpec(text=json.dumps({"tasks": [dead("one"), dead("two")]})[:700])),
    ("not-json", "is no JSON", FileSpec(text="tasks: none\n")),
    ("not-utf8", "is no UTF-8", FileSpec(base64=b'{"tasks": ["\xff\xfe"]}')),
    ("nul", "has NUL bytes", FileSpec(text="\x00" * 64)),
    ("number", "is a number", FileSpec(text="42")),
    ("tasks-null", "has null for tasks", FileSpec(text='{"tasks": null}')),
    ("tasks-object", "has an object for tasks", FileSpec(text='{"tasks": {"one": {}}}')),
    ("deep", "is nested deep", FileSpec(text='{"tasks": ' + "[" * 5_000 + "]" * 5_000 + "}")),
)


def _damaged() -> Iterator[Scenario]:
    for word, title, spec in _DAMAGE:
        yield _busy(f"dead-letter-{word}", f"dead-letter.json {title}.", {DEAD_LETTER_PATH: spec}, (*KEPT, "LK-DQ-01"))
    for name, path in (("pending", PENDING_PATH), ("in-progress", IN_PROGRESS_PATH), ("abandoned", ABANDONED_PATH)):
        for word, title, spec in _DAMAGE:
            if word in ("truncated", "not-utf8"):
                yield _busy(f"{name}-{word}", f"{name}.json {title}.", {path: spec})


def _duplicates() -> Iterator[Scenario]:
    """What a crash between two writes of a move leaves: the next operation leaves one."""
    back = dead("both", 0, attempts=attempts(6), recovery_reason="a new approach", failure_count=0)
    cases: tuple[tuple[str, str, Files], ...] = (
        ("moved", "pending and dead-letter, its fifth failure in the latter",
         {PENDING_PATH: pending(task("both", 4)), DEAD_LETTER_PATH: letters(dead("both"), dead("one"))}),
        ("counted", "pending and dead-letter, with five failures in both",
         {PENDING_PATH: pending(task("both", 5)), DEAD_LETTER_PATH: letters(dead("both"))}),
        ("retried", "dead-letter and pending, with a new approach in the latter",
         {PENDING_PATH: pending(back), DEAD_LETTER_PATH: letters(dead("both"), dead("two"))}),
        ("abandoned", "dead-letter and abandoned",
         {ABANDONED_PATH: queue(dead("both", abandon_reason="gone")), DEAD_LETTER_PATH: letters(dead("both", 10))}),
        ("running", "in-progress and dead-letter",
         {IN_PROGRESS_PATH: queue(task("both", 4)), DEAD_LETTER_PATH: letters(dead("one"), dead("both"))}),
        ("three", "pending, in-progress and dead-letter",
         {PENDING_PATH: pending(task("both", 3)), IN_PROGRESS_PATH: queue(task("both", 4), task("running", 1)),
          DEAD_LETTER_PATH: letters(dead("both"))}),
    )  # fmt: skip
    for word, where, files in cases:
        yield scenario(f"duplicate-{word}", f"A task stands in {where}.", KEPT,
                       calm().list().look().review().look(), files=files)  # fmt: skip
        if word in ("moved", "retried"):
            yield scenario(f"duplicate-{word}-fails", f"A task that stands in {where} fails.", KEPT,
                           calm().fail("both").look().list(PENDING), files=files)  # fmt: skip


def _lists() -> Iterator[Scenario]:
    every: dict[str, FileSpec] = {
        f"{{home}}/.loki/queue/{name}.json": queue(task(f"in-{name}", 1), *extra) for name, extra in _with_control()
    }
    story = calm()
    for name in QUEUES:
        story.list(name)
    yield scenario(
        "list-every", "Every queue is listed.", KEPT, story.list("nowhere").fail(CONTROL_FOURTH).list(), files=every
    )
    yield scenario("list-restarted", "Queues are listed by a process that has just begun.", KEPT,
                   calm().fail("fourth").restart().list().restart().list(PENDING).list())  # fmt: skip


def _with_control() -> Iterator[tuple[str, tuple[Any, ...]]]:
    for name in QUEUES:
        yield name, _CONTROL if name == PENDING else ()
