"""Four wire protocols: how a request is read, and how an answer is written whole or as events; pure."""

import json
from typing import Any

from harness.hosts.model.conversation import Answer, Conversation, Said

Events = list[tuple[str, dict[str, Any]]]  # the event's name, empty where the wire has none, and its data
_DELTAS = 4  # of a text, so that a stream that is cut shows half of it
_USAGE = {"input_tokens": 1, "output_tokens": 1}


def text_of(content: Any) -> str:
    """The text of a content that is a string, a part, or a list of parts."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or content.get("output") or "")
    return content if isinstance(content, str) else ""


def read_responses(body: dict[str, Any]) -> Conversation:
    """A request of POST /v1/responses."""
    said: list[Said] = []
    given = body.get("input", [])
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        kind = item.get("type", "message")
        if kind.endswith("_call_output"):
            said.append(Said("result", text_of(item.get("output")), item["call_id"]))
        elif kind.endswith("_call"):
            said.append(Said("assistant", call=item.get("call_id", "")))
        elif item.get("role") == "assistant":
            said.append(Said("assistant", text_of(item.get("content"))))
        elif item.get("role") == "user":
            said.append(Said("user", text_of(item.get("content"))))
    wanted = body.get("text", {}).get("format", {})
    return _conversation(said, body, wanted.get("schema") if wanted.get("type") == "json_schema" else None)


def read_messages(body: dict[str, Any]) -> Conversation:
    """A request of POST /v1/messages."""
    said: list[Said] = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            if message["role"] == "assistant":
                said.append(Said("assistant", text_of(part), part.get("id", "")))
            elif part.get("type") == "tool_result":
                said.append(Said("result", text_of(part.get("content")), part["tool_use_id"]))
            elif message["role"] == "user":
                said.append(Said("user", text_of(part)))
    wanted = body.get("output_config", {}).get("format") or body.get("output_format") or {}
    return _conversation(said, body, wanted.get("schema"))


def read_chat(body: dict[str, Any]) -> Conversation:
    """A request of POST /v1/chat/completions."""
    said: list[Said] = []
    for message in body["messages"]:
        text = text_of(message.get("content"))
        if message["role"] == "assistant":
            said.append(Said("assistant", text))
            said += [Said("assistant", call=call["id"]) for call in message.get("tool_calls") or ()]
        elif message["role"] == "tool":
            said.append(Said("result", text, message["tool_call_id"]))
        elif message["role"] == "user":
            content = message.get("content")
            said += [Said("user", text_of(part)) for part in (content if isinstance(content, list) else [content])]
    wanted = body.get("response_format", {}).get("json_schema", {})
    return _conversation(said, body, wanted.get("schema"))


def read_generate(body: dict[str, Any], model: str, stream: bool) -> Conversation:
    """A request of POST /v1beta/models/M:generateContent or its stream."""
    said: list[Said] = []
    for content in body["contents"]:
        for part in content["parts"]:
            if content.get("role") == "model":
                said.append(Said("assistant", text_of(part), part.get("functionCall", {}).get("id", "")))
            elif "functionResponse" in part:
                said.append(Said("result", json.dumps(part["functionResponse"].get("response"))))
            else:
                said.append(Said("user", text_of(part)))
    wanted = body.get("generationConfig", {})
    schema = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
    return Conversation(tuple(said), bool(body.get("tools")), stream, model, schema)


def _conversation(said: list[Said], body: dict[str, Any], schema: dict[str, Any] | None) -> Conversation:
    model = body.get("model", "mock")
    return Conversation(tuple(said), bool(body.get("tools")), bool(body.get("stream")), model, schema)


def _pieces(text: str) -> list[str]:
    size = -(-len(text) // _DELTAS) or 1
    return [text[at : at + size] for at in range(0, len(text), size)]


def responses_whole(answer: Answer) -> dict[str, Any]:
    """The object `response`."""
    output: list[dict[str, Any]] = []
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": []}
        message = {"type": "message", "id": f"msg_{answer.id}", "role": "assistant", "status": "completed"}
        output.append({**message, "content": [part]})
    for call in answer.calls:
        made = {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, "status": "completed"}
        if call.namespace:
            made["namespace"] = call.namespace
        output.append({**made, "name": call.name, "arguments": json.dumps(call.arguments)})
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    head = {"id": f"resp_{answer.id}", "object": "response", "created_at": 1, "model": answer.model, "tools": []}
    ways = {"status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "error": None}
    return {**head, **ways, "output": output, "usage": {**_USAGE, **details, "total_tokens": 2}}


def responses_events(answer: Answer) -> Events:
    """Its events: each item is added, told and done."""
    whole = responses_whole(answer)
    told: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}
    ]
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            empty = {**item, "status": "in_progress", "content": []}
            told.append({"type": "response.output_item.added", "output_index": index, "item": empty})
            part = {"type": "output_text", "text": "", "annotations": []}
            inside = {**at, "content_index": 0}
            told.append({"type": "response.content_part.added", **inside, "part": part})
            for piece in _pieces(answer.text):
                told.append({"type": "response.output_text.delta", **inside, "delta": piece, "logprobs": []})
            told.append({"type": "response.output_text.done", **inside, "text": answer.text, "logprobs": []})
            told.append({"type": "response.content_part.done", **inside, "part": item["content"][0]})
        else:
            empty = {**item, "status": "in_progress", "arguments": ""}
            told.append({"type": "response.output_item.added", "output_index": index, "item": empty})
            told.append({"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]})
            done = {**at, "name": item["name"], "arguments": item["arguments"]}
            told.append({"type": "response.function_call_arguments.done", **done})
        told.append({"type": "response.output_item.done", "output_index": index, "item": item})
    told.append({"type": "response.completed", "response": whole})
    return [(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(told)]


def messages_whole(answer: Answer) -> dict[str, Any]:
    """The object `message`."""
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in answer.calls
    ]
    head = {"id": f"msg_{answer.id}", "type": "message", "role": "assistant", "model": answer.model}
    stop = "tool_use" if answer.calls else "end_turn"
    return {**head, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": _USAGE}


def messages_events(answer: Answer) -> Events:
    """Its events: each block starts, has its deltas, and stops."""
    whole = messages_whole(answer)
    start = {**whole, "content": [], "stop_reason": None}
    told: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        else:
            empty = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        told.append({"type": "content_block_start", "index": index, "content_block": empty})
        told += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        told.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    told.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}})
    told.append({"type": "message_stop"})
    return [(event["type"], event) for event in told]


def chat_whole(answer: Answer) -> dict[str, Any]:
    """The object `chat.completion`."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in answer.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if answer.calls else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": f"chatcmpl_{answer.id}", "object": "chat.completion", "created": 1, "model": answer.model}
    return {**head, "choices": [choice], "usage": usage}


