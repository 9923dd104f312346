"""What Claude Code writes: the role inside ``message``, among many lines that nobody said."""

from collections.abc import Mapping
from typing import Any, Final

from harness.systems.stop_gate.workload.recorded import words
from harness.systems.stop_gate.workload.recorded.words import Recorded, call_of, time_of, written

_EVERY: Final = {
    "userType": "external", "entrypoint": "sdk-cli", "cwd": words.PROJECT, "sessionId": words.SESSION,
    "version": "2.1.328", "gitBranch": "HEAD",
}  # fmt: skip
_STAMP: Final = {"uuid": "", "timestamp": ""}  # filled in, at the place where they stand in a line
_USAGE: Final = {
    "input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0,
    "output_tokens_details": {"thinking_tokens": 0},
    "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard",
    "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}, "inference_geo": "",
    "iterations": [], "speed": "standard", "fallback_credit": None,
}  # fmt: skip
_MADE: Final = {"effort": "medium", "perTurnEffort": "medium", "madeBy": "model"}
_DECIDED: Final = {"decision": "accept", "source": "config", "reasonType": "mode"}
_PARAMETERS: Final = {
    "model": words.MODEL, "betas": ["scripted"], "max_tokens": 1000,
    "thinking": {"type": "adaptive", "display": "omitted"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "output_config": {"effort": "medium"},
}  # fmt: skip
_SPENT: Final = {
    "inputTokens": 0, "outputTokens": 0, "thinkingTokens": 0, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0,
    "cacheCreationEphemeral5mInputTokens": 0, "cacheCreationEphemeral1hInputTokens": 0, "webSearchRequests": 0,
    "costUSD": 0,
}  # fmt: skip
_OPENING: Final[tuple[Mapping[str, Any], ...]] = (
    {"type": "environment", "snapshot": {
        "workingDirectory": words.PROJECT, "isWorktree": False, "isGitRepo": False, "additionalWorkingDirectories": [],
        "platform": "linux", "shell": "bash", "osVersion": "Linux",
    }},
    {"type": "model", "identity": {"modelId": words.MODEL, "marketingName": "", "knowledgeCutoff": ""},
     "text": words.OWN},
    {"type": "deferred_tools_delta", "addedNames": [], "addedLines": [], "removedNames": [], "wireHiddenNames": [],
     "readdedNames": [], "pendingMcpServers": [], "needsAuthMcpServers": [], "failedMcpServers": []},
    {"type": "agent_listing_delta", "addedTypes": [], "addedLines": [], "builtInTypes": [], "builtInPluginTypes": [],
     "removedTypes": [], "isInitial": True, "showConcurrencyNote": True},
    {"type": "skill_listing", "content": words.OWN, "skillCount": 0, "isInitial": True, "names": [], "digests": []},
    {"type": "auto_mode", "autoModeConsentFlow": False, "finishExposedWork": False, "bashFirst": True,
     "bashFirstSteer": "relaxed", "steerOnly": True, "bypass": True},
)  # fmt: skip
_TOOLS: Final = ({"name": "TodoWrite", "description": words.OWN, "input_schema": {"type": "object"}},)
_SNAPSHOT: Final = {
    "type": "prompt_snapshot", "systemPrompt": [words.OWN], "tools": _TOOLS, "cliPrefix": words.OWN,
    "reminderFold": False, "systemTurns": True, "toolChangeHeader": True, "inlineTools": False, "keptReminders": False,
    "echoWireToolInputs": False, "contextRendering": "announced",
}  # fmt: skip


class _Session:
    """The lines so far. Most of them name the line that they follow, and some stand apart."""

    def __init__(self, prompt: str) -> None:
        self.lines: list[str] = []
        self._prompt = prompt
        self._last: str | None = None
        self._requests = 0
        self._calls = 0
        self._todos: list[dict[str, str]] = []
        self._tools: list[str] = []

    def apart(self, line: Mapping[str, Any]) -> None:
        """A line that belongs to no other."""
        self.lines.append(written({**line}))

    def chained(self, fields: Mapping[str, Any]) -> None:
        """A line that follows the one before it."""
        number = len(self.lines)
        line = {"parentUuid": self._last, "isSidechain": False, **fields, **_EVERY}
        self._last = line["uuid"] = f"line-{number}"
        line["timestamp"] = time_of(number)
        self.lines.append(written(line))

    def attached(self, attachment: Mapping[str, Any], **rendered: Any) -> None:
        """A line of what the host adds to a conversation."""
        self.chained({"attachment": attachment, "type": "attachment", **_STAMP, **rendered})

    def opened(self) -> None:
        """What is written before the first request to the model."""
        queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": time_of(0)}
        self.apart({**queued, "sessionId": words.SESSION, "content": self._prompt})
        self.apart({**queued, "operation": "dequeue", "sessionId": words.SESSION})
        self.chained({
            **self._said(self._prompt), **_STAMP, "permissionMode": "bypassPermissions", "promptSource": "sdk",
            "turnOrigin": "sdk", "turnPosition": {"promptIndex": 0, "turnIndex": 1},
        })  # fmt: skip
        for attachment in _OPENING:
            self.attached(attachment, **_shown("system"))
        self.latched()
        self.attached({"type": "session_context", "context": {}})
        self.attached({"type": "date", "date": "2026-03-01"}, **_shown("system"))
        changed = {"url": None, "commit": "", "pr": "", "sendUserFileHint": False, "managedCommit": False}
        self.attached(
            {"type": "remote_session_change", **changed, "managedPr": False},
            **_shown("user"), renderedBesideToolResult=True,
        )  # fmt: skip
        self.attached({
            "type": "prompt_snapshot", "systemPrompt": [words.OWN], "reminderFold": False, "echoWireToolInputs": False,
            "contextRendering": "announced",
        })  # fmt: skip
        self.apart({
            "type": "api-request-shape", "sessionId": words.SESSION, "shapeHash": "shape-1",
            "timestamp": time_of(len(self.lines)), "version": "2.1.328",
            "shape": {"system": [{"type": "text", "text": words.OWN}], "tools": _TOOLS},
        })  # fmt: skip
        self.blob("user", words.OWN, self._prompt)
        self.blob("system", words.OWN, output_config={"effort": "medium"})

    def latched(self) -> None:
        """What it writes anew from time to time."""
        self.apart({"type": "atis-latch", "atis": "", "sessionId": words.SESSION})

    def blob(self, role: str, *texts: str, **more: Any) -> None:
        """A part of a request, with the role inside ``message`` like the lines that somebody said."""
        message = {"role": role, "content": [{"type": "text", "text": text} for text in texts], **more}
        blob = {"type": "api-request-blob", "sessionId": words.SESSION, "hash": f"blob-{len(self.lines)}"}
        self.apart({**blob, "message": message})

    def requested(self) -> None:
        """A request to the model."""
        base = {"base": f"request-{self._requests - 1}"} if self._requests else {}
        self.apart({
            "type": "api-request", "sessionId": words.SESSION, "id": f"request-{self._requests}",
            "timestamp": time_of(len(self.lines)), "version": "2.1.328", "querySource": "sdk", "shapeHash": "shape-1",
            "params": _PARAMETERS, **base, "keep": 0, "tail": [],
            "cacheControl": [{"path": ["system", 0], "value": {"type": "ephemeral"}}], "requestDigest": "digest",
        })  # fmt: skip
        self._requests += 1

    def answered(self, text: str) -> None:
        """An answer that ends the turn."""
        self._answer({"type": "text", "text": text}, 0, "end_turn")

    def called(self, text: str, name: str, given: Mapping[str, Any], said: Mapping[str, Any], **result: Any) -> None:
        """A text and a call, each on a line of its own, and what the tool said."""
        if name not in self._tools:
            self._tools.append(name)
            self.apart({"type": "tools-used", "tools": self._tools, "sessionId": words.SESSION})
        call = call_of(self._calls)
        self._calls += 1
        self._answer({"type": "text", "text": text}, 0, "tool_use")
        self._answer({"type": "tool_use", "id": call, "name": name, "input": given}, 1, "tool_use")
        part = {"tool_use_id": call, "type": "tool_result", **said}
        self.chained({
            **self._said([part]), **_STAMP, **result, "sourceToolAssistantUUID": self._last,
            "permissionDecision": _DECIDED,
        })  # fmt: skip

    def listed(self, text: str, states: tuple[str, ...]) -> None:
        """The list of work is kept."""
        todos = [
            {"content": step, "status": state, "activeForm": step}
            for step, state in zip(words.STEPS, states, strict=True)
        ]
        before, self._todos = self._todos, todos
        said = {"content": words.OWN}
        self.called(text, "TodoWrite", {"todos": todos}, said, toolUseResult={"oldTodos": before, "newTodos": todos})

    def left(self) -> None:
        """What is written beside a stop."""
        self.apart({"type": "last-prompt", "lastPrompt": self._prompt, "leafUuid": self._last,
                    "sessionId": words.SESSION})  # fmt: skip

    def stopped(self, error: str = "") -> None:
        """What hooks said of a stop: ``error`` is the reason of a block."""
        if error:
            self.chained({**self._said(error), "isMeta": True, **_STAMP})
            blocking = {"blockingError": error, "command": words.HOOK}
            self.attached(
                {"type": "hook_blocking_error", "hookName": "Stop", "toolUseID": "stop-1", "hookEvent": "Stop",
                 "blockingError": blocking}, **_shown("system"),
            )  # fmt: skip
        self.chained({
            "type": "system", "subtype": "stop_hook_summary", "hookCount": 1,
            "hookInfos": [{"command": words.HOOK} if error else {"command": words.HOOK, "durationMs": 0}],
            "hookErrors": [error] if error else [], "failedHookErrorIndexes": [], "hookAdditionalContext": [],
            "preventedContinuation": False, "stopReason": "", "hasOutput": bool(error), "level": "suggestion",
            "timestamp": "", "uuid": "", "toolUseID": "stop-1" if error else "stop-2",
        })  # fmt: skip

    def closed(self) -> None:
        """What is written when all is over."""
        self.left()
        self.apart({
            "type": "cost-state", "sessionId": words.SESSION, "totalCostUSD": 0, "totalAPIDuration": 0,
            "totalAPIDurationWithoutRetries": 0, "totalToolDuration": 0, "totalLinesAdded": 0, "totalLinesRemoved": 0,
            "totalDuration": 0, "startTime": words.START_S * 1000, "modelUsage": {words.MODEL: _SPENT},
            "hasUnknownModelCost": False,
        })  # fmt: skip

    def _said(self, content: Any) -> dict[str, Any]:
        return {"promptId": "prompt-1", "type": "user", "message": {"role": "user", "content": content}}

    def _answer(self, part: Mapping[str, Any], index: int, stop_reason: str) -> None:
        request = self._requests - 1
        message = {
            "id": f"msg_{request}", "type": "message", "role": "assistant", "model": words.MODEL, "content": [part],
            "stop_reason": stop_reason, "stop_sequence": None, "usage": _USAGE, "stop_details": None,
        }  # fmt: skip
        streamed = {"toolInputStreamMs": 0} if part["type"] == "tool_use" else {}
        self.chained({
            "message": message, **streamed, "apiBlockIndex": index, "requestRef": f"request-{request}",
            "requestedModel": words.MODEL, "promptCacheRequested": "5m", "type": "assistant", **_STAMP, **_MADE,
        })  # fmt: skip


def _shown(role: str) -> dict[str, Any]:
    return {"rendered": [{"content": words.OWN}], "renderedRole": role}


def claude_code() -> Recorded:
    """The session of every host, as Claude Code writes it."""
    session = _Session(words.ASKED)
    session.opened()
    session.requested()
    session.listed(words.LISTED, words.OPEN)
    session.attached(_SNAPSHOT)
    session.requested()
    path = f"{words.PROJECT}/{words.FILE}"
    given = {"file_path": path, "content": words.CONTENT}
    session.called(words.WRITES, "Write", given, {"content": words.OWN}, toolUseResult={
        "type": "create", "filePath": path, "content": words.CONTENT, "structuredPatch": [], "originalFile": None,
        "userModified": False,
    })  # fmt: skip
    session.requested()
    session.answered(words.WROTE)
    session.left()
    session.latched()
    first = len(session.lines)
    session.stopped(words.HELD)
    session.blob("system", words.OWN)
    session.requested()
    printed = {"stdout": words.PRINTED, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    run = {"command": words.COMMAND, "description": "Run a command"}
    said = {"content": words.PRINTED, "is_error": False}
    session.called(words.TESTS, "Bash", run, said, toolUseResult=printed, sandboxed=False)
    session.requested()
    session.listed(words.TICKS, words.DONE)
    session.requested()
    session.answered(words.ANSWERED)
    last = len(session.lines)
    session.stopped()
    session.closed()
    return Recorded(tuple(session.lines), first, last)


def conversation(answer: str) -> tuple[str, ...]:
    """The lines at the stop of a session without tool calls: a question, and that answer."""
    session = _Session(words.QUESTION)
    session.opened()
    session.requested()
    session.answered(answer)
    session.attached(_SNAPSHOT)
    session.left()
    session.latched()
    return tuple(session.lines)
