"""The session with one thing wrong in its wiring, many times: each breaks exactly one rule of order.py.

Nothing of this is used by a session that works; tests hold every mutant against its rule, and simulations run them.
"""

from collections.abc import Mapping

from harness.runtime.mutants import (
    breakers,
    driven_plans,
    ladders,
    plan_reviews,
    queued_lapses,
    queued_tasks,
    recoveries,
    retries,
    stream,
    wiring,
)
from harness.runtime.mutants.table import TABLE, WiringMutant

__all__ = ["MUTANTS", "WiringMutant"]

_ROOMS = (
    stream,
    breakers,
    retries,
    ladders,
    wiring,
    recoveries,
    queued_tasks,
    queued_lapses,
    driven_plans,
    plan_reviews,
)

MUTANTS: Mapping[str, WiringMutant] = dict(TABLE)
"""By name, in the order of the rooms."""
