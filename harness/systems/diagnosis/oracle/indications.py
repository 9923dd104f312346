"""What a failure unmistakably is, by its code, its signal and its texts, and what it only looks like. Pure.

Nothing is said of a failure in which two types are indicated, or in which anything else may hint at another one: the
document names the types and no order among them. Source: document 001, Primary Categories.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

from harness.systems.diagnosis.contract import ErrorType, Tool
from harness.systems.diagnosis.oracle.failure import Failure
from harness.systems.diagnosis.oracle.signs import FIRM, HINTS, IN_FILE_NAMES, LOOKALIKES

_COMMAND_NOT_FOUND: Final = 127  # Primary Categories 2
_TIMED_OUT: Final = 124  # timeout(1)
_TOO_MANY: Final = 429  # RFC 6585: no exit code is as high
_LONGEST: Final = 65_536  # characters of a text that are looked at: who cuts it cuts there or later

_T = ErrorType
_FILE_NAME: Final = re.compile(
    r"(?<![\w./-])[\w./-]*[\w-]\.(?:py|js|mjs|cjs|ts|tsx|jsx|rs|go|rb|sh|md|txt|json|ya?ml|toml|log|html?|c|h|cpp|java)\b"
)


def _compiled(table: Mapping[ErrorType, tuple[str, ...]]) -> dict[ErrorType, re.Pattern[str]]:
    # ASCII: without it Python takes a long s for an s
    return {kind: re.compile("|".join(each), re.IGNORECASE | re.ASCII | re.MULTILINE) for kind, each in table.items()}


_FIRMLY: Final = _compiled(FIRM)
_HINTING: Final = _compiled(HINTS)
_IN_FILE_NAMES: Final = _compiled(IN_FILE_NAMES)
_LOOKING: Final = [(re.compile(text, re.IGNORECASE | re.ASCII), kinds) for text, kinds in LOOKALIKES.items()]
_OF_CONNECTIONS: Final = re.compile(r"\bconnect|\bsocket\b|\bhost\b|\bDNS\b|\bproxy\b|https?://", re.IGNORECASE)
_CANNOT_RUN: Final = 126
# the words for a tool that is not there hint at these
_SAID_OF_TOOLS: Final = frozenset({_T.COMMAND_NOT_FOUND, _T.PERMISSION_DENIED})
_CODES: Final[Mapping[object, frozenset[ErrorType]]] = {
    _TIMED_OUT: frozenset({_T.TIMEOUT}),
    _TOO_MANY: frozenset({_T.RATE_LIMITED}),
}
_CODE_HINTS: Final[Mapping[object, frozenset[ErrorType]]] = {
    code: frozenset(kinds)
    for codes, kinds in (
        ((_CANNOT_RUN,), (_T.PERMISSION_DENIED, _T.COMMAND_NOT_FOUND)),
        ((13, 401, 403), (_T.PERMISSION_DENIED,)),
        ((137, 143, 408), (_T.TIMEOUT,)),
        ((400, 422), (_T.INVALID_ARGUMENTS,)),
        ((404,), (_T.TOOL_NOT_FOUND, _T.COMMAND_NOT_FOUND)),
        ((413,), (_T.OUTPUT_TOO_LARGE,)),
        ((500, 502), (_T.NETWORK_ERROR,)),
        ((503,), (_T.NETWORK_ERROR, _T.RATE_LIMITED)),
        ((504,), (_T.NETWORK_ERROR, _T.TIMEOUT)),
    )
    for code in codes
}


class Indicated(msgspec.Struct, frozen=True):
    """What a failure indicates.

    ``firm`` are the types that are indicated unmistakably, ``hinted`` those that somebody may read out of it besides,
    ``lookalikes`` those that it only looks like. ``by_code``: nothing but the exit code 124 says that it is a time-out.
    """

    firm: frozenset[ErrorType]
    hinted: frozenset[ErrorType]
    lookalikes: frozenset[ErrorType]
    by_code: bool = False

    @property
    def type(self) -> ErrorType | None:
        """The one type there is; None when there is none, or another one may be meant."""
        if len(self.firm) != 1 or not self.hinted <= self.firm:
            return None
        return next(iter(self.firm))


def indicated(failure: Failure, available: frozenset[str] | None, *, legible: bool = True) -> Indicated:
    """What that failure indicates, when these tools are available; None when nothing says which are.

    Not ``legible``: something does, and nobody knows what.
    """
    texts = [text[:_LONGEST] for text in (failure.message, failure.stderr) if text]
    if isinstance(failure.code, str):
        texts.append(failure.code)
    said = _read("\n".join(texts))
    beside = _read((failure.stdout or "")[:_LONGEST] + f"\n{failure.signal or ''}")
    hinted = said.hinted | beside.firm | beside.hinted
    if _T.TIMEOUT in said.firm and _may_be_a_connection(failure, "\n".join(texts)):
        hinted |= {_T.NETWORK_ERROR}
    if not legible:
        said_by_code = {_T.COMMAND_NOT_FOUND} if failure.code == _COMMAND_NOT_FOUND else set()
        return Indicated(said.firm, hinted | said_by_code | {_T.TOOL_NOT_FOUND}, said.lookalikes)
    return _with_structure(failure, available, Indicated(said.firm, hinted, said.lookalikes))


@lru_cache(maxsize=256)
def _read(text: str) -> Indicated:
    """What a text alone indicates."""
    cleaned, lookalikes = _without_lookalikes(text)
    return Indicated(_types(_FIRMLY, cleaned), _types(_HINTING, cleaned), lookalikes)


def _may_be_a_connection(failure: Failure, said: str) -> bool:
    """A time-out of a connection is of both types."""
    if failure.tool == Tool.HTTP_FETCH and "timed out" not in said.lower():
        return True
    return _OF_CONNECTIONS.search(said) is not None


def _with_structure(failure: Failure, available: frozenset[str] | None, texts: Indicated) -> Indicated:
    """The same with what the tools and the code say; the exit code 127 says it whatever the texts say."""
    firm, hinted, lookalikes = texts.firm, texts.hinted, texts.lookalikes
    code = None if isinstance(failure.code, str) else failure.code
    missing = frozenset({_T.COMMAND_NOT_FOUND}) if code == _COMMAND_NOT_FOUND else frozenset()
    if available is not None and failure.tool not in available:
        outside = frozenset({_T.TOOL_NOT_FOUND})
        return Indicated(firm | outside, hinted - _SAID_OF_TOOLS | missing, lookalikes)
    if missing:
        return Indicated(missing, firm & {_T.TOOL_NOT_FOUND, _T.ENVIRONMENT_MISSING}, lookalikes)
    if available and _T.TOOL_NOT_FOUND in firm:
        return Indicated(firm, hinted | {_T.COMMAND_NOT_FOUND}, lookalikes)  # it is there, and is said not to be
    by_code = code == _TIMED_OUT and _T.TIMEOUT not in firm
    firm |= _CODES.get(code, frozenset())
    hinted |= _CODE_HINTS.get(code, frozenset())
    if _T.PERMISSION_DENIED in firm and code == _CANNOT_RUN:
        hinted -= {_T.COMMAND_NOT_FOUND}
    return Indicated(firm, hinted, lookalikes, by_code)


def _types(table: Mapping[ErrorType, re.Pattern[str]], text: str) -> frozenset[ErrorType]:
    return frozenset(kind for kind, pattern in table.items() if pattern.search(text))


def _without_lookalikes(text: str) -> tuple[str, frozenset[ErrorType]]:
    """The text without what only looks like an indication, and the types that this looked like."""
    found: set[ErrorType] = set()

    def file_name(match: re.Match[str]) -> str:
        found.update(_types(_IN_FILE_NAMES, match[0]))
        return "a file"

    text = _FILE_NAME.sub(file_name, text)
    for pattern, kinds in _LOOKING:
        text, count = pattern.subn("a number", text)
        found |= set(kinds) if count else set()
    return text, frozenset(found)
