"""How a mutant gets into the table, and the gestures several of them share."""

import shutil
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from harness.ports.files import FakeFiles, Files, RealFiles
from harness.systems.mutant import Mutant
from harness.systems.session_recovery.contract import SESSION, SHOWN_CHARACTERS, Action, Configuration, StepTaken
from harness.systems.session_recovery.reference.breakers import Breakers
from harness.systems.session_recovery.reference.checkpoints import Checkpoints
from harness.systems.session_recovery.reference.lines import Ledger, Lines, Specifications
from harness.systems.session_recovery.reference.procedures import ContextLoss, FailedTests, RateLimit
from harness.systems.session_recovery.reference.session import SessionRecovery
from harness.systems.session_recovery.reference.tasks import SessionQueues, SessionStore, Tasks
from harness.systems.session_recovery.reference.world_files import Continuity, Orchestrator

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel

PARTS: tuple[tuple[type, type, str], ...] = (
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

TABLE: dict[str, Mutant] = {}

AnyClass = TypeVar("AnyClass", bound=type)


def mutant(
    name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
) -> Callable[[AnyClass], AnyClass]:
    """Enters the decorated subclass of SessionRecovery, or of one of its parts, into the table."""

    def enter(changed: AnyClass) -> AnyClass:
        whole = _whole(changed)

        def factory(configuration: Configuration, files: Files | None = None) -> SessionRecovery:
            return whole(configuration, files or RealFiles())

        TABLE[name] = Mutant(name, clause, SESSION, description, factory, whole, changed, level, under)
        return changed

    return enter


def answering(name: str, clause: str, description: str, operation: str, change: Callable[[Any], Any]) -> None:
    """Enters a session whose answers to one operation are changed."""

    def answer(self: SessionRecovery, arguments: Any, now_s: float) -> Any:
        return change(getattr(SessionRecovery, operation)(self, arguments, now_s))

    mutant(name, clause, description)(type("Answering", (SessionRecovery,), {operation: answer}))


def _whole(changed: type) -> type[SessionRecovery]:
    if issubclass(changed, SessionRecovery):
        return changed
    owner, attribute = next((owner, attribute) for part, owner, attribute in PARTS if issubclass(changed, part))
    members: dict[str, Any] = {attribute: changed}
    return _whole(type(changed.__name__ + owner.__name__, (owner,), members))


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
