"""What stands in the files of a session. Pure.

The two of the world are the document's, the other three are what the reference writes; readings permit other places.
"""

from collections.abc import Mapping
from typing import Any

import msgspec


class Orchestrator(msgspec.Struct, frozen=True):
    """orchestrator.json; more fields may follow. Source: Context Loss Recovery 2."""

    phase: str


class Checkpoint(msgspec.Struct, frozen=True):
    """checkpoint.json: the last checkpoint, and the state that was handed over; more fields may follow."""

    name: str
    state: Mapping[str, Any]


class LedgerLine(msgspec.Struct, frozen=True):
    """A line of the ledger; more fields may follow."""

    task_id: str


class SpecificationLine(msgspec.Struct, frozen=True):
    """A line of the specified interfaces; more fields may follow."""

    task_id: str
    interface: str
