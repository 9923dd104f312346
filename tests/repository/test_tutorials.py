"""Every page that tells a stranger what to type: its blocks run as printed, in turn, in a folder of its own.

Before a block, ``<!-- exit N -->`` is the exit code it ends with, and ``<!-- run by PATH -->`` says who runs it instead.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import needs
import pytest
from page_folders import ROOT, prepare

BLOCK = re.compile(r"((?:^<!-- [^\n]*? -->\n)*)^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"<!-- exit (\d+) -->")
READ = re.compile(r"<!-- (\S+-command) -->")
RUN_BY = re.compile(r"<!-- run by (\S+) -->")
PATIENCE_S = 540.0
ALL_PAGES = ("README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")))
MINUTES = frozenset(("README.md", "docs/simulate.md", "docs/qualification.md"))  # nox -s pages
QUICK = frozenset(("docs/tutorial.md", "docs/adapter.md", "docs/reports.md", "docs/certification.md"))


def blocks(page):
    """Of each block: its exit code, who runs it instead, the mark by which that one reads it, and its text."""
    found = BLOCK.findall((ROOT / page).read_text("utf-8"))
    return [(EXIT.search(marks), RUN_BY.search(marks), READ.search(marks), text) for marks, text in found]


def run_in_turn(page, tmp_path):
    home, folder, where = tmp_path / "home", tmp_path / "work", tmp_path / "where"
    home.mkdir()
    folder.mkdir()
    prepare(page, folder)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8",
        "COLUMNS": "100", "NO_COLOR": "1",
    }  # fmt: skip
    for code, run_by, _, text in blocks(page):
        if run_by:
            continue
        ran = subprocess.run(
            ["bash", "-e", "-c", f"trap 'pwd > {where}' EXIT\n{text}"], cwd=folder, env=environment, text=True,
            capture_output=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert int(code[1] if code else 0) == ran.returncode, f"{text}\n{ran.stdout[-3000:]}\n{ran.stderr[-2000:]}"
        folder = Path(where.read_text().strip())


@needs.namespaces
@pytest.mark.parametrize("page", sorted(QUICK))
def test_a_page_runs_as_printed(page, tmp_path):
    run_in_turn(page, tmp_path)


@pytest.mark.tools
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(each, marks=[pytest.mark.campaign] if each in MINUTES else [])
        for each in ALL_PAGES
        if each not in QUICK and blocks(each)
    ],
)
def test_a_page_that_takes_longer_or_needs_other_tools_runs_as_printed(page, tmp_path):
    run_in_turn(page, tmp_path)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_who_runs_a_block_instead_runs_those_commands(page):
    for _, run_by, read, text in blocks(page):
        if not run_by:
            continue
        who = re.sub(r"[\"',]", " ", (ROOT / run_by[1]).read_text("utf-8"))  # a line of a shell, or a list of words
        if read:
            assert f"readme_command {read[1]}" in who, (page, text)
            continue
        commands = re.findall(r"windtunnel (?:host )?(\w+)", text)
        assert commands, (page, text)
        assert [] == [each for each in commands if not re.search(rf"(windtunnel|host)[ (]+{each}\b", who)], (page, text)
