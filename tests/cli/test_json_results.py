"""What a command says as JSON is one document on standard output, and the same that its files hold."""

import json

import click

from harness.cli import COMMANDS, group

QUICK = ("--system", "rate_limit", "--level", "L1", "--cases", "0", "--clause", "LK-RL-01")


def test_a_certification_says_its_result_and_tells_people_beside_it(windtunnel, tmp_path):
    ran = windtunnel("certify", "reference", *QUICK, "--report", tmp_path / "r", "--json")
    assert (tmp_path / "r" / "result.json").read_text() == ran.out
    assert (ran.code, "rate_limit") == (json.loads(ran.out)["exit_code"], *json.loads(ran.out)["systems"])
    assert "LK-RL-01" in ran.err


def test_hooks_that_are_found_and_hosts_have_no_one_result(windtunnel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (("certify", "--json"), ("certify", "--hook", "--host", "claude-code", "--json", "--", "true")):
        ran = windtunnel(*words)
        assert (2, "") == (ran.code, ran.out)
        assert "--json shows the one result of one target" in ran.err
    assert [] == list(tmp_path.iterdir())


def test_a_qualification_says_what_qualify_json_holds(windtunnel, tmp_path):
    chosen = ("--system", "rate_limit", "--only", "written", "--one-in", "40")
    ran = windtunnel("qualify", *chosen, "--report", tmp_path / "q", "--json")
    assert 0 == ran.code, ran.err
    assert (tmp_path / "q" / "qualify.json").read_text().strip() == ran.out.strip()
    assert ["rate_limit"] == json.loads(ran.out)["systems"]


def test_planted_defects_are_not_a_qualification(windtunnel):
    assert 2 == windtunnel("qualify", "--planted", "--json").code


def every_command():
    """The words of each command, with those of its groups, and the command itself."""
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        inner = command.commands if isinstance(command, click.Group) else {}
        yield from [((name, word), each) for word, each in inner.items()] or [((name,), command)]


def test_every_command_has_json_but_the_one_that_speaks_a_protocol():
    without = [words for words, command in every_command() if not any("--json" in each.opts for each in command.params)]
    assert [("serve",)] == without
