"""Failures that are recorded: the fifth moves a task, whatever it looks like and whatever failed. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.dead_letter.contract import QUEUE_PATHS, WORK_QUEUES
from harness.systems.dead_letter.workload.dead_letter_steps import (
    COUNTED,
    MOVED,
    Facts,
    Files,
    asked,
    attempts,
    calm,
    data,
    dead,
    failed,
    only,
    pending,
    queue,
    scenario,
    task,
)
from harness.systems.queue_files import ABANDONED, BLOCKED, COMPLETED, IN_PROGRESS, PENDING

MOST = 4  # failures before the last one that is borne


def failure_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _counts()
    yield from _odd_counts()
    yield from _kinds()
    yield from _attempts()
    yield from _tasks()
    yield from _elsewhere()
    yield from _times()
    yield from _together()


def _in(name: str, *tasks: Any) -> Files:
    """A world in which these tasks stand in that queue."""
    return {QUEUE_PATHS[name]: pending(*tasks) if name == PENDING else queue(*tasks)}


def _counts() -> Iterator[Scenario]:
    for name in WORK_QUEUES:
        for before in (0, 3, 4, 5, 9) if name == PENDING else (3, 4):
            moves = before >= MOST
            yield scenario(
                f"count-{name}-{before}", f"A task in {name} that failed {before} times fails once more.",
                MOVED if moves else COUNTED, calm().fail("one").look().fail("one"),
                ({"recorded": False, "moved": False},) if moves else ({"moved": before + 2 > MOST},),
                files=_in(name, task("one", before), task("beside", 2)),
            )  # fmt: skip
    yield scenario(
        "count-from-nothing", "A task fails six times: the fifth moves it, the sixth finds no task.",
        (*MOVED, "LK-DQ-23"), calm().fails("new", 5).look().fail("new"), ({"recorded": False, "moved": False},),
    )  # fmt: skip
    story = calm()
    for _ in range(5):
        story.fails("new", 1).fails("third", 1).list(PENDING)
    yield scenario("count-of-two", "Two tasks fail in turns: each has a count of its own.", MOVED, story.look())


_COUNTS: tuple[tuple[str, str, Any], ...] = (
    ("missing", "is missing", ...),
    ("null", "is null", None),
    ("negative", "is -1", -1),
    ("text", "is a text", "4"),
    ("true", "is true", True),
)


def _odd_counts() -> Iterator[Scenario]:
    """Where the count is none, the attempts are counted."""
    for word, title, count in _COUNTS:
        tasks = []
        for id_, failures in (("four", 4), ("three", 3)):
            one = task(id_, failures, failure_count=count)
            tasks.append({name: value for name, value in one.items() if value is not ...})
        yield scenario(
            f"count-is-{word}", f"Tasks with four and three attempts fail whose failure_count {title}.", MOVED,
            calm().fail("four").fail("three").look(), files=_in(PENDING, *tasks),
        )  # fmt: skip
    for word, value in (("missing", ...), ("odd", [1, None, "two"])):
        one = {name: each for name, each in task("four", 4, attempts=value).items() if each is not ...}
        yield scenario(
            f"attempts-{word}", f"A task whose attempts are {word} and whose count is four fails.", ("LK-DQ-01",),
            calm().fail("four").look(), files=_in(PENDING, one),
        )  # fmt: skip


def _kinds() -> Iterator[Scenario]:
    for kind in ("test_failure", "timeout", "dependency", "validation"):
        yield scenario(f"kind-{kind.replace('_', '-')}", f"The fifth failure is a {kind}.", MOVED,
                       calm().fail("new", kind).fail("fourth", kind).look())  # fmt: skip
    for kind in ("crash", "rate_limit"):
        yield scenario(
            f"kind-{kind.replace('_', '-')}", f"The failures are of a kind that is none of the four: {kind}.",
            ("LK-DQ-06", "LK-DQ-01"), calm().fail("new", kind).fail("fourth", kind).look(),
        )  # fmt: skip
    odd: tuple[tuple[str, Any], ...] = (("null", None), ("list", ["timeout"]))
    for word, odd_kind in odd:
        yield scenario(
            f"kind-{word}", f"The error_type of a failure is odd: {odd_kind!r}.", ("LK-DQ-01", "LK-DQ-23"),
            calm().fail("new", odd_kind).fail("fourth", odd_kind).list(PENDING).fail("running").look(),
        )  # fmt: skip


_MESSAGES: tuple[tuple[str, Any], ...] = (
    ("empty", ""),
    ("null", None),
    ("object", {"code": 7, "text": ["a"]}),
    ("lines", "first line\n### Awaiting\n\n```\nlast line\n"),
    ("unicode", "e\u0301chec \u65e5\u672c \U0001f642 \u202egnp"),
    ("control", "a\x00b\x1b[31mc\x7f"),
    ("long", "the same again; " * 1_100),
)


def _attempts() -> Iterator[Scenario]:
    for word, message in _MESSAGES:
        clauses = MOVED if isinstance(message, str) and message else ("LK-DQ-01",)
        yield scenario(
            f"message-{word}", f"The error_message of failures is odd: {word}.", clauses,
            calm().fail("new", message=message).fail("fourth", message=message).list(PENDING).fail("running").look(),
        )  # fmt: skip
    long = "by hand and in two steps; " * 80
    story = calm().fail("third", approach=long, agent=long).fail("third", approach=f"{long}2")
    yield scenario("attempt-long", "Approach and agent of the failures are long.", MOVED, story.look())
    for word, value in (("null", None), ("number", 1)):
        story = calm().fail("new", approach=value, agent=value).fail("fourth", approach=value, agent=value).look()
        yield scenario(f"attempt-{word}", f"Approach and agent of a failure are odd: {value!r}.", ("LK-DQ-01",),
                       story.fail("running").look())  # fmt: skip


def _tasks() -> Iterator[Scenario]:
    within = {"task_id": "within", "task_data": data("within"), "failure_count": 4, "attempts": attempts(4)}
    yield scenario("task-data-within", "The data of a task that moves stands in its task_data.", MOVED,
                   calm().fail("within").look(), files=_in(IN_PROGRESS, within))  # fmt: skip
    low = task("one", 4, priority="low")
    yield scenario("task-priority-low", "A task of low priority moves.", MOVED, calm().fail("one").look(),
                   files=_in(IN_PROGRESS, low))  # fmt: skip
    for word, fields in (
        ("priority-odd", {"priority": "urgent"}),
        ("data-wrong", {"title": 7, "description": None, "dependencies": "part-0", "priority": ["high"]}),
    ):
        yield scenario(f"task-{word}", f"A task moves whose data is odd: {word}.", ("LK-DQ-01", "LK-DQ-05"),
                       calm().fail("one").look(), files=_in(PENDING, task("one", 4, **fields)))  # fmt: skip
    words = data("words", title="Write it all; " * 80, description="\u65e5\u672c\n\n- a list\n" * 160)
    yield scenario("task-data-long", "A task moves whose title and description are long.", MOVED,
                   calm().fail("words").look(), files=_in(PENDING, task("words", 4, **words)))  # fmt: skip
    bare = {"task_id": "bare", "failure_count": 4, "attempts": attempts(4)}
    yield scenario(
        "task-data-missing", "A task moves of which nothing is known but its failures.",
        ("LK-DQ-01", "LK-DQ-03", "LK-DQ-05"), calm().fail("bare").look(), files=_in(PENDING, bare),
    )  # fmt: skip
    foreign = task("foreign", 4, labels=["a", {"b": None}], owner="bob")
    inner = {**within, "task_data": data("within", estimate=3.5, links={"pr": 12})}
    yield scenario(
        "task-foreign-fields", "Tasks move that have fields of somebody's own.", (*MOVED, "LK-DQ-23"),
        calm().fail("foreign").fail("within").look().session().list(), files=_in(PENDING, foreign, inner),
    )  # fmt: skip
    again = dead("again", 5, attempts=attempts(7), recovery_strategy="dependency_resolved", failure_count=5)
    yield scenario("task-back-again", "A task that came back with its count fails again, and moves at once.", MOVED,
                   calm().fail("again").look(), files=_in(PENDING, again))  # fmt: skip
    yield scenario("task-back-elsewhere", "A task came back from pending, and fails again in progress.", MOVED,
                   calm().fail("again").look(), files=_in(IN_PROGRESS, again))  # fmt: skip
    tried = [*attempts(5), {**attempts(6)[5], "approach": "a state machine", "error_type": None, "error_message": None}]
    reset = dead("reset", 0, attempts=tried)
    yield scenario(
        "task-back-reset", "A task that came back with a new approach may fail five times more.", MOVED,
        calm().fail("reset", approach="a state machine").list(PENDING).fails("reset", 4).look(),
        files=_in(PENDING, reset),
    )  # fmt: skip


def _elsewhere() -> Iterator[Scenario]:
    none = ({"recorded": False, "moved": False},)
    yield scenario("unknown", "A failure of a task that is nowhere changes nothing.", ("LK-DQ-23",),
                   calm().fail("nobody").fail("fourth").look().fail("nobody"), none)  # fmt: skip
    yield scenario("unknown-dead", "A failure of a task that is in dead-letter changes nothing.", ("LK-DQ-23",),
                   calm().fail("old").fail("fourth").look().fail("old"), none)  # fmt: skip
    for name in (COMPLETED, ABANDONED):
        yield scenario(
            f"unknown-{name}", f"A failure of a task that is in {name} changes nothing.", ("LK-DQ-23",),
            calm().fail("done").fail("fourth").look().list(name).fail("done"), none, files=_in(name, task("done", 4)),
        )  # fmt: skip
    one = task("late", 4, status="waiting for a human")
    yield scenario("blocked-timeout", "A task that waits for a human times out for the fifth time.", MOVED,
                   calm().fail("late", "timeout", "ask a human").look(), files=_in(BLOCKED, one))  # fmt: skip


def _times() -> Iterator[Scenario]:
    yield scenario("times-restart", "Each failure is recorded by a process that has just begun.", MOVED,
                   calm().fail("third").restart().list().restart().fail("third").restart().look())  # fmt: skip
    yield scenario("times-back", "The clock goes back between two failures.", COUNTED,
                   calm().fail("third").later(-7200).fail("third").look())  # fmt: skip
    yield scenario("times-fraction", "A failure a quarter of a second after the other.", MOVED,
                   calm().fail("third").later(0.25).fail("third").look())  # fmt: skip


def _together() -> Iterator[Scenario]:
    clauses = ("LK-DQ-01", "LK-DQ-23")
    yield scenario("together-two-tasks", "Two tasks fail for the fifth time at once.", clauses,
                   calm().together(failed("fourth"), failed("running")).look())  # fmt: skip
    yield scenario("together-one-task", "Two agents tell of failures of one task at once.", clauses,
                   calm().together(failed("third", agent="a"), failed("third", agent="b")).look())  # fmt: skip
    eight = [failed(id_, agent=f"agent-{number}") for number in range(4) for id_ in ("new", "fourth")]
    yield scenario("together-eight", "Eight agents tell of failures of two tasks at once.", clauses,
                   calm().together(*eight).look())  # fmt: skip
    facts: Facts = {"old": {"fixed_by": "4f2c9e1"}, "other": {"irrelevant": True}}
    yield scenario(
        "together-review", "A task fails for the fifth time while the queue is reviewed.", ("LK-DQ-23",),
        calm().together(failed("fourth"), asked("review", facts)).look(), files=only(dead("old"), dead("other", 1)),
    )  # fmt: skip
