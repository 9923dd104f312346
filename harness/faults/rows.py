"""The fault table as data: its rows, and which faults stand for each of their entries."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

from harness.core.document import parse_yaml


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that goes wrong: the ``faults`` that stand for it, how an ``input`` does, or why it comes ``later``."""

    faults: tuple[str, ...] = ()
    input: str = ""
    later: str = ""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the table: what is struck, and each entry by the table's words."""

    row: str
    entries: Mapping[str, Entry]

    @property
    def faults(self) -> tuple[str, ...]:
        """Every fault that stands for one of its entries, once."""
        return tuple(dict.fromkeys(name for entry in self.entries.values() for name in entry.faults))


@cache
def rows() -> tuple[Row, ...]:
    """The whole table, in its order."""
    text = resources.files("harness.faults").joinpath("rows.yaml").read_bytes()
    return tuple(msgspec.convert(parse_yaml(text), list[Row]))
