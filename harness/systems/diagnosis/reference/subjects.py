"""What a failure is about, as its text or its arguments name it. Pure; names are bounded and on one line."""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.reference.hostile import HEAD, line
from harness.systems.diagnosis.reference.reading import Failure

LONGEST: Final = 80
_BEFORE_A_COMMAND: Final = frozenset({"env", "sudo", "nohup", "time", "exec", "command"})
_QUOTED = r"['\"`\u2018]?([^\s'\"`\u2018\u2019:]+)['\"`\u2019]?"

_BINARIES = (
    rf"command not found: {_QUOTED}",
    rf"(?:^|: ){_QUOTED}: (?:command )?not found",
    rf"{_QUOTED} is not recognized as",
    rf"exec: {_QUOTED}: executable file not found",
    rf"spawn(?:Sync)? {_QUOTED} ENOENT",
    rf"env: {_QUOTED}: No such file",
    r"No such file or directory: '([^'/]+)'",
)
_REQUIREMENTS = (
    r"No module named ['\"]?([\w.-]+)",
    r"Cannot find (?:module|package) ['\"]([^'\"\n]+)['\"]",
    r"loading shared libraries: ([^\s:]+)",
    r"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b",
    r"fatal error: ['\"]?([^\s:'\"]+)",
    r"\b(\w+): (?:unbound variable|parameter not set)",
    r"locate package (\S+)",
    r"-l(\w+)",
)
_PATHS = (
    r"(?:denied|permitted)[:,]? (?:\w+ )?['\"\u2018]([^'\"\u2019\n]+)['\"\u2019]",
    r"['\"\u2018](/[^'\"\u2019\n]+)['\"\u2019]",
    r"(?:^|[\s:])(/[^\s:'\"]+): (?:Permission|Operation|Read-only)",
)
_HOSTS = (
    r"(?:resolve host|resolve|host|ENOTFOUND|EAI_AGAIN|connect to|lookup)[:,]? ['\"]?([A-Za-z0-9.-]+\.[A-Za-z0-9-]+)",
    r"https?://([A-Za-z0-9.-]+)",
)


def words_of(command: str) -> list[str]:
    """The words of a line of a shell as it would see them; where its quotes do not end, what stands between blanks."""
    try:
        return shlex.split(command[:HEAD])
    except ValueError:
        return command[:HEAD].split()


def url_of(failure: Failure) -> str:
    """The first address among the arguments, or else in the task; empty when there is none."""
    given = [value for value in failure.args.values() if isinstance(value, str)]
    for text in (*given, failure.goal):
        found = re.search(r"https?://[^\s'\"<>|;&)]+|git@[\w.-]+:[^\s'\"<>|;&)]+", text[:HEAD])
        if found:
            return found[0].rstrip(".,")
    return ""


def path_of(failure: Failure) -> str:
    """The path among the arguments; empty when there is none."""
    for name in ("path", "file", "file_path", "filename", "directory", "cwd"):
        found = failure.args.get(name)
        if isinstance(found, str) and found:
            return found
    return ""


def binary_of(failure: Failure) -> str:
    """The program that is missing, or the one that was called; empty when no line of a shell is known."""
    named = _first(_BINARIES, failure)
    if named:
        return named
    for word in words_of(failure.command):
        if "=" not in word and word not in _BEFORE_A_COMMAND:
            return line(word, LONGEST)
    return ""


def subject_of(kind: ErrorType, failure: Failure) -> str:
    """What a failure of that type is about; the tool, where nothing narrower is named."""
    name = _NAMING.get(kind, binary_of)(failure)
    return name or line(failure.tool, LONGEST) or "tool"


def _tool(failure: Failure) -> str:
    return line(failure.tool, LONGEST)


def _requirement(failure: Failure) -> str:
    return _first(_REQUIREMENTS, failure)


def _path(failure: Failure) -> str:
    return path_of(failure) or _first(_PATHS, failure) or _first((r"(?:^|\s)(/[^\s]+)",), failure, failure.command)


def _host(failure: Failure) -> str:
    try:
        host = urlsplit(url_of(failure)).hostname
    except ValueError:  # an address in brackets that is none
        host = None
    return line(host, LONGEST) if host else _first(_HOSTS, failure)


_NAMING: Mapping[ErrorType, Callable[[Failure], str]] = {
    ErrorType.TOOL_NOT_FOUND: _tool,
    ErrorType.ENVIRONMENT_MISSING: _requirement,
    ErrorType.PERMISSION_DENIED: _path,
    ErrorType.NETWORK_ERROR: _host,
    ErrorType.RATE_LIMITED: _host,
}


def _first(patterns: tuple[str, ...], failure: Failure, text: str | None = None) -> str:
    told = failure.told if text is None else text[:HEAD]
    for pattern in patterns:
        found = re.search(pattern, told, re.MULTILINE)
        if found:
            return line(found[1], LONGEST)
    return ""
