"""One way to turn values into a digest: canonical JSON, then SHA-256."""

import hashlib
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """``value`` as JSON with sorted keys and no spaces: equal values give equal bytes."""
    return _ENCODER.encode(value)


def sha256_of(value: Any) -> str:
    """The SHA-256 of the canonical JSON of ``value``, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()
