"""What a scripted model says, turn by turn, in words no host's own; pure data."""

from typing import Annotated, Any, Literal

import msgspec

Tool = Literal["shell", "todo", "write_file", "subagent"]


class ToolCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call of a tool.

    ``arguments`` by ``name``: shell ``{command}``; todo ``{items: [{text, status}]}`` with status ``pending``,
    ``in_progress`` or ``completed``; write_file ``{path, content}`` with a path below the project;
    subagent ``{title, prompt}``, whose turns are ``story``: its prompt must be the one in ``arguments``.
    """

    name: Tool
    arguments: dict[str, Any] = {}
    story: "Story | None" = None


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer of the model: a text, then tool calls.

    The first ``times`` requests for this turn meet what went wrong, every later one is answered: ``error`` is an HTTP
    status (400 to 599), ``cut`` closes the connection in the middle of the answer, ``hold`` sends nothing until the
    host closes the connection. At most one of the three is set.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    cut: Literal["stream"] | None = None
    error: Annotated[int, msgspec.Meta(ge=400, le=599)] | None = None
    hold: bool = False
    times: Annotated[int, msgspec.Meta(ge=1)] = 1

    def __post_init__(self) -> None:
        """Refuse, by ``ValueError``, a turn that goes wrong in two ways or says nothing."""
        if (self.cut is not None) + (self.error is not None) + self.hold > 1:
            raise ValueError("a turn has at most one of cut, error and hold")
        if not self.text and not self.calls:
            raise ValueError("a turn has a text or a call")

    @property
    def goes_wrong(self) -> bool:
        """Whether its first requests are not answered as they should be."""
        return self.cut is not None or self.error is not None or self.hold


class Story(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A conversation: the host is given ``prompt`` and the model answers by ``turns``, then by ``last`` for ever.

    ``name`` is an identifier, ``title`` a sentence for people. ``prompt`` is what the requests of this conversation
    are known by: it occurs in what the user said before the first answer.
    """

    name: str
    title: str
    prompt: Annotated[str, msgspec.Meta(min_length=1)]
    turns: tuple[Turn, ...] = ()
    last: Turn = Turn(text="The work is finished; all tests pass.")

    def __post_init__(self) -> None:
        """Refuse, by ``ValueError``, a subagent's story that is missing, misplaced or has another prompt."""
        for call in self.calls:
            if (call.name == "subagent") != (call.story is not None):
                raise ValueError(f"story {self.name}: a subagent's call has a story, and no other has")
            if call.story is not None and call.arguments.get("prompt") != call.story.prompt:
                raise ValueError(f"story {self.name}: the prompt of {call.story.name} is not the one it is called with")

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call of its turns, in order."""
        return tuple(call for turn in (*self.turns, self.last) for call in turn.calls)

    def works_before(self, stop: int) -> bool:
        """Whether it calls a tool between stop number ``stop`` (0 and more) and the one before, or the beginning."""
        words = [number for number, turn in enumerate(self.turns) if not turn.calls]
        if stop >= len(words):  # what is said for ever after has no calls
            after = len(self.turns) - 1 - (words[-1] if words else -1)
            return stop == len(words) and after > 0
        return words[stop] - (words[stop - 1] if stop else -1) > 1

    @property
    def files(self) -> dict[str, str]:
        """What its files hold in the end, by path below the project."""
        written = (call.arguments for call in self.calls if call.name == "write_file")
        return {str(arguments["path"]): str(arguments["content"]) for arguments in written}

    def turn(self, number: int) -> Turn:
        """What is answered when ``number`` answers (0 and more) have been given."""
        return self.turns[number] if number < len(self.turns) else self.last
