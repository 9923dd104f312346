"""Everything that can go wrong with a process that is asked over its streams: its code, and who is to blame for it.

A reply that is no answer carries the code as ``reason`` and the name of who is to blame as ``blame``. Published in
docs/protocol.md.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from harness.core.history import GIVEN_UP, EntryType
from harness.targets.session import Reply


class Blame(StrEnum):
    """Whose defect it is.

    ``adapter``: what was written is not the protocol. ``implementation``: the protocol was kept as far as it went, and
    the process that holds both gave no answer. ``harness``: we did it, as a fault that the scenario asks for.
    """

    ADAPTER = "adapter"
    IMPLEMENTATION = "implementation"
    HARNESS = "harness"


class Defect(msgspec.Struct, frozen=True):
    """Who is to blame, and what happened, in a sentence."""

    blame: Blame
    meaning: str


_A, _I = Blame.ADAPTER, Blame.IMPLEMENTATION
DEFECTS: Final[Mapping[str, Defect]] = {
    "noise": Defect(_A, "a line on standard output is no message; it was probably meant for standard error"),
    "bad_json": Defect(_A, "a line begins like a message and is no JSON"),
    "bad_utf8": Defect(_A, "a line is not UTF-8"),
    "too_deep": Defect(_A, "an answer is nested deeper than 100 levels"),
    "not_protocol": Defect(_A, "a line is JSON and no answer: a member is missing, unknown, or of a wrong type"),
    "batch": Defect(_A, "an array of answers came to a single call"),
    "wrong_id": Defect(_A, "the answer has the id of no call that was made"),
    "extra_reply": Defect(_A, "a call was answered more than once, or something was said without a call"),
    "schema_violation": Defect(_A, "a result is not what the contract says"),
    "unfinished": Defect(_A, "a line was begun and not ended in time"),
    "inconsistent": Defect(_A, "a process started anew introduces itself as something else"),
    "flooded": Defect(_A, "more than 16 MiB came on standard output without a whole line"),
    "flooded_stderr": Defect(_A, "more than 64 MiB came on standard error during one call"),
    "closed_stdout": Defect(_A, "standard output was closed, and the process lives on"),
    "not_read": Defect(_A, "standard input is not read any more"),
    "not_started": Defect(_I, "it does not start where a fault surrounds it"),
    "not_restartable": Defect(_I, "it ended, or a second process was needed, and it says that it cannot be restarted"),
    "died": Defect(_I, "the process ended by a signal or with an exit code other than 0, without an answer"),
    "silent_exit": Defect(_I, "the process ended with exit code 0, without an answer"),
    "cut_off": Defect(_I, "the process ended half way through its answer"),
    "timed_out": Defect(_I, "no answer came in time"),
    "refused": Defect(_I, "it claims the system, and refuses to begin with it"),
}
RESTARTED: Final = frozenset({"died", "silent_exit", "cut_off"})
"""What a process that was killed from outside looks like: worth another start."""


def no_reply(code: str, message: str, stage: str, *, struck: bool = False) -> Reply:
    """The reply of an operation that was not answered; ``stage`` is the message that met the defect.

    ``struck``: we struck the process ourselves, so the end of it is no defect of anybody's.
    """
    blame = Blame.HARNESS if struck and code in {*RESTARTED, "timed_out"} else DEFECTS[code].blame
    return Reply(EntryType.INFO, {"reason": code, "blame": blame.value, "stage": stage, "message": message})


def given_up(why: str) -> Reply:
    """The reply of an operation that we ended ourselves, since its run shows nothing of the implementation."""
    said = {"reason": GIVEN_UP, "blame": Blame.HARNESS.value, "stage": "operation", "message": why}
    return Reply(EntryType.INFO, said)


def refusal(code: int, message: str) -> Reply:
    """The reply of an operation that was answered with a JSON-RPC error: certainly not done."""
    return Reply(EntryType.FAIL, {"error": message, "code": code})


def refused_to_begin(code: int, message: str, stage: str) -> Reply:
    """The reply of every operation of an implementation that claims its system and refuses to begin with it."""
    said: dict[str, Any] = {"reason": "refused", "blame": DEFECTS["refused"].blame.value, "stage": stage}
    return Reply(EntryType.FAIL, {"error": message, "code": code, **said})
