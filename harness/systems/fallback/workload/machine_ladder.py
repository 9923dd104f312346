"""The stateful machine of fallbacks: rungs and facts in any order, faults and time."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from harness.core.scenario import Operation
from harness.systems.fallback.contract import MODEL_LADDER, WORKFLOW_LADDER, Decision
from harness.systems.fallback.workload.boundaries import NO_CONFIDENCE, STRANGERS
from harness.systems.fallback.workload.levels import own_rows
from harness.systems.fallback.workload.steps import asking
from harness.systems.stateless_machine import StatelessMachine, table

rungs = st.one_of(
    st.sampled_from((*MODEL_LADDER, *WORKFLOW_LADDER)),
    st.sampled_from((*MODEL_LADDER, *WORKFLOW_LADDER)),
    st.sampled_from(STRANGERS),
    st.text(st.characters(codec="utf-8"), max_size=12),
)
confidences = st.one_of(
    st.sampled_from((0.0, 0.2999999, 0.3, 0.3000001, 0.35, 0.3999999, 0.4, 0.4000001, 1.0, None)),
    st.integers(0, 1000).map(lambda thousandths: thousandths / 1000),
    st.sampled_from(NO_CONFIDENCE),
)
known = st.fixed_dictionaries(
    {},
    optional={
        "confidence": confidences,
        "decision": st.sampled_from([decision.value for decision in Decision]),
        "consecutive_failures": st.sampled_from((0, 1, 2, 3, 4, 10**9, -1)),
        "security_critical": st.booleans(),
        "irreversible": st.booleans(),
        "rollback": st.sampled_from((True, False, None)),
    },
)
operations = st.one_of(
    st.builds(asking, st.sampled_from(("model", "workflow")), rungs),
    known.map(lambda told: Operation("escalation", told)),
)


class _LadderMachine(StatelessMachine):
    """Fallbacks."""

    OPERATIONS = operations
    FAULTS = table(own_rows())


def ladder_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _LadderMachine
