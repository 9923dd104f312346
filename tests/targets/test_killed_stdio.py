"""An implementation over stdio that somebody kills, before and after each message: it costs one operation at most."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from carriers import op, scenario, stdio

from harness.certify import corpus
from harness.certify.engine import Engine
from harness.certify.events import ScenarioJudged
from harness.certify.plan import RunPlan
from harness.certify.reach import served_python
from harness.core.history import EntryType
from harness.core.verdict import Outcome
from harness.systems import registry
from harness.targets.defects import RESTARTED
from harness.targets.stdio_process import StdioProcess

# each operation leaves a line in a file, and tells how many there are: whoever opens the directory goes on from there
KEEPS = """
def place(call):
    global KEPT
    KEPT = call["params"]["workdir"] + "/kept"; answer(call, {})
def count(call):
    with open(KEPT, "a") as file: file.write("x\\n")
    answer(call, {"pid": os.getpid(), "lines": len(open(KEPT).readlines())})
"""
SPECIAL = "reset=place, open=place, count=count"
OPERATIONS = 4
MESSAGES = ("initialize", "reset", *["count"] * OPERATIONS, "reset", *["count"] * OPERATIONS, "shutdown")


@contextmanager
def killed(monkeypatch: pytest.MonkeyPatch, number: int, moment: str) -> Iterator[list[str]]:
    """The process that gets the message of that number (from 0) is killed then; the messages so far."""
    seen: list[str] = []
    send = StdioProcess.send_encoded

    def struck(process: StdioProcess, method: str, params: bytes) -> int:
        seen.append(method.removeprefix("toy/"))
        due = len(seen) == number + 1
        if due and moment == "before":
            process.signal(signal.SIGKILL)
            process._running.wait(10.0)
        call_id = send(process, method, params)
        if due and moment == "after":
            process.signal(signal.SIGKILL)
        if due and moment == "answered":
            process.answers_within(10.0)
            process.signal(signal.SIGKILL)
            process._running.wait(10.0)
        return call_id

    with monkeypatch.context() as patch:
        patch.setattr(StdioProcess, "send_encoded", struck)
        yield seen


@pytest.mark.parametrize("moment", ["before", "after", "answered"])
@pytest.mark.parametrize("number", range(len(MESSAGES)), ids=[f"{n}-{name}" for n, name in enumerate(MESSAGES)])
def test_a_kill_costs_one_operation_and_the_next_goes_on_from_what_is_on_disk(tmp_path, monkeypatch, number, moment):
    replies = []
    with killed(monkeypatch, number, moment) as seen, stdio(tmp_path, SPECIAL, before=KEEPS) as session:
        for _ in range(2):
            session.reset(scenario())
            replies.append([session.perform([(0, op("count"))])[0] for _ in range(OPERATIONS)])
    assert MESSAGES[number] == seen[number]
    lost = [reply for row in replies for reply in row if reply.type is not EntryType.OK]
    assert len(lost) <= 1
    assert all(EntryType.INFO is reply.type and reply.value["reason"] in RESTARTED for reply in lost)
    for row in replies:
        counted = [reply.value.get("lines") for reply in row]
        at = counted.index(None) if None in counted else OPERATIONS
        assert list(range(1, at + 1)) == counted[:at]
        # what was lost was done, or was not
        done = counted[at + 1 :]
        assert done in ([], list(range(at + 1, at + 1 + len(done))), list(range(at + 2, at + 2 + len(done))))
        assert len({reply.value["pid"] for reply in row if reply.type is EntryType.OK}) <= 2
    expected_loss = MESSAGES[number] == "count" and moment == "before"
    assert expected_loss <= len(lost)


@pytest.fixture(scope="module")
def plan() -> RunPlan:
    """A certify run of the reference over stdio, of three scenarios."""
    system = registry.get("stop_gate")
    reach = served_python(system, None, timeout_scale=1.0, force_fallback=True)
    mine = [each for each in corpus.scenarios(system.name) if (each.profile, each.level) == (reach.profile, "L1")]
    quick = [each for each in mine if each.id.startswith("gate-transcript")][:3]
    return RunPlan(
        (system,), "reference", "reference", (reach,), tuple(quick), "L1", seed=0, cases=0, budget_s=None, jobs=1,
        unsafe=True,
    )  # fmt: skip


@pytest.mark.parametrize("number", range(0, 8, 2))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_in_a_certify_run_costs_one_operation_of_the_run(plan, monkeypatch, number, moment):
    with killed(monkeypatch, number, moment) as seen:
        events = list(Engine(plan).run())
    judged = {each.scenario.id: each for each in events if isinstance(each, ScenarioJudged)}
    assert len(seen) > number
    assert {each.id for each in plan.scenarios} == judged.keys()
    lost = [
        entry for each in judged.values() for entry in each.history
        if entry.type in (EntryType.INFO, EntryType.FAIL)
    ]  # fmt: skip
    assert len(lost) <= 1
    assert events[-1].outcome not in (Outcome.UNTESTABLE, Outcome.HARNESS_FAULT)
    assert events[-1].complete
