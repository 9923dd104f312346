"""One record: every field as it is given, left out, at its limits and of another type. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.error_log.contract import LOGGING_FAILURE, METRIC_FAILURE, ErrorType, Severity
from harness.systems.error_log.workload.error_log_steps import OTHER, PATH, SESSION, Story, calm, context, scenario

RECORD = ("ER-LOG-01", "ER-LOG-02", "ER-LOG-03", "ER-LOG-04", "ER-LOG-05", "ER-LOG-09")
WHOLE = (*RECORD, "ER-LOG-06", "ER-LOG-07", "ER-LOG-08")
TRAJECTORY = {"delegation_path": list(PATH), "failed_at_depth": 2}
RECOVERY = {"suggested_action": "Run /implement 259 to resume from phase 2", "auto_recoverable": True}
LONG = "a long story, told again. " * 1_000
# what stands where something else is expected
ODD: tuple[tuple[str, str, Any], ...] = (
    ("null", "null", None),
    ("number", "a number", 42),
    ("fraction", "a fraction", 2.5),
    ("true", "true", True),
    ("empty", "an empty text", ""),
    ("blank", "blanks", "   "),
    ("list", "a list", ["a", 1]),
    ("object", "an object", {"a": {"b": [None]}}),
    ("control-characters", "a text with NUL, line breaks and a separator of lines", "a\x00b\r\nc\u2028d"),
    ("quoted", "a text with quotes, backslashes and braces", '"errors": [{\\"}\u0022]'),
    ("unicode", "a text with combining, wide and right-to-left characters", "e\u0301 \u6f22 \u05d0\u05d1 \U0001f41b"),
    ("long", "a long text", LONG),
)  # fmt: skip


def record_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _whole()
    yield from _words()
    yield from _trajectories()
    yield from _contexts()
    yield from _recoveries()
    yield from _odd()


def whole(story: Story, kind: Any = "build_error", *, name: str | None = None, process: int = 0) -> Story:
    """An error with everything that can be told of it is logged, and found."""
    return story.log(
        kind, severity="high", trajectory=dict(TRAJECTORY), recovery=dict(RECOVERY), name=name, process=process
    ).read(SESSION, process)


def _found(name: str, title: str, clauses: tuple[str, ...], story: Story) -> Scenario:
    return scenario(f"record-{name}", title, clauses, story.read(SESSION).read())


def _whole() -> Iterator[Scenario]:
    yield _found("whole", "An error with all there is to tell of it.", WHOLE, whole(calm()))
    bare = calm().log("file_not_found", session=None, message="plan.md is not there")
    yield _found("bare", "Of an error only type and message are known.", RECORD, bare)
    yield _found(
        "same-twice", "The same error occurs twice: two records.", (*RECORD, "ER-LOG-06"),
        calm().log("timeout", message="again").log("timeout", message="again"),
    )  # fmt: skip


def _words() -> Iterator[Scenario]:
    for severity in Severity:
        yield _found(
            f"severity-{severity}",
            f"An error with its context; the severity is {severity}.",
            (*RECORD, "ER-LOG-06"),
            calm().log("timeout", severity=severity.value),
        )
    for word, odd in (("unknown", "fatal"), ("upper-case", "CRITICAL"), ("number", 1), ("list", ["high"])):
        story = calm().log("timeout", severity=odd)
        yield _found(f"severity-{word}", f"The severity is none: {odd!r}.", RECORD, story)
    story = calm()
    for kind in (*(each.value for each in ErrorType), METRIC_FAILURE, LOGGING_FAILURE, "disk_full"):
        story.log(kind)
    yield _found("types", "One error of each type, and one of a type of its own.", (*RECORD, "ER-AGG-01"), story)
    for word, value in (("null", None), ("number", 7), ("object", {"a": 1}), ("empty", ""), ("upper-case", "TIMEOUT")):
        yield _found(f"type-{word}", f"The type is no word: {value!r}.", RECORD, calm().log(value))


def _trajectory(path: Any, depth: Any) -> dict[str, Any]:
    return {"delegation_path": path, "failed_at_depth": depth}


def _trajectories() -> Iterator[Scenario]:
    path = list(PATH)
    for word, depth in (
        ("first", 0),
        ("second", 1),
        ("last", 3),
        ("past-the-end", 4),
        ("far-past", 9),
        ("negative", -1),
    ):
        yield _found(
            f"trajectory-{word}", f"A path of four, failed at {depth}.", (*RECORD, "ER-LOG-07"),
            calm().log("delegation_hang", trajectory=_trajectory(path, depth)),
        )  # fmt: skip
    shapes: tuple[tuple[str, Any], ...] = (
        ("path-of-one", _trajectory(["orchestrator"], 0)),
        ("path-of-one-past", _trajectory(["orchestrator"], 2)),
        ("path-empty", _trajectory([], 0)),
        ("path-null", _trajectory(None, 1)),
        ("path-text", _trajectory("orchestrator", 0)),
        ("path-of-numbers", _trajectory([1, 2], 1)),
        ("depth-text", _trajectory(path, "3")),
        ("depth-null", _trajectory(path, None)),
        ("depth-true", _trajectory(path, True)),
        ("depth-fraction", _trajectory(path, 1.5)),
        ("depth-huge", _trajectory(path, 10**12)),
        ("without-depth", {"delegation_path": path}),
        ("without-path", {"failed_at_depth": 1}),
        ("list", path),
        ("text", "orchestrator > implement"),
        ("number", 3),
    )
    for word, value in shapes:
        story = calm().log("delegation_hang", trajectory=value).log("timeout", trajectory=dict(TRAJECTORY))
        yield _found(f"trajectory-{word}", f"The trajectory is odd: {word.replace('-', ' ')}.",
                     (*RECORD, "ER-LOG-07"), story)  # fmt: skip
    long_path = [f"agent-{number}" for number in range(100)]
    yield _found(
        "trajectory-long", "A path of a hundred.", (*RECORD, "ER-LOG-07"),
        calm().log("delegation_hang", trajectory=_trajectory(long_path, 98)),
    )  # fmt: skip


_CONTEXTS: tuple[tuple[str, Any], ...] = (
    ("empty", {}),
    ("session-only", {"session_id": SESSION}),
    ("without-session", context(None)),
    ("task-zero", context(task=0)),
    ("task-negative", context(task=-1)),
    ("task-text", context(task="259")),
    ("task-fraction", context(task=259.5)),
    ("task-true", context(task=True)),
    ("task-huge", context(task=10**15)),
    ("phase-text", context(phase="two")),
    ("phase-null", context(phase=None)),
    ("phase-list", context(phase=[2])),
    ("checkpoint-number", context(checkpoint=3)),
    ("checkpoint-other", context(checkpoint="GATE_IN")),
    ("command-object", context(command={"name": "/implement"})),
    ("command-empty", context(command="")),
    ("more-fields", context(host="a", nested={"a": [1, {"b": None}]})),
    ("session-live", context("ses_41f0e7c2ffe")),
    ("session-number", context(17)),
    ("session-empty", context("")),
    ("list", [SESSION]),
    ("text", SESSION),
    ("number", 5),
    ("null", None),
)


def _contexts() -> Iterator[Scenario]:
    for word, value in _CONTEXTS:
        story = calm().log("timeout", session=None, context=value).log("timeout")
        yield _found(f"context-{word}", f"The context is odd: {word.replace('-', ' ')}.", RECORD, story)
    for word, session in (
        ("short", "sess_1_a"), ("upper", "SESS_1772366400_A1B2C3"), ("separators", "../../sess"), ("long", "s" * 300),
        ("seven", "sess_1772366400_a1b2c3d"), ("five", "sess_1772366400_a1b2c"),
    ):  # fmt: skip
        story = calm().log("timeout", session=session).log("timeout", session=OTHER).read(session).read(OTHER)
        yield _found(f"session-{word}", f"A session that is called {word}.", (*RECORD, "ER-AGG-01"), story)


_RECOVERIES: tuple[tuple[str, Any], ...] = (
    ("manual", {"suggested_action": "Ask somebody", "auto_recoverable": False}),
    ("empty-action", {"suggested_action": "", "auto_recoverable": True}),
    ("action-only", {"suggested_action": "Ask somebody"}),
    ("flag-only", {"auto_recoverable": False}),
    ("flag-text", {"suggested_action": "Ask somebody", "auto_recoverable": "yes"}),
    ("flag-number", {"suggested_action": "Ask somebody", "auto_recoverable": 1}),
    ("action-list", {"suggested_action": ["Ask"], "auto_recoverable": True}),
    ("more-fields", {**RECOVERY, "steps": [1, 2]}),
    ("text", "Ask somebody"),
    ("list", []),
    ("empty", {}),
)


def _recoveries() -> Iterator[Scenario]:
    for word, value in _RECOVERIES:
        story = calm().log("timeout", recovery=value).log("timeout", recovery=dict(RECOVERY))
        yield _found(
            f"recovery-{word}", f"The recovery is odd: {word.replace('-', ' ')}.", (*RECORD, "ER-LOG-08"), story
        )


def _odd() -> Iterator[Scenario]:
    for word, said, value in ODD:
        story = calm().log("timeout", message=value, session=SESSION).log("parse_error")
        yield _found(f"message-{word}", f"The message is {said}.", RECORD, story)
        if isinstance(value, str) and word != "long":
            story = calm().log("timeout", severity="low", recovery={**RECOVERY, "suggested_action": value})
            yield _found(f"action-{word}", f"The suggested action is {said}.", (*RECORD, "ER-LOG-08"), story)
    everything: Mapping[str, Any] = {
        "severity": {"a": 1}, "context": "none", "trajectory": 3, "recovery": [None], "message": {"not": "a text"},
        "partial_progress": ["odd"],
    }  # fmt: skip
    story = calm().log(["timeout"], session=None, **everything).log("timeout").log("parse_error")
    yield _found("nothing-as-expected", "No field of an error is what it should be.", RECORD, story)
    ids = tuple("n" * count for count in (1, 300))
    story = calm()
    for name in (*ids, "a/../b", "\u00fc \x00", " "):
        story.log("timeout", name=name)
    yield _found("names", "Errors have odd names.", RECORD, story)
