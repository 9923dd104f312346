"""How a mutant gets into the table, and the gestures several of them share."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from harness.ports.files import Files
from harness.systems.diagnosis.contract import REFLECTION, Configuration
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
from harness.systems.mutant import Mutant

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

PARTS: tuple[tuple[type, str], ...] = (
    (Flags, "flags_class"),
    (Reading, "reading_class"),
    (Taxonomy, "taxonomy_class"),
    (Whys, "whys_class"),
    (Strategies, "strategies_class"),
    (Planner, "planner_class"),
    (Learning, "learning_class"),
    (Composing, "composing_class"),
    (Prompt, "prompt_class"),
    (Asking, "asking_class"),
    (Answers, "answers_class"),
    (ContextLog, "context_log_class"),
    (Lines, "session_class"),
)

TABLE: dict[str, Mutant] = {}

AnyClass = TypeVar("AnyClass", bound=type)


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = "", part: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of DiagnosticReflection, or of one of its parts, into the table.

    ``part`` is the attribute that names the part, where several parts have the same class.
    """

    def enter(changed: AnyClass) -> AnyClass:
        whole = changed if issubclass(changed, DiagnosticReflection) else _with_part(changed, part)

        def factory(configuration: Configuration, files: Files | None = None) -> DiagnosticReflection:
            return made(whole, configuration, files)

        TABLE[name] = Mutant(name, clause, REFLECTION, description, factory, whole, changed, level, under)
        return changed

    return enter


def _with_part(changed: type, part: str) -> type[DiagnosticReflection]:
    attribute = part or next(attribute for kind, attribute in PARTS if issubclass(changed, kind))
    members: dict[str, Any] = {attribute: changed}
    return type(changed.__name__ + "Reflection", (DiagnosticReflection,), members)


def enter(base: type, name: str, clause: str, description: str, **changed: Any) -> None:
    """A mutant of ``base`` with that one attribute."""
    words = "".join(word.title() for word in name.split("-"))
    mutant(name, clause, description)(type(words, (base,), changed))
