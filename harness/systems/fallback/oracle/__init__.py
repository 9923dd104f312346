"""The oracle of fallbacks: findings from a history of rungs asked for and of facts that may call a human. Pure."""

from harness.systems import stateless
from harness.systems.fallback.contract import OPERATIONS
from harness.systems.fallback.oracle import escalation, ladders  # noqa: F401 - importing the rules registers them
from harness.systems.fallback.oracle.rules import RULES
from harness.systems.judging import judging, permitting

__all__ = ["judge", "permitted"]

judge = judging(RULES, lambda _, history: tuple(call for call in stateless.calls(history, OPERATIONS) if call.binds))
"""One finding for each clause a history witnessed; see judging."""
permitted = permitting(judge)
"""Those alternatives in which the last operation may have ended."""
