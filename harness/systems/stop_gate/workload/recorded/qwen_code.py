"""What Qwen Code writes: roles inside ``message``, the model's is ``model``, with ``parts`` instead of ``content``."""

from collections.abc import Mapping
from typing import Any, Final

from harness.systems.stop_gate.workload.recorded import words
from harness.systems.stop_gate.workload.recorded.words import Recorded, call_of, time_of, written

_USAGE: Final = dict.fromkeys(
    ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount", "cachedContentTokenCount"), 0
)
_COUNTS: Final = dict.fromkeys(
    ("input_token_count", "output_token_count", "cached_content_token_count", "thoughts_token_count",
     "total_token_count"), 0,
)  # fmt: skip
_CHANGED: Final = {
    f"{who}_{what}": 0 for who in ("model", "user")
    for what in ("added_lines", "removed_lines", "added_chars", "removed_chars")
}  # fmt: skip
_PATH: Final = f"{words.PROJECT}/{words.FILE}"


class _Session:
    """The lines so far; each names the one before it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._answers = 0
        self._calls = 0

    def line(self, kind: str, provenance: str, **fields: Any) -> None:
        """One line."""
        number = len(self.lines)
        self.lines.append(written({
            "uuid": f"line-{number}", "parentUuid": f"line-{number - 1}" if number else None,
            "sessionId": words.SESSION, "timestamp": time_of(number), "type": kind, "provenance": provenance,
            "cwd": words.PROJECT, "version": "0.24.4", **fields,
        }))  # fmt: skip

    def asked(self, text: str) -> None:
        """What the person said."""
        self.line("user", "real_user", message={"role": "user", "parts": [{"text": text}]})

    def noted(self, subtype: str, payload: Mapping[str, Any]) -> None:
        """What the host notes for itself."""
        self.line("system", "system", subtype=subtype, systemPayload=payload)

    def told(self, name: str, **fields: Any) -> None:
        """What it counts."""
        event = {"event.name": f"qwen-code.{name}", "event.timestamp": time_of(len(self.lines)), **fields}
        self.noted("ui_telemetry", {"uiEvent": event})

    def files(self, states: Mapping[str, Any]) -> None:
        """What it knows of the files that were written."""
        self.noted("attribution_snapshot", {"snapshot": {
            "type": "attribution-snapshot", "version": 1, "surface": "cli", "fileStates": states, "promptCount": 1,
            "promptCountAtLastCommit": 0,
        }})  # fmt: skip

    def answered(self, text: str, *calls: Mapping[str, Any]) -> None:
        """What the model said."""
        self.told(
            "api_response", response_id=f"response-{self._answers}", model=words.MODEL, status_code=200, duration_ms=0,
            **_COUNTS, response_text=text, prompt_id="prompt-1", auth_type="openai", ttft_ms=0,
        )  # fmt: skip
        self._answers += 1
        message = {"role": "model", "parts": [{"text": text}, *calls]}
        self.line("assistant", "assistant_output", model=words.MODEL, message=message, usageMetadata=_USAGE)

    def called(
        self, text: str, name: str, given: Mapping[str, Any], said: str, shown: Mapping[str, Any], **counted: Any
    ) -> None:
        """A text with a call, and what the tool said and what people see of it."""
        call = call_of(self._calls)
        self._calls += 1
        self.answered(text, {"functionCall": {"id": call, "name": name, "args": given}})
        self.told(
            "tool_call", call_id=call, function_name=name, function_args=given, duration_ms=0, status="success",
            execution_status="success", success=True, decision="auto_accept", prompt_id="prompt-1",
            response_id=f"response-{self._answers - 1}", tool_type="native", content_length=len(said), **counted,
        )  # fmt: skip
        response = {"functionResponse": {"id": call, "name": name, "response": {"output": said}}}
        result = {"callId": call, "status": "success", "resultDisplay": shown, "executionStatus": "success"}
        message = {"role": "user", "parts": [response]}
        self.line("tool_result", "tool_result", message=message, toolCallResult=result)

    def listed(self, text: str, states: tuple[str, ...], *, new: bool) -> None:
        """The list of work is kept."""
        todos = [
            {"id": step, "content": step, "status": state} for step, state in zip(words.STEPS, states, strict=True)
        ]
        changes = {"created": todos if new else [], "completed": [] if new else todos}
        shown = {"type": "todo_list", "planId": "plan-1", "todos": todos, "changes": changes}
        self.called(text, "todo_write", {"todos": todos}, words.OWN, shown)


def qwen_code() -> Recorded:
    """The session of every host, as Qwen Code writes it; nothing tells that a hook held it."""
    session = _Session()
    session.asked(words.ASKED)
    session.files({})
    session.listed(words.LISTED, words.OPEN, new=True)
    given = {"file_path": _PATH, "content": words.CONTENT}
    written_ = {
        "fileDiff": words.OWN, "fileName": words.FILE, "filePath": _PATH, "originalContent": "",
        "newContent": words.CONTENT, "diffStat": _CHANGED,
    }  # fmt: skip
    session.called(words.WRITES, "write_file", given, words.OWN, written_, metadata=_CHANGED)
    session.files({_PATH: {"aiContribution": len(words.CONTENT), "aiCreated": True, "contentHash": "content-1"}})
    session.answered(words.WROTE)
    first = len(session.lines)
    printed = {
        "type": "shell_result", "version": 1, "directory": words.PROJECT, "exitCode": 0, "signal": None, "pid": None,
        "outcome": "completed", "outputFiles": [], "output": words.PRINTED, "text": words.PRINTED, "error": None,
        "notices": [], "truncated": False,
    }  # fmt: skip
    run = {"command": words.COMMAND, "is_background": False}
    session.called(words.TESTS, "run_shell_command", run, words.PRINTED, printed)
    session.listed(words.TICKS, words.DONE, new=False)
    session.answered(words.ANSWERED)
    return Recorded(tuple(session.lines), first, len(session.lines))
