"""What is known of a failure, from input of any shape. Source: 001, Input Context, Enhanced Error Context."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.diagnosis.contract import PREVIOUS_ACTIONS, ObserveArguments
from harness.systems.diagnosis.reference.hostile import (
    HEAD,
    ITEMS,
    WHOLE,
    WIDEST,
    Copy,
    clean,
    clipped,
    encodable,
    shown,
    text_of,
)

MOST_TOOLS = 1000
COMMAND_ARGUMENTS = ("command", "cmd", "script")
_CODE_IN_TEXT = re.compile(
    r"\b(?:exit(?:ed with)?|return)(?: code| status)?:? (?:code |status )?(\d{1,3})\b", re.IGNORECASE
)
_SIGNALS = {2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU"}


class Action(msgspec.Struct, frozen=True):
    """A previous action, as it was supplied."""

    tool: str
    args: Any
    result: str
    success: bool


class Failure(msgspec.Struct, frozen=True):
    """A failed tool call and what stood around it, bounded and clean.

    ``whole`` when ``args`` are all there, so that they can be used again. ``code`` is a number, ``word`` a code that is
    a word (EACCES). ``available`` is None where nobody said which tools there are. ``command`` is the line of a shell.
    """

    tool: str
    args: Mapping[str, Any]
    whole: bool
    command: str
    message: str
    code: int | None
    word: str
    signal: str
    stderr: str
    stdout: str
    iteration: int
    previous: tuple[Action, ...]
    available: tuple[str, ...] | None
    files: tuple[str, ...]
    directories: tuple[str, ...]
    goal: str

    @property
    def told(self) -> str:
        """What the failure says of itself, without the command that an error message may begin with."""
        message = self.message
        if self.command and self.command in message:
            message = message.replace(self.command, " ")
        return f"{message}\n{self.stderr}"


class Reading:
    """From the arguments of ``observe`` to a Failure; ``wrong`` says which fields are not as they should."""

    def __init__(self) -> None:
        self.wrong: list[str] = []

    def failure(self, arguments: ObserveArguments) -> Failure:
        """The failure, whatever the arguments are (DR-IN-04)."""
        tool = arguments.tool if isinstance(arguments.tool, str) else self._other("tool", arguments.tool)
        args = Copy(arguments.args)
        if not isinstance(arguments.args, Mapping):
            self.wrong.append("args is no object")
        known: dict[str, Any] = args.value if isinstance(args.value, dict) else {}
        error, context = self.error(arguments.error), self.object("context", arguments.context)
        message = self.text("message", error.get("message"), required=True)
        code, word = self.code(error.get("code"), message)
        state = self.object("workspaceState", context.get("workspaceState"), required=False)
        return Failure(
            tool=encodable(tool[:WHOLE]),
            args=known,
            whole=args.whole and isinstance(args.value, dict),
            command=next((known[name] for name in COMMAND_ARGUMENTS if isinstance(known.get(name), str)), ""),
            message=message,
            code=code,
            word=word,
            signal=self.signal(error.get("signal")),
            stderr=self.text("stderr", error.get("stderr")),
            stdout=self.text("stdout", error.get("stdout")),
            iteration=self.iteration(context.get("iteration")),
            previous=self.previous(context.get("previousActions")),
            available=self.available(context.get("availableTools")),
            files=self.names("files", state.get("files")),
            directories=self.names("directories", state.get("directories")),
            goal=self.text("taskGoal", context.get("taskGoal")),
        )

    def error(self, given: Any) -> Mapping[str, Any]:
        """The error; a text or any other value in its place is its message."""
        if isinstance(given, Mapping):
            return given
        self.wrong.append("error is no object")
        return {"message": text_of(given)}

    def object(self, name: str, given: Any, *, required: bool = True) -> Mapping[str, Any]:
        """An object; an empty one in place of anything else."""
        if isinstance(given, Mapping):
            return given
        if required or given is not None:
            self.wrong.append(f"{name} is no object")
        return {}

    def text(self, name: str, given: Any, *, required: bool = False) -> str:
        """A text; any other value as one."""
        if not isinstance(given, str) and (required or given is not None):
            self._other(name, given)
        return text_of(given)

    def code(self, given: Any, message: str) -> tuple[int | None, str]:
        """The code as a number or as a word; a number that only the message has counts as well."""
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        if isinstance(given, int) and not isinstance(given, bool) and abs(given) <= WIDEST:
            return given, ""
        if isinstance(given, str):
            text = given.strip()[:64]
            if re.fullmatch(r"-?[0-9]{1,15}", text):
                self.wrong.append("code is a text")
                return int(text), ""
            return self._told_code(message), clean(text)
        if given is not None:
            self._other("code", given)
        return self._told_code(message), ""

    def _told_code(self, message: str) -> int | None:
        found = _CODE_IN_TEXT.search(message)
        return None if found is None else int(found[1])

    def signal(self, given: Any) -> str:
        """The signal's name; its number stands for it."""
        if isinstance(given, int) and not isinstance(given, bool):
            self.wrong.append("signal is a number")
            return _SIGNALS.get(abs(given), "")
        name = self.text("signal", given).strip().upper()[:16]
        return f"SIG{name}" if f"SIG{name}" in _SIGNALS.values() else name

    def iteration(self, given: Any) -> int:
        """The iteration; 0 in place of what is no whole number (our reading of DR-IN-04)."""
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        if isinstance(given, int) and not isinstance(given, bool) and abs(given) <= WIDEST:
            return given
        if isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) <= 15:
            self.wrong.append("iteration is a text")
            return int(given)
        self._other("iteration", given)
        return 0

    def previous(self, given: Any) -> tuple[Action, ...]:
        """The last three previous actions (DR-IN-03)."""
        if not isinstance(given, list | tuple):
            self._other("previousActions", given)
            return ()
        latest = self.latest(given)
        actions = [each for each in latest if isinstance(each, Mapping)]
        if len(actions) != len(latest):
            self.wrong.append("a previous action is no object")
        return tuple(
            Action(
                text_of(each.get("tool"))[:HEAD],
                Copy(each.get("args")).value,
                text_of(each.get("result")),
                each.get("success") is True,
            )
            for each in actions
        )

    def latest(self, given: list[Any] | tuple[Any, ...]) -> list[Any]:
        """The actions that are looked at."""
        return list(given[-PREVIOUS_ACTIONS:])

    def available(self, given: Any) -> tuple[str, ...] | None:
        """The tools that may be used; None when that is not known."""
        if not isinstance(given, list | tuple):
            self._other("availableTools", given)
            return None
        names = tuple(each for each in given[:MOST_TOOLS] if isinstance(each, str))
        if len(names) < len(given[:MOST_TOOLS]):
            self.wrong.append("a tool has no name")
            if not names:
                return None
        return tuple(each for each in names if each == encodable(each))

    def names(self, name: str, given: Any) -> tuple[str, ...]:
        """Names of files or directories."""
        if given is None:
            return ()
        if not isinstance(given, list | tuple):
            self._other(name, given)
            return ()
        return tuple(clipped(each) for each in given[:ITEMS] if isinstance(each, str))

    def _other(self, name: str, given: Any) -> str:
        self.wrong.append(f"{name} is {'missing' if given is None else f'of type {type(given).__name__}'}")
        return "" if given is None else shown(given)
