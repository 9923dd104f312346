"""A scripted model as a process, and hosts that talk to it in each of the four wire protocols."""

import http.client
import json
import subprocess
import sys
from typing import Any, NamedTuple, Self

import msgspec

from harness.hosts.model.lines import HostTool, Listening, Play, Playing, Request, Told
from harness.hosts.story import Story

LIMIT_S = 60


class ModelProcess:
    """The server; use it with ``with``."""

    def __init__(self, *arguments: str) -> None:
        words = [sys.executable, "-m", "harness.hosts.model", *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe)

    def __enter__(self) -> Self:
        self.port = self.told(Listening).port
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> tuple[int, str]:
        """Ends standard input; the exit status and standard error."""
        try:
            _, words = self.process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, words.decode()

    def line(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def play(self, story: Story, tools: dict[str, HostTool] | None = None) -> None:
        self.line(msgspec.json.encode(Play(story, tools or {}, "/project")) + b"\n")
        while (told := self.told(Playing, Request)) != Playing(story.name):
            assert isinstance(told, Request)  # of the story before

    def told(self, *kinds: type) -> Any:
        """The next line, which is of one of those kinds."""
        line = self.process.stdout.readline()
        found = msgspec.json.decode(line, type=Told)
        assert isinstance(found, kinds), line
        return found

    def asked(self) -> Request:
        """What is told of the next request."""
        return self.told(Request)

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """One request on a connection of its own: the status, and what came of the answer before it ended or broke."""
        connection = self.connection()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, None if body is None else data)
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        except http.client.IncompleteRead as broken:
            return answer.status, broken.partial
        finally:
            connection.close()


class Heard(NamedTuple):
    """An answer as a host understands it; ``calls`` are (id, name, arguments), ``whole`` that it came to its end."""

    text: str
    calls: tuple[tuple[str, str, dict[str, Any]], ...]
    whole: bool


class Wire(NamedTuple):
    """One protocol, streaming or not, as a host speaks it."""

    name: str
    stream: bool

    @property
    def path(self) -> str:
        if self.name == "generate":
            verb = "streamGenerateContent?alt=sse" if self.stream else "generateContent"
            return f"/v1beta/models/mock:{verb}"
        return {"responses": "/v1/responses", "messages": "/v1/messages?beta=true", "chat": "/v1/chat/completions"}[
            self.name
        ]

    def body(self, said: list[Any], *, tools: bool = True, schema: dict[str, Any] | None = None) -> dict[str, Any]:
        """A request; ``said`` has texts of a user, `Heard` answers, and (call id, text) results."""
        write = {"responses": _responses, "messages": _messages, "chat": _chat, "generate": _generate}[self.name]
        body = write(said, schema)
        if tools:
            body["tools"] = [{"name": "any"}]
        return body if self.name == "generate" else {"model": "mock", "stream": self.stream, **body}

    def hear(self, data: bytes) -> Heard:
        """What an answer says; of one that is broken what had come."""
        told = _events(data) if self.stream else [json.loads(data)]
        read = {
            ("responses", True): _hear_responses_events,
            ("responses", False): _hear_responses,
            ("messages", True): _hear_messages_events,
            ("messages", False): _hear_messages,
            ("chat", True): _hear_chat,
            ("chat", False): _hear_chat,
            ("generate", True): _hear_generate,
            ("generate", False): _hear_generate,
        }[self.name, self.stream]
        return read(told)

    def ask(self, model: ModelProcess, said: list[Any], **how: Any) -> Heard:
        """The answer to a request that has to be answered."""
        status, data = model.send("POST", self.path, self.body(said, **how))
        assert 200 == status, data
        return self.hear(data)


WIRES = [Wire(name, stream) for name in ("responses", "messages", "chat", "generate") for stream in (True, False)]


def _responses(said: list[Any], schema: dict[str, Any] | None) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for each in said:
        if isinstance(each, str):
            items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": each}]})
        elif isinstance(each, Heard):
            items.append(
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": each.text}]}
            )
            for call, name, arguments in each.calls:
                made = {"type": "function_call", "call_id": call, "name": name, "arguments": json.dumps(arguments)}
                items.append(made)
        else:
            items.append({"type": "function_call_output", "call_id": each[0], "output": each[1]})
    wanted = {"text": {"format": {"type": "json_schema", "schema": schema}}} if schema else {}
    return {"input": items, **wanted}


