"""``windtunnel certify --host NAME``: each row of the table of outcomes in docs/hosts.md, and what is refused."""

import json
from contextlib import nullcontext

import msgspec
import needs
import pytest
import yaml
from hosts import fake_host

from harness.cli import certify, hosted
from harness.cli import host as host_commands
from harness.core.hosted import HostedRun, HostFinding, HostStop, HostStory
from harness.errors import MachineError
from harness.sandbox import launch, sandbox
from harness.systems.stop_gate import hosts

PREDICTED = "each as predicted, nothing wrong with the hook"
QUICK = ("--level", "L1", "--cases", "0", "--jobs", "2", "--clause", "SH-07")
NEVER_LETS_GO = "echo go on >&2; exit 2\n"
ONCE = "if grep -q '\"stop_hook_active\": true'; then exit 0; fi\n"
WITHOUT_TRANSCRIPT = ONCE + 'if [ ! -s "$HOME/transcript.jsonl" ]; then {}; fi\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a hook that lets every session end, and its target file."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "hook.sh").write_text("exit 0\n")
    tell_target(here)
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home without settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)


def tell_target(place, **more):
    target = {"name": "mine", "carrier": "hook", "command": ["sh", "hook.sh"], "timeout_s": 5, "max_blocks": 2, **more}
    (place / "target.yaml").write_text(yaml.safe_dump(target))


@pytest.fixture
def known(tmp_path, monkeypatch):
    """``known("hangs", cap=2)``: such a host, the only one there is, with that table."""

    def make(*does, cap=None, installed=fake_host.VERSION, limit_s=60.0, table=None, ephemeral=False):
        kind = fake_host.FakeHost(does, cap, ephemeral)
        fake_host.make_known(monkeypatch, tmp_path, kind, known=(table,) if table else ())
        monkeypatch.setattr(host_commands, "SESSION_LIMIT_S", limit_s)
        if installed:
            fake_host.install_as_npm_does(tmp_path, kind, installed)

    return make


@pytest.fixture
def certified(windtunnel, folder, monkeypatch):
    """``certified(1)``: the command line with a host, where the certification before it ends with that code."""

    def run(code=0, words=("target.yaml",)):
        def run_to_end(engine, handlers):
            (folder / "out" / "junit.xml").write_text("<testsuites/>")
            (folder / "out" / "report.md").write_text("# mine\n")
            return code

        monkeypatch.setattr(certify, "run_to_end", run_to_end)
        return windtunnel("certify", "--host", "fake-host", "--report", "out", *words)

    return run


@pytest.fixture
def scripted(known, monkeypatch):
    """``scripted(story)``: what is seen of the hook is that, and nothing is run."""

    def make(*stories, error=None):
        def trial(*_):
            yield from stories
            if error is not None:
                raise error

        known()
        monkeypatch.setattr(hosted, "rig_for", lambda *_, **__: nullcontext())
        monkeypatch.setattr(hosted, "trial", trial)

    return make


def stop(blocked, predicted, unsettled=False):
    return HostStop(blocked, predicted, 2 if blocked else 0, False, "", True, unsettled)


def story(*stops, end="exited", left=()):
    return HostStory("plain", "as its user runs it", "It answers", True, end, stops, left)


def result(folder):
    return json.loads((folder / "out" / "host.json").read_text())


def clauses(folder):
    """What is violated in sessions that nobody interrupted."""
    return {found["clause"] for found in result(folder)["findings"] if "Ctrl-C" not in found["story"]}


LEFT = HostFinding("SH-07", "plain", "after the session still ran: sleep, sh")
LETS_GO = story(stop(False, False))
LEAVES = story(stop(False, False), left=("sleep", "sh"))
HOLDS = story(*[stop(True, True)] * 3, end="stopped")
DIFFERS = story(stop(True, False), stop(False, False))
UNSETTLED = story(stop(True, False, unsettled=True), stop(False, False))
CODES = (
    (0, (LETS_GO,), 0, "as_predicted"),
    (5, (LETS_GO,), 5, "as_predicted"),
    (1, (LETS_GO,), 1, "as_predicted"),
    (0, (UNSETTLED,), 0, "as_predicted"),
    (0, (LETS_GO, LEAVES), 0, "not_strict"),
    (5, (LEAVES,), 5, "not_strict"),
    (0, (LEAVES, HOLDS), 1, "fails"),
    (5, (HOLDS,), 1, "fails"),
    (1, (HOLDS,), 1, "fails"),
    (0, (LETS_GO, DIFFERS), 5, "differs"),
    (0, (HOLDS, DIFFERS), 5, "differs"),
    (5, (DIFFERS,), 5, "differs"),
    (1, (DIFFERS,), 1, "differs"),
)


