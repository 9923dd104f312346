"""What must hold of a simulation at every instant, and the clauses that each rests on."""

from collections.abc import Mapping
from typing import Final

from harness.runtime.order import Rule

NEVER_LOST: Final = "INV-01"
ONE_PLACE: Final = "INV-02"
FINISHED_ONCE: Final = "INV-03"
LOGGED_ONCE: Final = "INV-04"
FOUR_MOVES: Final = "INV-05"
NOT_THROUGH_OPEN: Final = "INV-06"
FIVE_RETRIES: Final = "INV-07"
TWO_RECOVERIES: Final = "INV-08"
ONE_RETRY: Final = "INV-09"
FIVE_FAILURES: Final = "INV-10"
REVIEW_STAYS: Final = "INV-11"
STOP_GRANTED: Final = "INV-12"
BLOCKS_BOUNDED: Final = "INV-13"
WHOLE: Final = "INV-14"
WHOLE_LINES: Final = "INV-15"
ESCALATION_WRITTEN: Final = "INV-16"
ENDS: Final = "INV-17"

INVARIANTS: Mapping[str, Rule] = {
    NEVER_LOST: Rule("a task that was in a queue is in at least one queue file at every instant", ("LK-DQ-23",)),
    ONE_PLACE: Rule(
        "between operations a task is in exactly one queue file, unless an operation was cut off, and after a recovery "
        "in any case; one that is claimed is among those in progress",
        ("LK-DQ-23", "LK-RC-01", "LK-GEN-02"),
    ),
    FINISHED_ONCE: Rule(
        "a task that is completed stays so and stands in the ledger, once; it is not claimed, worked on or completed "
        "again",
        ("LK-GEN-02", "LK-GEN-05"),
    ),
    LOGGED_ONCE: Rule(
        "an observed failure stands in errors.json once, under an id of its own, and stays there; what could not be "
        "written stands there at most once",
        ("ER-LOG-01", "ER-LOG-03", "ER-LOG-10"),
    ),
    FOUR_MOVES: Rule(
        "a breaker moves in the four legal ways, as its file has it from write to write, and answers with the state "
        "that stands there",
        ("LK-CB-22", "LK-CB-03", "LK-CB-01"),
    ),
    NOT_THROUGH_OPEN: Rule(
        "no request is sent through a breaker of which the file says that it is OPEN", ("LK-CB-13", "LK-SYS-05")
    ),
    FIVE_RETRIES: Rule("back-off allows at most five retries of the same", ("LK-RL-06",)),
    TWO_RECOVERIES: Rule("of a failure at most two recoveries fail; then none is tried", ("DR-REC-07",)),
    ONE_RETRY: Rule("a phase has at most two attempts in a run", ("AB-RTY-01", "AB-STA-06")),
    FIVE_FAILURES: Rule(
        "a task whose fifth failure was counted is a dead letter, and is not claimed before it is tried again",
        ("LK-DQ-01",),
    ),
    REVIEW_STAYS: Rule(
        "a request for review that is told to be stored stands in its file until it is decided, has timed out or its "
        "task is over; its task is blocked",
        ("LK-HR-05", "LK-HR-06", "LK-HR-07", "LK-HR-08"),
    ),
    STOP_GRANTED: Rule(
        "a stop is granted when the transcript cannot be read; INV-13 bounds the blocks when nothing can be written",
        ("PS-FO-01", "PS-TR-01", "PS-TR-02", "PS-TR-06", "PS-TR-09", "SH-01"),
    ),
    BLOCKS_BOUNDED: Rule("a session is blocked at most 25 times", ("PS-LOOP-04", "SH-03")),
    WHOLE: Rule(
        "a state file is JSON of its shape at every instant",
        ("AB-STA-04", "AB-STA-06", "LK-CB-26", "LK-CB-27", "ER-LOG-10"),
    ),
    WHOLE_LINES: Rule(
        "a file of JSON lines has whole lines, but for the last one after a crash, and lines stay", ("DR-MEM-04",)
    ),
    ESCALATION_WRITTEN: Rule("a dead letter that is left to a human has its escalation file", ("LK-DQ-21", "LK-ES-06")),
    ENDS: Rule(
        "once nothing goes wrong any more and nothing new comes, within a day of virtual time every task is complete, "
        "given up, dead or with a human, and every plan complete or halted",
        ("LK-GEN-02", "LK-DQ-23", "LK-RC-01", "AB-RES-01"),
    ),
}

UNWATCHED: Mapping[str, tuple[str, ...]] = {
    "circuit_breaker": (FOUR_MOVES, NOT_THROUGH_OPEN),
    "error_log": (LOGGED_ONCE,),
    "phase_runner": (ONE_RETRY,),
}
"""By system: what is not known while that system's own files are in another place, in a process of its own."""
