"""Drift: each number of drifts, each severity, every field at its limits and of another type. Level L1."""

import json
from collections.abc import Iterator
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.signals.contract import CONTINUITY_PATH, CURRENT_TASK_PATH, DRIFT_PATH, Severity
from harness.systems.signals.workload.signal_steps import CURRENT, GOAL, OTHER, calm, current, drifted, scenario

RECORD = ("LK-DR-01", "LK-DR-02", "LK-DR-04", "LK-SG-02")
FIRST = (*RECORD, "LK-DR-03", "LK-DR-05")
MEMORY = "Decided to keep the session table; the login handler is half done"
LONG = "a long story, told again. " * 1_000
# texts that a line of JSON has to escape, or to keep as they are
_TEXTS: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("escaped", "what JSON escapes",
     ('said "{\\"a\\": 1}" \\ and went on', "one\ntwo\r\nthree\u2028four\u2029five\x85six", "a\x00b\x1b[0m\tc")),
    ("odd", "nothing, other scripts, or what a shell would expand",
     ("", "e\u0301 \u6f22 \u05d0\u05d1 \U0001f41b", "$(rm -rf .) `id` $HOME\nEOF")),
    ("long", "26,000 characters", (LONG,)),
)  # fmt: skip
_SEVERITIES: tuple[Any, ...] = ("severe", "HIGH", " high", "", None, 3, True, ["high"])
_DISTANCES: tuple[Any, ...] = (0, -1, 1.5, "2", True, None, [2])


def drift_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _numbers()
    yield from _severities()
    yield from _fields()
    yield from _invalid()
    yield from _goals()
    yield from _writers()
    yield from _logs()


def _numbers() -> Iterator[Scenario]:
    story = calm().drift(severity="low").drifts()
    yield scenario("drift-first", "The first drift of a task.", FIRST, story)
    story = calm().drift().drifts().drift().drifts(CURRENT)
    yield scenario("drift-second", "The second drift of a task.", (*FIRST, "LK-DR-06"), story)
    story = calm().drift().drift().drift(working_memory=MEMORY).drifts()
    yield scenario("drift-third", "The third drift of a task.", (*FIRST, "LK-DR-06", "LK-DR-07"), story)
    story = calm()
    for number in range(5):
        story.drift(working_memory=f"{MEMORY}, step {number}").drifts()
    yield scenario("drift-five", "Five drifts of a task; from the third on each consolidates.", (*FIRST, "LK-DR-07"),
                   story)  # fmt: skip
    story = calm().drift().drift(OTHER).drift().drift(OTHER, working_memory=MEMORY).drifts(OTHER).drifts(CURRENT)
    yield scenario("drift-of-two-tasks", "Two drifts of each of two tasks, in turn: each is the second of its own.",
                   (*FIRST, "LK-DR-06"), story)  # fmt: skip
    story = calm().drift().drift(OTHER).drift("task-044", working_memory=MEMORY).drifts()
    yield scenario("drift-of-three-tasks", "Three tasks drift once each: accumulated over tasks it would be the third.",
                   FIRST, story)  # fmt: skip
    story = calm().drift("task-0421").drift("task-04", detected_drift=f"Took it for {CURRENT}").drift("TASK-042")
    yield scenario("drift-names-alike", "Tasks whose names are alike drifted; the first drift of this one follows.",
                   FIRST, story.drift(severity="low").drifts(CURRENT).drifts("task-04"))  # fmt: skip
    story = calm()
    for _ in range(3):
        story.drift(detected_drift="Went on with the schema", working_memory=MEMORY)
    yield scenario("drift-the-same", "Three drifts of a task that say the same: each counts.",
                   (*FIRST, "LK-DR-06", "LK-DR-07"), story.drifts())  # fmt: skip
    story = calm().drift().restart().drift().restart().drift(working_memory=MEMORY).drifts()
    yield scenario("drift-restarts", "The process is another one for each of three drifts: the log tells the number.",
                   (*RECORD, "LK-DR-03", "LK-DR-06", "LK-DR-07"), story)  # fmt: skip
    story = calm().drift().drift(process=1).drift(process=2, working_memory=MEMORY).drifts()
    yield scenario("drift-of-processes", "Three processes report a drift of one task, one after the other.",
                   (*FIRST, "LK-DR-06", "LK-DR-07", "LK-DR-09"), story)  # fmt: skip
    story = calm().drift(process=1).drift(process=2).drift(process=1, working_memory=MEMORY).drifts()
    yield scenario("drift-in-turn", "Two processes report drifts of one task in turn: both know of all.",
                   (*FIRST, "LK-DR-06", "LK-DR-07", "LK-DR-09"), story)  # fmt: skip
    story = calm().drift().drift().drift(working_memory=MEMORY).drifts()
    yield scenario("drift-no-continuity", "CONTINUITY.md is not there when memory is consolidated.", ("LK-DR-07",),
                   story, files={CONTINUITY_PATH: FileSpec("absent")})  # fmt: skip


