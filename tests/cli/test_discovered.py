"""``windtunnel certify`` without a target: real hooks, found in the settings of hosts. Source: issue 3, Build 6."""

import json
import shutil

import pytest
import yaml

from harness.cli import certify, discovered
from harness.errors import NothingRanError
from harness.report.files import read_events

QUICK = ("--level", "L1", "--cases", "0", "--jobs", "2")
SOUND = 'python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/stop.py'


@pytest.fixture
def home(tmp_path, monkeypatch):
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return made


@pytest.fixture
def project(home, tmp_path, monkeypatch, pytestconfig):
    """A project with the sound Python hook among its files, and nobody told about it yet."""
    made = tmp_path / "my shop"
    (made / ".claude" / "hooks").mkdir(parents=True)
    shutil.copy(pytestconfig.rootpath / "examples/hooks/sound_python/hook.py", made / ".claude/hooks/stop.py")
    shutil.copy(pytestconfig.rootpath / "examples/hooks/never_blocks/guard.py", made / ".claude/hooks/guard.py")
    monkeypatch.chdir(made)
    return made


def tell(path, *handlers, **more):
    path.parent.mkdir(parents=True, exist_ok=True)
    handlers = [{"type": "command", "command": each} if isinstance(each, str) else each for each in handlers]
    path.write_text(json.dumps({"hooks": {"Stop": [{"matcher": "", "hooks": handlers}]}, **more}))


def flat(text):
    return " ".join(text.split())


def result(directory):
    return json.loads((directory / "result.json").read_text())


def test_a_hook_of_the_project_is_certified_as_it_stands(project, windtunnel, tmp_path):
    tell(project / ".claude" / "settings.json", {"type": "command", "command": SOUND, "timeout": 5})
    ran = windtunnel("certify", *QUICK, "--report", tmp_path / "out")
    assert 0 == ran.code, ran.out + ran.err
    assert "1 hook found" in ran.out
    assert "guessed: samples.block is ours, an unfinished session with open todos, which it decided so" in ran.out
    assert "guessed: it wrote in {home}/.cache/sound-python, which is taken for its own place" in ran.out
    assert ("conformant", "stop") == (result(tmp_path / "out")["outcome"], result(tmp_path / "out")["target"])
    target = yaml.safe_load((tmp_path / "out" / "target.yaml").read_text())
    assert ["sh", "-c", 'python3 "{project}"/.claude/hooks/stop.py'] == target["command"]
    assert (5.0, "claude-code") == (target["timeout_s"], target["host"])


def test_what_was_written_out_is_a_target_that_gives_the_same_verdict(project, windtunnel, tmp_path):
    tell(project / ".claude" / "settings.json", {"type": "command", "command": SOUND, "timeout": 5})
    words = (*QUICK, "--clause", "SH-07")
    assert 0 == windtunnel("certify", *words, "--report", tmp_path / "out").code
    assert 0 == windtunnel("certify", tmp_path / "out" / "target.yaml", *words, "--report", tmp_path / "again").code
    assert result(tmp_path / "out")["digest"] == result(tmp_path / "again")["digest"]


@pytest.mark.parametrize(
    ("place", "host"),
    [
        ("{project}/.claude/settings.local.json", "claude-code"),
        ("{home}/.claude/settings.json", "claude-code"),
        ("{project}/.codex/hooks.json", "codex"),
        ("{home}/.codex/hooks.json", "codex"),
    ],
)
def test_every_form_of_settings_is_found(project, home, windtunnel, tmp_path, place, host):
    text = "python3 .claude/hooks/stop.py"
    tell(tmp_path / place.format(project=project, home=home), {"type": "command", "command": text, "timeout": 5})
    ran = windtunnel("certify", *QUICK, "--clause", "SH-07", "--report", "report")
    assert 0 == ran.code, ran.out + ran.err
    assert host == yaml.safe_load((project / "report" / "target.yaml").read_text())["host"]


def test_a_hook_of_the_home_is_shown_and_the_rest_of_the_home_is_not(project, home, windtunnel, tmp_path):
    """The sandbox's home is another; of the person's only the file that the command names is there."""
    (home / ".claude").mkdir()
    (home / ".claude" / "credentials.json").write_text("secret")
    (home / ".claude" / "stop.py").write_text(
        "import os, sys\n"
        f"seen = [p for p in ({str(home / '.claude' / 'credentials.json')!r}, {str(home / '.claude' / 'settings.json')!r})"
        " if os.path.exists(p)]\n"
        "sys.stderr.write(f'seen {seen} {__file__}'); sys.exit(0)\n"
    )
    tell(home / ".claude" / "settings.json", {"type": "command", "command": "python3 ~/.claude/stop.py", "timeout": 5})
    ran = windtunnel("certify", *QUICK, "--clause", "SH-07", "--report", tmp_path / "out")
    assert ran.code in (0, 5), ran.out + ran.err
    assert "lies in your home, of which the sandbox shows only what is named" in flat(ran.out)
    said = {
        entry.value.get("stderr_excerpt")
        for event in read_events(tmp_path / "out")[1:-1]
        for entry in getattr(event, "history", ())
        if entry.op == "stop" and entry.type.value == "ok"
    }
    (text,) = {excerpt for excerpt in said if excerpt}
    assert text.startswith("seen [] ")
    assert text.endswith(f"{home.parent.name}/home/.claude/stop.py")


