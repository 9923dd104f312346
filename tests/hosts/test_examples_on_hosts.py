"""Every example hook on every real host: each stop as predicted, the sessions it holds, the clauses it violates."""

from pathlib import Path

import pytest
import yaml

from harness.certify.reach import hook_as_run
from harness.cli.host import rig_for, room_of_hosts
from harness.cli.hosted import tried
from harness.hosts import installed
from harness.hosts.kinds import KINDS
from harness.hosts.trial import trial
from harness.systems import registry
from harness.targets import target_file

HOOKS = Path(__file__).parents[2] / "examples" / "hooks"
EXPECTED = yaml.safe_load((HOOKS / "expected.yaml").read_text())
ALWAYS = [*(("codex", name) for name in EXPECTED), ("claude-code", "sound_bash")]  # the others: nox -s hosts
OTHERS = [(host, name) for host in KINDS for name in EXPECTED if (host, name) not in ALWAYS]


def test_every_example_states_what_each_host_shows_of_it():
    assert {name: set(KINDS) for name in EXPECTED} == {name: set(row["hosts"]) for name, row in EXPECTED.items()}


def test_each_violation_is_shown_where_the_hook_is_said_to_have_it():
    shown = {clause for row in EXPECTED.values() for clause in row["hosts"]["codex"]["violates"]}
    assert {"SH-02", "SH-03", "SH-07"} == shown


@pytest.mark.tools
@pytest.mark.parametrize(
    ("host", "name"), [*ALWAYS, *(pytest.param(*each, marks=pytest.mark.campaign) for each in OTHERS)]
)
def test_a_host_does_as_predicted_and_shows_what_is_stated(host, name):
    spec, shown = hook_as_run(target_file.load(HOOKS / name / "target.yaml"))
    hook = tried(spec)
    real = installed.find(installed.kind_named(host), installed.real_folder())
    with rig_for(real, project=spec.folder, exposed=shown) as rig:
        stories = list(trial(rig, hook, *room_of_hosts()))
    assert [] == [story for story in stories if not story.as_predicted]
    found = registry.get("stop_gate").hosted.judge(stories, hook.max_blocks)
    held = [story.story for story in stories if story.calm and any(stop.blocked for stop in story.stops)]
    assert EXPECTED[name]["hosts"][host] == {
        "holds": held,
        "violates": sorted({finding.clause for finding in found}),
    }, found
