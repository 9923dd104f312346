"""Which operations of a history had to fail open, and did not: what the fail-open rate is counted over. Pure.

Source: document 004, Core Principle. A *trial* is a call to which an approval is the only right answer, so that a
block, or no answer, is fail-closed. A call that may rightly be blocked is no trial when it is answered, whatever it is
answered: the session is unfinished, so blocking it proves nothing against the gate and approving it nothing for it.
Calls that the harness itself killed are none either. The caller keeps those that a proven fault struck.
"""

from harness.core.finding import Trial
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import GATE
from harness.systems.stop_gate.oracle import stop_hook_rules
from harness.systems.stop_gate.oracle.gate_view import GateView
from harness.systems.stop_gate.oracle.session import Outcome
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory


def trials(scenario: Scenario, history: History) -> tuple[Trial, ...]:
    """Every operation that had to let the session end, in their order."""
    return _checks(scenario, history) if scenario.profile == GATE else _stops(scenario, history)


def _checks(scenario: Scenario, history: History) -> tuple[Trial, ...]:
    found: list[Trial] = []
    for check in GateView(scenario, history).answered():
        if check.answer is None:
            found.append(Trial(check.n, failed=True))
        elif Outcome.BLOCK not in check.outcomes:
            found.append(Trial(check.n, failed=not check.approved))
    return tuple(found)


def _stops(scenario: Scenario, history: History) -> tuple[Trial, ...]:
    """As PS-FO-01 judges them: the hook lets that session end in calm weather, and nobody says it deserves a block."""
    view = StopHistory.of(scenario, history)
    found: list[Trial] = []
    for stop in view.subjects:

        def this(other: Stop, stop: Stop = stop) -> bool:
            return other is stop

        judgement = stop_hook_rules.fail_open(view, this, needs_answer=True)
        if judgement is not None:
            found.append(Trial(stop.began, failed=not judgement.ok))
    return tuple(found)
