"""The file of a watch, as faults strike it. Pure."""

from typing import Final

from harness.systems.file_faults import Files
from harness.systems.rationalization.contract import ATTEMPTS_PATH, EPISODIC_DIRECTORY

ATTEMPTS: Final = "attempts"
FILES: Final = Files({ATTEMPTS: ATTEMPTS_PATH}, EPISODIC_DIRECTORY)
