"""What stands in the files when a log begins: errors.json, metadata, plan, both lists of statuses. Level L1."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
    ErrorType,
)
from harness.systems.error_log.workload.error_log_steps import OTHER, PLAN, SESSION, SPECS, calm, context, scenario
from harness.systems.error_log.workload.record_boundaries import RECORD

KEPT = ("ER-LOG-01", "ER-LOG-02", "ER-LOG-03")
_ASIDE = ("truncated", "nul", "not-json", "not-utf8", "number", "text")  # what is kept beside the new file
_AT = "2026-02-28T09:30:00Z"


def old(number: int, session: str | None = SESSION, **fields: Any) -> dict[str, Any]:
    """A record that another process wrote yesterday."""
    record = {
        "id": f"err_1772271000000_old{number:03}", "timestamp": _AT, "type": "timeout", "severity": "high",
        "message": f"yesterday's error {number}", "context": context(session),
        "trajectory": {"delegation_path": ["orchestrator", "implement"], "failed_at_depth": 1},
        "recovery": {"suggested_action": "Run it again", "auto_recoverable": True}, "fix_status": "unfixed",
    }  # fmt: skip
    return {**record, **fields}


def _text(value: Any, **how: Any) -> FileSpec:
    return FileSpec(text=json.dumps(value, **how))


_RECORDS = [old(1), old(2, OTHER, fix_status="fixed")]
# what errors.json may hold and is kept
_SOUND: tuple[tuple[str, str, FileSpec], ...] = (
    ("object", "an object with records", _text({"errors": _RECORDS})),
    ("list", "a list of records", _text(_RECORDS)),
    ("indented", "an indented object", _text({"errors": _RECORDS}, indent=2)),
    ("empty-object", "an object without records", _text({"errors": []})),
    ("empty-list", "an empty list", FileSpec(text="[]")),
    ("beside", "records, and other fields beside them", _text({"aggregations": {"timeout": 2}, "errors": _RECORDS})),
    ("foreign-fields", "records with fields of their own", _text({"errors": [old(1, note=[1, {"a": None}]), old(2)]})),
    ("few-fields", "a record that has few fields", _text({"errors": [{"id": "err_1", "type": "timeout"}, old(2)]})),
    ("without-end-of-line", "no line break at its end", FileSpec(text=json.dumps({"errors": _RECORDS}) + "\n\n  ")),
    ("same-id", "two records with one id", _text({"errors": [old(1), old(1, message="another with that id")]})),
    ("future", "a record of next year", _text({"errors": [old(1, timestamp="2027-01-01T00:00:00Z")]})),
    ("many", "forty records", _text({"errors": [old(number) for number in range(40)]})),
)
# what errors.json may hold and is none of a log
_ODD: tuple[tuple[str, str, FileSpec], ...] = (
    ("nothing", "no bytes", FileSpec(text="")),
    ("blank", "white space", FileSpec(text=" \n\n")),
    ("truncated", "half of an object", FileSpec(text=json.dumps({"errors": _RECORDS})[:300])),
    ("nul", "NUL bytes", FileSpec(text="\x00" * 64)),
    ("nul-after", "an object, then NUL bytes", FileSpec(text=json.dumps({"errors": _RECORDS}) + "\x00" * 9)),
    ("not-json", "no JSON", FileSpec(text="errors: none\n")),
    ("not-utf8", "no UTF-8", FileSpec(base64=b'{"errors": ["\xff\xfe"]}')),
    ("mark", "a byte order mark before an object", FileSpec(base64=b"\xef\xbb\xbf" + b'{"errors": []}')),
    ("number", "a number", FileSpec(text="42")),
    ("null", "null", FileSpec(text="null")),
    ("text", "a text", FileSpec(text='"errors"')),
    ("errors-missing", "an object without errors", FileSpec(text='{"error": []}')),
    ("errors-null", "an object whose errors are null", FileSpec(text='{"errors": null}')),
    ("errors-object", "an object whose errors are an object", FileSpec(text='{"errors": {"a": 1}}')),
    ("no-records", "a list of what is no record", _text({"errors": [1, "two", None, ["three"], old(4)]})),
    ("wrong-types", "a record whose fields have other types",
     _text({"errors": [old(1, context="none", severity=3, trajectory=[], recovery=7), old(2)]})),
    ("lines", "a record a line", FileSpec(text="\n".join(json.dumps(old(number)) for number in range(3)))),
    ("nan", "a number that is none", FileSpec(text='{"errors": [{"id": "err_1", "message": NaN}]}')),
    ("deep", "lists nested deep", FileSpec(text='{"errors": ' + "[" * 5_000 + "]" * 5_000 + "}")),
)  # fmt: skip


def file_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for word, said, spec in _SOUND:
        story = calm().read().log("timeout").read(SESSION).log("parse_error", session=OTHER).patterns().read(OTHER)
        yield scenario(
            f"file-{word}", f"errors.json holds {said}: they stay, and others follow.", (*RECORD, "ER-AGG-01"),
            story.read(), files={ERRORS_PATH: spec},
        )  # fmt: skip
    for word, said, spec in _ODD:
        story = calm().read().log("timeout").read().log("parse_error").patterns().restart().log("build_error")
        yield scenario(
            f"file-{word}", f"errors.json holds {said}: errors are logged all the same.",
            (*KEPT, "ER-LOG-10") if word in _ASIDE else KEPT,
            story.read(SESSION).read(), files={ERRORS_PATH: spec},
        )  # fmt: skip
    yield from _places()
    yield from _metadata()
    yield from _plans()
    yield from _statuses()


def _places() -> Iterator[Scenario]:
    yield scenario(
        "file-none", "No file is there, and no directory for one.", RECORD,
        calm().read().log("timeout").read(SESSION).read(),
        files={path: FileSpec("absent") for path in (PLAN_PATH, TODO_PATH, STATE_PATH, SOURCE_PATH)},
    )  # fmt: skip
    elsewhere = f"{SPECS}/elsewhere.json"
    link = {elsewhere: _text({"errors": []}), ERRORS_PATH: FileSpec("symlink", target=elsewhere)}
    story = calm().read().log("timeout").handle(ErrorType.BUILD_ERROR, "medium").read()
    yield scenario("file-is-link", "errors.json is a link to another file.", ("ER-LOG-02",), story, files=link)
    read_only = {ERRORS_PATH: FileSpec(text=json.dumps({"errors": _RECORDS}), mode=0o444)}
    yield scenario(
        "file-mode-444", "errors.json may only be read: that is no obstacle to who owns it, or told.", ("ER-LOG-02",),
        calm().log("timeout").read(SESSION).log("parse_error").read(), files=read_only,
    )  # fmt: skip


_METADATA: tuple[tuple[str, FileSpec], ...] = (
    ("in-progress", _text({"status": "in_progress", "task": 259, "task_status": "implementing",
                           "completed": ["phase1"], "partial_progress": {"stage": "phase2", "details": "half"}})),
    ("of-another-task", _text({"status": "in_progress", "task": 260, "task_status": "researching",
                               "partial_progress": {"stage": "phase3", "details": "theirs"}})),
    ("completed", _text({"status": "completed", "task": 259})),
    ("without-progress", _text({"status": "in_progress", "task": 259})),
    ("progress-null", _text({"status": "in_progress", "task": 259, "partial_progress": None})),
    ("progress-text", _text({"status": "in_progress", "task": 259, "partial_progress": "phase2"})),
    ("stage-number", _text({"status": "in_progress", "task": 259, "partial_progress": {"stage": 2}})),
    ("foreign-fields", _text({"status": "in_progress", "task": 259, "task_status": "implementing",
                              "artifacts": ["a.md"], "partial_progress": {"stage": "phase2", "more": 1}})),
    ("truncated", FileSpec(text='{"status": "in_progress", "partial_pro')),
    ("nothing", FileSpec(text="")),
    ("list", FileSpec(text='["in_progress"]')),
    ("not-json", FileSpec(text="in_progress\n")),
    ("directory", FileSpec("directory")),
)  # fmt: skip


def _metadata() -> Iterator[Scenario]:
    """Metadata of an earlier run: the task goes on where it says, and an interruption finds it."""
    for word, spec in _METADATA:
        said = word.replace("-", " ")
        found = word in ("in-progress", "foreign-fields")
        left = None if found else {"stage": "phase2", "details": "half"}
        story = calm().resume().resume(260).recover(ErrorType.DELEGATION_INTERRUPTED, partial_progress=left)
        clauses = ["ER-DEL-01"] if word not in ("of-another-task", "completed") else []
        clauses += ["ER-RES-01"] if found or word == "of-another-task" else []
        yield scenario(
            f"metadata-{word}", f"The metadata is {said}; the task is resumed, and interrupted.", clauses or RECORD,
            story.read(SESSION).resume().read(), files={METADATA_PATH: spec},
        )  # fmt: skip


_PLANS: tuple[tuple[str, FileSpec], ...] = (
    ("absent", FileSpec("absent")),
    ("nothing", FileSpec(text="")),
    ("without-marks", FileSpec(text="# Plan\n\n### Phase 1: Research\n### Phase 2: Implement\n### Phase 3: Verify\n")),
    ("without-phases", FileSpec(text="# Plan\n\nOnly prose.\n")),
    ("marked-already", FileSpec(text=PLAN.replace("[IN PROGRESS]", "[PARTIAL]"))),
    ("carriage-returns", FileSpec(text=PLAN.replace("\n", "\r\n"))),
    ("not-utf8", FileSpec(base64=PLAN.encode() + b"\xff\xfe\n")),
    ("directory", FileSpec("directory")),
)


def _plans() -> Iterator[Scenario]:
    for word, spec in _PLANS:
        lost = word == "directory"
        story = calm().handle(ErrorType.DELEGATION_HANG, "high").recover(ErrorType.TIMEOUT).resume()
        clauses = ("ER-PRG-01",) if lost else ("ER-PRG-01", "ER-PRG-03", "ER-TMO-01")
        yield scenario(
            f"plan-{word}", f"The plan is odd: {word.replace('-', ' ')}.", clauses, story.read(),
            files={PLAN_PATH: spec},
        )  # fmt: skip


_STATUSES: tuple[tuple[str, Mapping[str, FileSpec]], ...] = (
    ("todo-absent", {TODO_PATH: FileSpec("absent")}),
    ("state-absent", {STATE_PATH: FileSpec("absent")}),
    ("both-absent", {TODO_PATH: FileSpec("absent"), STATE_PATH: FileSpec("absent")}),
    ("state-truncated", {STATE_PATH: FileSpec(text='{"tasks": {"259": "impl')}),
    ("state-list", {STATE_PATH: FileSpec(text="[]")}),
    ("todo-nothing", {TODO_PATH: FileSpec(text="")}),
    ("todo-directory", {TODO_PATH: FileSpec("directory")}),
)


def _statuses() -> Iterator[Scenario]:
    for word, files in _STATUSES:
        facts = {"todo_changed": "2026-02-28T10:00:00Z", "state_changed": "2026-02-28T09:00:00Z"}
        story = calm().recover(ErrorType.STATUS_SYNC_FAILURE, facts=facts)
        yield scenario(
            f"statuses-{word}", f"Of TODO.md and state.json one is odd: {word.replace('-', ' ')}.", ("ER-LOG-01",),
            story.read(), files=files,
        )  # fmt: skip
