"""The oracle of a review gate: a history becomes findings about clauses, in every permitted reading. Pure."""

from harness.systems.judging import judging, permitting
from harness.systems.review_gate.oracle.rules import RULES, View

__all__ = ["judge", "permitted"]

judge = judging(RULES, lambda _, history: View(history))
"""One finding for each clause a history witnessed; see judging."""
permitted = permitting(judge)
"""Those alternatives in which the last operation may have ended."""
