"""``windtunnel demo``: real commands on real examples, each of which ends as it says."""

import re
import subprocess
import sys

import needs

from harness.cli.demo import acts


@needs.namespaces
def test_the_demo_shows_a_reference_three_broken_hooks_and_a_program(tmp_path):
    words = [sys.executable, "-m", "harness.cli", "demo", "--out", str(tmp_path / "demo")]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    said = ran.stdout
    assert 0 == ran.returncode, said + ran.stderr
    assert [act.words[0] for act in acts()] == re.findall(r"^\$ windtunnel (\w+)", said, re.MULTILINE)
    for clause in ("SH-01", "SH-02", "SH-08"):
        assert re.search(rf"^FAIL +{clause}", said, re.MULTILINE)
    assert "The counts are lost." in said
    assert "rate_limit: level L1 reached" in (tmp_path / "demo" / "windtunnel-report" / "report.md").read_text()


def test_a_folder_that_is_there_is_left_alone(windtunnel, tmp_path):
    (tmp_path / "demo").mkdir()
    ran = windtunnel("demo", "--out", str(tmp_path / "demo"))
    assert (2, []) == (ran.code, [*(tmp_path / "demo").iterdir()])
    assert "is there already; name a folder to make with --out" in ran.err


def test_a_place_that_cannot_be_written_is_said(windtunnel, tmp_path):
    (tmp_path / "file").write_text("")
    ran = windtunnel("demo", "--out", str(tmp_path / "file" / "demo"))
    assert 2 == ran.code
    assert "cannot be made: Not a directory" in ran.err
