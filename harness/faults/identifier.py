"""Identifiers as a hostile or broken host gives them: an argument of every later operation is another one.

No file changes and nothing is armed in a sandbox: the player alters the arguments before it states them, in the way
the system's contract says (``with_field``).
"""

from collections.abc import Mapping
from typing import Any

from harness.core.fault import ABSENT, Absent, Fault
from harness.faults.kind import FaultKind, Param

LONG_CHARACTERS = 300  # a file name has 255 bytes at most
FIELD = Param("text", "session_id", "the argument that is changed")
_FIELD = {"field": FIELD}
_VALUE = Param("text", "session-2", "the other session")

VALUES: Mapping[str, Any] = {
    "absent": ABSENT,
    "empty": "",
    "null": None,
    "wrong_type": ["session", 7],
    "separators": "a/b\\c//d",
    "dot_dot": "../../../../outside/escaped",
    "absolute": "{outside}/escaped",
    "nul": "session\x00../../x",
    "long": "x" * LONG_CHARACTERS,
    "unicode": "se\u0301ance-\u65e5\u672c-\U0001f642-\u202egnp",
    "whitespace": " \t\n ",
}

KINDS = (
    FaultKind("identifier.absent", "the argument `field` is left out", _FIELD),
    FaultKind("identifier.empty", "it is an empty text", _FIELD),
    FaultKind("identifier.null", "it is null", _FIELD),
    FaultKind("identifier.wrong_type", "it is a list instead of a text", _FIELD),
    FaultKind("identifier.separators", "it has separators of paths in it", _FIELD),
    FaultKind("identifier.dot_dot", "it leads upwards, to a place outside", _FIELD),
    FaultKind("identifier.absolute", "it is an absolute path, outside", _FIELD),
    FaultKind("identifier.nul", "it has a NUL in it", _FIELD),
    FaultKind("identifier.long", "it has 300 characters", _FIELD),
    FaultKind("identifier.unicode", "it has combining, wide and right-to-left characters", _FIELD),
    FaultKind("identifier.whitespace", "it is white space", _FIELD),
    FaultKind(
        "identifier.other_session", "it is the one of another session, `value`", {"field": FIELD, "value": _VALUE}
    ),
)
_NAMES = frozenset(kind.name for kind in KINDS)


def is_identifier(fault: Fault) -> bool:
    """Does that fault change an argument?"""
    return fault.name in _NAMES


def field_of(fault: Fault) -> str:
    """The argument it changes."""
    return str(fault.params.get("field", FIELD.default))


def value_of(fault: Fault) -> Any | Absent:
    """What it changes that argument to."""
    kind = fault.name.partition(".")[2]
    return fault.params.get("value", _VALUE.default) if kind == "other_session" else VALUES[kind]
