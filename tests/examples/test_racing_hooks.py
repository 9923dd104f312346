"""The racing hooks are sound as long as one stop comes after the other, and what a race leaves shows. Issue 4, "Shows".

That they reach level L2 is stated with the other hooks; that level L3 finds them, where it is tested.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.systems import registry

HOOKS = Path(__file__).parents[2] / "examples" / "hooks"
ROWS = {name: row for name, row in yaml.safe_load((HOOKS / "expected.yaml").read_text()).items() if row.get("level3")}
BOUND = 25  # identical stops that may be blocked: max_blocks of their target files
racing = pytest.mark.parametrize(
    "name",
    # a machine without node fails this one; .ci/run installs it
    [pytest.param(name, marks=[pytest.mark.tools] if row["language"] == "node" else []) for name, row in ROWS.items()],
)


@pytest.fixture
def stop(tmp_path):
    """``stop(name, active)`` stops the unfinished session once, and tells whether it was blocked."""

    def run(name, active):
        target = yaml.safe_load((HOOKS / name / "target.yaml").read_text())
        assert BOUND == target["max_blocks"]
        event = {
            "hook_event_name": "Stop",
            "session_id": "session-1",
            "transcript_path": str(HOOKS / "samples" / "unfinished.jsonl"),
            "stop_hook_active": active,
        }
        done = subprocess.run(
            target["command"], cwd=HOOKS / name, input=json.dumps(event) + "\n", env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True, text=True, check=True, timeout=30,
        )  # fmt: skip
        return bool(done.stdout) and json.loads(done.stdout)["decision"] == "block"

    return run


def tally(home):
    """Its file: the only one that is not empty and no lock."""
    (found,) = (path for path in home.rglob("*") if path.is_file() and path.stat().st_size)
    return found


def test_there_is_one_in_each_of_three_languages_and_a_schedule_must_find_it():
    assert {"python", "bash", "node"} == {row["language"] for row in ROWS.values()}
    assert {"schedule"} == {row["level3"]["found_by"] for row in ROWS.values()}
    assert {"SH-03"} == {row["level3"]["clause"] for row in ROWS.values()}
    assert "SH-03" in registry.get("stop_gate").catalogue


@racing
def test_one_stop_after_the_other_is_held_once_and_let_go(stop, name):
    assert [True, False, True, False] == [stop(name, active) for active in (False, True, False, True)]


@racing
def test_a_session_that_two_stops_at_once_have_counted_is_never_let_go(stop, tmp_path, name):
    assert stop(name, active=False)
    left = tally(tmp_path)
    left.write_bytes(left.read_bytes() * 2)  # as when the other stop had looked before this one counted
    assert [True] * (BOUND + 1) == [stop(name, active=True) for _ in range(BOUND + 1)]


@racing
def test_a_session_that_was_let_go_leaves_no_tally(stop, tmp_path, name):
    assert [True, False] == [stop(name, active) for active in (False, True)]
    assert [] == [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
