"""The failure and its context as an observation told them, and whether they have the form of the document. Pure.

Source: document 001, Input Context.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

import msgspec

from harness.systems.diagnosis.contract import ObserveArguments
from harness.systems.stateless import number

LARGEST: Final = 65_536  # characters and items of a failure that nobody has to cut
DEEPEST: Final = 32
_WIDEST: Final = 2**63  # beyond it no integer is one in every language
_TEXTS: Final = ("stdout", "stderr", "signal")


class Action(msgspec.Struct, frozen=True):
    """One of the previous actions."""

    tool: str
    args: Any
    result: str
    success: bool


class Context(msgspec.Struct, frozen=True):
    """A context of the form of the document."""

    iteration: int
    previous: tuple[Action, ...]
    available: tuple[str, ...]
    files: tuple[str, ...]
    directories: tuple[str, ...]
    goal: str


class Failure(msgspec.Struct, frozen=True):
    """A failure of the form of the document; ``context`` is None when that has another form."""

    tool: str
    args: Mapping[str, Any]
    message: str
    code: int | float | str | None = None
    stdout: str | None = None
    stderr: str | None = None
    signal: str | None = None
    context: Context | None = None


def failure_of(observed: ObserveArguments) -> Failure | None:
    """The failure that was observed; None when it has not the form of the document, or is too large for anybody."""
    error = observed.error
    if not isinstance(observed.tool, str) or not observed.tool or not isinstance(observed.args, Mapping):
        return None
    if not isinstance(error, Mapping) or not isinstance(error.get("message"), str) or not error["message"].strip():
        return None
    code = error.get("code")
    stdout, stderr, signal = texts = [error.get(name) for name in _TEXTS]
    if not (code is None or isinstance(code, str) or number(code) is not None):
        return None
    if not all(text is None or isinstance(text, str) for text in texts):
        return None
    if not is_plain([observed.args, error, observed.context]):
        return None
    context = _context(observed.context)
    return Failure(observed.tool, observed.args, error["message"], code, stdout, stderr, signal, context)


def iteration_of(observed: ObserveArguments) -> int | None:
    """The iteration that the context named, whatever else is wrong with it; None when it named none."""
    found = observed.context.get("iteration") if isinstance(observed.context, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def tools_of(observed: ObserveArguments) -> frozenset[str] | None:
    """The tools that are available, whatever else is wrong with the context; None when it does not say."""
    found = observed.context.get("availableTools") if isinstance(observed.context, Mapping) else None
    return frozenset(found) if _is_texts(found) else None


def is_plain(value: Any) -> bool:
    """Is it neither so large nor so deep that nobody has to take it whole?"""
    size, level, waiting = 0, 0, [value]
    while waiting:
        level += 1
        inner: list[Any] = []
        for each in waiting:
            size += len(each) if isinstance(each, str | Mapping | list | tuple) else 1
            if isinstance(each, Mapping):
                inner += [*each.keys(), *each.values()]
            elif isinstance(each, list | tuple):
                inner += each
            elif isinstance(each, int) and not -_WIDEST <= each < _WIDEST:
                return False
        if size > LARGEST or level > DEEPEST:
            return False
        waiting = inner
    return True


def _context(raw: object) -> Context | None:
    if not isinstance(raw, Mapping):
        return None
    state, previous = raw.get("workspaceState"), raw.get("previousActions")
    iteration, goal, available = raw.get("iteration"), raw.get("taskGoal"), raw.get("availableTools")
    if not isinstance(iteration, int) or isinstance(iteration, bool) or not isinstance(goal, str):
        return None
    if not isinstance(state, Mapping) or not isinstance(previous, list | tuple) or not _is_texts(available):
        return None
    actions = [_action(each) for each in previous]
    files, directories = state.get("files"), state.get("directories")
    if not _is_texts(files) or not _is_texts(directories) or None in actions:
        return None
    sound = tuple(action for action in actions if action is not None)
    return Context(iteration, sound, tuple(available), tuple(files), tuple(directories), goal)


def _action(raw: object) -> Action | None:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("tool"), str) or not isinstance(raw.get("result"), str):
        return None
    return Action(raw["tool"], raw.get("args"), raw["result"], raw.get("success") is True)


def _is_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(each, str) for each in value)
