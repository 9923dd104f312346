"""The oracle of rate limit handling: findings from a history of failures classified and delays asked for. Pure."""

from harness.systems.judging import judging, permitting
from harness.systems.rate_limit.oracle import delays, detection  # noqa: F401 - importing the rules registers them
from harness.systems.rate_limit.oracle.view import RULES, View

__all__ = ["judge", "permitted"]

judge = judging(RULES, View)
"""One finding for each clause a history witnessed; see judging."""
permitted = permitting(judge)
"""Those alternatives in which the last operation may have ended."""
