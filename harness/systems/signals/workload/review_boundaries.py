"""Human review: when it is needed, what a request holds, what becomes of the task. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems import queue_files
from harness.systems.signals.contract import CONSECUTIVE_FAILURES, QUEUE_PATHS, REVIEW_PATH
from harness.systems.signals.workload.signal_steps import (
    ALSO_REVIEWED,
    CURRENT,
    REVIEWED,
    WAITING,
    Allowed,
    calm,
    queue,
    requested,
    scenario,
    task,
    text,
    wanted,
)

REQUEST = ("LK-HR-01", "LK-HR-05")
PENDING, IN_PROGRESS, BLOCKED = (
    QUEUE_PATHS[each] for each in (queue_files.PENDING, queue_files.IN_PROGRESS, queue_files.BLOCKED)
)
ASKED: Allowed = ({"review": True},)
NOT_ASKED: Allowed = ({"review": False},)
_ALTERNATIVES = ["Use staging credentials (rejected: insufficient)", "Mock credentials (rejected)"]

_NEEDED: tuple[tuple[str, str, tuple[Mapping[str, Any], ...], tuple[Mapping[str, Any], ...]], ...] = (
    ("LK-HR-02", "security", ({"security_critical": True},), ({"security_critical": False},)),
    ("LK-HR-02", "irreversible", ({"irreversible": True, "rollback": False}, {"irreversible": True}),
     ({"irreversible": True, "rollback": True}, {"rollback": False})),
    ("LK-HR-02", "failures", ({"consecutive_failures": CONSECUTIVE_FAILURES}, {"consecutive_failures": 4}),
     ({"consecutive_failures": 0}, {"consecutive_failures": CONSECUTIVE_FAILURES - 1})),
    ("LK-HR-02", "ambiguity", ({"ambiguous": True, "blocks": True},), ({"ambiguous": True}, {"blocks": True})),
    ("LK-HR-03", "confidence",
     tuple({"confidence": found, "critical": True} for found in (0.0, 0.39, 0.3999999999999999)),
     ({"critical": True}, *({"confidence": found, "critical": True} for found in (0.40, 0.41, 1.0)))),
    ("LK-HR-04", "cost", tuple({"cost_usd_per_hour": found} for found in (1e6, 100.01, 100.00000000000001)),
     tuple({"cost_usd_per_hour": found} for found in (0.0, 99.99, 100.0))),
)  # fmt: skip
"""By clause and subject: what asks for a human, and what asks for nobody."""


def review_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _assessments()
    yield from _requests()
    yield from _tasks()
    yield from _queues()
    yield from _several()
    yield from _found()


def _assessments() -> Iterator[Scenario]:
    for clause, word, needed, unneeded in _NEEDED:
        for answer, cases in ((ASKED, needed), (NOT_ASKED, unneeded)):
            story = calm()
            for facts in cases:
                story.assess(**facts)
            asked = "asked" if answer is ASKED else "unasked"
            yield scenario(f"assess-{word}-{asked}", f"The {word} of a decision: a human is {asked}.", (clause,), story,
                           answer)  # fmt: skip
    everything = {
        "confidence": 0.1, "critical": True, "security_critical": True, "irreversible": True, "rollback": False,
        "consecutive_failures": 9, "ambiguous": True, "blocks": True, "cost_usd_per_hour": 500.0,
    }  # fmt: skip
    yield scenario("assess-everything", "Every reason at once: each is told.", ("LK-HR-02", "LK-HR-03", "LK-HR-04"),
                   calm().assess(**everything), ASKED)  # fmt: skip
    yield scenario("assess-nothing", "Nothing is known.", ("LK-HR-02", "LK-HR-03", "LK-HR-04"), calm().assess(),
                   NOT_ASKED)  # fmt: skip


_ODD: tuple[Mapping[str, Any], ...] = (
    {"task_id": None}, {"task_id": ""}, {"task_id": 99}, {"reason": None}, {"reason": ""}, {"reason": ["security"]},
)  # fmt: skip
_KEPT: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("quoted", {"context": 'key "A\\B"\n{"x": 1}\u2028\x00 \U0001f41b', "reason": "budget_decision"}),
    ("long", {"context": "what has to be known. " * 1_000, "severity": "urgent"}),
)


def _requests() -> Iterator[Scenario]:
    story = calm().review().reviews().reviews(REVIEWED)
    yield scenario("review-sample", "A request with the fields of the sample.", REQUEST, story)
    story = calm().review(agent="eng-001-infra", alternatives_considered=_ALTERNATIVES).reviews().reviews(REVIEWED)
    yield scenario("review-whole", "A request with every field of the schema.", REQUEST, story)
    story = calm()
    for severity in ("low", "medium", "high"):
        story.review(severity=severity).reviews()
    yield scenario("review-severities", "Requests that are low, medium and high.", REQUEST, story)
    story = calm().review(blocking=False).reviews().reviews(REVIEWED)
    yield scenario("review-not-blocking", "A request that does not block its task.", ("LK-HR-01",), story)
    for word, fields in _KEPT:
        story = calm().review(**fields).reviews().reviews(REVIEWED)
        yield scenario(f"review-{word}", f"A request is kept as it is: {word.replace('-', ' ')}.", REQUEST, story)
    story = calm()
    for fields in _ODD:
        story.review(**fields).reviews()
    yield scenario("review-invalid", "Requests without a task or a reason; the next one has both.", REQUEST,
                   story.review(ALSO_REVIEWED).reviews().drifts())  # fmt: skip
    story = calm().drift().review(context={"a": [None]}, alternatives_considered="none", blocking="yes").reviews()
    yield scenario("review-odd-fields", "Fields of a request have other types.", ("LK-SG-02",), story)
    story = calm().review().reviews().later(60.0).review(context="more is known now").reviews(REVIEWED)
    yield scenario("review-again", "A review of the task is asked for once more.", REQUEST, story)


def _tasks() -> Iterator[Scenario]:
    for of, where in ((REVIEWED, "in progress"), (WAITING[0], "pending")):
        story = calm().review(of).reviews(of).drifts()
        word = where.replace(" ", "-")
        yield scenario(f"blocks-{word}", f"A task that is {where} is asked about.", REQUEST, story)
    story = calm().review(CURRENT).reviews(CURRENT).drifts()
    yield scenario("blocks-current", "The task at work is asked about.", REQUEST, story)
    story = calm().review("task-unknown").reviews("task-unknown").drifts()
    yield scenario("blocks-unknown", "A task is asked about that is in no queue.", ("LK-HR-01",), story)
    story = calm()
    for odd in ("../../task-099", "task/099", "..", "/etc/task", "task 099", "t" * 300):
        story.review(odd).reviews()
    yield scenario("blocks-odd-names", "Tasks with odd names are asked about: nothing leaves the directory.",
                   ("LK-SG-04",), story.reviews())  # fmt: skip
    story = calm().review(WAITING[0]).reviews().review(WAITING[1]).reviews().review(REVIEWED).reviews()
    yield scenario("blocks-all-pending", "All that is pending is asked about: there is nothing to go on with.", REQUEST,
                   story)  # fmt: skip


_QUEUES: tuple[tuple[str, str, Mapping[str, FileSpec]], ...] = (
    ("bare-lists", "queues are bare lists",
     {IN_PROGRESS: text([task(REVIEWED)]), PENDING: text([task(WAITING[0])])}),
    ("none-pending", "nothing is pending", {PENDING: queue()}),
    ("others-blocked", "what is pending is blocked", {PENDING: queue(task(WAITING[0], status="blocked"))}),
    ("fields-beside", "queues have fields beside their tasks",
     {IN_PROGRESS: text({"version": 2, "tasks": [task(REVIEWED, owner={"a": 1}), task("task-008")], "note": None})}),
    ("odd-entries", "a queue holds what is no task",
     {IN_PROGRESS: text({"tasks": [1, None, "x", {"title": "without an id"}, task(REVIEWED)]})}),
)  # fmt: skip


def _queues() -> Iterator[Scenario]:
    for word, said, files in _QUEUES:
        story = calm().review().reviews(REVIEWED).drifts()
        yield scenario(f"queues-{word}", f"A task is blocked while {said}.", REQUEST, story, files=files)
    story = calm().review().reviews().review(WAITING[0]).reviews()
    damaged = {PENDING: FileSpec(text='{"tasks": [{"task_id": "task-050"')}
    yield scenario("queues-damaged", "pending.json is torn: tasks of the others are blocked all the same.",
                   ("LK-HR-01",), story, files=damaged)  # fmt: skip


def _several() -> Iterator[Scenario]:
    both = ("LK-HR-01", "LK-HR-05", "LK-HR-08")
    story = calm().review().restart().review(ALSO_REVIEWED, 1).review(CURRENT, 2).reviews().reviews(REVIEWED)
    yield scenario("several-processes", "Three processes ask about a task each.", both, story.reviews(CURRENT))
    story = calm().review(process=1).review(ALSO_REVIEWED, 2).review(CURRENT, 1).reviews(process=2)
    yield scenario("several-in-turn", "Two processes ask about tasks in turn: each keeps what the other asked.", both,
                   story.reviews(REVIEWED, 1).drifts())  # fmt: skip
    alike = (REVIEWED[:-1], REVIEWED, f"{REVIEWED}0")
    story = calm().review(alike[0]).review(alike[1]).review(alike[2]).reviews(REVIEWED).decide().check().reviews()
    yield scenario("several-names-alike", "Of three tasks whose names are alike one is approved, one cancelled.",
                   (*both, "LK-HR-06", "LK-SG-05"), story.cancel(alike[0]).reviews(alike[2]).reviews().drifts(),
                   files={IN_PROGRESS: queue(task(CURRENT), *map(task, alike))})  # fmt: skip
    for count in (2, 3):
        story = calm()
        story.together(*(requested(of) for of in (REVIEWED, ALSO_REVIEWED, CURRENT)[:count]))
        story.reviews().reviews(REVIEWED).reviews(ALSO_REVIEWED)
        yield scenario(f"several-together-{count}", f"{count} processes ask at once.", both, story.drifts())


_OLD = {"timestamp": "2026-03-01T11:00:00Z", **wanted(CURRENT)}
_FOUND: tuple[tuple[str, str, FileSpec], ...] = (
    ("object", "the one request of the sample", text(_OLD)),
    ("extra-fields", "a request with fields of its own", text({**_OLD, "ticket": ["OPS-1", None]})),
    ("nothing", "no bytes", FileSpec(text="")),
    ("truncated", "half of a request", FileSpec(text='{"timestamp": "2026-03-01T11:00:00Z", "reas')),
    ("odd-list", "a list of what is no request", text([1, None, "task-042", {"task_id": 7}])),
    ("deep", "lists nested deep", FileSpec(text="[" * 5_000 + "]" * 5_000)),
)


def _found() -> Iterator[Scenario]:
    for word, said, spec in _FOUND:
        sound = word in ("object", "extra-fields")
        more = ("LK-HR-08",) if sound else ()
        story = calm().reviews().review().reviews().review(ALSO_REVIEWED).reviews(REVIEWED).drifts()
        yield scenario(f"found-{word}", f"HUMAN_REVIEW_NEEDED holds {said}: others are asked for.",
                       (*REQUEST, *more), story, files={REVIEW_PATH: spec})  # fmt: skip
