"""The table of the rules of fallbacks: each looks at the calls of a history that say something of a clause. Pure."""

from harness.systems.fallback.contract import LADDER
from harness.systems.rules import Rules
from harness.systems.stateless import Call

View = tuple[Call, ...]
RULES: Rules[View] = Rules(LADDER)
