"""JSON from bytes nobody vouches for: a value, or ValueError for whatever is wrong with them. Pure."""

from typing import Any

import msgspec

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def decode(data: bytes) -> Any:
    """The JSON value in ``data``; ValueError when it is no JSON, bad UTF-8, nested too deeply or has absurd numbers."""
    try:
        return msgspec.json.decode(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except msgspec.ValidationError as error:  # a number that fits no type: 5,000 digits, 1e999
        raise ValueError(str(error)) from error
    except msgspec.DecodeError as error:
        # msgspec refuses half of a surrogate pair, which RFC 8259 calls legal; nothing else is tried twice
        if b"\\u" in data:
            return _decode_patiently(data)
        raise ValueError(str(error)) from error


def _decode_patiently(data: bytes) -> Any:
    import json  # 5 ms that only a damaged file costs  # noqa: PLC0415

    try:
        return json.loads(data.decode(), parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def encodable(text: str) -> str:
    """The text with what UTF-8 cannot write (halves of surrogate pairs) replaced by ``?``."""
    return text.encode("utf-8", "replace").decode()
