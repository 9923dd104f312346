"""Transcripts in the shapes that hosts write, recorded with a scripted model; every word in them is ours.

Kept are the fields of each kind of line: what a host wrote into them of its own (instructions, reminders, usage beyond
zero) is not, and what changes from run to run stands for one session. Source: claude-code 2.1.328, codex 0.169.0.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.systems.stop_gate.workload.gate_steps import SESSION

_ASKED: Final = "Please add a retry to the importer."
_AT_IT: Final = "I write down what is to be done."
_ANSWERED: Final = "The importer retries three times now."
_CALL: Final = "call_0"
_TIME: Final = "2026-03-01T11:59:{:02}.000Z"
_STEPS: Final = (("Add the retry", "completed"), ("Run the tests", "in_progress"))

_CLAUDE_CODE: Final = {
    "userType": "external", "entrypoint": "cli", "cwd": "{project}", "sessionId": SESSION, "version": "2.1.328",
    "gitBranch": "main",
}  # fmt: skip
_CODEX_TURN: Final = {"turn_id": "turn-1", "create_time": 1772366340.5}


def _claude_code(number: int, kind: str, **fields: Any) -> str:
    parent = f"line-{number - 1}" if number else None
    line = {"parentUuid": parent, "isSidechain": False, **fields, "type": kind, "uuid": f"line-{number}"}
    return json.dumps({**line, "timestamp": _TIME.format(number), **_CLAUDE_CODE})


def _claude_code_answer(number: int, part: Mapping[str, Any], stop_reason: str) -> str:
    usage = {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}
    message = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": [part],
        "stop_reason": stop_reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    return _claude_code(number, "assistant", message=message, requestId=f"req_{number}", madeBy="model")


def claude_code() -> tuple[str, ...]:
    """The lines of a session of Claude Code: a question, a list of work with an open item, an answer."""
    todos = [{"content": text, "status": status, "activeForm": text} for text, status in _STEPS]
    call = {"type": "tool_use", "id": _CALL, "name": "TodoWrite", "input": {"todos": todos}}
    result = {"type": "tool_result", "tool_use_id": _CALL, "content": "The list was kept.", "is_error": False}
    queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": _TIME.format(0), "sessionId": SESSION}
    return (
        json.dumps({**queued, "content": _ASKED}),
        json.dumps({**queued, "operation": "dequeue"}),
        _claude_code(0, "user", promptId="prompt-1", message={"role": "user", "content": _ASKED}),
        _claude_code(1, "attachment", attachment={"type": "date", "date": "2026-03-01"}),
        _claude_code_answer(2, {"type": "text", "text": _AT_IT}, "tool_use"),
        _claude_code_answer(3, call, "tool_use"),
        _claude_code(
            4,
            "user",
            promptId="prompt-1",
            message={"role": "user", "content": [result]},
            toolUseResult={"oldTodos": [], "newTodos": todos},
            sourceToolAssistantUUID="line-3",
        ),
        _claude_code_answer(5, {"type": "text", "text": _ANSWERED}, "end_turn"),
        json.dumps({"type": "last-prompt", "lastPrompt": _ASKED, "leafUuid": "line-5", "sessionId": SESSION}),
    )


def _codex(number: int, kind: str, **payload: Any) -> str:
    return json.dumps({"timestamp": _TIME.format(number), "ordinal": number, "type": kind, "payload": payload})


def _codex_message(number: int, role: str, text: str) -> str:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    passed: Mapping[str, Any] = {"internal_chat_message_metadata_passthrough": _CODEX_TURN}
    return _codex(number, "response_item", type="message", id=f"msg_{number}", role=role, content=content, **passed)


def codex() -> tuple[str, ...]:
    """The lines of a session of Codex: a question, a plan with an open step, an answer."""
    plan = json.dumps({"plan": [{"step": text, "status": status} for text, status in _STEPS]})
    usage = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    return (
        _codex(0, "session_meta", id=SESSION, cwd="{project}", originator="codex_exec", cli_version="0.169.0"),
        _codex(1, "event_msg", type="task_started", turn_id="turn-1", model_context_window=258400),
        _codex_message(2, "developer", "Answer in short sentences."),
        _codex(3, "turn_context", turn_id="turn-1", cwd="{project}", approval_policy="never", model="scripted"),
        _codex_message(4, "user", _ASKED),
        _codex_message(5, "assistant", _AT_IT),
        _codex(6, "response_item", type="function_call", name="update_plan", arguments=plan, call_id=_CALL),
        _codex(7, "response_item", type="function_call_output", call_id=_CALL, output="Plan updated"),
        _codex(8, "event_msg", type="token_count", info={"total_token_usage": usage}, rate_limits=None),
        _codex_message(9, "assistant", _ANSWERED),
        _codex(10, "event_msg", type="task_complete", turn_id="turn-1", last_agent_message=_ANSWERED),
    )


RECORDED: Final = {"claude-code": claude_code(), "codex": codex()}
