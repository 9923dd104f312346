"""What Gemini CLI writes: no role anywhere, lines of the type ``gemini`` for the model, each call on its line again."""

from collections.abc import Mapping
from typing import Any, Final

from harness.systems.stop_gate.workload.recorded import words
from harness.systems.stop_gate.workload.recorded.words import Recorded, call_of, time_of, written

_TOKENS: Final = dict.fromkeys(("input", "output", "cached", "thoughts", "tool", "total"), 0)
_CHANGED: Final = {
    f"{who}_{what}": 0 for who in ("model", "user")
    for what in ("added_lines", "removed_lines", "added_chars", "removed_chars")
}  # fmt: skip
_PATH: Final = f"{words.PROJECT}/{words.FILE}"


class _Session:
    """The lines so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._calls = 0

    def line(self, line: Mapping[str, Any]) -> None:
        """One line."""
        self.lines.append(written({**line}))

    def opened(self) -> None:
        """What is written before anybody said anything."""
        begun = {"startTime": time_of(0), "lastUpdated": time_of(0), "kind": "main"}
        self.line({"sessionId": words.SESSION, "projectHash": "project-1", **begun})
        context = {"id": "message-0", "timestamp": time_of(1), "type": "user", "content": [{"text": words.OWN}]}
        self.line({"$set": {"messages": [context], "lastUpdated": time_of(1)}})

    def said(self, part: Mapping[str, Any]) -> None:
        """What the person, a hook or a tool said."""
        self.line({**self._message("user"), "content": [part]})
        self._updated()

    def answered(self, text: str) -> dict[str, Any]:
        """What the model said; the line is given back."""
        counted = {"thoughts": [], "tokens": _TOKENS, "model": words.MODEL}
        line = {**self._message("gemini"), "content": text, **counted}
        self.line(line)
        self._updated()
        return line

    def called(self, text: str, name: str, given: Mapping[str, Any], said: str, **shown: Any) -> None:
        """A text, the same with a call in it, and what the tool said."""
        line = self.answered(text)
        call = f"{name}__{call_of(self._calls)}"
        self._calls += 1
        response = {"functionResponse": {"id": call, "name": name, "response": {"output": said}}}
        made = {
            "id": call, "name": name, "args": given, "result": [response], "status": "success",
            "timestamp": time_of(len(self.lines)), **shown,
        }  # fmt: skip
        self.line({**line, "toolCalls": [made]})
        self.said(response)

    def listed(self, text: str, states: tuple[str, ...]) -> None:
        """The list of work is kept."""
        todos = [{"description": step, "status": state} for step, state in zip(words.STEPS, states, strict=True)]
        shown = {"resultDisplay": {"todos": todos}, **_display("WriteTodos")}
        self.called(text, "write_todos", {"todos": todos}, words.OWN, **shown)

    def _message(self, kind: str) -> dict[str, Any]:
        number = len(self.lines)
        return {"id": f"message-{number}", "timestamp": time_of(number), "type": kind}

    def _updated(self) -> None:
        self.line({"$set": {"lastUpdated": time_of(len(self.lines))}})


def _display(name: str) -> dict[str, Any]:
    return {"description": words.OWN, "displayName": name, "renderOutputAsMarkdown": True}


def gemini_cli() -> Recorded:
    """The session of every host, as Gemini CLI writes it."""
    session = _Session()
    session.opened()
    session.said({"text": words.ASKED})
    session.listed(words.LISTED, words.OPEN)
    given = {"file_path": _PATH, "content": words.CONTENT}
    wrote = {
        "fileDiff": words.OWN, "fileName": words.FILE, "filePath": _PATH, "originalContent": "",
        "newContent": words.CONTENT, "diffStat": _CHANGED, "isNewFile": True, "isBuildFile": False,
    }  # fmt: skip
    session.called(words.WRITES, "write_file", given, words.OWN, resultDisplay=wrote, **_display("WriteFile"))
    session.answered(words.WROTE)
    first = len(session.lines)
    session.said({"text": words.HELD})
    shown = {"resultDisplay": words.PRINTED, **_display("Shell")}
    session.called(words.TESTS, "run_shell_command", {"command": words.COMMAND}, words.PRINTED, **shown)
    session.listed(words.TICKS, words.DONE)
    session.answered(words.ANSWERED)
    return Recorded(tuple(session.lines), first, len(session.lines))
