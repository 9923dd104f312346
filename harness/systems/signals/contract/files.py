"""What stands in the signal files. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.signals.contract.words import Severity


class Drift(msgspec.Struct, frozen=True):
    """One line of DRIFT_DETECTED; more fields may follow. ``original_goal`` is null where it is unknown (LK-DR-01)."""

    timestamp: str
    task_id: str
    planned_action: str
    detected_drift: str
    severity: Severity
    agent: str
    original_goal: str | None
    drift_distance: int


class ReviewRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pending request: HUMAN_REVIEW_NEEDED is one, or a list of them; more fields may follow (LK-HR-01, LK-HR-08).

    In the other reading each stands alone in ``HUMAN_REVIEW_NEEDED_{task_id}``, and the first, or the latest, may stand
    in HUMAN_REVIEW_NEEDED instead or as well.
    """

    timestamp: str
    reason: str
    task_id: str
    context: str
    severity: str
    blocking: bool
    agent: str | None = None
    alternatives_considered: tuple[str, ...] | None = None


class Approval(msgspec.Struct, frozen=True, omit_defaults=True):
    """HUMAN_APPROVED (LK-SG-05). ``decision`` is approved, rejected, or other words of the human's, never empty."""

    decision: str
    task_id: str | None = None


class Friction(msgspec.Struct, frozen=True):
    """FRICTION_DETECTED, and an entry of the friction map (LK-HL-02); more fields may follow.

    ``location`` is ``path:line`` with a line from 1 on; ``classification`` is unknown until somebody classifies it.
    """

    timestamp: str
    friction_id: str
    location: str
    behavior: str
    classification: str
    agent: str


class FrictionMap(msgspec.Struct, frozen=True):
    """The friction map as the reference has it.

    Permitted as well: a bare list of frictions, and an object of frictions by their id.
    """

    frictions: tuple[Mapping[str, Any], ...]
