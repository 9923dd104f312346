"""The programs of examples/explore do their job in calm, and their checks say no when something of theirs is lost.

What `windtunnel explore` finds of them is stated where that is tested. Source: issue 4, "Shows".
"""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

EXPLORE = Path(__file__).parents[2] / "examples" / "explore"
EXPECTED = {path.parent.name: yaml.safe_load(path.read_text()) for path in sorted(EXPLORE.glob("*/expected.yaml"))}
KINDS = {"errno", "crash-kill", "crash-power", "schedule"}
OPTIONS = {"--op", "--recover", "--check", "--with", "--dir"}
DAMAGE = {  # by hand: which file is cut to how many bytes, and what the check says then
    "counter_python": ("tools.json", 0, "The counts are lost."),
    "queue_node": ("tasks.json", 5, "tasks.json cannot be read"),
    "log_bash": ("audit.jsonl", 70, "The record of the resumed session is lost."),
    "config_c": ("settings", 0, "The setting model is lost."),
    "store_sqlite": ("store.db", 4096, "The store is damaged"),
}
named = pytest.mark.parametrize(
    "name",
    [
        # a machine without node, jq or a C compiler fails these; .ci/run installs them
        pytest.param(name, marks=[] if row["language"] == "python" else [pytest.mark.tools])
        for name, row in EXPECTED.items()
    ],
)


def shown(name):
    """The options of the command line that the README of an example shows."""
    lines = (EXPLORE / name / "README.md").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("windtunnel explore ")]
    words = shlex.split(line)[2:]
    return dict(zip(words[::2], words[1::2], strict=True))


class Copy:
    """An example in a folder of its own, set up; ``run("--op")`` runs that command of its README there."""

    def __init__(self, name, folder):
        shutil.copytree(EXPLORE / name, folder)
        self.folder = folder
        self.options = shown(name)
        self.state = folder / self.options["--dir"]
        setup = EXPECTED[name].get("setup")
        if setup:
            subprocess.run(shlex.split(setup), cwd=folder, check=True, capture_output=True)

    def run(self, option):
        words = shlex.split(self.options[option]) if option in self.options else ["true"]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=30)

    def contents(self):
        return {path.name: path.read_bytes() for path in self.state.iterdir()}


@pytest.fixture
def example(tmp_path):
    return lambda name, folder="example": Copy(name, tmp_path / folder)


def test_five_programs_say_what_must_be_found_and_one_of_them_is_sound():
    assert {"counter_python", "queue_node", "log_bash", "config_c", "store_sqlite"} == set(EXPECTED)
    assert ["store_sqlite"] == [name for name, row in EXPECTED.items() if row["found"] == "sound"]
    found = [set(row["found"]) for row in EXPECTED.values() if row["found"] != "sound"]
    assert all(found)
    assert KINDS == set().union(*found)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_line_of_the_readme_names_what_explore_needs_and_schedules_have_a_second_command(name):
    options = shown(name)
    assert {"--op", "--check", "--dir"} <= set(options) <= OPTIONS
    assert ("schedule" in EXPECTED[name]["found"]) == ("--with" in options)
    assert f"| {name} |" in (EXPLORE / "README.md").read_text()


@named
def test_in_calm_the_operation_changes_the_state_and_the_check_is_content_before_and_after(example, name):
    copy = example(name)
    before = copy.contents()
    assert [0, 0, 0] == [copy.run(option).returncode for option in ("--op", "--recover", "--check")]
    assert before != copy.contents()


@named
def test_the_operation_is_the_same_each_time(example, name):
    first, second = example(name), example(name, "another")
    assert [0, 0] == [copy.run("--op").returncode for copy in (first, second)]
    assert first.contents() == second.contents()


@named
def test_the_check_says_no_in_one_sentence_when_something_is_lost(example, name):
    copy = example(name)
    copy.run("--op")
    file, size, sentence = DAMAGE[name]
    with (copy.state / file).open("r+b") as opened:
        opened.truncate(size)
    copy.run("--recover")
    checked = copy.run("--check")
    assert 0 != checked.returncode
    assert sentence in (checked.stdout + checked.stderr).splitlines()[-1]


@pytest.mark.tools
def test_a_task_that_two_agents_took_is_told(example):
    copy = example("queue_node")
    copy.run("--op")
    (copy.state / "bob.json").write_bytes((copy.state / "alice.json").read_bytes())
    checked = copy.run("--check")
    assert (1, "bob works on task 1, which belongs to alice.\n") == (checked.returncode, checked.stderr)


@pytest.mark.tools
def test_two_agents_one_after_the_other_take_different_tasks(example):
    copy = example("queue_node")
    assert [0, 0, 0] == [copy.run(option).returncode for option in ("--op", "--with", "--check")]
    assert [1, 2] == [yaml.safe_load((copy.state / f"{agent}.json").read_text())["id"] for agent in ("alice", "bob")]