def _messages(said: list[Any], schema: dict[str, Any] | None) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for each in said:
        if isinstance(each, str):
            messages.append({"role": "user", "content": each})
        elif isinstance(each, Heard):
            content = [{"type": "text", "text": each.text}]
            content += [
                {"type": "tool_use", "id": call, "name": name, "input": made} for call, name, made in each.calls
            ]
            messages.append({"role": "assistant", "content": content})
        else:
            content = [{"type": "tool_result", "tool_use_id": each[0], "content": each[1]}]
            messages.append({"role": "user", "content": content})
    return {"messages": messages, **({"output_config": {"format": {"schema": schema}}} if schema else {})}


def _chat(said: list[Any], schema: dict[str, Any] | None) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a host."}]
    for each in said:
        if isinstance(each, str):
            messages.append({"role": "user", "content": each})
        elif isinstance(each, Heard):
            calls = [
                {"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(made)}}
                for call, name, made in each.calls
            ]
            messages.append({"role": "assistant", "content": each.text, "tool_calls": calls})
        else:
            messages.append({"role": "tool", "tool_call_id": each[0], "content": each[1]})
    wanted = {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}} if schema else {}
    return {"messages": messages, **wanted}


def _generate(said: list[Any], schema: dict[str, Any] | None) -> dict[str, Any]:
    contents: list[dict[str, Any]] = []
    for each in said:
        if isinstance(each, str):
            contents.append({"role": "user", "parts": [{"text": each}]})
        elif isinstance(each, Heard):
            parts: list[dict[str, Any]] = [{"text": each.text}]
            parts += [{"functionCall": {"id": call, "name": name, "args": made}} for call, name, made in each.calls]
            contents.append({"role": "model", "parts": parts})
        else:
            given = {"id": each[0], "response": {"output": each[1]}}
            contents.append({"role": "user", "parts": [{"functionResponse": given}]})
    return {"contents": contents, **({"generationConfig": {"responseSchema": schema}} if schema else {})}


def _events(data: bytes) -> list[Any]:
    """The data of server-sent events; ``[DONE]`` as None."""
    blocks = [block.split("\n") for block in data.decode().split("\n\n") if block]
    lines = [line.removeprefix("data: ") for block in blocks for line in block if line.startswith("data: ")]
    return [None if line == "[DONE]" else json.loads(line) for line in lines]


def _hear_responses(told: list[Any]) -> Heard:
    (response,) = told
    items = response["output"]
    text = "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"])
    calls = [item for item in items if item["type"] == "function_call"]
    return Heard(text, tuple((c["call_id"], c["name"], json.loads(c["arguments"])) for c in calls), whole=True)


def _hear_responses_events(told: list[Any]) -> Heard:
    text = "".join(event["delta"] for event in told if event["type"] == "response.output_text.delta")
    done = [event["item"] for event in told if event["type"] == "response.output_item.done"]
    calls = tuple(
        (item["call_id"], item["name"], json.loads(item["arguments"]))
        for item in done
        if item["type"] == "function_call"
    )
    return Heard(text, calls, told[-1]["type"] == "response.completed")


def _hear_messages(told: list[Any]) -> Heard:
    (message,) = told
    calls = [block for block in message["content"] if block["type"] == "tool_use"]
    text = "".join(block["text"] for block in message["content"] if block["type"] == "text")
    assert ("tool_use" if calls else "end_turn") == message["stop_reason"]
    return Heard(text, tuple((call["id"], call["name"], call["input"]) for call in calls), whole=True)


def _hear_messages_events(told: list[Any]) -> Heard:
    deltas = [event["delta"] for event in told if event["type"] == "content_block_delta"]
    text = "".join(delta["text"] for delta in deltas if delta["type"] == "text_delta")
    inputs = [json.loads(delta["partial_json"]) for delta in deltas if delta["type"] == "input_json_delta"]
    started = [event["content_block"] for event in told if event["type"] == "content_block_start"]
    blocks = [block for block in started if block["type"] == "tool_use"]
    calls = tuple((block["id"], block["name"], made) for block, made in zip(blocks, inputs, strict=True))
    return Heard(text, calls, told[-1]["type"] == "message_stop")


def _hear_chat(told: list[Any]) -> Heard:
    choices = [choice for event in told if event for choice in event["choices"]]
    messages = [choice.get("delta") or choice.get("message") or {} for choice in choices]
    text = "".join(message.get("content") or "" for message in messages)
    made = [call for message in messages for call in message.get("tool_calls", ())]
    calls = tuple((call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in made)
    whole = told[-1] is None or "message" in choices[0]
    return Heard(text, calls, whole)


def _hear_generate(told: list[Any]) -> Heard:
    parts = [part for event in told for part in event["candidates"][0]["content"]["parts"]]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    text = "".join(part.get("text", "") for part in parts)
    whole = told[-1]["candidates"][0].get("finishReason") == "STOP"
    return Heard(text, tuple((call["id"], call["name"], call["args"]) for call in calls), whole)
