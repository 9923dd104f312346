"""The pages that tell a stranger what to type: every block of them runs as printed, in turn, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import needs
import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?:<!-- exit (\d+) -->\n)?^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
PATIENCE_S = 240.0
PAGES = ("tutorial", "adapter", "reports")


@needs.namespaces
@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_as_printed(page, tmp_path):
    blocks = BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    assert len(blocks) >= 2
    folder = tmp_path
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8",
        "COLUMNS": "100", "NO_COLOR": "1",
    }  # fmt: skip
    for code, text in blocks:
        ran = subprocess.run(
            ["bash", "-e", "-c", f"{text}\npwd > {tmp_path}/where"], cwd=folder, env=environment, text=True,
            capture_output=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert int(code or 0) == ran.returncode, f"{text}\n{ran.stdout[-3000:]}\n{ran.stderr[-2000:]}"
        if not int(code or 0):
            folder = Path((tmp_path / "where").read_text().strip())
