"""What the gate asks of a real session, and the scripted questions a scenario asks instead. Pure.

Our rule for PS-CON-01, in one sentence: without tool calls a session is complete when its last assistant message ends
without a question, a promise or an open todo.
"""

import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.systems.stop_gate.contract import CheckerOutcome, Consideration, Severity
from harness.systems.stop_gate.reference.limits import Checker
from harness.systems.stop_gate.reference.transcript import Message, ToolUse

PROMISES = tuple(
    opening + promise
    for opening in ("", "now ", "next ", "next, ", "then ", "first ", "first, ", "so ", "ok, ", "okay, ")
    for promise in ("i'll ", "i will ", "let me ", "i'm going to ", "i am going to ")
)
POLITENESS = ("let me know", "i'll be happy", "i'll be glad", "i will be happy", "i will be glad", "i'll be here")
CLOSING_MARKS = "*_`\"')]}>~ \t\r\n"  # what may stand between the last word and the end of a message
SENTENCE_CHARACTERS = 400  # the last sentence is looked for in so much of a message's end
OPEN_ITEMS = ("- [ ]", "* [ ]", "+ [ ]")
OPEN_STATES = ("pending", "in_progress")
EDITING_WORDS = ("edit", "write", "patch", "create_file", "str_replace")
READING_TOOLS = ("todowrite", "todo_write")
TEST_COMMANDS = ("pytest", "test", "tox", "nox", "check", "verify", "spec", "jest", "vitest")
CI_COMMANDS = ("gh pr checks", "gh run", "gh workflow", "glab ci")
CI_FAILURES = ("fail", "error", "cancelled", "timed_out")
PATH_KEYS = ("file_path", "notebook_path", "path")


class NetworkUnreachableError(OSError):
    """What a checker asks does not answer (PS-CON-03)."""


class Question(NamedTuple):
    """One consideration: ``checker`` is asked; a bool is its own answer, None means that there is no checker."""

    id: str
    severity: Severity | None
    checker: Checker | bool | None
    title: str = ""


class OwnQuestions:
    """The reference's own considerations about one session."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.tools = [tool for message in messages for tool in message.tools]

    def all(self) -> tuple[Question, ...]:
        """Blockers first."""
        return (
            Question(
                "objective_complete",
                Severity.BLOCKER,
                lambda _: self.objective_complete(),
                "answer what was asked, without leaving a question or a promise open",
            ),
            Question(
                "todos_complete",
                Severity.BLOCKER,
                lambda _: self.todos_complete(),
                "finish or drop the open items of the todo list",
            ),
            Question(
                "ci_status", Severity.WARNING, lambda _: self.ci_passed(), "the last CI result seen was a failure"
            ),
            Question(
                "tests_run", Severity.WARNING, lambda _: self.tests_run(), "files changed after the last test run"
            ),
        )

    def objective_complete(self) -> bool:
        """PS-CON-01. With tool calls the todo list tells; a session in which nobody asked anything is complete."""
        if self.tools or not any(message.role in ("user", "assistant") for message in self.messages):
            return True
        return self.looks_conclusive(self.last_assistant_text())

    def last_assistant_text(self) -> str:
        """The text of the last assistant message; empty without one."""
        return next((message.text for message in reversed(self.messages) if message.role == "assistant"), "")

    def looks_conclusive(self, text: str) -> bool:
        """Whether an answer ends without a question, a promise or an open todo. No text is no answer."""
        ending = text.rstrip(CLOSING_MARKS)
        if not ending or ending.endswith(("?", "\uff1f", ":", "...", "\u2026")):
            return False
        if any(line.strip().startswith(OPEN_ITEMS) for line in text.splitlines()):
            return False
        sentence = last_sentence(ending)
        return sentence.startswith(POLITENESS) or not sentence.startswith(PROMISES)

    def todos_complete(self) -> bool:
        """Whether the last todo list has no item that is pending or in progress; true without a list."""
        lists = (items for tool in reversed(self.tools) if (items := todo_items(tool.input)) is not None)
        return not any(isinstance(item, dict) and item.get("status") in OPEN_STATES for item in next(lists, ()))

    def ci_passed(self) -> bool:
        """Whether the last answer to a CI command in the transcript speaks of no failure; true without one."""
        passed, asked = True, False
        for message in self.messages:
            if asked and message.results:
                answer = " ".join(message.results).lower().replace("0 fail", "")
                passed, asked = not any(word in answer for word in CI_FAILURES), False
            asked = asked or any(word in command_of(tool) for tool in message.tools for word in CI_COMMANDS)
        return passed

    def tests_run(self) -> bool:
        """Whether a test command came after the last change of a file; true without changes."""
        last_change = last_test = -1
        for position, tool in enumerate(self.tools):
            if changed_paths(tool):
                last_change = position
            elif any(word in command_of(tool) for word in TEST_COMMANDS):
                last_test = position
        return last_change < 0 or last_test > last_change


def last_sentence(text: str) -> str:
    """The last sentence of a text, in lower case, with plain apostrophes."""
    ending = text[-SENTENCE_CHARACTERS:].replace("\u2019", "'").lower().rstrip(".!")
    start = max(ending.rfind(mark) for mark in (". ", "! ", "? ", "\n", "; "))
    return ending[start + 1 :].lstrip(" #*_->\t")


def todo_items(arguments: Mapping[str, Any]) -> Sequence[Any] | None:
    """The items when a tool's arguments are a todo list (``todos``) or a Codex plan (``plan``); else None."""
    for key in ("todos", "plan"):
        items = arguments.get(key)
        if isinstance(items, list):
            return items
    return None