def _severities() -> Iterator[Scenario]:
    for severity in Severity:
        if severity is Severity.LOW:
            continue  # that of the first drift above
        grave = severity in (Severity.HIGH, Severity.CRITICAL)
        more = ("LK-DR-08",) if grave else ("LK-DR-05",)
        story = calm().drift(severity=severity.value).drifts()
        yield scenario(f"drift-{severity}", f"A first drift that is {severity}.", (*RECORD, *more), story)
    story = calm().drift().drift(severity="critical").drifts().drift(severity="high", working_memory=MEMORY).drifts()
    yield scenario("drift-graver", "The second drift is critical, the third high: every rule applies.",
                   ("LK-DR-06", "LK-DR-07", "LK-DR-08"), story)  # fmt: skip
    story = calm()
    for number, distance in enumerate((1, 2, 3, 4, 1_000_000)):
        story.drift(f"task-{number:03}", "low", distance).drifts()
    yield scenario("drift-distances", "Drifts that are one step off, and up to a million.", RECORD, story)


def _fields() -> Iterator[Scenario]:
    for word, said, values in _TEXTS:
        story = calm()
        for value in values:
            story.drift(planned_action=value, detected_drift=value).drifts()
        yield scenario(f"drift-text-{word}", f"What was planned and found is {said}.", (*RECORD, "LK-DR-09"),
                       story.drifts(CURRENT))  # fmt: skip
    story = calm().drift(planned_action=None, agent={"a": 1}, detected_drift=[1]).drifts().drift().drifts()
    yield scenario("drift-odd-fields", "Fields of a report have other types.", ("LK-DR-04", "LK-SG-02"), story)
    story = calm().drift("task/../../042").drift("..").drifts().drift("task 42\n{}").drifts()
    yield scenario("drift-odd-tasks", "Tasks have odd names: a record holds them as they are.", RECORD, story)


def _invalid() -> Iterator[Scenario]:
    story = calm().drift()
    for value in _SEVERITIES:
        story.drift(severity=value).drifts()
    yield scenario("drift-severity-odd", "Severities that are none of the four words.", ("LK-DR-02",),
                   story.drift(severity="low").drifts())  # fmt: skip
    story = calm().drift()
    for value in _DISTANCES:
        story.drift(distance=value).drifts()
    yield scenario("drift-distance-odd", "Distances that are no whole number from 1 on.", ("LK-DR-02",),
                   story.drift(distance=3).drifts())  # fmt: skip


_GOALS: tuple[tuple[str, str, FileSpec], ...] = (
    ("another", "has another goal", current("Migrate the invoices")),
    ("odd-text", "has a goal with quotes and line breaks", current('Say "yes"\nand \\ go')),
    ("missing", "is not there", FileSpec("absent")),
    ("truncated", "is torn", FileSpec(text='{"task_id": "task-042", "goal": "Add lo')),
    ("other-task", "is of another task", current("Something else", OTHER)),
)


