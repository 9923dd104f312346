"""What Codex writes: everything inside ``payload``, what was said twice, once for the model and once for people."""

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.systems.stop_gate.workload.recorded import words
from harness.systems.stop_gate.workload.recorded.words import Recorded, call_of, time_of, written

_TURN: Final = "turn-1"
_OF_TURN: Final = {"turn_id": _TURN, "root_turn_id": _TURN}
_OF_THREAD: Final = {"thread_id": words.SESSION, "turn_id": _TURN}
_MODE: Final = {
    "mode": "default",
    "settings": {"model": words.MODEL, "reasoning_effort": None, "developer_instructions": None},
}
_USAGE: Final = dict.fromkeys(
    ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens",
     "total_tokens"), 0,
)  # fmt: skip
_NO_LIMITS: Final = dict.fromkeys(
    ("limit_name", "primary", "secondary", "credits", "individual_limit", "spend_control_reached", "plan_type",
     "rate_limit_reached_type")
)  # fmt: skip
_ENDED: Final = {"started_at_ms": words.START_S * 1000, "completed_at_ms": words.START_S * 1000}
_ATTRIBUTED: Final = {"mcp_attribution": {"status": "none"}}


class _Session:
    """The lines so far, and how many of them the model is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._told = 0
        self._sampled = 0
        self._ordered = 0
        self._calls = 0

    def line(self, kind: str, payload: Mapping[str, Any], **more: Any) -> None:
        """One line."""
        number = len(self.lines)
        head = {"timestamp": time_of(number), "ordinal": number, "type": kind}
        self.lines.append(written({**head, "payload": payload, **more}))

    def event(self, kind: str, **payload: Any) -> None:
        """A line for people."""
        self.line("event_msg", {"type": kind, **payload})

    def item(self, kind: str, **fields: Any) -> None:
        """A line for people about something that is done."""
        self.event("item_completed", **_OF_THREAD, item={"type": kind, **fields}, **_ENDED)

    def opened(self) -> None:
        """What is written before anybody said anything."""
        self.line("session_meta", {
            "account_scoped": False, "session_id": words.SESSION, "id": words.SESSION, "timestamp": time_of(0),
            "cwd": words.PROJECT, "runtime_workspace_roots": [words.PROJECT], "originator": "codex_exec",
            "cli_version": "0.169.0", "source": "exec", "thread_source": "user", "model_provider": words.MODEL,
            "base_instructions": {"text": words.OWN, "provenance": {"type": "model", "model": words.MODEL}},
            "history_mode": "paginated", "context_window": {"window_id": "window-1"},
        })  # fmt: skip
        begun = {
            "turn_id": _TURN, "turn_trigger": "exec", "parent_turn_id": None, "initiating_agent_path": None,
            "root_turn_id": _TURN,
        }  # fmt: skip
        window = {"model_context_window": 258400, "collaboration_mode_kind": "default"}
        self.event("task_started", turn_attribution=begun, **_OF_TURN, started_at=words.START_S, **window)
        self.said("developer", (words.OWN, words.OWN), ("skills", "harness"), _ATTRIBUTED)
        self.said("user", (words.OWN,), ("harness",), {})
        self.line("world_state", {"full": True, "state": {"model": words.MODEL}})
        profile = {"permission_profile": {"type": "disabled"}}
        self.line("turn_context", {
            **_OF_TURN, "disabled_plugin_ids": [], "cwd": words.PROJECT, "approval_policy": "never",
            "approvals_reviewer": "user", **profile, "model": words.MODEL, "collaboration_mode": _MODE,
            "multi_agent_version": "v1", "realtime_active": False, "summary": "none",
            "sandbox_policy": {"type": "danger-full-access"},
        })  # fmt: skip
        self.event("thread_settings_applied", thread_id=words.SESSION, thread_settings={
            "model": words.MODEL, "model_provider_id": words.MODEL, "approval_policy": "never",
            "approvals_reviewer": "user", "requested_approvals_reviewer": "user", **profile, "cwd": words.PROJECT,
            "runtime_workspace_roots": [words.PROJECT], "collaboration_mode": _MODE, "disabled_plugin_ids": [],
        })  # fmt: skip

    def asked(self, text: str) -> None:
        """What the person said."""
        self.said("user", (text,), ("user",), self._ordered_next("user") | _ATTRIBUTED)
        self.item("UserMessage", id="item-user", content=[{"type": "text", "text": text, "text_elements": []}])

    def held(self, reason: str) -> None:
        """What a hook said when it blocked."""
        self.said("user", (reason,), ("hook",), self._ordered_next("user"))
        self.item("HookPrompt", id="msg_hook", fragments=[{"text": reason, "hookRunId": "stop:0"}])

    def said(self, role: str, texts: tuple[str, ...], sources: tuple[str, ...], more: Mapping[str, Any]) -> None:
        """A message to the model that it did not make itself."""
        provenance = [
            {"provenance": {"type": "harness", "hook": source == "hook"} if source in ("harness", "hook")
             else {"type": source}} for source in sources
        ]  # fmt: skip
        passed = {
            "turn_id": _TURN, "create_time": words.START_S + 0.5, "content_item_kinds": list(sources),
            "content_item_metadata": provenance,
        }  # fmt: skip
        content = [{"type": "input_text", "text": text} for text in texts]
        message = {"type": "message", "id": f"msg_{self._told + 1}", "role": role, "content": content}
        self._to_model({**message, "internal_chat_message_metadata_passthrough": passed}, more)

    def answered(self, text: str) -> None:
        """What the model said."""
        self._sampled = self._told
        message = f"msg_{self._told + 1}"
        self.item("AgentMessage", id=message, content=[{"type": "Text", "text": text}])
        content = [{"type": "output_text", "text": text, "annotations": []}]
        passed = {"turn_id": _TURN, "content_item_kinds": ["unknown"]}
        self._to_model(
            {"type": "message", "status": "completed", "id": message, "role": "assistant", "content": content,
             "internal_chat_message_metadata_passthrough": passed}, self._ordered_next("assistant"),
        )  # fmt: skip

    def called(self, name: str, given: Mapping[str, Any], output: str, printed: str | None = None) -> None:
        """A call and its result, ``printed`` when it ran a command."""
        call = call_of(self._calls)
        self._calls += 1
        self._ordered += 1
        self._to_model(
            {"type": "function_call", "status": "completed", "id": f"fc_{call}", "name": name,
             "arguments": json.dumps(given), "call_id": call,
             "internal_chat_message_metadata_passthrough": {"turn_id": _TURN}},
            {"user_input_order": self._ordered},
        )  # fmt: skip
        self.used()
        if printed is not None:
            command = given["cmd"]
            self.item(
                "CommandExecution", id=call, process_id="1", command=["/bin/bash", "-lc", command],
                cwd=f"file://{words.PROJECT}", parsed_cmd=[{"type": "unknown", "cmd": command}],
                source="unified_exec_startup", status="completed", aggregated_output=printed, exit_code=0,
                duration={"secs": 0, "nanos": 0},
            )  # fmt: skip
        passed = {"turn_id": _TURN, "create_time": words.START_S + 0.5}
        self._to_model(
            {"type": "function_call_output", "id": f"fco_{call}", "call_id": call, "output": output,
             "internal_chat_message_metadata_passthrough": passed}, {"fallback_token_limit_override": 3000},
        )  # fmt: skip
        self.counted()

    def used(self) -> None:
        """What an answer cost."""
        self.line("token_usage_record", {
            **_OF_THREAD, "session_id": words.SESSION, "root_turn_id": _TURN, "response_id": f"resp_{self._told}",
            "usage": _USAGE, "turn_token_usage": _USAGE, "thread_token_usage": _USAGE,
        })  # fmt: skip

    def counted(self) -> None:
        """What everything cost."""
        info = {
            "total_token_usage": _USAGE, "last_token_usage": _USAGE, "last_usage_includes_reasoning": False,
            "model_context_window": 258400,
        }  # fmt: skip
        self.event("token_count", info=info, rate_limits={"limit_id": "codex", **_NO_LIMITS})

    def ended(self, text: str) -> None:
        """An answer that ends the turn."""
        self.answered(text)
        self.used()
        self.counted()

    def listed(self, text: str, states: tuple[str, ...]) -> None:
        """The list of work is kept."""
        plan = [{"step": step, "status": state} for step, state in zip(words.STEPS, states, strict=True)]
        self.answered(text)
        self.called("update_plan", {"plan": plan}, words.OWN)

    def ran(self, text: str, command: str, printed: str) -> None:
        """A command is run; files are written by commands, too."""
        self.answered(text)
        self.called("exec_command", {"cmd": command}, words.OWN, printed)

    def _to_model(self, payload: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        self._told += 1
        sequence = {"history_sequence": self._told, "sampled_through_sequence": self._sampled}
        retained = {name: value for name, value in more.items() if name == "retained_source"}
        rest = {name: value for name, value in more.items() if name not in retained}
        metadata = {**sequence, **retained, "client_authored": False, **rest}
        self.line("response_item", payload, metadata=metadata)

    def _ordered_next(self, role: str) -> dict[str, Any]:
        """What is kept of a message that a person sees."""
        known = {"message_id": f"msg_{self._told + 1}", "turn_id": _TURN, "role": role}
        source = {"id": known, "revision": f"retained_{self._told + 1}", "complete": True}
        self._ordered += 1
        return {"retained_source": source, "user_input_order": self._ordered}


def codex() -> Recorded:
    """The session of every host, as Codex writes it."""
    session = _Session()
    session.opened()
    session.asked(words.ASKED)
    session.listed(words.LISTED, words.OPEN)
    session.ran(words.WRITES, f"cat > '{words.FILE}' <<'END'\n{words.CONTENT}\nEND\n", "")
    session.ended(words.WROTE)
    first = len(session.lines)
    session.held(words.HELD)
    session.ran(words.TESTS, words.COMMAND, f"{words.PRINTED}\n")
    session.listed(words.TICKS, words.DONE)
    session.ended(words.ANSWERED)
    last = len(session.lines)
    session.event(
        "task_complete", root_turn_id=_TURN, turn_id=_TURN, last_agent_message=words.ANSWERED, started_at=words.START_S,
        completed_at=words.START_S, duration_ms=0, time_to_first_token_ms=0,
    )  # fmt: skip
    return Recorded(tuple(session.lines), first, last)
