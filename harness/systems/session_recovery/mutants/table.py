"""How a mutant gets into the table, and the gestures several of them share."""

import shutil
from collections.abc import Callable, Collection
from typing import Any

import msgspec

from harness.ports.fake_files import FakeFiles
from harness.ports.files import Files
from harness.systems.mutant_table import MutantTable, Part
from harness.systems.session_recovery.contract import SESSION, SHOWN_CHARACTERS, Action, StepTaken
from harness.systems.session_recovery.reference.breakers import Breakers
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.lines import Ledger, Lines, Specifications
from harness.systems.session_recovery.reference.procedures import ContextLoss, FailedTests, RateLimit
from harness.systems.session_recovery.reference.session import SessionRecovery
from harness.systems.session_recovery.reference.tasks import SessionQueues, SessionStore, Tasks
from harness.systems.session_recovery.reference.world_files import Continuity, Orchestrator

PARTS: tuple[Part, ...] = (
    (SessionQueues, SessionStore, "queues_class"),
    (SessionStore, Tasks, "store_class"),
    (Lines, Ledger, "lines_class"),
    (Continuity, SessionRecovery, "continuity_class"),
    (Orchestrator, SessionRecovery, "orchestrator_class"),
    (Breakers, SessionRecovery, "breakers_class"),
    (Checkpoints, SessionRecovery, "checkpoints_class"),
    (Ledger, SessionRecovery, "ledger_class"),
    (Specifications, SessionRecovery, "specifications_class"),
    (Tasks, SessionRecovery, "tasks_class"),
    (ContextLoss, SessionRecovery, "context_loss_class"),
    (RateLimit, SessionRecovery, "rate_limit_class"),
    (FailedTests, SessionRecovery, "failed_tests_class"),
)

TABLE = MutantTable(
    "session recovery", SESSION, SessionRecovery, lambda kind, configuration, files: kind(configuration, files), PARTS
)
mutant = TABLE.mutant


def answering(name: str, clause: str, description: str, operation: str, change: Callable[[Any], Any]) -> None:
    """Enters a session whose answers to one operation are changed."""

    def answer(self: SessionRecovery, arguments: Any, now_s: float) -> Any:
        return change(getattr(SessionRecovery, operation)(self, arguments, now_s))

    mutant(name, clause, description)(type("Answering", (SessionRecovery,), {operation: answer}))


def changed(**fields: Any) -> Callable[[Any], Any]:
    """An answer with other fields."""
    return lambda found: msgspec.structs.replace(found, **fields)


def without(*actions: Action) -> Callable[[Any], Any]:
    """An answer without these steps."""
    return lambda found: changed(steps=tuple(each for each in found.steps if each.action not in actions))(found)


def first(action: Action) -> Callable[[Any], Any]:
    """An answer in which these steps come before all others."""

    def change(found: Any) -> Any:
        steps = sorted(found.steps, key=lambda each: each.action != action)
        return changed(steps=tuple(steps))(found)

    return change


def last(action: Action) -> Callable[[Any], Any]:
    """An answer in which these steps come after all others."""

    def change(found: Any) -> Any:
        steps = sorted(found.steps, key=lambda each: each.action == action)
        return changed(steps=tuple(steps))(found)

    return change


def twice(action: Action) -> Callable[[Any], Any]:
    """An answer in which these steps were taken again."""
    return lambda found: changed(steps=(*found.steps, *(each for each in found.steps if each.action == action)))(found)


def restated(action: Action, change: Callable[[StepTaken], StepTaken]) -> Callable[[Any], Any]:
    """An answer in which these steps say something else."""
    return lambda found: changed(steps=tuple(change(each) if each.action == action else each for each in found.steps))(
        found
    )


def cut(text: str | None) -> str | None:
    """The first bytes of a text, as many as characters have to be shown."""
    return text and text.encode()[:SHOWN_CHARACTERS].decode(errors="ignore")


def remove_directory(files: Files, path: str) -> None:
    """Removes a directory with all that is in it."""
    if isinstance(files, FakeFiles):
        gone: Collection[str] = [each for each in files.contents if each.startswith(f"{path}/")]
        for each in gone:
            files.remove(each)
    else:
        shutil.rmtree(path, ignore_errors=True)
