"""How a mutant gets into the table."""

from harness.systems.fallback.contract import LADDER
from harness.systems.fallback.reference import Fallback
from harness.systems.mutant_table import MutantTable

TABLE = MutantTable("fallback", LADDER, Fallback, lambda kind, _configuration, _files: kind())
mutant = TABLE.mutant
