"""A skeleton of an adapter, in each language: it runs, claims only what is written, and says what is left."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import needs
import pytest

from harness.adapters import skeleton
from harness.systems import registry
from harness.targets import target_file

LINES = 60
PROGRAMS = {"python": sys.executable, "node": "node", "bash": "bash"}
LANGUAGES = [
    pytest.param(lang, marks=() if lang == "python" else pytest.mark.tools, id=lang) for lang in skeleton.LANGUAGES
]
WRITTEN = {"LK-RL-01", "LK-RL-02", "LK-RL-03"}
NOW = "2026-03-01T12:00:00Z"
HELLO = ("initialize", {"protocolVersions": [1], "harness": "test"})
RESET = ("reset", {"workdir": "/nowhere", "config": {"home": "/nowhere"}, "now": NOW})


def made(windtunnel, folder, lang, *systems):
    words = [word for system in systems for word in ("--system", system)]
    ran = windtunnel("adapter", "init", "--lang", lang, *words, "--out", folder)
    assert (0, "") == (ran.code, ran.err)
    return ran


def answers(folder, lang, *calls):
    """What it says to calls, each a pair of a method and its parameters, or a line as it stands."""
    lines = [
        call if isinstance(call, str) else json.dumps({"jsonrpc": "2.0", "id": number, "method": call[0], "params": call[1]}, separators=(",", ":"))
        for number, call in enumerate(calls, 1)
    ]  # fmt: skip
    ran = subprocess.run(
        [PROGRAMS[lang], folder / skeleton.LANGUAGES[lang].file], input="".join(f"{line}\n" for line in lines), text=True,
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    return [json.loads(line) for line in ran.stdout.splitlines()]


def codes(found):
    return [each["error"]["code"] if "error" in each else "ok" for each in found]


@pytest.mark.parametrize("lang", skeleton.LANGUAGES)
@pytest.mark.parametrize("name", registry.NAMES)
def test_an_adapter_of_one_system_has_at_most_60_lines_and_a_place_for_every_operation(lang, name):
    system = registry.get(name)
    text = skeleton.files(lang, [system])[skeleton.LANGUAGES[lang].file]
    assert len(text.splitlines()) <= LINES
    assert "@@" not in text
    for operation in skeleton.operations(system):
        assert (f"def {operation}(" if lang == "python" else f"{name}/{operation}") in text


def test_the_operations_are_those_of_the_served_profile():
    assert ("check", "continuation_prompt", "metrics") == skeleton.operations(registry.get("stop_gate"))
    assert tuple(registry.get("signals").contract.OPERATIONS) == skeleton.operations(registry.get("signals"))


@pytest.mark.parametrize("lang", skeleton.LANGUAGES)
def test_its_target_file_is_one_and_what_is_left_is_every_clause_it_does_not_establish(windtunnel, tmp_path, lang):
    made(windtunnel, tmp_path, lang, "rate_limit", "fallback")
    assert {skeleton.LANGUAGES[lang].file, "target.yaml", "left.json"} == {path.name for path in tmp_path.iterdir()}
    assert skeleton.LANGUAGES[lang].command == target_file.load(tmp_path / "target.yaml").file.command
    left = json.loads((tmp_path / "left.json").read_text())
    assert ["rate_limit", "fallback"] == list(left)
    for name, clauses in left.items():
        judged = {clause.id for clause in registry.get(name).catalogue}
        assert judged - (WRITTEN if name == "rate_limit" else set()) == clauses.keys()
        assert {skeleton.NOT_WRITTEN} == set(clauses.values())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", registry.NAMES)
def test_it_runs_and_says_of_every_operation_that_it_is_not_written_or_what_it_lacks(windtunnel, tmp_path, lang, name):
    made(windtunnel, tmp_path, lang, name)
    system = registry.get(name)
    asked = [(f"{name}/{operation}", {"now": NOW}) for operation in skeleton.operations(system)]
    hello, reset, *said = answers(tmp_path, lang, HELLO, RESET, *asked)
    left = json.loads((tmp_path / "left.json").read_text())
    assert {name: {"not_implemented": left[name]}} == hello["result"]["systems"]
    assert {} == reset["result"]
    lacking = [any(field.required for field in skeleton._fields(system, each)) for each in skeleton.operations(system)]
    expected = [-32602 if lacks else -32601 for lacks in lacking]
    if name == "rate_limit":
        assert {"rate_limited": False} == said[0]["result"]
        expected[0] = "ok"
    assert expected == codes(said)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_no_call_or_cannot_be_done_is_an_error_and_the_next_call_is_answered(windtunnel, tmp_path, lang):
    made(windtunnel, tmp_path, lang, "rate_limit")
    said = answers(
        tmp_path, lang, HELLO, RESET, "no JSON", "[]", ("fly", {}), ("rate_limit/fly", {"now": NOW}), ("rate_limit/__init__", {"now": NOW}),
        ("rate_limit/classify", {"statuz": 1, "now": NOW}), ("rate_limit/classify", {"message": 5, "now": NOW}),
        ("rate_limit/classify", {"message": "a Rate-Limit \u2028 ☃ \U0001d11e", "now": NOW}), ("rate_limit/classify", {"message": "corporate limits", "now": NOW}),
        ("rate_limit/classify", {"status": 429, "now": NOW}), RESET, ("shutdown", {}), ("rate_limit/classify", {"now": NOW}),
    )  # fmt: skip
    raised = [-32000] if lang != "node" else ["ok"]  # there, a number is a text
    assert ["ok", "ok", -32700, -32700, -32601, -32601, -32601, -32602, *raised, *["ok"] * 5] == codes(said)
    assert [True, False, True] == [each["result"]["rate_limited"] for each in said[9:12]]
    assert [None, None, 5] == [each["id"] for each in said[2:5]]


@needs.namespaces
@pytest.mark.parametrize("lang", LANGUAGES)
def test_certify_finds_what_it_claims_and_says_that_the_rest_is_left(windtunnel, tmp_path, lang):
    made(windtunnel, tmp_path / "mine", lang, "rate_limit")
    ran = windtunnel(
        "certify", tmp_path / "mine" / "target.yaml", "--system", "rate_limit", "--level", "L1", "--cases", "0",
        "--report", tmp_path / "out",
    )  # fmt: skip
    assert (1, "") == (ran.code, ran.err)
    clauses = json.loads((tmp_path / "out" / "result.json").read_text())["systems"]["rate_limit"]["clauses"]
    assert WRITTEN == {name for name, result in clauses.items() if result["verdict"] == "CONFORMS"}
    others = [result["reason"] for name, result in clauses.items() if name not in WRITTEN]
    assert ["declared: not written yet"] * 3 == others


def test_what_is_printed_says_what_was_written_and_what_comes_next(windtunnel, tmp_path, monkeypatch, snapshot):
    monkeypatch.chdir(tmp_path)
    ran = windtunnel("adapter", "init", "--lang", "python", "--system", "rate_limit", "--system", "fallback")
    assert snapshot == ran.out


def test_what_is_there_is_written_over_only_with_force(windtunnel, tmp_path):
    made(windtunnel, tmp_path, "python", "fallback")
    (tmp_path / "adapter.py").write_text("mine")
    words = ("adapter", "init", "--lang", "python", "--system", "fallback", "--out", tmp_path)
    ran = windtunnel(*words)
    assert (2, "") == (ran.code, ran.out)
    assert f"{tmp_path} has adapter.py and target.yaml and left.json already; add --force to write over it" in ran.err
    assert "mine" == (tmp_path / "adapter.py").read_text()
    assert 0 == windtunnel(*words, "--force").code
    assert "mine" != (tmp_path / "adapter.py").read_text()


def test_a_folder_that_cannot_be_made_is_a_sentence(windtunnel, tmp_path):
    (tmp_path / "file").write_text("")
    words = ("adapter", "init", "--lang", "python", "--system", "fallback", "--out", tmp_path / "file" / "below")
    ran = windtunnel(*words)
    assert (2, "") == (ran.code, ran.out)
    assert "below: Not a directory; choose another place with --out" in ran.err


@pytest.mark.parametrize("is_there", [False, True])
def test_a_disk_that_is_full_is_left_as_it_was(windtunnel, tmp_path, monkeypatch, is_there):
    place = tmp_path / "new" / "adapter"
    if is_there:
        place.mkdir(parents=True)
        (place / skeleton.TARGET).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    real = Path.write_text

    def full(path, text, *words, **more):
        real(path, text[:1], *words, **more)
        if skeleton.TARGET in path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_text", full)
    ran = windtunnel("adapter", "init", "--lang", "bash", "--system", "fallback", "--out", place, "--force")
    assert 2 == ran.code
    assert f"cannot write to {place}: No space left on device" in ran.err
    assert before == sorted(tmp_path.rglob("*"))
    assert ["mine"] * is_there == [path.read_text() for path in place.glob("*")]


def test_as_json_it_names_its_files_and_what_is_left(windtunnel, tmp_path):
    place = tmp_path / "a"
    ran = windtunnel("adapter", "init", "--lang", "python", "--system", "rate_limit", "--out", place, "--json")
    told = json.loads(ran.out)
    assert (0, "", str(place), "python") == (ran.code, ran.err, told["folder"], told["lang"])
    assert {path.name for path in place.iterdir()} == set(told["files"])
    system = registry.get("rate_limit")
    judged = {clause.id for clause in system.catalogue.judged_in(system.served_profile)}
    its = told["systems"]["rate_limit"]
    assert (list(skeleton.operations(system)), len(judged)) == (its["operations"], its["clauses"])
    assert judged - WRITTEN == set(its["left"])
    plain = windtunnel(
        "adapter", "init", "--lang", "python", "--system", "rate_limit", "--out", place, "--force"
    ).out.splitlines()
    assert [line.strip() for line in plain[-3:]] == told["next"]
