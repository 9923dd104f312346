"""The lines between a scripted model and who runs it; both sides use these types."""

from typing import Any, Final, Literal

import msgspec

from harness.hosts.story import Story

EXCERPT: Final = 2_000  # characters of a text that a line carries


class HostTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a host calls a tool, and its arguments, where ``{name}`` stands for the neutral argument of that name.

    A string that is nothing but ``{name}`` becomes the value itself, ``{project}`` the project's folder. A mapping
    ``{each: NAME, as: TEMPLATE}`` becomes a list: the template filled with each item of the argument NAME.

    ``namespace`` is the group a host keeps the tool in, where it groups them. ``then`` is the tool that is called in an
    answer of its own once the result is there, of the same turn: its template knows the members of that result, which
    has to be a JSON object, and nothing else. ``ends`` is what a subagent calls beside words that end its work, where
    words alone do not end it: its template knows ``{text}``, those words, and nothing else. ``statuses`` are the host's
    words for the statuses of items, where they are others.
    """

    name: str
    arguments: dict[str, Any]
    namespace: str = ""
    then: "HostTool | None" = None
    ends: "HostTool | None" = None
    statuses: dict[str, str] = {}


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="play"):
    """Begin ``story``; ``tools`` has every tool it calls, ``project`` is the absolute path of the host's project."""

    story: Story
    tools: dict[str, HostTool] = {}
    project: str = ""


class Listening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="listening"):
    """The server takes connections at ``port`` of 127.0.0.1."""

    port: int


class Playing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="playing"):
    """The story of that name began; its turns have met nothing yet."""

    name: str


Side = Literal[
    "no_tools", "schema", "other_prompt", "no_story", "count", "lookup", "unreadable", "unknown_path", "no_result"
]
Outcome = Literal["answered", "cut", "error", "held"]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="request"):
    """One request, told before it is answered.

    ``side`` says why no turn answers it, and is null when ``turn`` (0 and more) of ``story`` does; ``no_result`` is a
    ``then`` that got no object. ``last_user`` is the last thing a user said in it, ``results`` the tool results and
    ``users`` all that users said since the last answer; the first 2,000 characters of each.
    """

    method: str
    path: str
    outcome: Outcome
    side: Side | None = None
    story: str = ""
    turn: int | None = None
    last_user: str = ""
    results: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


Told = Listening | Playing | Request