def test_several_hooks_are_certified_one_after_another_and_the_worst_end_is_told(project, windtunnel, tmp_path):
    missing = {"type": "command", "command": "python3 .claude/hooks/gone.py", "timeout": 5}
    guard = {"type": "command", "command": "python3 .claude/hooks/guard.py", "timeout": 5}
    prompt = {"type": "prompt", "prompt": "Are you done?"}
    sound = {"type": "command", "command": SOUND, "timeout": 5}
    tell(project / ".claude" / "settings.json", sound, prompt, missing)
    tell(project / ".claude" / "settings.local.json", guard, sound)
    ran = windtunnel("certify", *QUICK, "--clause", "SH-08", "--report", tmp_path / "out")
    assert 4 == ran.code, ran.out + ran.err
    assert "3 hooks found" in ran.out
    assert "is of type 'prompt', not a command, so there is nothing to run here" in flat(ran.out)
    assert "is the same command once more; a host runs it once" in flat(ran.out)
    assert "stop-2: python3 has no script to run: .claude/hooks/gone.py does not exist in" in flat(ran.err)
    assert (
        "it let an unfinished session with open todos end too, so it could not be seen to guard anything (SH-08)"
        in flat(ran.out)
    )
    ends = [line.split(", report")[0].strip() for line in ran.out.split("all hooks")[1].strip().splitlines()]
    assert [
        "stop-1: conformant (exit code 0)",
        "stop-2: untestable (exit code 4)",
        "stop-3: inconclusive (exit code 5)",
    ] == ends
    assert {"stop-1": "conformant", "stop-3": "inconclusive"} == {
        path.parent.name: result(path.parent)["outcome"] for path in (tmp_path / "out").glob("*/result.json")
    }


def test_without_settings_the_files_that_were_looked_for_are_named(project, home, windtunnel):
    ran = windtunnel("certify")
    assert 2 == ran.code
    for path in (
        project / ".claude/settings.json",
        project / ".claude/settings.local.json",
        home / ".claude/settings.json",
        project / ".codex/hooks.json",
        home / ".codex/hooks.json",
    ):
        assert str(path) in flat(ran.err)
    assert "name a target: a target file, --hook -- CMD..., or reference" in flat(ran.err)


