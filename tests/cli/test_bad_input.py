"""What a person may get wrong: one clear sentence, the right exit code, nothing left behind. Source: issue 2, "Bad input"."""

import json
import os
import re
import subprocess
import sys

import pytest

from harness import cli, messages
from harness.certify import corpus
from harness.systems import registry

CODE = re.compile(r" \[(WT-[A-Z]\d\d)\]\n$")
MUTANT = next(iter(registry.get("stop_gate").mutants.MUTANTS))
TARGET = "name: mine\ncarrier: hook\ncommand: [sh, hook.sh]\ntimeout_s: 1\nmax_blocks: 2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder of the person: a hook, its target file, and some files that are broken."""
    here = tmp_path / "here"
    here.mkdir()
    files = {
        "hook.sh": "exit 0\n", "target.yaml": TARGET, "broken.yaml": "{", "list.yaml": "[1]\n", "empty.yaml": "",
        "misspelt.yaml": TARGET.replace("command", "comand"), "path.yaml": TARGET + "paths: {semaphor: x}\n",
        "value.yaml": TARGET + "network: maybe\n", "zero.yaml": TARGET.replace("timeout_s: 1", "timeout_s: 0"),
        "carrier.yaml": TARGET.replace("carrier: hook", "carrier: pigeon"),
        "nocommand.yaml": "name: mine\ncarrier: hook\n", "nofactory.yaml": "name: mine\ncarrier: in_process\n",
        "host.yaml": TARGET + "host: emacs\n", "sample.yaml": TARGET + "samples: {block: no.jsonl}\n",
        "emptysample.yaml": TARGET + "samples: {block: empty.yaml}\n", "binary.yaml": "\x00\x01",
        "expose.yaml": TARGET + "expose: [/]\n",
        "format.yaml": "format: 9\nid: x\ntitle: t\nsystem: stop_gate\nprofile: gate\nclauses: []\nworld: {clock: c}\nsteps: []\n",
    }  # fmt: skip
    for name, text in files.items():
        (here / name).write_text(text)
    monkeypatch.chdir(here)
    monkeypatch.setenv(
        "HOME", str(tmp_path / "home")
    )  # without a target, the hooks of whoever runs the tests are found
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return here


