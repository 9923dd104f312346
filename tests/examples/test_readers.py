"""The readers of examples/readers check hooks without windtunnel. Source: issue 3, 5: "so that any language can use them"."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from harness.certify import corpus
from harness.core.scenario import FileSpec, Operation, Step
from harness.explore.folder import as_text
from harness.explore.plain import rendered
from harness.systems import registry

ROOT = Path(__file__).parents[2]
READERS = ROOT / "examples" / "readers"
HOOKS = ROOT / "examples" / "hooks"
SOUND = ("python3", HOOKS / "sound_python" / "hook.py")
BLOCKS_ON_ERROR = ("python3", HOOKS / "blocks_on_parse_error" / "todo_check.py")
SHELL = pytest.param(("bash", READERS / "check.sh"), id="bash", marks=pytest.mark.tools)
NODE = pytest.param(("node", READERS / "check.mjs"), id="node", marks=pytest.mark.tools)
BROKEN = (
    "missing",
    "empty",
    "directory",
    "fifo",
    "symlink-loop",
    "bad-utf8",
    "eleven-invalid",
    "duplicate-keys",
    "nan",
)
reader = pytest.mark.parametrize("words", [SHELL, NODE])


@pytest.fixture
def plain(tmp_path):
    """``plain(id, change)`` writes a scenario of ours without its faults, as JSON."""

    def write(name, **changes):
        changes = {"allowed": ({"decision": "approve"},), **changes}
        scenario = next(each for each in corpus.scenarios("stop_gate") if each.id == name)
        found = rendered(scenario, registry.get("stop_gate"))
        path = tmp_path / f"{name}.json"
        path.write_text(as_text(msgspec.structs.replace(found, **changes), "json"))
        return path

    return write


def ran(words, scenario, *command, env=None):
    return subprocess.run(
        [*words, scenario, "--", *command], capture_output=True, text=True, check=False, env=env, timeout=60
    )


@reader
@pytest.mark.parametrize("name", BROKEN)
def test_a_sound_hook_is_found_sound(plain, words, name):
    done = ran(words, plain(f"hook-transcript-{name}"), *SOUND)
    assert (0, f"ok   hook-transcript-{name}: approve\n", "") == (done.returncode, done.stdout, done.stderr)


@reader
def test_a_hook_that_blocks_on_errors_is_found_out(plain, words):
    done = ran(words, plain("hook-transcript-eleven-invalid"), *BLOCKS_ON_ERROR)
    assert (1, "FAIL hook-transcript-eleven-invalid: block\n") == (done.returncode, done.stdout)


@reader
def test_a_hook_that_never_blocks_is_found_out(plain, words):
    unfinished = {"session_id": "s-1", "transcript_path": "{home}/t.jsonl"}
    world = {
        "{home}/t.jsonl": FileSpec(text=registry.get("stop_gate").process_calls.default_samples()["block"].decode())
    }
    scenario = next(each for each in corpus.scenarios("stop_gate") if each.id == "hook-calm")
    changes = {
        "world": msgspec.structs.replace(scenario.world, files=world), "allowed": ({"decision": "block"},),
        "steps": (Step(op=Operation("stop", unfinished)),),
    }  # fmt: skip
    path = plain("hook-transcript-missing", **changes)
    assert [1, 0] == [ran(words, path, *command).returncode for command in (("true",), SOUND)]


@reader
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"allowed": ()}, "does not say what is allowed"),
        ({"steps": (Step(op=Operation("check")),)}, "has a step that this reader does not know"),
        ({"steps": (Step(op=Operation("stop", {"stdin": "garbage"})),)}, "has a step that this reader does not know"),
    ],
)
def test_what_a_reader_cannot_run_it_says(plain, words, changes, sentence):
    done = ran(words, plain("hook-transcript-missing", **changes), *SOUND)
    assert (2, "", 1) == (done.returncode, done.stdout, done.stderr.count(sentence))


@reader
def test_a_reader_says_how_it_is_called_and_that_a_command_is_not_there(plain, words):
    path = plain("hook-transcript-missing")
    done = subprocess.run([*words, path], capture_output=True, text=True, check=False)
    assert (2, True) == (done.returncode, done.stderr.startswith("usage: "))
    gone = ran(words, path, "no-such-command")
    assert (2, "no-such-command does not exist\n") == (gone.returncode, gone.stderr)


@reader
def test_a_reader_leaves_nothing_behind(plain, words, tmp_path):
    (tmp_path / "tmp").mkdir()
    ran(words, plain("hook-transcript-missing"), *SOUND, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    assert [] == os.listdir(tmp_path / "tmp")


def test_without_jq_the_shell_reader_says_so(plain, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bash").symlink_to(shutil.which("bash"))
    done = ran(
        ("bash", READERS / "check.sh"), plain("hook-transcript-missing"), *SOUND, env={"PATH": str(tmp_path / "bin")}
    )
    assert (2, "this reader needs jq: install it, or take check.mjs, which needs node only\n") == (
        done.returncode,
        done.stderr,
    )


def test_readers_are_short_and_name_the_command_that_writes_for_them():
    for path in READERS.iterdir():
        text = path.read_text()
        assert len(text.splitlines()) <= 80
        assert re.search(r"windtunnel generate --profile stop_hook --plain --format json --out", text)
