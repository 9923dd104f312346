"""How a mutant gets into the table."""

from harness.systems.mutant_table import MutantTable, Part
from harness.systems.review_gate.contract import GATE
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.kept_state import KeptState

PARTS: tuple[Part, ...] = ((KeptState, ReviewGate, "state_class"),)

TABLE = MutantTable(
    "review-gate", GATE, ReviewGate, lambda kind, configuration, files: kind(configuration, files), PARTS
)
mutant = TABLE.mutant
