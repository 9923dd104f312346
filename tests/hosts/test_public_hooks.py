"""The list of published hooks is pinned, their target files load, the rewritten ones do what is said, the page agrees."""

import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.targets import target_file

ROOT = Path(__file__).parents[2]
PUBLIC = ROOT / "examples" / "public_hooks"
PAGE = (ROOT / "reports" / "hooks.md").read_text("utf-8")


def load_report():
    loader = importlib.machinery.SourceFileLoader("public_hooks_report", str(PUBLIC / "report"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


report = load_report()
HOOKS = {hook.name: hook for hook in report.hooks()}
REGISTRY = [hook for hook in HOOKS.values() if hook.package]
REWRITTEN = [hook for hook in HOOKS.values() if hook.kind == "rewritten"]
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")][1:]
UNFINISHED = '{"type":"user","message":{"role":"user","content":"Mend the delay."}}\n'


def named(hooks):
    return pytest.mark.parametrize("hook", [pytest.param(hook, id=hook.name) for hook in hooks])


def stopped(hook, tmp_path, transcript, **more):
    """The hook's answer in a copy of its folder, with what its host finds there afterwards."""
    folder = tmp_path / "project"
    if not folder.exists():
        shutil.copytree((PUBLIC / hook.target).parent, folder, ignore=shutil.ignore_patterns("node_modules", ".venv"))
    command = yaml.safe_load((PUBLIC / hook.target).read_text())["command"]
    event = {
        "session_id": "s",
        "transcript_path": str(transcript),
        "cwd": str(folder),
        "stop_hook_active": False,
        **more,
    }
    done = subprocess.run(
        command, input=json.dumps(event), cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    decision = json.loads(done.stdout).get("decision") if done.stdout.strip() else None
    return done.returncode, decision, folder


def sample(hook, kind):
    target = PUBLIC / hook.target
    return (target.parent / yaml.safe_load(target.read_text())["samples"][kind]).resolve()


def test_every_target_file_stands_in_the_list_once():
    tracked = [str(path.relative_to(PUBLIC)) for path in PUBLIC.glob("*/*.yaml")]
    assert sorted(tracked) == sorted(hook.target for hook in HOOKS.values())
    assert len(HOOKS) == len(report.hooks())
    assert len(REGISTRY) >= 6
    assert {"npm", "pypi", "rewritten"} == {hook.kind for hook in HOOKS.values()}


@named(HOOKS.values())
def test_a_target_file_loads_and_says_its_name_and_version(hook):
    spec = target_file.load(PUBLIC / hook.target)
    assert (hook.name, hook.version, "hook") == (spec.file.name, spec.file.version, spec.file.carrier)
    assert hook.blocks or "block" not in spec.samples


@named(REGISTRY)
def test_a_package_is_pinned_at_the_version_of_the_list(hook):
    folder = (PUBLIC / hook.target).parent
    if hook.kind == "pypi":
        pins = (folder / "requirements.txt").read_text().splitlines()
        assert f"{hook.package}=={hook.version}" in pins
        assert [] == [pin for pin in pins if "==" not in pin]
    else:
        lock = json.loads((folder / "package-lock.json").read_text())["packages"]
        assert {hook.package: hook.version} == json.loads((folder / "package.json").read_text())["dependencies"]
        assert hook.version == lock[f"node_modules/{hook.package}"]["version"]
        assert [] == [name for name, each in lock.items() if name and not each.get("integrity")]
        assert [] == [name for name, each in lock.items() if "resolved" in each]


@named([hook for hook in REWRITTEN if hook.blocks and "node" not in hook.needs and "jq" not in hook.needs])
def test_a_rewritten_hook_holds_its_sample_once(hook, tmp_path):
    assert (0, "block") == stopped(hook, tmp_path, sample(hook, "block"))[:2]
    assert (0, None) == stopped(hook, tmp_path, sample(hook, "block"), stop_hook_active=True)[:2]


def test_claim_check_lets_a_tested_session_go_and_one_without_tests(tmp_path):
    hook = HOOKS["claim-check"]
    assert (0, None) == stopped(hook, tmp_path, sample(hook, "approve"))[:2]
    untested = tmp_path / "untested.jsonl"
    untested.write_text(UNFINISHED)
    assert (0, None) == stopped(hook, tmp_path, untested)[:2]
    assert (0, None) == stopped(hook, tmp_path, tmp_path / "missing.jsonl")[:2]


def test_claim_check_reads_a_conversation_with_blank_lines(tmp_path):
    hook = HOOKS["claim-check"]
    spaced = tmp_path / "spaced.jsonl"
    spaced.write_text(sample(hook, "block").read_text().replace("\n", "\n\n"))
    assert (0, "block") == stopped(hook, tmp_path, spaced)[:2]


def test_the_test_gate_lets_go_when_the_tests_pass(tmp_path):
    hook = HOOKS["test-gate"]
    folder = stopped(hook, tmp_path, sample(hook, "block"))[2]
    (folder / "run_tests.sh").write_text("exit 0\n")
    assert (0, None) == stopped(hook, tmp_path, sample(hook, "block"))[:2]


def test_the_session_log_keeps_each_stop_and_the_conversation(tmp_path):
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text(UNFINISHED)
    for count in (1, 2):
        code, decision, folder = stopped(HOOKS["session-log"], tmp_path, transcript)
        assert (0, None) == (code, decision)
        assert count == len(json.loads((folder / "logs" / "stop.json").read_text()))
    assert [json.loads(UNFINISHED)] == json.loads((folder / "logs" / "chat.json").read_text())


@pytest.mark.tools
def test_the_ralph_loop_gives_its_task_back_until_the_promise_is_spoken(tmp_path):
    hook = HOOKS["ralph-loop"]
    state = tmp_path / "project" / ".claude" / "ralph-loop.local.md"
    for iteration in range(2, 21):
        assert (0, "block") == stopped(hook, tmp_path, sample(hook, "block"), stop_hook_active=True)[:2]
        assert f"iteration: {iteration}\n" in state.read_text()
    assert (0, None) == stopped(hook, tmp_path, sample(hook, "block"))[:2]
    assert not state.exists()


@pytest.mark.tools
def test_the_ralph_loop_ends_with_its_promise(tmp_path):
    hook = HOOKS["ralph-loop"]
    code, decision, folder = stopped(hook, tmp_path, sample(hook, "approve"))
    assert (0, None) == (code, decision)
    assert not (folder / ".claude" / "ralph-loop.local.md").exists()


@pytest.mark.tools
def test_the_type_gate_holds_by_exit_code_2_and_once(tmp_path):
    hook = HOOKS["type-gate"]
    assert (2, None) == stopped(hook, tmp_path, sample(hook, "block"))[:2]
    code, decision, folder = stopped(hook, tmp_path, sample(hook, "block"), stop_hook_active=True)
    assert (0, None) == (code, decision)
    (folder / "check_types.sh").write_text("exit 0\n")
    assert (0, None) == stopped(hook, tmp_path, sample(hook, "block"))[:2]


def test_the_page_names_the_hooks_of_the_list_with_their_versions():
    assert [(hook.name, hook.version) for hook in HOOKS.values()] == [(row[0], row[2]) for row in ROWS]
    for hook in HOOKS.values():
        assert f"\n## {hook.name}\n\n{hook.does} Described: {hook.described}." in PAGE


@named([hook for hook in HOOKS.values() if hook.checked])
def test_what_was_seen_by_hand_belongs_to_a_deviation_of_the_page(hook):
    section = PAGE.partition(f"\n## {hook.name}\n")[2].partition("\n## ")[0]
    assert [] == [clause for clause in hook.checked if f"**{clause} deviates**" not in section]