@pytest.mark.parametrize(("certification", "stories", "code", "outcome"), CODES)
def test_the_exit_code_is_the_worse_of_the_certification_and_the_host(
    certified, scripted, folder, certification, stories, code, outcome
):
    scripted(*stories)
    ran = certified(certification)
    assert (code, outcome) == (ran.code, result(folder)["outcome"])
    assert f"exit {code}" in ran.out.splitlines()[-1]


@pytest.mark.parametrize("code", [2, 3, 4, 130])
def test_a_certification_that_came_to_no_verdict_is_not_gone_on_with(certified, scripted, folder, code):
    scripted(error=AssertionError("nothing is to be played"))
    (folder / "out").mkdir()
    (folder / "out" / "host.json").write_text("of an earlier run")
    assert code == certified(code).code
    assert not (folder / "out" / "host.json").exists()


def test_host_json_has_every_stop_and_both_reports_tell_of_it(certified, scripted, folder):
    scripted(LETS_GO, LEAVES)
    certified()
    expected = HostedRun("fake-host", "1.0", "mine", "not_strict", (LETS_GO, LEAVES), (LEFT,))
    assert expected == msgspec.json.decode((folder / "out" / "host.json").read_bytes(), type=HostedRun)
    assert "Under the real host fake-host 1.0: not strict" in (folder / "out" / "report.md").read_text()
    assert 'name="mine: fake-host 1.0"' in (folder / "out" / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("stories", "how"),
    [((LETS_GO, LEAVES), "each as predicted, a SHOULD is open:"), ((LEAVES, HOLDS), "the hook fails:")],
    ids=["not strict", "fails"],
)
def test_what_a_hook_does_wrong_is_told_by_clause(certified, scripted, stories, how):
    scripted(*stories)
    lines = certified().out.splitlines()
    assert "  plain (as its user runs it): ., left behind: sleep, sh" in lines
    assert [how] == [line.partition(" · ")[2] for line in lines if line.startswith("on the real fake-host 1.0: 2 sess")]
    assert f"  {LEFT.clause} in {LEFT.story}: {LEFT.text}" in lines


def test_of_a_host_that_differs_nothing_is_said_about_the_hook(certified, scripted):
    scripted(HOLDS, DIFFERS)
    *_, line, last = certified().out.splitlines()
    assert "  plain (as its user runs it): B., not as predicted: .." == line
    told = "or this host is another than its facts are about (ask it: windtunnel host check fake-host); nothing is said"
    assert last.endswith(f"the hook answers otherwise to the same call, {told} of the hook · exit 5")


def test_how_a_session_ended_is_told_where_the_host_did_not_end_it(certified, scripted):
    scripted(HOLDS, story(end="interrupted"))
    lines = certified().out.splitlines()
    assert "  plain (as its user runs it): BBB, stopped" in lines
    assert 1 == sum("as its user runs it): no stop" in line and line.endswith(", interrupted") for line in lines)


@pytest.mark.parametrize(("before", "code", "outcome"), [(LETS_GO, 4, "untested"), (HOLDS, 1, "fails")])
def test_where_the_host_breaks_down_what_was_seen_before_is_kept(certified, scripted, folder, before, code, outcome):
    scripted(before, error=MachineError("it hangs"))
    ended, out, err = certified()
    assert (code, ["broke off: it hangs", f"exit {code}"], "") == (ended, out.splitlines()[-2:], err)
    assert outcome == result(folder)["outcome"]


def test_a_result_that_cannot_be_written_is_told_in_a_sentence(certified, scripted, folder):
    scripted(LETS_GO)
    (folder / "out" / "host.json").mkdir(parents=True)
    said = "windtunnel: cannot write the report to out: Is a directory; choose another with --report [WT-U10]\n"
    assert (2, "", said) == certified()


@pytest.mark.parametrize(("stated", "timeout_s"), [({}, 5.0), ({"timeout_s": None}, 7.0)])
def test_a_hook_without_a_time_out_of_its_own_has_that_of_the_host_version(
    certified, scripted, folder, monkeypatch, stated, timeout_s
):
    scripted()
    tried = []
    monkeypatch.setattr(hosted, "trial", lambda rig, hook, *_: tried.append(hook) or iter(()))
    table = hosts.Host(fake_host.NAME, fake_host.VERSION, hosts.Documented(timeout_s=7.0))
    monkeypatch.setattr(hosts, "hosts", lambda: (table,))
    tell_target(folder, **stated)
    certified()
    assert [("hook.sh", timeout_s, 2)] == [(hook.words[-1], *hook[1:]) for hook in tried]