def chat_events(answer: Answer) -> Events:
    """Its chunks: the text, the calls, why it ends, and the usage."""
    whole = chat_whole(answer)
    choice = whole["choices"][0]
    message = choice["message"]
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": piece}, None) for piece in _pieces(answer.text)]
    for index, call in enumerate(message.get("tool_calls", ())):
        deltas.append(({"tool_calls": [{**call, "index": index}]}, None))
    deltas.append(({}, choice["finish_reason"]))
    head = {name: whole[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    told: Events = [
        ("", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": why}]}) for delta, why in deltas
    ]
    return [*told, ("", {**head, "choices": [], "usage": whole["usage"]})]


def generate_whole(answer: Answer) -> dict[str, Any]:
    """The object `GenerateContentResponse`."""
    parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
    parts += [{"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}} for c in answer.calls]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": answer.model, "responseId": answer.id}


def generate_events(answer: Answer) -> Events:
    """Its deltas and calls one by one; only the last says why it ends."""
    whole = generate_whole(answer)
    candidate = whole["candidates"][0]
    parts = [{"text": piece} for piece in _pieces(answer.text)]
    parts += [part for part in candidate["content"]["parts"] if "functionCall" in part]
    head = {name: whole[name] for name in ("modelVersion", "responseId")}
    told: Events = [
        ("", {**head, "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]})
        for part in parts[:-1]
    ]
    last = {**candidate, "content": {"role": "model", "parts": parts[-1:]}}
    return [*told, ("", {**whole, "candidates": [last]})]
