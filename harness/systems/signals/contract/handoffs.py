"""Signals that one role hands to another, workflow and healing: arguments and results. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems.signals.contract.steps import StepTaken
from harness.systems.signals.contract.words import Gate, Handler


class EmitArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``by``, of Role, raises a signal (LK-SG-03, LK-HL-01); ``name`` is the feature or branch of a named one.

    ``payload`` is a JSON object. That of FRICTION_DETECTED has ``friction_id``, ``location``, ``behavior``, ``agent``,
    and perhaps ``classification`` (unknown when it has none); the implementation adds ``timestamp``, or keeps the one
    that is given. One that lacks a field, or whose location is no path:line, is refused with signal_invalid. That of
    INSTITUTIONAL_KNOWLEDGE_FOUND has ``knowledge``, one line of text. Names that cannot be part of a file name (empty,
    NUL, separators, ``.``, ``..``, too long) are refused with name_invalid, or written under another name within the
    directory; different names are different signals. Words that are none of Signal are refused with signal_unknown. By
    somebody who does not create it: refused with route_invalid, in one reading. A signal that is raised again before it
    was consumed takes the other's place or stands beside it.
    """

    signal: str
    by: str
    payload: Mapping[str, Any]
    name: str | None = None


class EmitResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Does the signal stand in the directory now?

    The file of FRICTION_DETECTED is the friction itself, a Friction; those of all others hold the payload as they like.
    """

    written: bool
    log: tuple[LogEntry, ...] = ()


class ConsumeArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``by`` handles a workflow signal, if there is one; ``handler``: how its handler, a stub of the adapter, ends."""

    signal: str
    by: str
    name: str | None = None
    handler: Handler = Handler.OK


class ConsumeResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``handled``: was it there, and did its handler end well? Then its file is gone.

    ``content`` is the payload that the handler was given, equal as JSON to what was emitted; null when no handler
    ran, or null or empty when the file has none: an empty file is a signal, too. A handler that fails leaves the
    signal, where it is deleted after handling, or not, where it is deleted before; handler_failed is logged.
    Somebody else than its consumer gets nothing and deletes nothing, in one reading. A signal that is raised while
    it is handled is handled as well: by this call, or by the next. A file that is no JSON is handled without
    content, or stays, or is set aside, with signal_invalid. DRIFT_DETECTED and other words are refused with
    signal_unknown and stay.
    """

    handled: bool
    content: Any = None
    log: tuple[LogEntry, ...] = ()


class HealArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``by`` processes a healing signal, if there is one, by Healing Processing Rules (LK-HL-03, LK-HL-04).

    ``tests_confirmed``: do characterization tests exist; ``gate``: how the phase gate hook ends; ``strict``: is it
    strict mode?
    """

    signal: str
    by: str
    tests_confirmed: bool = False
    gate: Gate = Gate.PASSES
    strict: bool = False


class HealResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``handled``: was it there, and is its processing done? Then its file is gone. ``steps`` are those taken:

    FRICTION_DETECTED: add_friction; the map holds the record. BEHAVIOR_CHANGE_RISK: pause_modification,
    verify_tests, and resume_modification only when they are confirmed. INSTITUTIONAL_KNOWLEDGE_FOUND:
    append_knowledge; the file begins as before and the ``knowledge`` follows. HEALING_PHASE_COMPLETE: run_gate,
    then advance only when it passed. LEGACY_COMPATIBILITY_RISK: block in strict mode, else warn and no block.
    ``content`` is the payload as in consume, that of a friction with what the implementation added. A gate that
    fails, and tests that are not confirmed, are processing that is done: the signal is gone.
    """

    handled: bool
    steps: tuple[StepTaken, ...] = ()
    content: Any = None
    log: tuple[LogEntry, ...] = ()


class ClassifyArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody classifies a friction of the map: a word that is not empty and not ``unknown``."""

    friction_id: str
    classification: str


class ClassifyResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Is the friction in the map, with that classification now?"""

    classified: bool
    log: tuple[LogEntry, ...] = ()


class RemoveArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wants to remove a friction of the map, from the code and so from the map."""

    friction_id: str


class RemoveResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """May it be, and is its entry gone? Never while its classification is unknown (LK-HL-03)."""

    removed: bool
    log: tuple[LogEntry, ...] = ()