def left_in(folder):
    return sorted(path.name for path in folder.rglob("*"))


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("certify", 2, "no hook is set up here; looked for"),
        ("certify reference target.yaml", 2, "name one target"),
        ("certify nowhere.yaml", 2, "cannot read the target file nowhere.yaml: No such file or directory"),
        ("certify .", 2, "cannot read the target file .: it is no regular file"),
        ("certify broken.yaml", 2, "broken.yaml is no YAML"),
        ("certify list.yaml", 2, "list.yaml is no target file: Expected `object`"),
        ("certify empty.yaml", 2, "empty.yaml is no target file"),
        ("certify binary.yaml", 2, "binary.yaml is no YAML"),
        ("certify misspelt.yaml", 2, "there is no key 'comand'; did you mean 'command'?"),
        ("certify path.yaml", 2, "there is no key 'semaphor'; did you mean 'semaphore'?"),
        ("certify value.yaml", 2, "Expected `bool`, got `str` - at `$.network`"),
        ("certify zero.yaml", 2, "timeout_s"),
        ("certify carrier.yaml", 2, "Invalid enum value 'pigeon' - at `$.carrier`"),
        ("certify nocommand.yaml", 2, "carrier hook needs a `command`"),
        ("certify nofactory.yaml", 2, "carrier in_process needs `factory: package.module:name`"),
        ("certify host.yaml", 2, "there is no host 'emacs'; known: claude-code"),
        ("certify sample.yaml", 2, "which cannot be read: No such file or directory"),
        ("certify emptysample.yaml", 2, "which is empty; a sample holds a whole transcript"),
        ("certify expose.yaml", 2, "the whole machine cannot be exposed"),
        ("certify --hook", 2, "no command: write --hook -- CMD..."),
        ("certify --stdio", 2, "no command: write --stdio -- CMD..."),
        ("certify --system circuit_breaker --hook -- cat", 2, "circuit_breaker is not asked one process a call; use --stdio"),
        ("certify --hook --stdio -- true", 2, "exclude each other; give one"),
        ("certify --python a:b reference", 2, "'reference' is one too many"),
        ("certify --hook -- no-such-command", 4, "does not exist on this machine's PATH; check its spelling"),
        ("certify --hook -- ./hook.sh", 4, "is not executable; chmod +x it, or name its interpreter first"),
        ("certify --hook -- sh nohook.sh", 4, "sh has no script to run: nohook.sh does not exist in"),
        ("certify reference --clause PS-TR-77", 2, "stop_gate has no clause 'PS-TR-77'; did you mean PS-TR-07?"),
        ("certify reference --clause ps-tr-07", 2, "did you mean PS-TR-07?"),
        ("certify reference --clause 12345", 2, "`windtunnel list clauses --system stop_gate` names them"),
        ("certify target.yaml --clause PS-MON-01", 5, "no scenario for PS-MON-01 runs against this target; nothing was checked"),
        ("certify reference --system stop_gat", 2, "there is no system 'stop_gat'; did you mean 'stop_gate'?"),
        ("certify reference --system toaster", 2, "there is no system 'toaster'; this version has: stop_gate"),
        ("certify reference --days 3", 2, "--days is about the simulations of level L4; add --level L4, or leave it out"),
        ("certify reference --level L3 --agents 3", 2, "--agents is about the simulations of level L4"),
        ("certify reference --level L3 --seeds 3", 2, "--seeds is about the simulations of level L4"),
        ("certify reference --level L4 --days 0", 2, "0 is not in the range 1<=x<=3650"),
        ("certify reference --level L4 --agents 65", 2, "65 is not in the range 1<=x<=64"),
        ("certify reference --level L4 --seeds 0", 2, "0 is not in the range 1<=x<=1000"),
        ("certify reference --level L4 --days two", 2, "'two' is not a valid integer range"),
        ("certify reference --level L5", 2, "'L5' is not one of"),
        ("certify reference --cases x", 2, "'x' is not a valid integer"),
        ("certify reference --jobs 0", 2, "0 is not in the range"),
        ("certify reference --budget soon", 2, "'soon' is no duration; write it as 90s, 2m or 1h"),
        ("certify reference --seed dice", 2, "'dice' is no seed; give a number from 0, or random"),
        ("certify reference --seed -1", 2, "'-1' is no seed"),
        ("certify reference --budget 0s", 2, "'0s' is no duration"),
        ("certify reference --timeout-scale 0", 2, "0.0 is not in the range"),
        ("certify reference --report hook.sh", 2, "hook.sh' is a file"),
        ("certify reference --report hook.sh/below", 2, "cannot write the report to hook.sh/below"),
        ("certify reference --budgt 1", 2, "Did you mean '--budget'?"),
        ("certfy reference", 2, "there is no command 'certfy'; did you mean 'certify'?"),
        ("fly", 2, "there is no command 'fly'; there are: demo, certify, replay, explore, simulate, campaign, agent-run, generate, list, explain, host, doctor, qualify, serve"),
        ("replay nowhere.yaml", 2, "cannot read the scenario file nowhere.yaml: No such file or directory"),
        ("replay target.yaml", 2, "target.yaml is not a scenario file"),
        ("replay format.yaml", 2, "format.yaml has scenario format 9; this version reads format 1"),
        ("explain PS-TR-7", 2, "there is no clause 'PS-TR-7'; did you mean PS-TR-07?"),
        ("explain nothing", 2, "there is no clause 'nothing'; `windtunnel list clauses` names them all"),
        ("explain WT-U9", 2, "there is no message 'WT-U9'; did you mean WT-U09?"),
        ("explain WT-U99", 2, "there is no message 'WT-U99'; there are: WT-U01 to WT-U24"),
        ("explain WT-Q01", 2, "there is no message 'WT-Q01'; docs/messages.md has them all"),
        ("explain wt-", 2, "there is no message 'wt-'; docs/messages.md has them all"),
        ("explain U09", 2, "there is no clause and no message 'U09'; did you mean WT-U09?"),
        ("explain", 2, "Missing argument 'ID'"),
        ("list clause", 2, "'clause' is not one of 'clauses', 'systems', 'faults', 'scenarios'"),
        ("list clauses --system gate", 2, "there is no system 'gate'"),
        ("list clauses --system rate_limt", 2, "there is no system 'rate_limt'; did you mean 'rate_limit'?"),
        ("adapter init --lang bash --system rate_limt", 2, "did you mean 'rate_limit'?"),
        ("certify reference --report=", 2, "Invalid value for '--report': its name is empty; name a folder"),
        ("explore --op true --check true --report=", 2, "Invalid value for '--report': its name is empty"),
        ("simulate --report=", 2, "Invalid value for '--report': its name is empty"),
        ("campaign --report=", 2, "Invalid value for '--report': its name is empty"),
        ("agent-run plan.yaml --report=", 2, "Invalid value for '--report': its name is empty"),
        ("host check --report=", 2, "Invalid value for '--report': its name is empty"),
        ("qualify --report=", 2, "Invalid value for '--report': its name is empty"),
        ("demo --out=", 2, "Invalid value for '--out': its name is empty; name a folder"),
        ("adapter init --lang bash --system fallback --out=", 2, "Invalid value for '--out': its name is empty"),
        ("generate --out=", 2, "Invalid value for '--out': its name is empty"),
        ("replay x --report=", 2, "Invalid value for '--report': its name is empty"),
        (f"qualify --system stop_gate --mutant {MUTANT[:-1]}", 2, f"stop_gate has no mutant {MUTANT[:-1]!r}; did you mean {MUTANT!r}?"),
        ("qualify --only harness --system rate_limit --report q", 2, "--only harness selects nothing together with --system; leave out --system"),
        ("qualify --only harness --only degenerate --system rate_limit --level L1 --one-in 2", 2, "--only harness and degenerate selects nothing together with --system and --level and --one-in"),
        ("qualify --system gate", 2, "there is no system 'gate'"),
        ("serve --mutant nobody", 2, "stop_gate has no mutant 'nobody'"),
        ("serve --as-hook", 2, "--as-hook needs --mutant"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_the_right_code_and_nothing_left(
    folder, windtunnel, monkeypatch, line, code, sentence
):
    before = left_in(folder)
    ran = windtunnel(*line.split())
    assert (code, "") == (ran.code, ran.out)
    assert sentence in ran.err
    assert CODE.search(ran.err)[1] in messages.families()
    assert 1 == len([part for part in ran.err.splitlines() if part and not part.startswith(("Usage:", "Try "))])
    assert before == left_in(folder)


def test_a_scenario_of_another_profile_is_not_replayed(folder, windtunnel):
    scenario = corpus.directory() / "stop_gate" / "gate-answer-form.yaml"
    ran = windtunnel("replay", scenario, "target.yaml")
    assert (2, "") == (ran.code, ran.out)
    assert "gate-answer-form is a scenario of profile gate; mine is not reached that way" in ran.err


def result(folder):
    return json.loads((folder / "windtunnel-report" / "result.json").read_text())


def test_a_hook_that_deletes_all_it_can_reach_harms_nothing(folder, windtunnel, monkeypatch, tmp_path):
    home = tmp_path / "home"
    (home / ".config").mkdir(parents=True)
    (home / ".config" / "mine").write_text("mine")
    monkeypatch.setenv("HOME", str(home))
    (folder / "hook.sh").write_text(f'rm -rf {home} {folder} {tmp_path} "$HOME" /tmp/* ./* 2>/dev/null\nexit 0\n')
    before = left_in(folder)
    ran = windtunnel("certify", "target.yaml", "--clause", "SH-07", "--cases", "0")
    assert ran.code in (1, 5), ran.err
    assert "mine" == (home / ".config" / "mine").read_text()
    assert set(before) < set(left_in(folder))
    assert {"hook.sh", "target.yaml"} <= set(left_in(folder))


@pytest.mark.parametrize("script", ["exit 7", "exec /nowhere/at/all", "kill -9 $$"])
def test_a_hook_that_dies_at_its_start_cannot_be_tested(folder, windtunnel, script):
    (folder / "hook.sh").write_text(script + "\n")
    ran = windtunnel("certify", "target.yaml", "--cases", "0")
    assert (4, "untestable", 4) == (ran.code, result(folder)["outcome"], result(folder)["exit_code"])
    assert "mine cannot be tested: it" in result(folder)["message"]


def test_a_factory_that_does_not_exist_cannot_be_tested(folder, windtunnel):
    ran = windtunnel("certify", "--python", "no_such_module:make", "--cases", "0", "--jobs", "1")
    assert (4, "untestable") == (ran.code, result(folder)["outcome"])


def test_a_defect_of_ours_exits_3_and_says_whose_it_is(windtunnel, monkeypatch):
    def broken():
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("harness.cli.doctor.probe", broken)
    ran = windtunnel("doctor")
    assert 3 == ran.code
    assert "ZeroDivisionError: ours" in ran.err
    assert ran.err.endswith("this is a defect of windtunnel, not of what it was testing; please report it [WT-H01]\n")


@pytest.mark.parametrize(
    ("error", "said"),
    [(KeyboardInterrupt(), ""), (cli.click.Abort(), ""), (KeyboardInterrupt("after all"), " after all")],
)
def test_ctrl_c_in_any_command_exits_130_and_says_so_once(windtunnel, monkeypatch, error, said):
    def interrupted():
        raise error

    monkeypatch.setattr("harness.cli.doctor.probe", interrupted)
    ran = windtunnel("doctor")
    assert (130, "", f"windtunnel: interrupted{said}\n") == (ran.code, ran.out, ran.err)


@pytest.mark.parametrize("words", [["list", "scenarios", "--json"], ["--help"], ["doctor"]])
def test_a_reader_that_leaves_gets_no_traceback(words):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "harness.cli", *words], stdout=writer, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writer)
    assert (141, b"") == (ran.returncode, ran.stderr)
