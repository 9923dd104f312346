"""The file of a review gate, as faults strike it. Pure."""

from typing import Final

from harness.systems.file_faults import Files
from harness.systems.review_gate.contract import GATE_PATH, STATE_DIRECTORY

FILES: Final = Files({"gate": GATE_PATH}, STATE_DIRECTORY)
