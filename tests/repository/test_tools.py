"""The repository's own rules, as the tools that know them see it. Source: issue 2, "The repository"; CONTRIBUTING.md."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def run(tmp_path, *words):
    """A tool, with its caches where they harm nobody."""
    environment = {**os.environ, "RUFF_CACHE_DIR": str(tmp_path / "ruff"), "MYPY_CACHE_DIR": str(tmp_path / "mypy")}
    ran = subprocess.run(
        [BIN / words[0], *words[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout[-4000:] + ran.stderr[-2000:]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["mypy"], id="types are strict"),
        pytest.param(["ruff", "check", "--output-format", "concise"], id="ruff is content"),
        pytest.param(["ruff", "format", "--check", "harness"], id="the code is formatted"),
        pytest.param(["lint-imports", "--no-cache"], id="each layer imports only those below it"),
        pytest.param(["deptry", "."], id="dependencies are used and declared"),
        pytest.param(["vulture"], id="no code is unused"),
    ],
)
def test_a_tool_finds_nothing(tmp_path, words):
    code, said = run(tmp_path, *words)
    assert code == 0, said


def test_the_tools_can_fail(tmp_path):
    """That they are called as they should be: each finds what was broken on purpose."""
    (tmp_path / "broken.py").write_text("import os\nx: int = 'text'\n")
    for words in (["mypy", "--config-file", os.devnull], ["ruff", "check", "--isolated"], ["vulture"]):
        code, said = run(tmp_path, *words, str(tmp_path / "broken.py"))
        assert code != 0, said
