"""The stateful machine of rate limit handling: failures, retries and tunables in any order, faults and time."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from harness.core.scenario import Operation
from harness.systems.rate_limit.workload.boundaries import LONGER_WORDS, ODD, ODD_TUNABLES, SAYING, SILENT
from harness.systems.rate_limit.workload.levels import own_rows
from harness.systems.rate_limit.workload.steps import classifying
from harness.systems.stateless_machine import StatelessMachine, table

messages = st.one_of(
    st.none(),
    st.sampled_from((*SAYING, *SILENT, *LONGER_WORDS, *(text for text, _ in ODD))),
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.tuples(st.text(max_size=10), st.sampled_from(("rate limit", "Rate-Limit", "RATE_LIMITS")), st.text(max_size=10))
    .map("".join),
)  # fmt: skip
statuses = st.one_of(st.none(), st.sampled_from((428, 429, 430, 200, 404, 500, 503)), st.integers(0, 999))
numbers = st.one_of(st.integers(1, 8), st.sampled_from((0, -1, 5, 6, 1030, 10**6, 10**9)))
amounts = st.sampled_from((0.001, 0.5, 5.0, 37.499875, 37.5, 37.500125, 60.0, 299.999, 300.0, 300.001, 1e6))
tunables = st.fixed_dictionaries(
    {},
    optional={
        "initial_delay_s": amounts,
        "max_delay_s": amounts,
        "multiplier": st.sampled_from((1.0, 1.5, 2.0, 10.0)),
        "max_retries": st.sampled_from((1, 2, 5, 6, 100, 10**6)),
    },
)
odd = st.sampled_from([pair for values in ODD_TUNABLES.values() for pair in values])
operations = st.one_of(
    st.builds(classifying, statuses, messages),
    numbers.map(lambda number: Operation("next_delay", {"retry": number})),
    numbers.map(lambda number: Operation("next_delay", {"retry": number})),
    tunables.map(lambda chosen: Operation("configure", {"tunables": chosen})),
    st.tuples(odd, tunables).map(
        lambda pair: Operation("configure", {"tunables": {**pair[1], pair[0][0]: pair[0][1]}})
    ),
)


class _BackoffMachine(StatelessMachine):
    """Rate limit handling."""

    OPERATIONS = operations
    CONFIGS = tunables.map(lambda chosen: {"tunables": chosen} if chosen else {})
    FAULTS = table(own_rows())


def backoff_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _BackoffMachine