def _goals() -> Iterator[Scenario]:
    for word, said, spec in _GOALS:
        found = word in ("another", "odd-text")
        story = calm().drift().drifts().drift().drifts(CURRENT)
        clauses = (*RECORD, "LK-DR-03") if found else RECORD
        yield scenario(f"goal-{word}", f"current-task.json {said}.", clauses, story,
                       files={CURRENT_TASK_PATH: spec})  # fmt: skip


def _writers() -> Iterator[Scenario]:
    for count in (2, 3, 8):
        story = calm().drift()
        story.together(*(story.reported(OTHER, working_memory=MEMORY) for _ in range(count))).drifts(OTHER)
        yield scenario(f"drift-together-{count}", f"{count} processes report drifts at once: none is lost.",
                       (*RECORD, "LK-DR-09"), story.drift().drifts())  # fmt: skip
    story = calm()
    story.together(story.reported(detected_drift=LONG + "1"), story.reported(detected_drift=LONG + "2"))
    yield scenario("drift-together-long", "Two processes report long drifts at once: each is one line.",
                   ("LK-DR-09", "LK-SG-02"), story.drifts().drift().drifts())  # fmt: skip
    story = calm()
    for number in range(60):
        story.drift(f"task-{number % 7:03}", severity="low", process=number % 3)
    yield scenario("drift-many", "Three processes report sixty drifts of seven tasks.", ("LK-DR-06", "LK-DR-09"),
                   story.drifts().drifts("task-003"))  # fmt: skip


def line(number: int, of: str = CURRENT, **fields: Any) -> str:
    """A line of the log that another process wrote yesterday."""
    record = {"timestamp": "2026-02-28T10:30:00Z", **drifted(number, of), "original_goal": GOAL, **fields}
    return json.dumps(record)


_SAMPLE = '{"timestamp":"2026-02-28T10:30:00Z","task_id":"task-042","severity":"medium","detected_drift":"description"}'
_OLD = line(901) + "\n"
# what the log may hold when it is found: all of it stays
_LOGS: tuple[tuple[str, str, FileSpec], ...] = (
    ("one", "one drift of the task", FileSpec(text=_OLD)),
    ("sample", "a line of the sample writer", FileSpec(text=_SAMPLE + "\n")),
    ("without-end-of-line", "no line break at its end", FileSpec(text=_OLD.strip())),
    ("torn", "a line that was torn", FileSpec(text=_OLD + line(905)[:70])),
    ("unescaped", "a line with quotes that nobody escaped",
     FileSpec(text='{"task_id":"task-042","detected_drift":"said "no" again"}\n' + _OLD)),
    ("odd-lines", "blank lines, and lines that are no object", FileSpec(text='\n1\n"drift"\n[]\n' + _OLD + " \n\n")),
    ("no-task", "a record without a task", FileSpec(text='{"severity": "low"}\n{"task_id": 42}\n' + _OLD)),
    ("not-utf8", "no UTF-8", FileSpec(base64=_OLD.encode() + b"\xff\xfe\x00\n")),
    ("nul", "NUL bytes at its end", FileSpec(base64=_OLD.encode() + b"\0" * 40)),
)  # fmt: skip


def _logs() -> Iterator[Scenario]:
    for word, said, spec in _LOGS:
        story = calm().drifts().drift(working_memory=MEMORY).drifts().drift(working_memory=MEMORY).drifts(CURRENT)
        yield scenario(f"log-{word}", f"DRIFT_DETECTED holds {said}: it stays, and others follow.",
                       ("LK-DR-01", "LK-DR-04", "LK-SG-02"), story.drift(OTHER).drifts(),
                       files={DRIFT_PATH: spec})  # fmt: skip
    deleted = calm().drift().consume("DRIFT_DETECTED", by="orchestrator").drifts().emit("DRIFT_DETECTED", by="human")
    yield scenario("log-is-no-signal", "Somebody wants to handle and to raise DRIFT_DETECTED like any signal.",
                   ("LK-SG-02",), deleted.drifts().drift().drifts())  # fmt: skip
