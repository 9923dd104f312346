"""``windtunnel demo``: real commands on real examples, each of which ends as it says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import needs

from harness.cli import demo
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


@needs.namespaces
def test_as_json_it_holds_what_each_command_says(tmp_path):
    words = [sys.executable, "-m", "harness.cli", "demo", "--out", str(tmp_path / "demo"), "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    assert 0 == ran.returncode, ran.stderr
    told = json.loads(ran.stdout)
    assert (0, str(tmp_path / "demo")) == (told["exit_code"], told["folder"])
    assert "rate_limit: level L1 reached" in Path(told["report"]).read_text()
    assert [(act.title, [*act.words, "--json"], act.folder, act.code, act.code) for act in acts()] == [
        tuple(each.values())[:5] for each in told["acts"]
    ]
    assert [act.code for act in acts()] == [each["result"]["exit_code"] for each in told["acts"]]
    assert [act.title for act in acts()] == re.findall(r"^== (.*)$", ran.stderr, re.MULTILINE)


def test_as_json_a_command_that_went_wrong_is_told_and_ends_as_without(windtunnel, tmp_path, monkeypatch):
    wrong = (demo.Act("No such clause", ("explain", "XX-01"), 0), demo.Act("A clause", ("explain", "SH-01"), 0))
    monkeypatch.setattr(demo, "acts", lambda: wrong)
    ran = windtunnel("demo", "--out", tmp_path / "demo", "--json")
    told = json.loads(ran.out)
    assert (3, 3) == (ran.code, told["exit_code"])
    assert [(2, 0, None), (0, 0, "SH-01")] == [
        (each["exit_code"], each["expected_exit_code"], each["result"] and each["result"]["id"])
        for each in told["acts"]
    ]
    assert "the demo went wrong: `windtunnel explain` ended with 2, not with 0" in ran.err


def test_a_command_that_was_interrupted_ends_it_and_is_said(windtunnel, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "_run", lambda words, folder, as_json: (130, b""))
    ran = windtunnel("demo", "--out", tmp_path / "demo")
    assert (130, "windtunnel: interrupted\n", 1) == (ran.code, ran.err, ran.out.count("$ windtunnel"))
