"""How a mutant gets into the table."""

from harness.systems.mutant_table import MutantTable, Part
from harness.systems.queue_store import Queues, QueueStore
from harness.systems.signals.contract import SIGNALS
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

PARTS: tuple[Part, ...] = (
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

TABLE = MutantTable("signals", SIGNALS, Signals, lambda kind, configuration, files: kind(configuration, files), PARTS)
mutant = TABLE.mutant