@needs.namespaces
def test_a_hook_is_certified_by_the_rules_of_the_host_and_then_run_under_it(windtunnel, folder, known, pytestconfig):
    known(ephemeral=True)
    sound = (pytestconfig.rootpath / "examples/hooks/sound_python/hook.py").read_text()
    (folder / "hook.py").write_text(sound)
    tell_target(folder, command=["python3", "hook.py"], host="codex")
    ran = windtunnel("certify", "target.yaml", "--host", "fake-host", "--report", "out", *QUICK)
    assert 0 == ran.code, ran.out + ran.err
    assert PREDICTED in ran.out
    assert ("as_predicted", []) == (result(folder)["outcome"], result(folder)["findings"])
    assert {"plain", "tools"} <= {told["story"] for told in result(folder)["stories"]}
    assert "no transcript is kept" in {told["condition"] for told in result(folder)["stories"]}
    chosen = hosted.chosen(("target.yaml",), hook=False, other=False, name="fake-host")
    assert ("fake-host:1.0", "target.yaml") == (chosen.spec.file.host, chosen.replay)
    assert {"events.jsonl", "result.json", "host.json"} <= {path.name for path in (folder / "out").iterdir()}


@needs.namespaces
@pytest.mark.parametrize(
    ("hook", "violated"),
    [
        (NEVER_LETS_GO, {"SH-03"}),
        ("setsid sleep 300 </dev/null >/dev/null 2>&1 &\n", {"SH-07"}),
        ("exec sleep 300\n", {"SH-04"}),
        (WITHOUT_TRANSCRIPT.format("echo none >&2; exit 2"), {"SH-02"}),
        (WITHOUT_TRANSCRIPT.format("""printf '{"decision":"block","reason":"none"}'"""), {"SH-01"}),
    ],
    ids=["never lets go", "leaves a child", "does not end", "blocks by exit 2 for a fault", "blocks by a decision for one"],
)  # fmt: skip
def test_what_a_hook_does_wrong_under_the_host_fails_it(certified, known, folder, hook, violated):
    known(ephemeral=True)
    (folder / "hook.sh").write_text(hook)
    tell_target(folder, timeout_s=1)
    ran = certified()
    assert violated == clauses(folder)
    assert (0 if violated == {"SH-07"} else 1) == ran.code


@needs.namespaces
@pytest.mark.parametrize(
    ("hook", "cap", "table", "code", "stops"),
    [
        (f"{ONCE}echo go on >&2; exit 2\n", None, None, 0, "B."),
        (NEVER_LETS_GO, 2, None, 0, "BB."),
        (f"{ONCE}exit 2\n", None, fake_host.agreeing(exit_2_silent="ends"), 5, "B., not as predicted: .."),
    ],
    ids=["the hook lets go", "the host lets go by its cap", "the table says otherwise"],
)
def test_a_session_that_ends_after_few_blocks_is_compared_with_the_table(
    certified, known, folder, hook, cap, table, code, stops
):
    known(cap=cap, table=table)
    (folder / "hook.sh").write_text(hook)
    ran = certified()
    assert (code, "differs" if code else "as_predicted") == (ran.code, result(folder)["outcome"])
    assert f"  plain (as its user runs it): {stops}\n" in ran.out


@needs.namespaces
def test_a_hook_that_cannot_be_started_under_the_host_is_not_tested_there(certified, known, folder):
    known()
    (folder / "hook.sh").write_text("#!/nowhere/sh\n")
    (folder / "hook.sh").chmod(0o755)
    tell_target(folder, command=["./hook.sh"])
    said = f"windtunnel: the hook cannot be started as a host would: {folder}/hook.sh: ENOENT [WT-M13]\n"
    assert (4, said) == certified()[::2]


@needs.namespaces
@pytest.mark.parametrize(("does", "said"), [*fake_host.BROKEN.items(), *fake_host.CONTRARY.items()])
def test_under_a_host_that_is_none_nothing_is_said_of_the_hook(certified, known, folder, does, said):
    known(does, limit_s=0.2 if does == "hangs" else 60.0)
    (folder / "hook.sh").write_text(NEVER_LETS_GO)
    tell_target(folder, timeout_s=0.2)
    code = "WT-M11" if does in fake_host.BROKEN else "WT-M12"
    assert (4, "", f"windtunnel: {said} [{code}]\n") == certified()
    assert not (folder / "out" / "host.json").exists()


TARGETS = {
    "in the text of a shell": {"command": ["sh", "-c", "sh deep/mine.sh"]},
    "below the project": {"command": ["sh", "-c", 'sh "{project}"/deep/mine.sh']},
    "by itself": {"command": ["deep/mine.sh"]},
    "in a folder of its own": {"command": ["sh", "mine.sh"], "folder": "deep"},
    "by its variables": {"command": ["sh", "-c", '[ "$KEY" = "a b" ] || exit 2'], "env": {"KEY": "a b"}},
}


