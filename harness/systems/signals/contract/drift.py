"""What is asked about drift: arguments and results. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.log import LogEntry
from harness.systems.signals.contract.steps import StepTaken


class DriftArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An agent diverges from its task: the whole of Processing Rules and Automated Responses (LK-DR).

    Fields are those of the record, of any shape when hostile: a severity that is none of the words, or a distance
    that is no whole number from 1 on, makes a report *invalid*: nothing is recorded, or legal values in their
    place, and drift_invalid is logged either way; what steps are taken is open. A distance beyond 2**53 - 1, or written
    as 2.0, is invalid to some. Other odd fields are kept as given.
    A task_id that is empty is recorded as it is, or refused like what is invalid.
    ``working_memory`` is the text the agent has in mind, one line without control characters: what is consolidated.
    """

    task_id: str
    planned_action: Any
    detected_drift: Any
    severity: Any
    agent: Any
    drift_distance: Any
    working_memory: str = ""


class DriftResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``record`` is the record as made, null when none was; ``stored``: is it a whole line of DRIFT_DETECTED?

    The file is appended to: its bytes of before stay its beginning, whatever they are, and a last line without a line
    break is ended first. ``steps`` are those taken: stop, log, reason and reread always, in that order; and what the
    number of drifts of this task, this one included, and the severity ask for: warn and continue at the first (they,
    and escalate, are open when it is paused), escalate from the second on, consolidate from the third on, pause and
    review by opus at high and critical (open at a distance of 3 or more). The number is that of the whole records of
    the task in DRIFT_DETECTED, whoever wrote them; a drift that could not be stored may count as well. One whose record
    could not be stored is responded to all the same, with ``ok`` false in its step log. CONTINUITY.md holds
    ``working_memory`` after a consolidate that is ok; what else stands there is open. ``original_goal`` is null where
    current-task.json is missing, damaged or has no goal, and open where it is of another task. What pause does to queue
    files is open; no task leaves them.
    """

    record: Mapping[str, Any] | None
    stored: bool
    steps: tuple[StepTaken, ...]
    log: tuple[LogEntry, ...] = ()


class DriftsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The drift records of one task, or of all when it is null: for the audit (LK-SG-02)."""

    task_id: str | None = None


class DriftsResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """They, in the order of their lines. Lines that are no record (a JSON object with a text task_id) are left out."""

    records: tuple[Mapping[str, Any], ...]
    log: tuple[LogEntry, ...] = ()
