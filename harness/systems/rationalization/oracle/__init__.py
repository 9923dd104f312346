"""The oracle of a watch over rationalisations: a history becomes findings about clauses, in every reading. Pure."""

from harness.systems.judging import judging, permitting
from harness.systems.rationalization.oracle.rules import RULES, View

__all__ = ["judge", "permitted"]

judge = judging(RULES, lambda _, history: View(history))
"""One finding for each clause a history witnessed; see judging."""
permitted = permitting(judge)
"""Those alternatives in which the last operation may have ended."""
