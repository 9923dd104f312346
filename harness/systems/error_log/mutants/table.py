"""How a mutant gets into the table, and the gestures several of them share."""

import os
from collections.abc import Callable, Mapping

from harness.systems.error_log.contract import LOG, Action
from harness.systems.error_log.reference.classify import Classifier
from harness.systems.error_log.reference.course import Reporter
from harness.systems.error_log.reference.error_log import ErrorLog
from harness.systems.error_log.reference.errors_file import ErrorsFile
from harness.systems.error_log.reference.jq import Jq
from harness.systems.error_log.reference.kept_records import KeptRecords
from harness.systems.error_log.reference.metadata import KeptMetadata, Progressing
from harness.systems.error_log.reference.plan import KeptPlan, Plan
from harness.systems.error_log.reference.records import RecordMaker
from harness.systems.error_log.reference.steps import Stepper
from harness.systems.error_log.reference.sync import KeptStatuses
from harness.systems.error_log.reference.tables import PROCEDURES, Planned, Procedure, When
from harness.systems.mutant_table import MutantTable, Part

PARTS: tuple[Part, ...] = (
    (ErrorsFile, KeptRecords, "file_class"),
    (Plan, KeptPlan, "plan_class"),
    (KeptRecords, ErrorLog, "records_class"),
    (KeptPlan, ErrorLog, "plan_class"),
    (RecordMaker, ErrorLog, "maker_class"),
    (KeptMetadata, ErrorLog, "metadata_class"),
    (Progressing, ErrorLog, "progressing_class"),
    (KeptStatuses, ErrorLog, "statuses_class"),
    (Stepper, ErrorLog, "stepper_class"),
    (Reporter, ErrorLog, "reporter_class"),
    (Classifier, ErrorLog, "classifier_class"),
    (Jq, ErrorLog, "jq_class"),
)

TABLE = MutantTable(
    "error log", LOG, ErrorLog, lambda kind, configuration, files: kind(configuration, files, os.urandom), PARTS
)
mutant = TABLE.mutant


def procedures(kind: str, change: Callable[[Procedure], Procedure]) -> Mapping[str, Procedure]:
    """The table with one procedure changed."""
    return {**PROCEDURES, kind: change(PROCEDURES[kind])}


def without(*actions: Action) -> Callable[[Procedure], Procedure]:
    """A procedure without these steps."""
    return lambda found: found._replace(steps=tuple(each for each in found.steps if each.action not in actions))


def swapped(first: Action, second: Action) -> Callable[[Procedure], Procedure]:
    """A procedure with two steps in each other's place."""

    def change(found: Procedure) -> Procedure:
        steps = list(found.steps)
        places = [number for number, each in enumerate(steps) if each.action in (first, second)]
        steps[places[0]], steps[places[-1]] = steps[places[-1]], steps[places[0]]
        return found._replace(steps=tuple(steps))

    return change


def twice(action: Action) -> Callable[[Procedure], Procedure]:
    """A procedure with one step taken two times."""

    def change(found: Procedure) -> Procedure:
        steps: list[Planned] = []
        for each in found.steps:
            steps += [each, each] if each.action == action else [each]
        return found._replace(steps=tuple(steps))

    return change


def when(action: Action, condition: When) -> Callable[[Procedure], Procedure]:
    """A procedure with one step under another condition."""
    return lambda found: found._replace(
        steps=tuple(each._replace(when=condition) if each.action == action else each for each in found.steps)
    )
