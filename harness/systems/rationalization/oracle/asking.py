"""A history as the oracle follows it: what was asked, what stood against it, what came of it. Pure."""

from collections.abc import Iterator

from harness.core.history import History
from harness.systems import calls as asked
from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.rationalization.contract import OPERATIONS
from harness.systems.rationalization.oracle.weather import FILES
from harness.systems.standing import faults_of


def calls(history: History) -> Iterator[Call]:
    """Every operation of the contract, and every reset, in order."""
    for done in asked.operations_of(history, OPERATIONS):
        faults = file_faults.struck(faults_of(done))
        args, answer = asked.arguments_of(done, OPERATIONS), asked.answer_of(done, OPERATIONS)
        excused = answer is None and (args is None or asked.is_excused(done, faults, FILES.silences))
        yield Call(done, done.begin.op, args, answer, faults, FILES.shaken(faults), excused)
