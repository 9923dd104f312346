"""Arguments of an operation with one of them changed, as faults of identifiers and of types change them. Pure."""

from collections.abc import Mapping
from typing import Any

from harness.core.fault import Absent


def changed(kind: type | None, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """``args``, of the struct ``kind``, with ``field`` set to ``value``, of any type, or left out when it is ABSENT.

    An operation that has no such argument keeps its own.
    """
    if kind is None or field not in kind.__struct_fields__:  # type: ignore[attr-defined]  # arguments are structs
        return dict(args)
    if isinstance(value, Absent):
        return {name: given for name, given in args.items() if name != field}
    return {**args, field: value}
