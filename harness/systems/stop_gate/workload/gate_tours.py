"""Level L2 of the profile gate: tours, each a chain of legs, under every single further fault of the table.

A tour begins with the calm control, sessions of which one is blocked and the others are approved. Then the fault
strikes and the legs follow, each in sessions of its own. The last operation is one whose answer is known whatever the
fault does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Repeat, Scenario, Step
from harness.systems.stop_gate.workload import gate_legs as legs
from harness.systems.stop_gate.workload.gate_faults import TOGETHER, Row, rows
from harness.systems.stop_gate.workload.gate_legs import Leg
from harness.systems.stop_gate.workload.gate_situations import witnessed_otherwise
from harness.systems.stop_gate.workload.gate_steps import (
    APPROVE,
    CONTROL,
    FAILED,
    RESET,
    SCALE,
    WARNED,
    calm,
    check,
    reasons,
    scenario,
)

Chain = tuple[Leg, ...]
ONLY_WARNINGS = reasons("only_warnings")
START = (*CONTROL, calm(WARNED, session_id="calm-3"))

WHOLE = (
    legs.HELD, legs.RELEASED, legs.CHECKERS, legs.SKIPPED, legs.PROMPTS, legs.SUMMED_UP, legs.TRANSCRIPTS,
    legs.NAMELESS, legs.HOSTILE, legs.PROJECTS, legs.KEPT, legs.QUESTIONS, legs.UNWRITABLE,
)  # fmt: skip
TRANSCRIPT = (
    legs.HELD, legs.RELEASED, legs.CHECKERS, legs.SKIPPED, legs.PROMPTS, legs.SUMMED_UP, legs.DAMAGED, legs.NAMELESS,
    legs.HOSTILE, legs.PROJECTS, legs.KEPT, legs.UNWRITABLE,
)  # fmt: skip
GONE = (legs.HELD, legs.SKIPPED, legs.NAMELESS, legs.HOSTILE, legs.PROJECTS, legs.KEPT, legs.LAST)
CONFIG = (
    legs.HELD, legs.RELEASED, legs.CHECKERS, legs.SKIPPED, legs.PROMPTS, legs.TRANSCRIPTS, legs.NAMELESS, legs.HOSTILE,
    legs.PROJECTS, legs.KEPT, legs.UNWRITABLE,
)  # fmt: skip
# those that end in an approval come last: one fallback name may stand for all sessions
IDENTIFIED = (legs.TRANSCRIPTS, legs.PROJECTS, legs.QUESTIONS, legs.SKIPPED, legs.CHECKERS, legs.LAST)
UNASKED = (legs.CHECKERS, legs.TRANSCRIPTS, legs.LIFTED)
STORAGE = (
    legs.RELEASED, legs.HELD, legs.CHECKERS, legs.TRANSCRIPTS, legs.NAMELESS, legs.HOSTILE, legs.PROJECTS,
    legs.QUESTIONS, legs.REWARNED,
)  # fmt: skip
OWN_STORAGE = (legs.RELEASED, legs.HELD, legs.CHECKERS, legs.NAMELESS, legs.HOSTILE, legs.REWARNED)
KILLED = (legs.STRUCK, legs.RELEASED, legs.HELD, legs.SUMMED_UP, legs.NAMELESS, legs.LAST)
OUTSIDE = (legs.HELD, legs.RELEASED, legs.CHECKERS, legs.QUESTIONS, legs.LAST)
# the bound on blocks is one of the session, not of the process that counts them
BEGUN = Leg((Step(repeat=Repeat(15, APPROVE, (check(FAILED, session_id="session-22"),))),), ())
ANEW = Leg((Step(fault=Fault("process.restarted")),), ())
RESTARTED = (BEGUN, ANEW, legs.AGAIN_AND_AGAIN, legs.LAST)
EXTREMES = (legs.LIMITS, legs.TOO_MUCH, legs.COUNTED, legs.AGAIN_AND_AGAIN, legs.LAST)

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Chain]] = {
    "transcript": {"": TRANSCRIPT},
    "damaged": {"": TRANSCRIPT},
    "moving": {"": TRANSCRIPT},
    "gone": {"": GONE},
    "config": {"": CONFIG},
    "id": {"": IDENTIFIED},
    "unasked": {"": UNASKED},
    "storage": {"": STORAGE},
    "own-storage": {"": OWN_STORAGE},
    "moved": {"": WHOLE},
    "clock": {"": WHOLE},
    "process": {"": WHOLE},
    "restarted": {"": RESTARTED},
    "environment": {"": WHOLE},
    "read-only-home": {"": (*WHOLE[:-1], legs.REWARNED)},  # nothing can be put below it either
    "locked": {"": OUTSIDE},  # each operation may wait for the lock
    "killed": {"": KILLED},
    "outside": {"": OUTSIDE},
    "extremes": {"extremes": EXTREMES},
    "hostile-paths": {"": (legs.HOSTILE_PATHS, legs.LAST)},
    "hostile-considerations": {"": (legs.HOSTILE_CONSIDERATIONS, legs.LAST)},
    **{f"together-{count}": {f"{count}-at-once": (legs.at_once(count), legs.LAST)} for count in TOGETHER},
}
FROM_FRESH = ("id", "unasked")  # the control's semaphores may be theirs
# where the last answer is sure in its reason too; elsewhere a fault may rightly end the check before
SURE = ("transcript", "config", "storage", "own-storage", "moved")


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for row in rows():
        for word, chain in TOURS[row.group].items():
            yield tour(row, word, chain)


def tour(row: Row, word: str, chain: Chain) -> Scenario:
    """One tour under one fault."""
    name = "-".join(part for part in ("l2", row.name, word) if part)
    files: dict[str, FileSpec] = dict(row.files)
    fresh = (RESET,) if row.group in FROM_FRESH else ()
    steps: tuple[Step, ...] = (*START, *fresh, *row.steps)
    for leg in chain:
        files |= leg.files
        steps += leg.steps
    named = dict.fromkeys(clause for leg in chain for clause in leg.clauses)
    lost, gained = witnessed_otherwise(row.group, name)
    clauses = [clause for clause in (*named, *gained) if clause not in lost]
    scale = SCALE if chain in (EXTREMES, KILLED) else None  # limits are only short where something waits for them
    made = scenario(name, f"{row.title}.", tuple(clauses), steps, _last(row, chain), files=files, scale=scale)
    return msgspec.structs.replace(made, level="L2")


def _last(row: Row, chain: Chain) -> Mapping[str, Any]:
    warned = chain[-1] in (legs.UNWRITABLE, legs.REWARNED)
    return ONLY_WARNINGS if warned and row.group in SURE else APPROVE
