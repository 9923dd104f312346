"""Every example hook on every real host: each stop as predicted, and the violations that expected.yaml states."""

from pathlib import Path

import pytest
import yaml

from harness.cli.host import rig_for, room_of_hosts
from harness.hosts import installed
from harness.hosts.kinds import KINDS
from harness.hosts.trial import TriedHook, placed, trial
from harness.systems import registry
from harness.targets import target_file

HOOKS = Path(__file__).parents[2] / "examples" / "hooks"
EXPECTED = yaml.safe_load((HOOKS / "expected.yaml").read_text())


@pytest.fixture(scope="module")
def rig(request):
    """One rig for all the hooks of a host; a host that is not installed is an error, not a skip."""
    host = installed.find(installed.kind_named(request.param), installed.real_folder())
    with rig_for(host, ("python3", "bash", "node"), (str(HOOKS),)) as made:
        yield made


def test_every_example_states_what_each_host_shows_of_it():
    assert {name: set(KINDS) for name in EXPECTED} == {name: set(row["hosts"]) for name, row in EXPECTED.items()}


@pytest.mark.tools
@pytest.mark.parametrize("rig", list(KINDS), indirect=True)
@pytest.mark.parametrize("name", list(EXPECTED))
def test_a_host_does_as_predicted_and_shows_what_is_stated(rig, name):
    spec = target_file.load(HOOKS / name / "target.yaml")
    hook = TriedHook(placed(spec.file.command, spec.folder), spec.file.timeout_s, spec.file.max_blocks)
    stories = list(trial(rig, hook, *room_of_hosts()))
    assert [] == [story for story in stories if not story.as_predicted]
    found = registry.get("stop_gate").hosted.judge(stories, hook.max_blocks)
    assert EXPECTED[name]["hosts"][rig.host.kind.name] == sorted({finding.clause for finding in found}), found
