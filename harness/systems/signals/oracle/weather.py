"""The files of signals, as faults strike them. Pure."""

from typing import Final

from harness.systems.file_faults import Files, directory_of
from harness.systems.signals.contract import (
    APPROVED_PATH,
    CONTINUITY_PATH,
    CURRENT_TASK_PATH,
    DRIFT_PATH,
    FRICTION_MAP_PATH,
    KNOWLEDGE_PATH,
    QUEUE_PATHS,
    REVIEW_PATH,
    SIGNALS_DIRECTORY,
)

SIGNALS: Final = "signals"
"""The label of every signal file that has no label of its own."""
QUEUE_LABELS: Final = frozenset(QUEUE_PATHS)
FILES: Final = Files({
    "drift": DRIFT_PATH, "current_task": CURRENT_TASK_PATH, "continuity": CONTINUITY_PATH, "review": REVIEW_PATH,
    "approved": APPROVED_PATH, **QUEUE_PATHS, "friction_map": FRICTION_MAP_PATH, "knowledge": KNOWLEDGE_PATH,
    SIGNALS: f"{SIGNALS_DIRECTORY}/SIGNAL",
}, directory_of(SIGNALS_DIRECTORY))  # fmt: skip
