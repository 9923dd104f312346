"""Every question is asked of every real host again: it does as its table says, and as is predicted."""

import json

import pytest

from harness.hosts.kinds import KINDS
from harness.hosts.probes import PROBES
from harness.hosts.several import QUESTIONS
from harness.systems.stop_gate import hosts

pytestmark = pytest.mark.tools
ALWAYS = ("codex", "claude-code")  # the others take minutes: nox -s hosts


@pytest.mark.parametrize(
    "name", [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.campaign) for name in KINDS]
)
def test_a_host_does_as_its_table_says_and_as_is_predicted(name, windtunnel, tmp_path):
    ran = windtunnel("host", "check", name, "--report", tmp_path)
    assert (0, "") == (ran.code, ran.err), ran.out
    (checked,) = json.loads((tmp_path / "hosts.json").read_text())
    known = hosts.host_named(f"{name}:{checked['version']}")
    assert [probe.rule for probe in PROBES] == [each["rule"] for each in checked["questions"]]
    assert {probe.rule: known.does(probe.rule) for probe in PROBES} == {
        each["rule"]: each["seen"] for each in checked["questions"]
    }
    assert known.several == {each["rule"]: each["seen"] for each in checked["several"]}
    assert {question.rule for question in QUESTIONS} == set(known.several)
    assert known.cap == checked["cap"]
