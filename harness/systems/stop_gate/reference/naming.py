"""Session ids as file names that cannot leave their directory (PS-SES-07). Pure but for the fallback's chance."""

import os
import re
from typing import NamedTuple

SAFE_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")  # 100: the longest suffix still fits in 255 bytes
OWN_FILES = frozenset({"counters.json", "counters.lock", "power_steering.log"})
PREFIX_CHARACTERS = 40


class Session(NamedTuple):
    """A session: its id as given or generated, its name as a file, and what its blocks are counted under.

    A session without an id gets another fallback on every call; its transcript is then what bounds its blocks.
    """

    id: str
    name: str
    blocks_name: str


def file_name(session_id: str) -> str:
    """The id itself when it is safe; else a readable rest and a digest, with ``~`` so that no safe id is the same."""
    if SAFE_ID.fullmatch(session_id) and ".." not in session_id and session_id not in OWN_FILES:
        return session_id
    import hashlib  # 2 ms at the start of a hook that only hostile ids cost  # noqa: PLC0415

    prefix = re.sub(r"[^A-Za-z0-9_]", "_", session_id[:PREFIX_CHARACTERS])
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{prefix}~{digest}"


def fallback_id() -> str:
    """A fresh id for a session that came without one."""
    return f"unnamed-{os.urandom(8).hex()}"
