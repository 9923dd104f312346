"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

from collections.abc import Iterator
from typing import ClassVar, Final

from harness.core.history import History
from harness.systems import calls as asked
from harness.systems import file_faults
from harness.systems.error_log import contract
from harness.systems.error_log.oracle.weather import FILES
from harness.systems.standing import faults_of

_USABLE: Final = ("file", "missing")


class Call(asked.Call, frozen=True):
    """One operation of a history, see calls.Call."""

    SHOWN_FIRST: ClassVar = ("stored", "log", "response", "continues", "outcome", "task_status", "resume_at")

    @property
    def is_unsteady(self) -> bool:
        """Do files come and go while it runs? Who finds nothing there has nothing to say."""
        return bool(file_faults.unsteady(self.faults))

    def may_miss(self, *labels: str) -> bool:
        """May what was to be kept in one of these files be missing? When a fault was in the way, and it says so."""
        return not self.shaken.isdisjoint(labels) and (self.says_so or self.is_unsteady)


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    for done in asked.operations_of(history, contract.OPERATIONS):
        faults = file_faults.struck(faults_of(done))
        args = asked.arguments_of(done, contract.OPERATIONS)
        answer = asked.answer_of(done, contract.OPERATIONS)
        excused = answer is None and (args is None or asked.is_excused(done, faults, FILES.silences))
        # what is no file in the world itself keeps one from it as a fault would
        blocked = {label for label, fact in done.begin.inputs.items() if fact.kind not in _USABLE}
        yield Call(done, done.begin.op, args, answer, faults, FILES.shaken(faults) | blocked, excused)
