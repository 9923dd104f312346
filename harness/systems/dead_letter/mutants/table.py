"""How a mutant gets into the table."""

from harness.systems.dead_letter.contract import QUEUE
from harness.systems.dead_letter.reference.dead_letter import DeadLetter
from harness.systems.dead_letter.reference.deciding import Decider
from harness.systems.dead_letter.reference.escalations import Escalations, EscalationText, listed
from harness.systems.dead_letter.reference.failures import Analyst
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues, KeptQueues
from harness.systems.dead_letter.reference.letters import Letters
from harness.systems.dead_letter.reference.review import Reviewer
from harness.systems.mutant_table import MutantTable, Part

PARTS: tuple[Part, ...] = (
    (DeadLetterQueues, KeptQueues, "queues_class"),
    (KeptQueues, DeadLetter, "store_class"),
    (Analyst, DeadLetter, "analyst_class"),
    (Letters, DeadLetter, "letters_class"),
    (Decider, DeadLetter, "decider_class"),
    (EscalationText, DeadLetter, "text_class"),
    (Escalations, DeadLetter, "escalations_class"),
    (Reviewer, DeadLetter, "reviewer_class"),
)

TABLE = MutantTable(
    "dead-letter", QUEUE, DeadLetter, lambda kind, configuration, files: kind(configuration, files, listed), PARTS
)
mutant = TABLE.mutant
