"""What a human decides, and when nobody does: every way out of a review, and its time limit. Level L1."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems import queue_files
from harness.systems.signals.contract import APPROVED, APPROVED_PATH, QUEUE_PATHS, REJECTED, REVIEW_PATH
from harness.systems.signals.workload.signal_steps import (
    ALSO_REVIEWED,
    CURRENT,
    DAY_S,
    REVIEWED,
    WAITING,
    Story,
    calm,
    decision,
    queue,
    scenario,
    task,
    text,
    wanted,
)

INSTANT_S = 0.000001
SOLVED = ("LK-HR-06", "LK-SG-01", "LK-SG-05")
OPEN = ("LK-HR-05", "LK-SG-05")


def decision_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _decisions()
    yield from _malformed()
    yield from _other_ways()
    yield from _timeouts()
    yield from _alerts()
    yield from _dead_letters()


def _seen(story: Story) -> Story:
    return story.reviews().reviews(REVIEWED).drifts()


def _decisions() -> Iterator[Scenario]:
    story = calm().review().reviews().decide().check()
    yield scenario("decided-approved", "The one review that is pending is approved, by name.", SOLVED, _seen(story))
    story = calm().review(WAITING[0]).reviews().decide(decision(WAITING[0])).check().reviews()
    yield scenario("decided-pending-task", "A task that was pending is approved.", SOLVED, _seen(story))
    story = calm().review().reviews().decide(decision(None)).check()
    yield scenario("decided-unnamed", "The decision names no task, and one review is pending.", ("LK-SG-05",),
                   _seen(story))  # fmt: skip
    story = calm().review().review(ALSO_REVIEWED).reviews().decide(decision(None)).check()
    yield scenario("decided-unnamed-of-two", "The decision names no task, and two reviews are pending: none is it.",
                   ("LK-HR-08", "LK-SG-05"), _seen(story).check().reviews(ALSO_REVIEWED).drifts())  # fmt: skip
    story = calm().review().review(ALSO_REVIEWED).reviews().decide(decision(ALSO_REVIEWED)).check()
    yield scenario("decided-second-of-two", "Of two reviews the second is approved; the first stays.",
                   (*SOLVED, "LK-HR-08"), _seen(story).reviews(ALSO_REVIEWED))  # fmt: skip
    story = calm().review().review(ALSO_REVIEWED).decide().check().decide(decision(ALSO_REVIEWED)).check()
    yield scenario("decided-both", "Two reviews are approved, one after the other.", SOLVED, _seen(story))
    story = calm().review().reviews().decide(decision(REVIEWED, REJECTED)).check()
    yield scenario("decided-rejected", "The decision is no: the task is not put where it would be claimed.", SOLVED,
                   _seen(story))  # fmt: skip
    story = calm().review().reviews().decide(decision(REVIEWED, "Use the staging account, please")).check()
    yield scenario("decided-words", "The decision is a sentence.", ("LK-SG-01", "LK-SG-05"), _seen(story))
    story = calm().review().reviews().decide(decision(ALSO_REVIEWED)).check()
    yield scenario("decided-other-task", "The decision is about a task that nobody asked about.", OPEN, _seen(story))
    story = calm().drift().decide().check().reviews().drifts()
    yield scenario("decided-unasked", "A decision, and no review is pending.", ("LK-SG-02",), story)
    story = calm().review().reviews().check().restart().decide().restart().check()
    yield scenario("decided-restarted", "Three processes: one asks, one waits, one finds the decision.", SOLVED,
                   _seen(story))  # fmt: skip
    story = calm().review().decide().check().reviews().check().reviews(REVIEWED).check().drifts()
    yield scenario("decided-once", "A decision is looked for again: it has been used.", SOLVED, story)
    story = calm().review().decide().check().review(context="and once more").reviews().check()
    yield scenario("decided-again", "A task that was approved is asked about again: that is pending.", SOLVED,
                   _seen(story))  # fmt: skip
    approved = {APPROVED_PATH: FileSpec(text=decision("task-unknown"))}
    story = calm().review().check().reviews().decide().check()
    yield scenario("decided-over-another", "HUMAN_APPROVED was left there, about another task.", ("LK-HR-06",),
                   _seen(story), files=approved)  # fmt: skip


_MALFORMED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("no-json", "no JSON", ("", "approved\n", decision()[:-3], "\x00" * 40, "[" * 5_000 + "]" * 5_000)),
    ("no-object", "no object", ("1", "true", "null", '"approved"', "[]")),
    ("no-decision", "no decision",
     ("{}", *(decision(REVIEWED, said) for said in (None, "", True, [APPROVED])))),
    ("no-task", "a task that is none", (json.dumps({"task_id": 99, "decision": APPROVED}),)),
)  # fmt: skip


def _malformed() -> Iterator[Scenario]:
    for word, said, contents in _MALFORMED:
        story = calm().review().reviews()
        for content in contents:
            story.decide(content).check().reviews()
        yield scenario(f"malformed-{word}", f"HUMAN_APPROVED holds {said}: nothing is decided, until it is.",
                       (*OPEN, "LK-HR-06"), _seen(story.decide().check()))  # fmt: skip


def _other_ways() -> Iterator[Scenario]:
    story = calm().review().reviews().clarify().reviews().check()
    yield scenario("clarified", "The human makes the task clear: it goes on.", ("LK-HR-06",), _seen(story))
    story = calm().review().review(ALSO_REVIEWED).clarify(ALSO_REVIEWED).reviews().reviews(ALSO_REVIEWED)
    yield scenario("clarified-one-of-two", "One of two tasks is made clear.", ("LK-HR-06", "LK-HR-08"), _seen(story))
    story = calm().review().reviews().cancel().reviews().check()
    yield scenario("cancelled", "The human cancels the task: nobody claims it.", ("LK-HR-06",), _seen(story))
    story = calm().review().review(ALSO_REVIEWED).cancel(ALSO_REVIEWED).reviews().reviews(ALSO_REVIEWED)
    yield scenario("cancelled-one-of-two", "One of two tasks is cancelled.", ("LK-HR-06", "LK-HR-08"), _seen(story))
    story = calm().review().clarify("task-unknown").cancel("task-unknown").reviews()
    yield scenario("resolved-unknown", "A task that nobody asked about is made clear and cancelled.", ("LK-HR-05",),
                   _seen(story))  # fmt: skip
    story = calm().review().cancel().later(DAY_S + 1.0).check().reviews()
    yield scenario("cancelled-late", "A day after it was cancelled: no time-out.", ("LK-HR-06",), _seen(story))
    story = calm().review().clarify().later(DAY_S + 1.0).check().reviews()
    yield scenario("clarified-late", "A day after it was made clear: no time-out.", ("LK-HR-06",), _seen(story))
    story = calm().review().cancel().decide().check().reviews()
    yield scenario("cancelled-then-approved", "A cancelled task is approved: too late.", ("LK-HR-06",), _seen(story))


_WAITS: tuple[tuple[str, str, float], ...] = (
    ("at-once", "at once", 0.0),
    ("a-second-before", "a second before 24 hours", DAY_S - 1.0),
    ("at-24-hours", "at 24 hours", DAY_S),
    ("a-second-after", "a second after 24 hours", DAY_S + 1.0),
    ("in-2045", "in 2045", 7_000 * DAY_S),
    ("an-hour-back", "when the clock has gone back an hour", -3600.0),
)


def _timeouts() -> Iterator[Scenario]:
    for word, said, wait_s in _WAITS:
        story = calm().review().reviews().later(wait_s).check()
        late = wait_s > DAY_S
        clauses = ("LK-HR-07",) if late or 0 <= wait_s < DAY_S else ("LK-HR-05",)
        yield scenario(f"waits-{word}", f"The reviews are looked after {said}.", clauses, _seen(story))
    story = calm().review().later(DAY_S / 2).review(ALSO_REVIEWED).later(DAY_S / 2 + 60.0).check().reviews()
    story.later(DAY_S / 2).check()
    yield scenario("waits-two", "Two reviews time out, each in its own time.", ("LK-HR-07", "LK-HR-08"),
                   _seen(story).reviews(ALSO_REVIEWED))  # fmt: skip
    story = calm().review(process=1).later(60.0).review(ALSO_REVIEWED, 2).later(DAY_S).check(process=1)
    yield scenario("waits-of-processes", "Two processes ask, one looks after the reviews: both time out.",
                   ("LK-HR-07", "LK-HR-08"), _seen(story.later(60.0).check(process=2)))  # fmt: skip
    story = calm().review(agent=["eng-001"]).later(DAY_S + 60.0).check().reviews()
    yield scenario("waits-agent-is-a-list", "Who asked is told as a list, and no human answers in time.", ("LK-HR-07",),
                   _seen(story))  # fmt: skip
    story = calm().review().later(DAY_S / 2).check().later(DAY_S / 2 - 60.0).check().later(120.0).check().reviews()
    yield scenario("waits-looked-at", "A review that is looked after twice times out as if it were not.", ("LK-HR-07",),
                   _seen(story))  # fmt: skip
    story = calm().review().later(DAY_S + 60.0).check().reviews().later(60.0).check().reviews().check()
    yield scenario("waits-once", "What timed out does so once.", ("LK-HR-07",), _seen(story))
    story = calm().review().later(DAY_S + 60.0).check().decide().check().reviews()
    yield scenario("waits-decided-late", "The decision comes after the time-out: the task is in one place.",
                   ("LK-HR-07",), _seen(story))  # fmt: skip
    story = calm().review().later(DAY_S + 60.0).decide().check().reviews()
    yield scenario("waits-decided-unseen", "A decision is there, and 24 hours are over: one of the two.", ("LK-HR-01",),
                   _seen(story))  # fmt: skip
    story = calm().review().later(DAY_S - 60.0).decide().check().later(120.0).check()
    yield scenario("waits-decided-in-time", "The decision comes a minute before its time is over.", SOLVED,
                   _seen(story))  # fmt: skip
    story = calm().review("task-unknown").later(DAY_S + 60.0).check().reviews()
    yield scenario("waits-unknown-task", "A review of a task that is in no queue times out.", ("LK-HR-01",),
                   _seen(story))  # fmt: skip
    story = calm().review(blocking=False).later(DAY_S + 60.0).check().reviews()
    yield scenario("waits-not-blocking", "A review that blocks nothing is a day old.", ("LK-HR-01",), _seen(story))


def _alerts() -> Iterator[Scenario]:
    for alert, said in (("ok", "takes it"), ("fails", "fails"), ("hangs", "does not answer")):
        story = calm().review().review(ALSO_REVIEWED).later(DAY_S + 60.0).check(alert)
        yield scenario(f"alert-{alert}", f"Two reviews time out; the channel {said}.", ("LK-HR-07",), _seen(story))
    story = calm().review().later(DAY_S + 60.0).check("fails").later(60.0).check("ok").reviews().check("ok")
    yield scenario("alert-later", "The channel fails, and is there again a minute later.", ("LK-HR-07",), _seen(story))


_OLD = {"timestamp": "2026-02-28T11:00:00Z", **wanted()}
_BLOCKED, _IN_PROGRESS = QUEUE_PATHS[queue_files.BLOCKED], QUEUE_PATHS[queue_files.IN_PROGRESS]
_DEAD, _PENDING = QUEUE_PATHS[queue_files.DEAD_LETTER], QUEUE_PATHS[queue_files.PENDING]
_ENTRY: Mapping[str, Any] = {
    "task_id": "task-001", "original_queue": "pending", "failure_count": 5, "first_failure": "2026-01-25T10:00:00Z",
    "last_failure": "2026-01-25T14:30:00Z", "error_summary": "Fails in CI", "attempts": [],
    "recovery_strategy": "dependency_blocked", "task_data": {"title": "Something else"},
}  # fmt: skip
_METADATA = {"last_reviewed": "2026-03-01T08:00:00Z", "total_abandoned": 2, "total_recovered": 1}
_DEAD_LETTERS: tuple[tuple[str, str, FileSpec], ...] = (
    ("absent", "is not there", FileSpec("absent")),
    ("others", "has another task, and metadata", text({"tasks": [_ENTRY], "metadata": _METADATA})),
    ("bare-list", "is a bare list", text([_ENTRY])),
    ("truncated", "is torn", FileSpec(text='{"tasks": [{"task_id": "task-001"')),
)


def _dead_letters() -> Iterator[Scenario]:
    for word, said, spec in _DEAD_LETTERS:
        story = calm().review().reviews().later(DAY_S + 60.0).check()
        yield scenario(f"dead-letter-{word}", f"A review times out; dead-letter.json {said}.", ("LK-HR-07",),
                       _seen(story), files={_DEAD: spec})  # fmt: skip
    failed = task(REVIEWED, attempts=[{"attempt_number": 1, "error_type": "test", "error_message": "No"}])
    yield scenario("dead-letter-attempts", "A task that failed before times out: what failed is still known.",
                   ("LK-HR-07",), _seen(calm().review().later(DAY_S + 60.0).check()),
                   files={_IN_PROGRESS: queue(task(CURRENT), failed)})  # fmt: skip
    blocked = {
        REVIEW_PATH: text(_OLD), _BLOCKED: queue(task(REVIEWED, status="blocked")),
        _IN_PROGRESS: queue(task(CURRENT)),
    }  # fmt: skip
    yield scenario("dead-letter-of-another", "A review that another process asked for a day and an hour ago times out.",
                   ("LK-HR-07",), _seen(calm().reviews().check()), files=blocked)  # fmt: skip
    for word, stamp in (("odd", "yesterday"), ("number", 1_772_000_000)):
        files = {**blocked, REVIEW_PATH: text({**_OLD, "timestamp": stamp})}
        yield scenario(f"dead-letter-timestamp-{word}", "Nobody can read when a review was asked for.", ("LK-SG-02",),
                       _seen(calm().drift().reviews().check()), files=files)  # fmt: skip
    offset = {**blocked, REVIEW_PATH: text({**_OLD, "timestamp": "2026-02-28T20:00:00.5+09:00"})}
    yield scenario("dead-letter-offset", "A review was asked for in another time zone.", ("LK-HR-07",),
                   _seen(calm().reviews().check()), files=offset)  # fmt: skip
    ready = {**blocked, APPROVED_PATH: FileSpec(text=decision()), _PENDING: text([task(WAITING[0])])}
    fresh = {**ready, REVIEW_PATH: text({**_OLD, "timestamp": "2026-03-01T11:59:00Z"})}
    yield scenario("decided-before-start", "Review and decision are there when the first process begins.", SOLVED,
                   _seen(calm().reviews().check()), files=fresh)  # fmt: skip