def test_below_a_project_with_settings_that_project_is_named(project, windtunnel, monkeypatch):
    tell(project / ".claude" / "settings.json", SOUND)
    (project / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(project / "src" / "deep")
    ran = windtunnel("certify")
    assert 2 == ran.code
    assert f"go to {project}, which has settings, or name a target" in flat(ran.err)


def test_settings_without_anything_to_run_say_why(project, windtunnel):
    tell(project / ".claude" / "settings.json", {"type": "agent", "prompt": "x"})
    ran = windtunnel("certify")
    assert 2 == ran.code
    assert "nothing to certify here:" in ran.err
    assert "is of type 'agent', not a command" in flat(ran.err)


@pytest.mark.parametrize("content", ["{", "[]", "\0"])
def test_broken_settings_are_one_sentence(project, windtunnel, content):
    (project / ".claude" / "settings.json").write_text(content)
    ran = windtunnel("certify")
    assert (2, 1) == (ran.code, ran.err.count("\n"))
    assert "settings.json" in ran.err


def test_settings_that_are_no_file_are_one_sentence(project, windtunnel):
    (project / ".claude" / "settings.json").mkdir()
    ran = windtunnel("certify")
    assert 2 == ran.code
    assert "cannot read" in ran.err


@pytest.mark.parametrize("place", ["home", "root"])
def test_a_home_or_the_whole_machine_is_no_project(home, windtunnel, monkeypatch, place):
    monkeypatch.chdir(home if place == "home" else "/")
    ran = windtunnel("certify")
    assert 2 == ran.code
    assert "is no project: its hooks would see all of it" in flat(ran.err)


def test_a_hook_that_hangs_is_learnt_nothing_from(project, windtunnel, tmp_path):
    tell(project / ".claude" / "settings.json", {"type": "command", "command": "sleep 1000", "timeout": 0.3})
    ran = windtunnel("certify", *QUICK, "--clause", "SH-05", "--report", tmp_path / "out")
    assert ran.code in (1, 5)
    assert "it gave no answer to a session that ended well, so nothing was learnt from our sessions" in flat(ran.out)
    assert "samples" not in yaml.safe_load((tmp_path / "out" / "target.yaml").read_text())


def test_a_hook_that_blocks_everything_is_told(project, windtunnel, tmp_path):
    tell(project / ".claude" / "settings.json", {"type": "command", "command": "echo no >&2; exit 2", "timeout": 5})
    ran = windtunnel("certify", *QUICK, "--clause", "SH-05", "--report", tmp_path / "out")
    assert "it let none of our sessions end; give one that it does under samples.approve" in flat(ran.out)
    assert ["block"] == list(yaml.safe_load((tmp_path / "out" / "target.yaml").read_text())["samples"])


def test_a_target_file_is_written_without_running_anything(project, windtunnel):
    tell(project / ".claude" / "settings.json", f"touch {project}/ran; {SOUND}")
    ran = windtunnel("certify", "--write-target", "target.yaml")
    assert 0 == ran.code, ran.err
    assert not (project / "ran").exists()
    assert not (project / "windtunnel-report").exists()
    assert "guessed: no time-out is stated: the host's 60 s" in ran.out
    text = (project / "target.yaml").read_text()
    assert "# samples.block is ours, an unfinished session with open todos; the hook was not tried\n" in text
    assert {"approve": "target.approve.jsonl", "block": "target.block.jsonl"} == yaml.safe_load(text)["samples"]
    assert 0 == windtunnel("certify", "target.yaml", *QUICK, "--clause", "SH-08").code


def test_several_targets_are_written_to_a_folder(project, windtunnel):
    tell(project / ".claude" / "settings.json", SOUND, "python3 .claude/hooks/guard.py")
    ran = windtunnel("certify", "--write-target", "made/targets")
    assert 0 == ran.code, ran.err
    made = project / "made" / "targets"
    assert ["stop-1.yaml", "stop-2.yaml"] == sorted(path.name for path in made.glob("*.yaml"))
    assert "../.." == yaml.safe_load((made / "stop-1.yaml").read_text())["folder"]
    assert 0 == windtunnel("certify", made / "stop-1.yaml", *QUICK, "--clause", "SH-08").code


def test_nothing_that_is_there_is_written_over(project, windtunnel):
    tell(project / ".claude" / "settings.json", SOUND)
    (project / "target.yaml").write_text("mine")
    ran = windtunnel("certify", "--write-target", "target.yaml")
    assert 2 == ran.code
    assert "target.yaml is there already" in ran.err
    assert "mine" == (project / "target.yaml").read_text()


def test_several_targets_do_not_fit_in_one_file(project, windtunnel):
    tell(project / ".claude" / "settings.json", "true", "false")
    (project / "file").write_text("mine")
    ran = windtunnel("certify", "--write-target", "file")
    assert 2 == ran.code
    assert "2 hooks need a directory, and file is a file" in flat(ran.err)


def test_a_place_that_cannot_be_written_is_one_sentence(project, windtunnel):
    tell(project / ".claude" / "settings.json", "true")
    (project / "file").write_text("mine")
    ran = windtunnel("certify", "--write-target", "file/target.yaml")
    assert 2 == ran.code
    assert "cannot write file/target.yaml" in flat(ran.err)


def test_write_target_and_a_target_exclude_each_other(project, windtunnel):
    ran = windtunnel("certify", "reference", "--write-target", "x.yaml")
    assert 2 == ran.code
    assert "--write-target is for what discovery finds; leave out the target" in flat(ran.err)


def test_an_interrupt_ends_all_hooks(project, windtunnel, monkeypatch):
    tell(project / ".claude" / "settings.json", "true", "false", "echo")
    monkeypatch.setattr(certify.command, "callback", lambda **params: 130)
    context = certify.command.make_context("certify", [*QUICK])
    assert 130 == discovered.run(context)


def test_what_stops_one_hook_does_not_stop_the_next(project, windtunnel, monkeypatch, capsys):
    tell(project / ".claude" / "settings.json", "true", "false")

    def nothing(**params):
        raise NothingRanError("no scenario for SH-01 runs against this target; nothing was checked")

    monkeypatch.setattr(certify.command, "callback", nothing)
    context = certify.command.make_context("certify", [*QUICK])
    assert 5 == discovered.run(context)
    assert 2 == capsys.readouterr().err.count("nothing was checked [WT-N01]\n")
