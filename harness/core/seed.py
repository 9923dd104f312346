"""Randomness enters as one integer; every use derives its own seed from it, so order and sharding do not matter."""

import hashlib


def derive(seed: int, *names: str | int) -> int:
    """A seed for the use called ``names``: 64 bits, the same on every machine and Python version."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
