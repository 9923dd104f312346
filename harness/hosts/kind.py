"""What the rig has to know about a host to run it: how it is told about hooks, a model, and what to do."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

STOP, SUBAGENT_STOP = "Stop", "SubagentStop"


class HookSetting(msgspec.Struct, frozen=True):
    """One hook as a person sets it up: ``words`` of its command, its time-out in seconds, the event it is for.

    It stands ``listed`` times in the settings, 1 and more, each time the same.
    """

    words: tuple[str, ...]
    timeout_s: float
    event: str = STOP
    listed: int = 1

    @property
    def text(self) -> str:
        """The command as a shell reads it."""
        return shlex.join(self.words)


class Conditions(msgspec.Struct, frozen=True):
    """How a session is started, besides its prompt: ``ephemeral`` asks the host to keep no transcript."""

    ephemeral: bool = False


class HostKind(Protocol):
    """A kind of host. Paths in what it gives have placeholders; ``model`` is the model's address, http://...:PORT."""

    name: str
    """As in the table of host facts."""
    program: str
    """The command in the installed package."""
    runtime: str
    """The command, installed beside it, that runs the program; "" where the machine's own does."""
    can_be_ephemeral: bool
    """Whether it has a way to keep no transcript."""
    asks_again: bool
    """Whether its hooks are asked at the stop after a block, too, so that a second call shows a block."""
    project_settings: tuple[str, ...]
    """Where a project may name hooks, too, below its folder."""
    blocks_by: str
    """The rule of `probes` by which hooks of ours block: ``block``, or ``exit_2`` where a decision is none."""

    def events(self) -> Mapping[str, str]:
        """Its names of Stop and, where it has subagents that run here, SubagentStop."""
        ...

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """The settings, by path."""
        ...

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """What follows the program on the command line."""
        ...

    def environment(self, model: str) -> Mapping[str, str]:
        """The variables it needs beside HOME and PATH."""
        ...


def hook_groups(
    hooks: Sequence[HookSetting], events: Mapping[str, str], *, per_second: int = 1
) -> dict[str, list[dict[str, Any]]]:
    """The settings' ``hooks`` object, one group with all hooks of an event in order; ``per_second`` time-out units."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for hook in hooks:
        units = hook.timeout_s * per_second
        entry = {"type": "command", "command": hook.text, "timeout": int(units) if units == int(units) else units}
        groups.setdefault(events[hook.event], [{"hooks": []}])[0]["hooks"].extend([entry] * hook.listed)
    return groups


def as_json(value: Any) -> str:
    """``value`` as the text of a settings file."""
    return msgspec.json.format(msgspec.json.encode(value)).decode() + "\n"
