"""The files of a dead-letter queue, as faults strike them. Pure."""

from typing import Final

from harness.systems.dead_letter.contract import ESCALATIONS_PATH, QUEUE_PATHS
from harness.systems.file_faults import Files, directory_of

ESCALATIONS: Final = "escalations"
FILES: Final = Files({**QUEUE_PATHS, ESCALATIONS: ESCALATIONS_PATH}, directory_of(ESCALATIONS_PATH))
