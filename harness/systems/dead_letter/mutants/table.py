"""How a mutant gets into the table."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from harness.ports.files import Files, RealFiles
from harness.systems.dead_letter.contract import QUEUE, Configuration
from harness.systems.dead_letter.reference.dead_letter import DeadLetter
from harness.systems.dead_letter.reference.deciding import Decider
from harness.systems.dead_letter.reference.escalations import Escalations, EscalationText, listed
from harness.systems.dead_letter.reference.failures import Analyst
from harness.systems.dead_letter.reference.kept_queues import DeadLetterQueues, KeptQueues
from harness.systems.dead_letter.reference.letters import Letters
from harness.systems.dead_letter.reference.review import Reviewer
from harness.systems.mutant import Mutant

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

PARTS: tuple[tuple[type, type, str], ...] = (
    (DeadLetterQueues, KeptQueues, "queues_class"),
    (KeptQueues, DeadLetter, "store_class"),
    (Analyst, DeadLetter, "analyst_class"),
    (Letters, DeadLetter, "letters_class"),
    (Decider, DeadLetter, "decider_class"),
    (EscalationText, DeadLetter, "text_class"),
    (Escalations, DeadLetter, "escalations_class"),
    (Reviewer, DeadLetter, "reviewer_class"),
)

TABLE: dict[str, Mutant] = {}

AnyClass = TypeVar("AnyClass", bound=type)


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of DeadLetter, or of one of its parts, into the table."""

    def enter(changed: AnyClass) -> AnyClass:
        whole = _whole(changed)

        def factory(configuration: Configuration, files: Files | None = None) -> DeadLetter:
            return whole(configuration, files or RealFiles(), listed)

        TABLE[name] = Mutant(name, clause, QUEUE, description, factory, whole, changed, level, under)
        return changed

    return enter


def _whole(changed: type) -> type[DeadLetter]:
    if issubclass(changed, DeadLetter):
        return changed
    owner, attribute = next((owner, attribute) for part, owner, attribute in PARTS if issubclass(changed, part))
    members: dict[str, Any] = {attribute: changed}
    return _whole(type(changed.__name__ + owner.__name__, (owner,), members))
