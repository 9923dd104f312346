"""The file of a review gate, as faults strike it. Pure."""

from collections.abc import Sequence
from typing import Final

from harness.core.fault import Fault
from harness.systems.file_faults import Files
from harness.systems.review_gate.contract import GATE_PATH, STATE_DIRECTORY

FILES: Final = Files({"gate": GATE_PATH}, STATE_DIRECTORY)


def changed(before: Sequence[Fault], now: Sequence[Fault]) -> list[Fault]:
    """What stands now and did not, and what stood before and does no more; the same fault may stand twice."""
    return [*_without(now, before), *_without(before, now)]


def _without(faults: Sequence[Fault], others: Sequence[Fault]) -> list[Fault]:
    left = list(faults)
    for fault in others:
        if fault in left:
            left.remove(fault)
    return left
