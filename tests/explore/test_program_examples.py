"""The programs of examples/explore, by the line in their README. Source: issue 4, "Shows"."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).parents[2] / "examples" / "explore"
KIND_OF = {
    "errno": "errno",
    "kill": "crash-kill",
    "crash": "crash-kill",
    "crash twice": "crash-kill",
    "power": "crash-power",
    "power twice": "crash-power",
    "schedule": "schedule",
}
LIMIT = 100  # cases a layer: enough to meet every kind, few enough to be quick
PORTABLE = "counter_python"  # the others need a tool of the machine, or minutes


def described():
    for folder in sorted(path.parent for path in EXAMPLES.glob("*/expected.yaml")):
        expected = yaml.safe_load((folder / "expected.yaml").read_text())
        marks = () if folder.name == PORTABLE else pytest.mark.tools
        yield pytest.param(folder, expected, marks=marks, id=folder.name)


@pytest.mark.parametrize(("folder", "expected"), list(described()))
def test_an_example_is_found_to_be_what_it_says(windtunnel, tmp_path, monkeypatch, folder, expected):
    here = tmp_path / folder.name
    shutil.copytree(folder, here)
    monkeypatch.chdir(here)
    if "setup" in expected:
        subprocess.run(shlex.split(expected["setup"]), check=True, capture_output=True)
    (line,) = re.findall(r"^windtunnel (explore .*)$", (folder / "README.md").read_text(), re.MULTILINE)
    ran = windtunnel(*shlex.split(line), "--json", "--limit", LIMIT)
    content = json.loads(ran.out)
    found = {KIND_OF[layer["name"]] for layer in content["layers"] if layer["failing"]}
    assert (set() if expected["found"] == "sound" else set(expected["found"])) == found
    assert (0 if expected["found"] == "sound" else 1) == ran.code
    assert [] == content["not_covered"]
    for failing in content["smallest"]:
        alone = subprocess.run(
            ["/usr/bin/env", "-i", "python3", "-I", failing["script"]], check=False, capture_output=True
        )
        assert 1 == alone.returncode, alone.stdout


def test_all_five_are_there():
    assert 5 == len(list(described()))
