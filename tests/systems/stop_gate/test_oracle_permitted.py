"""Which decisions the oracle permits the last operation of a history, of either profile."""

from collections.abc import Mapping
from typing import Any

import handmade_hook as hook
import msgspec
import pytest
from handmade_gate import (
    APPROVES,
    BLOCKS,
    CATALOGUE,
    NOON,
    NOON_S,
    RAN,
    SEMAPHORE,
    Call,
    answer,
    call,
    check,
    injected,
    log,
)

from harness.core.history import FileFact, History, InputFact
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.oracle import judge, permitted
from harness.systems.stop_gate.workload.gate_steps import FAILED, FINE, PROMPT_TEXT, WARNED, flat

APPROVE, BLOCK = {"decision": "approve"}, {"decision": "block"}
MARK = {SEMAPHORE: FileFact("file", 0, "", NOON_S)}
SCENARIO = Scenario(1, "s", "t", contract.SYSTEM, contract.GATE, ("PS-PRM-02",), World(NOON), ())
ASKED = flat("user", "Please.")
WARNS = answer("approve", "only_warnings", summary="Please add a retry.")
MOVING = (injected("filesystem.vanishing", "{home}/t.jsonl"),)
FEW = (injected("process.few_descriptors"),)
EMPTY = answer("approve", "empty_transcript", **log("info", "empty_transcript"))


def history(*calls: Call) -> History:
    return History(
        tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entry for pair in calls for entry in pair))
    )


CASES: Mapping[str, tuple[Call, tuple[Mapping[str, Any], ...]]] = {
    "a failed blocker": (check(BLOCKS, FAILED), (BLOCK,)),
    "a failed blocker, approved": (check(APPROVES, FAILED), (BLOCK,)),
    "a failed blocker, dead": (check(None, FAILED), (BLOCK,)),
    "nothing failed": (check(APPROVES, FINE, after=MARK), (APPROVE,)),
    "a warning, blocked": (check(BLOCKS, WARNED), ()),  # no summary and no semaphore can be made up
    "no message": (check(EMPTY, FAILED, lines=b""), (APPROVE,)),
    "run already": (check(RAN, FAILED, files=MARK), (APPROVE,)),
    "run already, and blocked": (check(BLOCKS, FAILED, files=MARK), (APPROVE,)),
    "comes and goes, blocked": (check(BLOCKS, FAILED, faults=MOVING), (APPROVE, BLOCK)),
    "comes and goes, approved": (check(EMPTY, FAILED, faults=MOVING, after=MARK), (APPROVE, BLOCK)),
    "few descriptors": (check(BLOCKS, FAILED, faults=FEW), (APPROVE, BLOCK)),
    "few descriptors, nothing failed": (check(APPROVES, FINE, faults=FEW), (APPROVE,)),
    "the prompt of a user": (
        check(BLOCKS, FAILED, lines=(ASKED, flat("assistant", "Yes."), flat("user", PROMPT_TEXT))), (APPROVE, BLOCK),
    ),
    "an unreadable transcript": (check(APPROVES, FAILED, lines=InputFact("fifo")), (APPROVE,)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_check_may_end_in_what_no_clause_forbids(case: str) -> None:
    made, expected = CASES[case]
    assert permitted(SCENARIO, history(made), CATALOGUE, (APPROVE, BLOCK)) == expected


def test_earlier_operations_count() -> None:
    blocked = check(BLOCKS, FAILED, config=b"{}")
    for calls, expected in (((blocked,), (BLOCK,)), ((blocked,) * 2, (BLOCK,)), ((blocked,) * 3, (APPROVE, BLOCK))):
        assert permitted(SCENARIO, history(*calls), CATALOGUE, (APPROVE, BLOCK)) == expected


def test_the_summary_that_was_observed_may_be_the_one_of_the_approval() -> None:
    made = check(
        WARNS | log("error", "own-word"), WARNED, faults=(injected("filesystem.read_only", "{home}", "EROFS"),)
    )
    summary = f"Please.\n{contract.NO_FILES_TEXT}\n{WARNED.id}"
    begin, end = made
    lines = (ASKED, flat("assistant", "Yes."))
    data = "".join(line + "\n" for line in lines).encode()
    begin = msgspec.structs.replace(begin, inputs={**begin.inputs, "transcript": InputFact("file", len(data), data)})
    for reasons in (["only_warnings"], ["of no kind"]):
        said = msgspec.structs.replace(end, value={**end.value, "summary": summary, "reasons": reasons})
        assert permitted(SCENARIO, history((begin, said)), CATALOGUE, (APPROVE, BLOCK)) == (APPROVE,)


def test_alternatives_may_say_more_than_the_decision() -> None:
    ran, other = {"decision": "approve", "reasons": ["already_ran"]}, {"decision": "approve", "reasons": ["fine"]}
    seen = permitted(SCENARIO, history(check(RAN, FAILED, files=MARK)), CATALOGUE, (other, ran))
    assert seen == (ran,)


def test_of_other_operations_the_fields_are_put_over_what_was_observed() -> None:
    prompts = history(call("continuation_prompt", {"failed": []}, {"prompt": "x", **log("error", "own-word")}))
    right = {"prompt": contract.PROMPT_WITHOUT_FAILURES}
    assert permitted(SCENARIO, prompts, CATALOGUE, ({"prompt": "x"}, {"prompt": "y"}, right)) == (right,)


def test_a_history_without_its_last_end_or_without_operations() -> None:
    begin, _ = check(BLOCKS, FAILED)
    assert permitted(SCENARIO, History((begin,)), CATALOGUE, (APPROVE, BLOCK)) == (BLOCK,)
    assert permitted(SCENARIO, History(()), CATALOGUE, (APPROVE, BLOCK)) == ()


SAMPLES = {hook.DONE: FileSpec(sample="approve"), hook.OPEN: FileSpec(sample="block")}
HOOKED = Scenario(1, "s", "t", contract.SYSTEM, contract.STOP_HOOK, ("SH-01",), World(NOON, SAMPLES), ())


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (hook.stop(hook.FINISHED, hook.APPROVE, "network.timeout"), (APPROVE,)),
        (hook.stop(hook.FINISHED, hook.BLOCK, "network.timeout"), (APPROVE,)),
        (hook.stop(hook.UNFINISHED, hook.BLOCK, "network.timeout"), (APPROVE, BLOCK)),
        (hook.stop(hook.UNFINISHED, hook.APPROVE, "clock.time_zone"), (BLOCK,)),
        (hook.stop(hook.UNFINISHED, "timed_out", "clock.time_zone"), (BLOCK,)),
        (hook.stop(hook.FINISHED, hook.APPROVE), (APPROVE, BLOCK)),  # in calm weather its owner says nothing
    ],
)
def test_a_stop_may_end_in_what_no_clause_forbids(last: hook.Pair, expected: tuple[Mapping[str, Any], ...]) -> None:
    played = history(*hook.CALM, last)
    assert permitted(HOOKED, played, CATALOGUE, (APPROVE, BLOCK)) == expected
    assert permitted(HOOKED, played) == expected  # the system's own catalogue, and both decisions


def test_nothing_is_permitted_after_a_failure_of_another_operation() -> None:
    assert permitted(SCENARIO, history(check(APPROVES, FAILED, config=b"{}"), check(BLOCKS, FAILED)), CATALOGUE) == ()
    assert judge(SCENARIO, history(check(BLOCKS, FAILED)), CATALOGUE)
