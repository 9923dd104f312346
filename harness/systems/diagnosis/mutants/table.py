"""How a mutant gets into the table, and the gestures several of them share."""

from typing import Any

from harness.systems.diagnosis.contract import REFLECTION
from harness.systems.diagnosis.reference.answers import Answers
from harness.systems.diagnosis.reference.composing import Composing
from harness.systems.diagnosis.reference.context_log import ContextLog
from harness.systems.diagnosis.reference.flags import Flags
from harness.systems.diagnosis.reference.learning import Learning
from harness.systems.diagnosis.reference.memories import Lines
from harness.systems.diagnosis.reference.model import Asking
from harness.systems.diagnosis.reference.planner import Planner
from harness.systems.diagnosis.reference.prompt import Prompt
from harness.systems.diagnosis.reference.reading import Reading
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection, made
from harness.systems.diagnosis.reference.strategies import Strategies
from harness.systems.diagnosis.reference.taxonomy import Taxonomy
from harness.systems.diagnosis.reference.whys import Whys
from harness.systems.mutant_table import MutantTable, Part

PARTS: tuple[Part, ...] = (
    (Flags, DiagnosticReflection, "flags_class"),
    (Reading, DiagnosticReflection, "reading_class"),
    (Taxonomy, DiagnosticReflection, "taxonomy_class"),
    (Whys, DiagnosticReflection, "whys_class"),
    (Strategies, DiagnosticReflection, "strategies_class"),
    (Planner, DiagnosticReflection, "planner_class"),
    (Learning, DiagnosticReflection, "learning_class"),
    (Composing, DiagnosticReflection, "composing_class"),
    (Prompt, DiagnosticReflection, "prompt_class"),
    (Asking, DiagnosticReflection, "asking_class"),
    (Answers, DiagnosticReflection, "answers_class"),
    (ContextLog, DiagnosticReflection, "context_log_class"),
    (Lines, DiagnosticReflection, "session_class"),
)

TABLE = MutantTable("diagnosis", REFLECTION, DiagnosticReflection, made, PARTS)
mutant = TABLE.mutant


def enter(base: type, name: str, clause: str, description: str, **changed: Any) -> None:
    """A mutant of ``base`` with that one attribute."""
    words = "".join(word.title() for word in name.split("-"))
    mutant(name, clause, description)(type(words, (base,), changed))
