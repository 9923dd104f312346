"""Events in short: told with what matters, and with what they mostly are for the rest."""

import msgspec

from harness.core.event import Event
from harness.ports.clock import to_text

NOON_S = 1_772_366_400.0
HOUR_S = 3600.0
_NAMED = {
    "task": "t",
    "provider": "p",
    "phase": "1",
    "plan": "plan-1",
    "worker": "a",
    "tool": "x",
    "moved": False,
    "asks_user": False,
    "repeat": False,
    "checkpoint": None,
}
_TYPED = {str: "", bool: True, int: 1, float: 0.0}


def told(kind, s=0.0, /, **fields):
    """An event of that kind, ``s`` seconds after noon."""
    fields = {"at": to_text(NOON_S + s), "correlation_id": "c", **fields}
    for each in msgspec.structs.fields(kind):
        if each.name not in fields and each.required:
            fields[each.name] = _default(each)
    return kind(**fields)


def _default(each):
    if each.name in _NAMED:
        return _NAMED[each.name]
    if each.type in _TYPED:
        return _TYPED[each.type]
    text = str(each.type)
    return () if "tuple[" in text and "Mapping" not in text else {} if "Mapping" in text else None


def of(session, *events):
    """Events of another session than the one that is meant when none is said."""
    return [(session, event) for event in events]


def stream(*parts):
    """One after the other, each an event of the session ``s``, or a list of events and sessions with events."""
    told_of = []
    for part in parts:
        if isinstance(part, Event):
            told_of.append(("s", part))
        elif isinstance(part, tuple):
            told_of.append(part)
        else:
            told_of.extend(stream(*part))
    return told_of