def command_of(tool: ToolUse) -> str:
    """The command line a tool was asked to run, whatever it calls that; empty when it runs none."""
    for key in ("command", "cmd", "input"):
        command = tool.input.get(key)
        if isinstance(command, str):
            return command
        if isinstance(command, list):
            return " ".join(part for part in command if isinstance(part, str))
    return ""


def changed_paths(tool: ToolUse) -> tuple[str, ...]:
    """The files a tool call changes, told by its name and arguments."""
    name = tool.name.lower()
    if name in READING_TOOLS or not any(word in name for word in EDITING_WORDS):
        return ()
    paths = [path for key in PATH_KEYS if isinstance(path := tool.input.get(key), str) and path]
    patch = tool.input.get("input")
    return tuple(paths[:1]) or tuple(patched_paths(patch if isinstance(patch, str) else ""))


def patched_paths(patch: str) -> Iterable[str]:
    """The files named in a patch as Codex writes them."""
    for line in patch.splitlines():
        head, _, path = line.partition(" File: ")
        if head in ("*** Add", "*** Update", "*** Delete") and path:
            yield path.strip()


def scripted(consideration: Consideration, scale: float) -> Question:
    """The question a scenario scripts. What does nothing but answer is its own answer; the rest gets a checker."""
    outcome = consideration.outcome
    checker: Checker | bool | None
    if outcome in (CheckerOutcome.SATISFIED, CheckerOutcome.FAILED):
        checker = outcome is CheckerOutcome.SATISFIED
    elif outcome in (CheckerOutcome.MISSING, CheckerOutcome.KEYLESS):
        checker = None
    elif outcome is CheckerOutcome.SLOW:
        seconds = consideration.seconds * scale

        def checker(gone: threading.Event) -> bool:
            gone.wait(seconds)
            return False
    else:
        checker = _SCRIPTS[outcome]
    return Question(consideration.id, consideration.severity, checker)


def _raises(_: threading.Event) -> bool:
    raise RuntimeError("the scripted checker raises")


def _exits(_: threading.Event) -> bool:
    raise SystemExit(3)


def _interrupts(_: threading.Event) -> bool:
    raise KeyboardInterrupt


def _recurses(gone: threading.Event) -> bool:
    return not _recurses(gone)


def _unreachable(_: threading.Event) -> bool:
    raise NetworkUnreachableError("the scripted service does not answer")


def _prints(_: threading.Event) -> bool:
    sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "result": {"decision": "block"}}\n\x00 not what was asked for\n')
    sys.stdout.flush()
    return True


def _hangs(gone: threading.Event) -> bool:
    # for ever, for everybody who waits; a thread nobody waits for any more may go
    gone.wait()
    return False


def _hangs_swallowing(gone: threading.Event) -> bool:
    while not gone.is_set():
        try:
            gone.wait()
        except BaseException:  # noqa: BLE001, S112
            continue
    return False


_SCRIPTS: Mapping[CheckerOutcome, Checker] = {
    CheckerOutcome.RAISES: _raises,
    CheckerOutcome.EXITS: _exits,
    CheckerOutcome.INTERRUPTS: _interrupts,
    CheckerOutcome.RECURSES: _recurses,
    CheckerOutcome.NETWORK_ERROR: _unreachable,
    CheckerOutcome.HANGS: _hangs,
    CheckerOutcome.HANGS_SWALLOWING: _hangs_swallowing,
    CheckerOutcome.PRINTS: _prints,
}
