"""How a mutant gets into the table."""

from harness.systems.mutant_table import MutantTable
from harness.systems.rate_limit.contract import BACKOFF
from harness.systems.rate_limit.reference.backoff import RateLimit, made

TABLE = MutantTable("rate limit", BACKOFF, RateLimit, made)
mutant = TABLE.mutant
