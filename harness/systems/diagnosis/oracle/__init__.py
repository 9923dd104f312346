"""The oracle of a diagnosis: a history becomes findings about clauses, in every permitted reading. Pure."""

from harness.systems.diagnosis.oracle import (  # noqa: F401 - importing the rules registers them
    classification,
    events,
    given,
    learning,
    memories,
    output,
    planning,
    reasoning,
    settings,
    shown,
    templates,
    triggers,
)
from harness.systems.diagnosis.oracle.rules import RULES
from harness.systems.diagnosis.oracle.view import View
from harness.systems.judging import judging, permitting

__all__ = ["judge", "permitted"]

judge = judging(RULES, View)
"""One finding for each clause a history witnessed; see judging."""
permitted = permitting(judge)
"""Those alternatives in which the last operation may have ended."""
