"""Reading what a process wrote as the answer to a call: the envelope of JSON-RPC 2.0, and results by their types.

Whatever is no answer raises AdapterError, with a code of ``defects`` and a sentence that quotes the line.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from harness.errors import AdapterError
from harness.targets.messages import ErrorObject

QUOTED_CHARACTERS = 200
DEEPEST = 100  # levels of nesting; the contracts have at most 5
_MEANT: Final = "was it meant for stderr?"


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer as it stands on a line: exactly one of ``result`` and ``error``."""

    jsonrpc: Literal["2.0"]
    id: int | float | str | None
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: ErrorObject | msgspec.UnsetType = msgspec.UNSET


class RefusedError(Exception):
    """The implementation answered a call with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


_ENVELOPE = msgspec.json.Decoder(Envelope)
_ANYTHING = msgspec.json.Decoder()


def result_of(line: bytes, call_id: int) -> bytes:
    """The result, still JSON, in the line that answers the call with that id; RefusedError when it was refused.

    Ids are given from 1 on, so a smaller one was answered before.
    """
    try:
        answer = _ENVELOPE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _no_answer(line, error) from error
    if answer.id != call_id:
        raise _another(line, answer.id, call_id)
    if isinstance(answer.result, msgspec.Raw):
        if answer.error is not msgspec.UNSET:
            raise AdapterError("not_protocol", f"an answer has both a result and an error: {quoted(line)}")
        return bytes(answer.result)
    if isinstance(answer.error, ErrorObject):
        said, data = answer.error.message, answer.error.data
        raise RefusedError(answer.error.code, f"{said}: {data}" if isinstance(data, str) else said)
    raise AdapterError("not_protocol", f"an answer has neither a result nor an error: {quoted(line)}")


def unasked(data: bytes, last_id: int) -> AdapterError:
    """The defect of what came when no call was waiting; ``last_id`` is that of the last call."""
    line = data.strip().split(b"\n", 1)[0]
    try:
        answer = _ENVELOPE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        found = _no_answer(line, error)
        return found if found.code in ("noise", "bad_utf8") else _extra(line)
    known = answer.id is None or (isinstance(answer.id, int) and answer.id <= last_id)
    return _extra(line) if known else _another(line, answer.id, last_id)


def _extra(line: bytes) -> AdapterError:
    return AdapterError("extra_reply", f"more than one answer to one call: {quoted(line)}")


def _another(line: bytes, found: object, call_id: int) -> AdapterError:
    if isinstance(found, int) and 0 < found < call_id:
        return AdapterError("extra_reply", f"a second answer to call {found} came, to {call_id} none: {quoted(line)}")
    return AdapterError("wrong_id", f"the answer has id {found!r}, the call had {call_id}: {quoted(line)}")


def _no_answer(line: bytes, error: Exception) -> AdapterError:
    """Why a line that is no answer is none."""
    try:
        line.decode()
    except UnicodeDecodeError as broken:
        return _not_utf8(line, broken.start)
    try:
        value = _ANYTHING.decode(line)
    except RecursionError:
        return _too_deep(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as broken:
        if line.lstrip()[:1] in (b"{", b"["):
            return AdapterError("bad_json", f"a line is no JSON ({broken}): {quoted(line)}")
        return AdapterError("noise", f"a line on standard output is no answer: {quoted(line)} - {_MEANT}")
    if isinstance(value, list):
        return AdapterError("batch", f"a batch came instead of one answer: {quoted(line)}")
    if isinstance(value, dict):
        return AdapterError("not_protocol", f"a line is no answer of JSON-RPC 2.0 ({error}): {quoted(line)}")
    return AdapterError("noise", f"a line on standard output is no answer: {quoted(line)} - {_MEANT}")


def _too_deep(line: bytes) -> AdapterError:
    return AdapterError("too_deep", f"an answer is nested deeper than {DEEPEST} levels: {quoted(line)}")


def _not_utf8(line: bytes, at: int) -> AdapterError:
    return AdapterError("bad_utf8", f"an answer is not UTF-8 at byte {at}: {quoted(line)}")


class Results:
    """Reads the results of methods whose types are known, and any others as they are."""

    def __init__(self, types: Mapping[str, type]) -> None:
        self._typed: dict[str, Callable[[bytes], Any]] = {
            method: msgspec.json.Decoder(kind).decode for method, kind in types.items()
        }

    def read(self, method: str, data: bytes) -> Any:
        """The result as builtins; AdapterError, naming the field and what was expected there, when it is another."""
        try:
            value = _ANYTHING.decode(data)
        except RecursionError as error:
            raise _too_deep(data) from error
        except UnicodeDecodeError as error:
            raise _not_utf8(data, error.start) from error
        except msgspec.DecodeError as error:
            raise AdapterError("bad_json", f"the result of {method} is no JSON ({error}): {quoted(data)}") from error
        # no deeper than it has brackets that open
        if data.count(b"[") + data.count(b"{") > DEEPEST and deeper_than(value, DEEPEST):
            raise _too_deep(data)
        typed = self._typed.get(method)
        try:
            if typed is not None:
                typed(data)
        except msgspec.ValidationError as error:
            raise AdapterError(
                "schema_violation", f"the result of {method} is not its schema's: {error}; it was {quoted(data)}"
            ) from error
        return value


def deeper_than(value: Any, levels: int) -> bool:
    """Is ``value`` (builtins) nested in more than so many levels? Never recurses."""
    row = [value]
    for _ in range(levels):
        row = [item for each in row if isinstance(each, dict | list) for item in _items(each)]
        if not row:
            return False
    return any(isinstance(each, dict | list) for each in row)


def _items(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def quoted(line: bytes) -> str:
    """The beginning of a line, as a person may read it."""
    return repr(line[:QUOTED_CHARACTERS].rstrip(b"\r\n").decode(errors="replace"))
