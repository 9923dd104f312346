"""How a mutant gets into the table."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from harness.ports.files import Files, RealFiles
from harness.systems.mutant import Mutant
from harness.systems.queue_store import Queues, QueueStore
from harness.systems.signals.contract import SIGNALS, Configuration
from harness.systems.signals.reference.assessing import Assessor
from harness.systems.signals.reference.drift_log import Continuity, CurrentTask, DriftLog
from harness.systems.signals.reference.drifts import DriftRules, Drifts
from harness.systems.signals.reference.frictions import FrictionMap, FrictionRules, Knowledge
from harness.systems.signals.reference.handoffs import Handoffs, Routes
from harness.systems.signals.reference.healing import Healing
from harness.systems.signals.reference.kept_file import SignalsLock
from harness.systems.signals.reference.requests import Approvals, RequestRules, Requests
from harness.systems.signals.reference.reviews import Reviews
from harness.systems.signals.reference.signals import Signals
from harness.systems.signals.reference.tasks import ReviewedTasks, TaskChanges

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

PARTS: tuple[tuple[type, type, str], ...] = (
    (DriftRules, Drifts, "rules_class"),
    (DriftLog, Drifts, "log_class"),
    (CurrentTask, Drifts, "current_class"),
    (Continuity, Drifts, "continuity_class"),
    (RequestRules, Reviews, "rules_class"),
    (Requests, Reviews, "requests_class"),
    (Approvals, Reviews, "approvals_class"),
    (TaskChanges, ReviewedTasks, "changes_class"),
    (Queues, QueueStore, "queues_class"),
    (QueueStore, ReviewedTasks, "store_class"),
    (ReviewedTasks, Reviews, "tasks_class"),
    (Routes, Handoffs, "routes_class"),
    (FrictionRules, Handoffs, "rules_class"),
    (FrictionMap, Healing, "map_class"),
    (Knowledge, Healing, "knowledge_class"),
    (SignalsLock, Signals, "lock_class"),
    (Drifts, Signals, "drifts_class"),
    (Assessor, Signals, "assessor_class"),
    (Reviews, Signals, "reviews_class"),
    (Handoffs, Signals, "handoffs_class"),
    (Healing, Signals, "healing_class"),
)

TABLE: dict[str, Mutant] = {}

AnyClass = TypeVar("AnyClass", bound=type)


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of Signals, or of one of its parts, into the table."""

    def enter(changed: AnyClass) -> AnyClass:
        whole = _whole(changed)

        def factory(configuration: Configuration, files: Files | None = None) -> Signals:
            return whole(configuration, files or RealFiles())

        TABLE[name] = Mutant(name, clause, SIGNALS, description, factory, whole, changed, level, under)
        return changed

    return enter


def _whole(changed: type) -> type[Signals]:
    if issubclass(changed, Signals):
        return changed
    owner, attribute = next((owner, attribute) for part, owner, attribute in PARTS if issubclass(changed, part))
    members: dict[str, Any] = {attribute: changed}
    return _whole(type(changed.__name__ + owner.__name__, (owner,), members))
