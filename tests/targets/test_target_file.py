"""A target file says how to reach an implementation; one that cannot be used is told in one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import FileFormatError, UsageError
from harness.targets.target_file import DeclaredPaths, Samples, TargetFile, closest, load, parse

HOOK = b"name: mine\ncarrier: hook\ncommand: [./hook.sh, --fast]\n"
EVERYTHING = b"""
name: mine
carrier: hook
command: [python3, hook.py]
version: "1.2"
env: {A: "1"}
host: codex
timeout_s: 2.5
max_blocks: 3
paths: {config: "{project}/c.json", runtime: "{home}/r"}
samples: {approve: good.jsonl, block: bad.jsonl}
groups: [power_steering]
expose: [/opt/tool]
network: true
"""


def test_the_least_a_target_file_can_say():
    assert parse(HOOK, "x") == TargetFile(name="mine", carrier="hook", command=("./hook.sh", "--fast"))


def test_everything_a_target_file_can_say():
    expected = TargetFile(
        name="mine",
        carrier="hook",
        command=("python3", "hook.py"),
        version="1.2",
        env={"A": "1"},
        host="codex",
        timeout_s=2.5,
        max_blocks=3,
        paths=DeclaredPaths(config="{project}/c.json", runtime="{home}/r"),
        samples=Samples("good.jsonl", "bad.jsonl"),
        groups=("power_steering",),
        expose=("/opt/tool",),
        network=True,
    )
    assert expected == parse(EVERYTHING, "x")
    assert expected.paths.stated() == {"config": "{project}/c.json", "runtime": "{home}/r"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "x.yaml is no target file: Expected `object`, got `null`"),
        (b"- 1", "x.yaml is no target file: Expected `object`, got `array`"),
        (b"name: [", "x.yaml is no YAML: while parsing a flow"),
        (b"\xff\xfe\x00", "x.yaml is no YAML: "),
        (b"name: 2026-13-45", "x.yaml is no YAML: month must be in 1..12"),
        (b"name: !!bool maybe", "x.yaml is no YAML: "),
        (b"name: !!timestamp x", "x.yaml is no YAML: "),
        (b"[" * 9000, "x.yaml is no YAML: "),
        (b"carrier: hook\ncommand: [a]", "missing required field `name`"),
        (HOOK.replace(b"hook\n", b"telepathy\n"), "Invalid enum value 'telepathy'"),
        (HOOK.replace(b"[./hook.sh, --fast]", b"./hook.sh"), "Expected `array`, got `str` - at `$.command`"),
        (HOOK.replace(b"command", b"comand"), "there is no key 'comand'; did you mean 'command'?"),
        (HOOK + b"paths: {semaphor: a}", "there is no key 'semaphor'; did you mean 'semaphore'?"),
        (HOOK + b"samples: {aprove: a}", "there is no key 'aprove'; did you mean 'approve'?"),
        (HOOK + b"zzz: 1", "there is no key 'zzz'; known keys: name, carrier, command, "),
        (HOOK + b"timeout_s: 0", "Expected `float` > 0.0"),
        (HOOK + b"max_blocks: 0", "Expected `int` >= 1"),
        (HOOK + b"max_blocks: 1001", "Expected `int` <= 1000"),
        (b"name: a\ncarrier: hook", "x.yaml: carrier hook needs a `command`, a list of words"),
        (b"name: a\ncarrier: stdio\ncommand: []", "x.yaml: carrier stdio needs a `command`, a list of words"),
        (b"name: a\ncarrier: in_process", "x.yaml: carrier in_process needs `factory: package.module:name`"),
    ],
)
def test_a_target_file_that_cannot_be_used_gets_one_sentence(text, says):
    with pytest.raises(FileFormatError) as caught:
        parse(text, "x.yaml")
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert message.startswith("x.yaml")


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_stands_in_a_target_file_is_a_target_or_a_sentence(text):
    try:
        parse(text, "x.yaml")
    except FileFormatError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts are refused, and none has to be


def test_python_code_needs_a_factory_and_no_command():
    file = parse(b"name: a\ncarrier: in_process\nfactory: pkg.mod:make", "x")
    assert (file.factory, file.command) == ("pkg.mod:make", ())


def test_samples_are_read_from_beside_the_target_file(tmp_path: Path):
    (tmp_path / "target.yaml").write_bytes(EVERYTHING)
    (tmp_path / "good.jsonl").write_bytes(b"good\n")
    (tmp_path / "bad.jsonl").write_bytes(b"bad\n")
    spec = load(tmp_path / "target.yaml")
    assert (spec.folder, dict(spec.samples)) == (str(tmp_path.resolve()), {"approve": b"good\n", "block": b"bad\n"})


def test_a_target_without_samples_has_none(tmp_path: Path):
    (tmp_path / "target.yaml").write_bytes(HOOK + b"samples: {approve: null}")
    assert load(tmp_path / "target.yaml").samples == {}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read: No such file or directory"),
        ("directory", "cannot be read: it is no regular file"),
        (b" \n", "which is empty; a sample holds a whole transcript"),
    ],
)
def test_a_sample_that_cannot_be_used_is_named(tmp_path: Path, content, says):
    target, sample = tmp_path / "target.yaml", tmp_path / "s.jsonl"
    target.write_bytes(HOOK + b"samples: {block: s.jsonl}")
    if content == "directory":
        sample.mkdir()
    elif content is not None:
        sample.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load(target)
    assert str(caught.value).startswith(f"{target} names the sample {sample}, ")
    assert says in str(caught.value)


def test_a_target_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(UsageError, match=r"cannot read the target file .*/none.yaml: No such file"):
        load(tmp_path / "none.yaml")


@pytest.mark.parametrize(("word", "near"), [("comand", "command"), ("COMMAND", None), ("name", "name"), ("qqqq", None)])
def test_the_closest_word_is_found_or_none(word, near):
    assert near == closest(word, ["command", "name"])
