"""The six procedures of recovery, each through every branch that what it meets outside can take. Level L1."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.error_log.contract import METADATA_PATH, SOURCE_PATH, ErrorType
from harness.systems.error_log.workload.error_log_steps import (
    ANY,
    OTHER_TASK,
    PHASES,
    SESSION,
    Allowed,
    calm,
    context,
    progress,
    scenario,
)
from harness.systems.error_log.workload.record_boundaries import ODD

TIMEOUT = ("ER-TMO-01", "ER-PRG-03", "ER-RES-01")
EARLY, LATE = "2026-02-28T09:00:00Z", "2026-02-28T10:00:00Z"
FAR = progress(PHASES[:1], PHASES[1], partial={"lines": 40})
_SYNC = ErrorType.STATUS_SYNC_FAILURE


def procedure_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _timeouts()
    yield from _syncs()
    yield from _builds()
    yield from _jq()
    yield from _mcp()
    yield from _delegations()
    yield from _begun()
    yield from _others()


def _timeouts() -> Iterator[Scenario]:
    for commits in (True, False):
        story = calm().recover(ErrorType.TIMEOUT, FAR, {"commit_succeeds": commits}).read(SESSION).finish().read()
        yield scenario(
            f"timeout-commit-{'succeeds' if commits else 'fails'}",
            f"A phase takes too long, and the commit {'succeeds' if commits else 'fails'}.",
            (*TIMEOUT, "ER-PRG-02", *(() if commits else ("ER-NB-01",))), story.resume(), ({"resume_at": "phase2"},),
        )  # fmt: skip
    for count, phase in enumerate(PHASES):
        story = calm().recover(ErrorType.TIMEOUT, progress(PHASES[:count], phase)).read().restart().resume()
        yield scenario(
            f"timeout-in-{phase}", f"{phase} takes too long.", ("ER-RES-01",), story, ({"resume_at": phase},)
        )
    again = calm().recover(ErrorType.TIMEOUT).resume().recover(ErrorType.TIMEOUT, progress(PHASES[:2], PHASES[2]))
    yield scenario("timeout-again", "Two phases take too long, one after the other.", (*TIMEOUT, "ER-PRG-02"),
                   again.read().resume(), ({"resume_at": "phase3"},))  # fmt: skip
    none = calm().recover(ErrorType.TIMEOUT, progress((), None, phases=())).read().resume()
    yield scenario("timeout-without-phases", "A task without phases takes too long.", ("ER-LOG-01",), none.read())


def _syncs() -> Iterator[Scenario]:
    dates = ((EARLY, LATE), (LATE, EARLY), (EARLY, EARLY), (None, EARLY), (EARLY, None), (None, None),
             ("2026-02-28T10:00:00+02:00", "2026-02-28T08:30:00Z"),
             ("2026-02-28T08:30:00Z", "2026-02-28T10:00:00+02:00"),
             (f"{EARLY[:-1]}.000001Z", EARLY), ("yesterday", EARLY))  # fmt: skip
    words = ("state-newer", "todo-newer", "tie", "todo-uncommitted", "state-uncommitted", "both-uncommitted",
             "zones-state-newer", "zones-todo-newer", "todo-an-instant-newer", "no-date")  # fmt: skip
    for word, (todo, state) in zip(words, dates, strict=True):
        story = calm().recover(_SYNC, facts={"todo_changed": todo, "state_changed": state}).read(SESSION).read()
        yield scenario(
            f"sync-{word}", f"TODO.md and state.json differ: {word.replace('-', ' ')}.", ("ER-SYN-01", "ER-LOG-01"),
            story,
        )  # fmt: skip
    twice = calm()
    for todo, state in ((EARLY, LATE), (LATE, EARLY)):
        twice.recover(_SYNC, facts={"todo_changed": todo, "state_changed": state}).read()
    yield scenario("sync-twice", "They differ, are synced, and are synced again.", ("ER-SYN-01",), twice.read(SESSION))


def _builds() -> Iterator[Scenario]:
    for word, output in (
        ("error", "main.py:2: SyntaxError: invalid syntax"), ("nothing", ""), ("long", "warning: unused\n" * 300),
        ("odd", "\x1b[31merror\x1b[0m \x00 \u2028 \"'`$(rm -rf /)`"),
    ):  # fmt: skip
        facts = {"command": "make -j2 all", "output": output}
        story = calm().recover(ErrorType.BUILD_ERROR, FAR, facts).read(SESSION).resume().read()
        clauses = ("ER-BLD-01", "ER-LOG-01")
        yield scenario(f"build-{word}", f"A build fails, and its output is {word}.", clauses, story)
    story = calm().recover(ErrorType.BUILD_ERROR, FAR, {"command": "make", "output": "error"}).read()
    yield scenario("build-without-source", "A build fails, and there is no source.", ("ER-LOG-01",), story,
                   files={SOURCE_PATH: FileSpec("absent")})  # fmt: skip
    odd = FileSpec(base64=b"\xff\xfe\x00print(1)\r\n")
    story = calm().recover(ErrorType.BUILD_ERROR, FAR, {"command": "make", "output": "error"}).read()
    yield scenario("build-odd-source", "A build fails, and its source is no text.", ("ER-BLD-01",), story,
                   files={SOURCE_PATH: odd})  # fmt: skip


# filters that fail, each with or without a comparison to be written anew
_FILTERS = (
    ("plain", """jq '.tasks[] | select(.type != "X")' state.json"""),
    ("nested", """jq '.a.b[] | select(.c.d != "in progress") | .name' state.json"""),
    ("two", """jq '.[] | select(.a != "x") | select(.b != "y")' state.json"""),
    ("and", """jq '.[] | select(.a != "x" and .b == 1)' state.json"""),
    ("number", """jq '.[] | select(.n != 3)' state.json"""),
    ("no-space", """jq '.[]|select(.a!="x")' state.json"""),
    ("null", """jq '.[] | select(.a != null)' state.json"""),
    ("escaped", """jq '.[] | select(.a \\!= "x")' state.json"""),
    ("equal", """jq '.[] | select(.a == "x")' state.json"""),
    ("in-a-text", """jq '.[] | select(.a == "b != c")' state.json"""),
    ("text-compared", """jq '.[] | select(.a != "x != y")' state.json"""),
    ("pipe-in-a-text", """jq '.[] | select(.a == "b | c")' state.json"""),
    ("none", "jq . state.json"),
    ("empty", ""),
)
_NOT_COMPARED = ("equal", "in-a-text", "pipe-in-a-text", "none", "empty")
_JQ_SAID = "jq: error: syntax error, unexpected INVALID_CHARACTER at <top-level>, line 1:"


def _jq() -> Iterator[Scenario]:
    for word, command in _FILTERS:
        story = calm().recover(ErrorType.JQ_PARSE_FAILURE, FAR, {"command": command, "output": _JQ_SAID}).read(SESSION)
        clauses = ("ER-JQ-01",) if word in _NOT_COMPARED else ("ER-JQ-01", "ER-JQ-02")
        yield scenario(f"jq-{word}", f"jq cannot read a filter: {word.replace('-', ' ')}.", clauses, story.read())
    for succeeds in (True, False):
        facts = {"command": _FILTERS[0][1], "output": _JQ_SAID, "retry_succeeds": succeeds}
        story = calm().recover(ErrorType.JQ_PARSE_FAILURE, FAR, facts).read(SESSION).resume().read()
        story.recover(ErrorType.JQ_PARSE_FAILURE, FAR, facts)
        allowed: Allowed = ({"outcome": "recovered"},) if succeeds else ({"outcome": "failed"}, {"outcome": "partial"})
        yield scenario(
            f"jq-retry-{'succeeds' if succeeds else 'fails'}",
            f"A filter is run again in the other form, and {'succeeds' if succeeds else 'fails'}.",
            ("ER-JQ-01", "ER-JQ-02"), story, allowed,
        )  # fmt: skip


def _mcp() -> Iterator[Scenario]:
    for retry, alternative in product((True, False), ((None, True), ("grep", True), ("grep", False))):
        tool, succeeds = alternative
        facts: dict[str, Any] = {
            "command": "lean_search", "output": "AbortError -32001", "retry_succeeds": retry, "alternative": tool,
            "alternative_succeeds": succeeds,
        }  # fmt: skip
        story = calm().recover(ErrorType.MCP_ABORT_ERROR, FAR, facts).read(SESSION).resume().read()
        other = "no other tool" if tool is None else f"another tool that {'succeeds' if succeeds else 'fails'}"
        word = "-".join(
            ["mcp-retry", "succeeds" if retry else "fails",
             "alone" if tool is None else "other-succeeds" if succeeds else "other-fails"]
        )  # fmt: skip
        allowed: Allowed = ({"outcome": "recovered"},) if retry else ANY
        yield scenario(
            word, f"An MCP tool aborts, its retry {'succeeds' if retry else 'fails'}, and there is {other}.",
            ("ER-MCP-01",) if retry else ("ER-MCP-01", "ER-MCP-02"),
            story.recover(ErrorType.MCP_ABORT_ERROR, FAR, facts), allowed,
        )  # fmt: skip
    bare = calm().recover(ErrorType.MCP_ABORT_ERROR, progress((), None, phases=()), {"retry_succeeds": False}).read()
    yield scenario("mcp-without-phases", "An MCP tool aborts, and nothing is known of the task.",
                   ("ER-MCP-01",), bare.read(SESSION))  # fmt: skip
    for word, command in (("unicode", "\u6f22\u00fc"), ("quoted", "a\"b'c"), ("spaces", "lean search $(x)")):
        story = calm().recover(ErrorType.MCP_ABORT_ERROR, FAR, {"command": command, "output": "abort"}).read(SESSION)
        yield scenario(
            f"mcp-tool-{word}", f"The tool that aborts has an odd name: {word}.", ("ER-MCP-01",), story.read()
        )


_INTERRUPTED = ErrorType.DELEGATION_INTERRUPTED


def _delegations() -> Iterator[Scenario]:
    interrupted = ("ER-DEL-01", "ER-DEL-02", "ER-LOG-01")
    for status in ("researching", "implementing"):
        left = {"stage": "phase2", "details": {"lines": 40}}
        story = calm().begin(status).recover(_INTERRUPTED, FAR, partial_progress=left).read(SESSION).resume().read()
        story.begin(status).recover(_INTERRUPTED, FAR)
        yield scenario(
            f"interrupted-{status}", f"A delegation for a task that is {status} is interrupted.",
            (*interrupted, "ER-DEL-03"), story, ({"task_status": status},),
        )  # fmt: skip
    for word, left in _LEFT:
        story = calm().begin().recover(_INTERRUPTED, FAR, partial_progress=left).read(SESSION).resume()
        yield scenario(f"interrupted-left-{word}", f"A delegation is interrupted that left {word.replace('-', ' ')}.",
                       ("ER-DEL-01", "ER-DEL-02"), story.read())  # fmt: skip
    never = calm().recover(_INTERRUPTED, FAR, partial_progress={"stage": "phase2", "details": None}).read(SESSION)
    yield scenario("interrupted-never-begun", "A delegation is interrupted of which there is no metadata.",
                   ("ER-DEL-01",), never.resume().read())  # fmt: skip
    for word, text in _METADATA:
        story = calm().recover(_INTERRUPTED, FAR, partial_progress={"stage": "phase2"}).read(SESSION).resume().read()
        yield scenario(f"interrupted-metadata-{word}", f"A delegation is interrupted, and its metadata is {word}.",
                       ("ER-DEL-01",), story, files={METADATA_PATH: FileSpec(text=text)})  # fmt: skip
    restarted = calm().begin("researching").restart().recover(_INTERRUPTED, FAR, partial_progress={"stage": "phase2"})
    yield scenario("interrupted-restarted", "Another process finds the interrupted delegation.", interrupted,
                   restarted.read(SESSION).resume())  # fmt: skip
    two = calm().begin("researching", task=OTHER_TASK).begin("implementing").recover(_INTERRUPTED, FAR)
    yield scenario("interrupted-one-of-two", "One of two delegations is interrupted.", interrupted,
                   two.read(SESSION).resume().read())  # fmt: skip


_LEFT: tuple[tuple[str, Any], ...] = (
    ("nothing", None), ("an-object", {"stage": "phase2", "details": [1, 2]}), ("a-text", "half of phase2"),
    ("a-list", ["phase2"]), ("a-number", 2), ("an-empty-object", {}), ("another-stage", {"stage": "phase3"}),
)  # fmt: skip
_METADATA = (
    ("truncated", '{"status": "in_prog'),
    ("empty", ""),
    ("no-object", "[1]"),
    ("without-status", '{"task": 259}'),
)


def _begun() -> Iterator[Scenario]:
    story = calm().begin("researching").read().begin("implementing", task=OTHER_TASK).read().begin().read()
    yield scenario("begin-three", "Delegations begin, one after the other.", ("ER-DEL-03",), story.resume())
    again = calm().begin().restart().begin().recover(_INTERRUPTED, FAR).begin().read()
    yield scenario("begin-again", "A delegation begins again after it was interrupted.", ("ER-DEL-03", "ER-DEL-01"),
                   again.resume())  # fmt: skip
    after = calm().handle(ErrorType.BUILD_ERROR, "high", FAR).begin().read()
    yield scenario("begin-after-a-failure", "A delegation begins for a task that failed before: nothing is lost.",
                   ("ER-DEL-03", "ER-PRG-02"), after.resume(), ({"resume_at": "phase2"},))  # fmt: skip


def _others() -> Iterator[Scenario]:
    """Types without a procedure of their own, and errors that are none."""
    for kind in ("validation_failed", "file_not_found", "parse_error", "delegation_hang", "tool_unavailable",
                 "git_commit_failure", "disk_full"):  # fmt: skip
        story = calm().recover(kind, FAR).read(SESSION).resume().read()
        yield scenario(
            f"recover-{kind.replace('_', '-')}", f"{kind} has no procedure of its own.", ("ER-LOG-01",), story
        )
    for word, said, value in ODD:
        if word in ("null", "number", "list", "control-characters", "unicode"):
            story = calm().recover(ErrorType.TIMEOUT, FAR, message=value).read(SESSION).resume().read()
            yield scenario(f"recover-message-{word}", f"A timeout is recovered from whose message is {said}.",
                           ("ER-TMO-01",), story)  # fmt: skip
    story = calm()
    for kind in ErrorType:
        if kind is _INTERRUPTED:
            story.begin(task=OTHER_TASK)
        story.recover(kind.value, FAR, context=context(task=OTHER_TASK)).read()
    yield scenario("recover-each", "Every type is recovered from, one after the other.",
                   ("ER-TMO-01", "ER-SYN-01", "ER-BLD-01", "ER-JQ-01", "ER-MCP-01", "ER-DEL-01"),
                   story.finish())  # fmt: skip
