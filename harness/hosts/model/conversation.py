"""What a request says, in words of no wire; pure."""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from harness.hosts.model.lines import HostTool, Play
from harness.hosts.story import Story, Turn

_CALL_ID: Final = re.compile(r"call_\w+_(\d+)_\d+$")  # as first_calls and then_calls make it
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")


class Said(msgspec.Struct, frozen=True):
    """One message: ``call`` is the id of the tool call that an assistant makes or a result answers."""

    role: Literal["user", "assistant", "result"]
    text: str = ""
    call: str = ""


class Conversation(msgspec.Struct, frozen=True):
    """All messages of a request, and how it wants its answer; ``schema`` is a JSON Schema the answer must meet."""

    said: tuple[Said, ...]
    has_tools: bool
    stream: bool
    model: str = "mock"
    schema: dict[str, Any] | None = None

    @property
    def opening(self) -> str:
        """What users said before the first answer."""
        texts = []
        for message in self.said:
            if message.role != "user":
                break
            texts.append(message.text)
        return "\n".join(texts)

    @property
    def answers(self) -> int:
        """How many answers it has: as the id of the last call of ours says, and the runs of messages since.

        Without such an id it is the runs of assistant messages. So calls made together may stand apart, and a host
        that drops old messages is still understood.
        """
        count = 0
        open_run = False
        for message in self.said:
            numbered = _CALL_ID.search(message.call) if message.role == "assistant" else None
            if numbered:
                count = int(numbered[1]) + 1
            elif message.role == "assistant" and not open_run:
                count += 1
            open_run = message.role == "assistant"
        return count

    @property
    def last_user(self) -> str:
        """The last thing a user said."""
        return next((message.text for message in reversed(self.said) if message.role == "user"), "")

    @property
    def results(self) -> tuple[str, ...]:
        """The tool results since the last answer, in order."""
        return self._since("result")

    @property
    def users(self) -> tuple[str, ...]:
        """What users said since the last answer, in order."""
        return self._since("user")

    def _since(self, role: str) -> tuple[str, ...]:
        found: list[str] = []
        for message in reversed(self.said):
            if message.role == "assistant":
                break
            if message.role == role:
                found.append(message.text)
        return tuple(reversed(found))


class Call(msgspec.Struct, frozen=True):
    """A tool call in a host's own words; ``id`` is the same whenever the turn is answered."""

    id: str
    name: str
    arguments: dict[str, Any]
    namespace: str = ""


class Answer(msgspec.Struct, frozen=True):
    """What is said to a request, in words of no wire; ``id`` is the same whenever the turn is answered."""

    id: str
    model: str
    text: str
    calls: tuple[Call, ...] = ()


def story_of(conversation: Conversation, story: Story) -> Story | None:
    """The story of this conversation: a subagent's before the main agent's, or none whose prompt opens it."""
    for call in story.calls:
        found = story_of(conversation, call.story) if call.story is not None else None
        if found is not None:
            return found
    return story if story.prompt in conversation.opening else None


def place(story: Story, tools: Mapping[str, HostTool], answers: int) -> tuple[int, bool]:
    """Which turn is due after ``answers`` answers, and whether what its calls' ``then`` name is due."""
    number, left = 0, answers
    while True:
        takes = 2 if any(tools[call.name].then for call in story.turn(number).calls) else 1
        if left < takes:
            return number, left == 1
        number, left = number + 1, left - takes


def first_calls(turn: Turn, story: Story, play: Play, answer: str) -> tuple[Call, ...]:
    """The calls of ``turn`` as the host has them. KeyError for an argument that a template wants and a call has not."""
    if not turn.calls and story is not play.story:
        ends = play.tools["subagent"].ends
        return () if ends is None else (_call(ends, {"text": turn.text}, f"call_{answer}_0"),)
    return tuple(
        _call(play.tools[call.name], {"project": play.project, **call.arguments}, f"call_{answer}_{index}")
        for index, call in enumerate(turn.calls)
    )


def then_calls(turn: Turn, play: Play, asked: Conversation, before: str, answer: str) -> tuple[Call, ...]:
    """What follows the calls of ``turn`` that were made in the answer ``before``; KeyError where a result lacks it."""
    results = {message.call: message.text for message in asked.said if message.role == "result"}
    found = []
    for index, call in enumerate(turn.calls):
        then = play.tools[call.name].then
        if then is not None:
            members = _object(results.get(f"call_{before}_{index}", ""))
            found.append(_call(then, members, f"call_{answer}_{index}"))
    return tuple(found)


def _object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _call(tool: HostTool, values: Mapping[str, Any], number: str) -> Call:
    if "items" in values:
        items = [{**item, "status": tool.statuses.get(item["status"], item["status"])} for item in values["items"]]
        values = {**values, "items": items}
    return Call(number, tool.name, filled(tool.arguments, values), tool.namespace)


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """``template`` with its placeholders replaced, as `HostTool` says; KeyError for one that ``values`` has not."""
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template)
        if whole:
            return values[whole[1]]
        return _PLACEHOLDER.sub(lambda found: str(values[found[1]]), template)
    if isinstance(template, list):
        return [filled(item, values) for item in template]
    if isinstance(template, dict):
        if set(template) == {"each", "as"}:
            return [filled(template["as"], {**values, **item}) for item in values[template["each"]]]
        return {name: filled(value, values) for name, value in template.items()}
    return template


def least(schema: dict[str, Any]) -> Any:
    """A small value that meets ``schema``: the first choice, nothing where nothing is asked for."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type", "object")).lower()
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: least(properties[name]) for name in schema.get("required", properties) if name in properties}
    plain: dict[str, Any] = {"array": [], "boolean": False, "string": "none"}
    return plain.get(kind, schema.get("minimum", 0))
