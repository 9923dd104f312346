"""What an oracle says about one clause after looking at one history."""

from enum import StrEnum

import msgspec


class CheckVerdict(StrEnum):
    """The outcome of one check: one clause, one scenario, one observation. There is no "skipped"."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    HARNESS_ERROR = "HARNESS_ERROR"


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One check.

    ``readings`` are the permitted readings this observation is compatible with, None when the clause has none;
    ``witnesses`` counts how often the clause's situation was proven to be entered (a PASS has at least one);
    ``reason`` says why a verdict is not PASS; ``expected`` and ``observed`` are for the person reading a failure.
    """

    clause: str
    verdict: CheckVerdict
    readings: tuple[str, ...] | None = None
    witnesses: int = 0
    reason: str = ""
    expected: str = ""
    observed: str = ""


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One operation that had to be answered so that the agent's session may end: nothing else would have been right.

    ``operation`` is the number of its invoke in the history; ``failed`` tells that it was answered otherwise, or not.
    """

    operation: int
    failed: bool