@needs.namespaces
@pytest.mark.parametrize("told", TARGETS.values(), ids=TARGETS)
def test_under_the_host_a_hook_finds_what_it_found_when_it_was_certified(certified, known, folder, told):
    """A shell and an interpreter end with 2 when their script is not there, which a host takes for a block."""
    known()
    (folder / "deep").mkdir()
    (folder / "deep" / "mine.sh").write_text('#!/bin/sh\n. "$(dirname "$0")/beside.sh" || exit 2\n')
    (folder / "deep" / "mine.sh").chmod(0o755)
    (folder / "deep" / "beside.sh").write_text("exit 0\n")
    tell_target(folder, **told)
    ran = certified()
    assert (0, "  plain (as its user runs it): .") == (ran.code, ran.out.splitlines()[0])


@needs.namespaces
def test_a_hook_elsewhere_is_shown_to_the_host_as_it_was_when_it_was_certified(certified, known, folder, tmp_path):
    known()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.sh").write_text("exit 0\n")
    for words in (("sh", tmp_path / "elsewhere" / "mine.sh"), ("sh", "-c", f"exec sh {tmp_path}/elsewhere/mine.sh")):
        ran = certified(words=("--hook", "--", *words))
        assert (0, "  plain (as its user runs it): .") == (ran.code, ran.out.splitlines()[0])


@needs.namespaces
@pytest.mark.usefixtures("home")
def test_a_hook_that_was_found_in_settings_is_run_under_the_host(certified, known, folder, monkeypatch):
    known()
    tables = (fake_host.agreeing(), fake_host.agreeing("claude-code"))
    monkeypatch.setattr(hosts, "hosts", lambda: tables)
    told = {"type": "command", "command": 'sh "$CLAUDE_PROJECT_DIR"/hook.sh', "timeout": 5}
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [told]}]}}))
    ran = certified(words=())
    assert 0 == ran.code, ran.out + ran.err
    assert PREDICTED in ran.out


@pytest.mark.parametrize(("version", "said"), [("", "is not installed in "), ("0.9", "is version 0.9, and its facts are about 1.0")])  # fmt: skip
def test_a_host_that_is_missing_or_another_is_told_before_anything_runs(certified, known, folder, version, said):
    known(installed=version)
    ran = certified()
    assert (4, "", True) == (ran.code, ran.out, said in ran.err)
    assert ran.err.endswith("with: windtunnel host install fake-host [WT-M09]\n")
    assert not (folder / "out").exists()


def test_where_namespaces_are_refused_no_host_is_run(certified, known, folder, monkeypatch):
    monkeypatch.setattr(launch, "WAYS", (launch.PLAIN,))
    monkeypatch.setattr(sandbox, "_refused", {})
    known()
    ran = certified()
    assert (4, "") == (ran.code, ran.out)
    assert ran.err.startswith("windtunnel: a host is run in a network of its own only: ")


NO_HOOK = "--host runs a Stop hook under a real host; name a target file of a hook, or --hook -- CMD [WT-U17]"
REFUSED = {
    **dict.fromkeys(
        ("reference", "--stdio -- cat", "--python json:loads", "--hook", "target.yaml target.yaml"), NO_HOOK
    ),
    "spoken.yaml": "--host runs a Stop hook under a real host, and spoken.yaml is reached over stdio [WT-U17]",
    "--write-target found.yaml": "--write-target runs nothing, and --host runs a hook; give one of them [WT-U08]",
    "target.yaml --host codez": "there is no host 'codez' that can be run here; there are: fake-host [WT-U06]",
    "target.yaml --system circuit_breaker": "circuit_breaker is not asked one process a call; use --stdio -- CMD, "
    "or carrier: stdio in a target file [WT-U16]",
}


@pytest.mark.parametrize(("words", "said"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_run_under_a_host_is_refused(certified, known, folder, words, said):
    known()
    (folder / "spoken.yaml").write_text("{name: mine, carrier: stdio, command: [cat]}")
    assert (2, "", f"windtunnel: {said}\n") == certified(words=words.split())


@pytest.mark.usefixtures("home")
def test_without_a_target_and_without_hooks_in_settings_there_is_nothing_to_run(certified, known):
    known()
    ran = certified(words=())
    assert (2, "", "windtunnel: no hook is set up here; ") == (ran.code, ran.out, ran.err[:36])


@needs.namespaces
def test_ctrl_c_under_the_host_ends_everything_and_leaves_nothing(folder, tmp_path):
    words = ("certify", "--hook", "--host", "fake-host", *QUICK, "--report", "out", "--", "true")
    ended = fake_host.interrupted_while_it_hangs(tmp_path, *words)
    assert (130, []) == (ended.code, ended.left), ended.out
    assert ended.out.count("interrupted") == ended.out.count("interrupted after 0 sessions on the real fake-host") == 1
    assert ended.took_s < host_commands.SESSION_LIMIT_S / 2
    assert not (folder / "out" / "host.json").exists()
