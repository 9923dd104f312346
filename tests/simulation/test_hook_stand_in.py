"""A hook in the place of a simulation's stop gate: each stop is a process. Issue 10; CERTIFICATION.md, Levels."""

import sys
from pathlib import Path

import needs
import pytest
from playing import played

from harness.certify import reach
from harness.core.events import StopAnswered, SystemSilent
from harness.simulation.exchange import spared, stand_in
from harness.simulation.session import HOME
from harness.simulation.systems import Assembly
from harness.systems import registry
from harness.targets.slots import Slots

pytestmark = needs.namespaces
GATE = registry.get("stop_gate")


def with_hook(way, **plan):
    """The simulation with that hook as its stop gate, its events, and what is said to be spared it."""
    with way.open(Slots(1)) as session:
        assembly = Assembly(HOME, {"stop_gate": stand_in(GATE, session, "hook")})
        simulation, events = played(assembly=assembly, **plan)
        return simulation, [event for _, event in events], spared(session)


def of_hook(folder: Path, text: str, timeout_scale: float = 0.1):
    (folder / "hook.py").write_text(text)
    words = (sys.executable, str(folder / "hook.py"))
    return reach.from_spec(reach.command_target(words, "hook"), GATE, timeout_scale=timeout_scale)


def decisions(events):
    return [event.decision for event in events if isinstance(event, StopAnswered)]


def test_the_reference_hook_decides_as_the_reference_gate_does():
    own, events = played(agents=1, profile="flaky", seed=5)
    hook, asked, _ = with_hook(reach.reference(GATE, timeout_scale=1.0)[1], agents=1, profile="flaky", seed=5)
    expected = decisions([event for _, event in events])
    assert {"approve", "block"} <= set(expected)
    assert expected == decisions(asked)
    assert {} == dict(hook.broken) == dict(own.broken)


NOTING = """
import json, pathlib, sys
call = json.load(sys.stdin)
path = pathlib.Path(call["transcript_path"])
stands = "directory" if path.is_dir() else "file" if path.is_file() else "nothing"
print(f"{stands} {call['stop_hook_active']} {path.name}", file=sys.stderr)
sys.exit(2 if stands == "file" else 0)
"""


def test_it_is_told_the_transcript_and_whether_the_stop_repeats(tmp_path):
    _, events, _ = with_hook(of_hook(tmp_path, NOTING), agents=1, profile="hostile", seed=5)
    assert {"approve", "block"} == set(decisions(events)), "some transcripts are gone, or are directories"


def test_what_is_spared_it_is_said(tmp_path):
    _, _, left = with_hook(of_hook(tmp_path, "pass"), profile="calm", agents=1)
    assert 3 == len(left)
    assert "its own files are on a real disk" in left[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [("import os; os.kill(os.getpid(), 11)", "it died of signal 11"), ("while True: print('x' * 4096)", "it wrote without end")],
)  # fmt: skip
def test_a_process_that_gives_no_answer_leaves_the_stop_unanswered(tmp_path, text, why):
    simulation, events, _ = with_hook(of_hook(tmp_path, text), agents=1, profile="calm")
    assert {(why,)} == {(event.why,) for event in events if isinstance(event, SystemSilent)}
    assert set(simulation.broken) == {"INT-21"}


def test_an_exit_code_is_an_answer(tmp_path):
    simulation, events, _ = with_hook(of_hook(tmp_path, "raise SystemExit(1)"), agents=1, profile="calm")
    assert {"approve"} == set(decisions(events))
    assert {} == dict(simulation.broken)
