"""A named thing that goes wrong, as data: which one, where, with which quantities."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

import msgspec

Scalar = str | int | float | bool | None


class Absent(Enum):
    """The type of ABSENT."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT  # instead of a value: the argument is left out


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One fault of the fault table: ``name`` is ``family.kind``, ``path`` the place under a world root it strikes."""

    name: str
    path: str | None = None
    params: Mapping[str, Scalar] = msgspec.field(default_factory=dict)

    @property
    def family(self) -> str:
        """The module of harness.faults that knows this fault."""
        return self.name.partition(".")[0]


class Injection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What became of a fault: ``armed`` when it was put in place, ``proof`` what the harness itself met there.

    ``proof`` is e.g. an errno name, or the kind of file found at the path; without proof an armed fault witnesses
    nothing.
    """

    fault: Fault
    armed: bool
    proof: str = ""
