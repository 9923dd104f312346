"""How a mutant gets into the table."""

from harness.systems.mutant_table import MutantTable, Part
from harness.systems.rationalization.contract import WATCH
from harness.systems.rationalization.reference.attempts import Attempts
from harness.systems.rationalization.reference.phrases import Phrases
from harness.systems.rationalization.reference.spoken import Spoken
from harness.systems.rationalization.reference.watch import Watch

PARTS: tuple[Part, ...] = (
    (Spoken, Phrases, "spoken_class"),
    (Phrases, Watch, "phrases_class"),
    (Attempts, Watch, "attempts_class"),
)

TABLE = MutantTable(
    "rationalization", WATCH, Watch, lambda kind, configuration, files: kind(configuration, files), PARTS
)
mutant = TABLE.mutant
