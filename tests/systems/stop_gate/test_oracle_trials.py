"""Which operations had to let the session end, and which of them did not: what the fail-open rate is counted over."""

import handmade_hook as hook
import msgspec
import pytest
from handmade_gate import APPROVES, BLOCKS, NOON, check, injected

from harness.core.finding import Trial
from harness.core.history import History
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.oracle.fail_open import trials
from harness.systems.stop_gate.workload.gate_steps import FAILED, FINE

SAMPLES = {hook.DONE: FileSpec(sample="approve"), hook.OPEN: FileSpec(sample="block")}
FEW = (injected("process.few_descriptors"),)
GATE = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, (), World(NOON), ())
HOOK = Scenario(1, "s", "t", contract.SYSTEM, contract.STOP_HOOK, (), World(NOON, SAMPLES), ())


def history(*pairs):
    entries = [entry for pair in pairs for entry in pair]
    return History(tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entries)))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (check(APPROVES, FINE), (Trial(0, failed=False),)),
        (check(BLOCKS, FINE), (Trial(0, failed=True),)),
        (check(None, FAILED), (Trial(0, failed=True),)),
        (check(BLOCKS, FAILED), ()),
        (check(APPROVES, FAILED, faults=FEW), ()),
        (check(None, FINE, faults=(injected("process.killed", proof="SIGKILL"),)), ()),
    ],
)
def test_a_check_is_a_trial_when_only_an_approval_is_right(made, expected):
    assert trials(GATE, history(made)) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [(hook.APPROVE, (Trial(6, failed=False),)), (hook.BLOCK, (Trial(6, failed=True),)), (hook.HUNG, (Trial(6, failed=True),))],
)  # fmt: skip
def test_a_stop_of_a_finished_session_is_a_trial(result, expected):
    assert trials(HOOK, history(*hook.CALM, hook.stop(hook.FINISHED, result, "clock.jump"))) == expected


def test_a_stop_that_may_be_held_or_was_killed_is_no_trial():
    held = hook.stop(hook.UNFINISHED, hook.BLOCK, "clock.jump")
    assert trials(HOOK, history(*hook.CALM, held, hook.killed(hook.FINISHED))) == ()
