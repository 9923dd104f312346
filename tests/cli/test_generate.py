"""``windtunnel generate``: its files, what it says, and what a person may get wrong. Source: issue 3, 5."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from harness.certify import corpus, events
from harness.cli import generate as command
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Entry, EntryType
from harness.core.scenario import dump, load
from harness.core.verdict import Outcome
from harness.explore import generate as choosing
from harness.explore.generate import Generated
from harness.explore.pairs import Paired

ROOT = Path(__file__).parents[2]
NEVER_BLOCKS = ROOT / "examples" / "hooks" / "never_blocks" / "target.yaml"
FEW = ("--profile", "gate", "--fault", "jsonl.nan", "--fault", "jsonl.torn_tail", "--count", "3")


@pytest.fixture(autouse=True)
def few_candidates(monkeypatch):
    """Ten are enough to choose from; a hook's take 0.15 s each."""
    monkeypatch.setattr(choosing, "SMALLEST_POOL", 10)
    monkeypatch.setattr(choosing, "POOL", 2)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def process(out, hash_seed):
    words = [sys.executable, "-m", "harness.cli", "generate", *FEW, "--seed", "4", "--out", out]
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


def test_the_same_arguments_write_the_same_bytes_in_every_process(tmp_path):
    ran = [process(tmp_path / name, name) for name in ("1", "2")]
    assert [(0, ""), (0, "")] == [(each.returncode, each.stderr) for each in ran]
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert 3 == len(files(tmp_path / "1"))


def test_it_says_how_many_of_what_it_was_asked_for(windtunnel, tmp_path, snapshot):
    ran = windtunnel("generate", *FEW, "--out", tmp_path / "out")
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out.replace(str(tmp_path), "<tmp>")


def test_fewer_than_asked_for_are_explained(windtunnel, tmp_path, snapshot, monkeypatch):
    found = Generated((), 90, {"jsonl.nan": "nothing proved that it stood"}, (), 2)
    monkeypatch.setattr(command, "generate", lambda *arguments: found)
    ran = windtunnel("generate", *FEW, "--out", tmp_path / "out")
    assert 0 == ran.code
    assert snapshot == ran.out.replace(str(tmp_path), "<tmp>")


PAIRS = ("--pairs", "--profile", "gate", "--fault", "json_document", "--fault", "clock.back", "--fault", "identifier")


def test_pairs_are_counted_and_the_same_arguments_write_the_same_bytes(windtunnel, tmp_path, snapshot):
    ran = [windtunnel("generate", *PAIRS, "--count", "4", "--seed", "2", "--out", tmp_path / name) for name in "ab"]
    assert [(0, ""), (0, "")] == [(each.code, each.err) for each in ran]
    assert snapshot == ran[0].out.replace(str(tmp_path), "<tmp>")
    assert files(tmp_path / "a") == files(tmp_path / "b")
    found = [load(data, where=name) for name, data in files(tmp_path / "a").items()]
    assert 4 == len(found)
    assert all({"json_document", "clock", "identifier"} == families(scenario) for scenario in found)
    assert all(scenario.clauses and scenario.allowed for scenario in found)


def families(scenario):
    return {step.fault.family for step in scenario.steps if step.fault is not None}


def test_json_files_hold_the_scenarios_that_yaml_files_hold(windtunnel, tmp_path):
    for kind in ("yaml", "json"):
        assert 0 == windtunnel("generate", *FEW, "--format", kind, "--out", tmp_path / kind).code
    yaml, found = (
        {load(data, where=name).id: load(data, where=name) for name, data in files(tmp_path / kind).items()}
        for kind in ("yaml", "json")
    )
    assert yaml == found
    assert all(json.loads(data)["format"] == 1 for data in files(tmp_path / "json").values())


def test_a_second_run_replaces_what_the_first_one_wrote(windtunnel, tmp_path):
    for seed in (1, 2, 1):
        windtunnel("generate", *FEW, "--seed", seed, "--out", tmp_path / "again")
    windtunnel("generate", *FEW, "--seed", 1, "--out", tmp_path / "once")
    assert files(tmp_path / "once") == files(tmp_path / "again")


def test_plain_files_have_operations_only(windtunnel, tmp_path):
    assert 0 == windtunnel("generate", *FEW, "--plain", "--out", tmp_path / "out").code
    found = [load(data, where=name) for name, data in files(tmp_path / "out").items()]
    assert 3 == len(found)
    assert all(step.op is not None for scenario in found for step in scenario.steps)
    assert all(scenario.allowed for scenario in found)


def test_plain_files_of_hooks_leave_out_places_that_only_a_target_declares(windtunnel, tmp_path):
    out = tmp_path / "out"
    ran = windtunnel("generate", "--profile", "stop_hook", "--plain", "--count", "3", "--out", out)
    assert (0, 3) == (ran.code, len(files(out)))


def test_both_profiles_share_the_count(windtunnel, tmp_path):
    ran = windtunnel("generate", "--fault", "jsonl.nan", "--count", "3", "--out", tmp_path / "out")
    shares = [line.partition(" scen")[0] for line in ran.out.splitlines() if " scenario" in line]
    assert ["gate: 2 of 2", "stop_hook: 1 of 1"] == shares
    assert {"gate": 2, "hook": 1} == {
        view: sum(name.startswith(view) for name in files(tmp_path / "out")) for view in ("gate", "hook")
    }


def test_what_the_reference_fails_is_kept_aside_and_is_our_defect(windtunnel, tmp_path, monkeypatch):
    red = corpus.scenarios("stop_gate")[0]
    monkeypatch.setattr(command, "generate", lambda *arguments: Generated((), 30, {}, (red,), 0))
    ran = windtunnel("generate", *FEW, "--out", tmp_path / "out")
    assert 3 == ran.code
    assert "the reference itself fails in 1 scenario, kept in" in ran.err
    assert {f"{red.id}.yaml": dump(red).encode()} == files(tmp_path / "out" / "red")


@pytest.mark.parametrize("existed", [True, False])
def test_ctrl_c_leaves_nothing_behind(windtunnel, tmp_path, monkeypatch, existed):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    out = tmp_path / "out"
    if existed:
        out.mkdir()
    monkeypatch.setattr(command, "generate", interrupted)
    assert 130 == windtunnel("generate", *FEW, "--out", out).code
    assert (existed, {}) == (out.exists(), files(tmp_path))


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--count", "3"), 2, "say where the scenarios go, with --out DIR"),
        (("--out", "new", "--fault", "jsonl.nam"), 2, "there is no fault 'jsonl.nam'; did you mean 'jsonl.nan'?"),
        (("--out", "new", "--fault", "jsonk"), 2, "there is no fault 'jsonk'; did you mean 'jsonl'?"),
        (("--out", "new", "--fault", "zzz"), 2, "there is no fault 'zzz'; `windtunnel list faults` names them"),
        (("--out", "new", "--profile", "hook"), 2, "stop_gate has no profile 'hook'; it has: gate, stop_hook"),
        (("--out", "new", "--system", "gate"), 2, "there is no system 'gate'"),
        (("--out", "new", "--count", "0"), 2, "0 is not in the range"),
        (("--out", "new", "--seed", "-1"), 2, "-1 is not in the range"),
        (("--out", "new", "--pairs", "--plain"), 2, "--pairs and --plain go apart"),
        (("--out", "new", "--format", "xml"), 2, "'xml' is not one of"),
        (("--out", "file"), 2, "is a file"),
        (("--out", "file/below"), 2, "cannot write to file/below: Not a directory; choose another place with --out"),
        (("--out", "."), 2, ". holds file, which is no generated scenario; choose an empty folder, or add --force"),
        (("--from-failures", "nowhere"), 2, "cannot read the run nowhere: No such file or directory"),
        (("--from-failures", "file"), 2, "file is cut short"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(windtunnel, tmp_path, monkeypatch, words, code, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    ran = windtunnel("generate", *words)
    assert (code, "") == (ran.code, ran.out)
    assert sentence in " ".join(ran.err.split())
    assert {"file": b"x"} == files(tmp_path)
    assert ["file"] == os.listdir(tmp_path)


def run_of(folder, *judged, replay="gone.yaml"):
    """A stored run with these failures."""
    started = events.RunStarted(
        format=events.FORMAT, windtunnel="0", target="t", replay=replay, carriers=("hook",), systems=("stop_gate",),
        profiles={"stop_hook": ()}, level="L1", seed=0, cases=0, budget_s=None, suite_digest="", implementation_digest="",
        planned=1, uncontained=(),
    )  # fmt: skip
    finished = events.RunFinished(
        outcome=Outcome.NONCONFORMANT, exit_code=1, strict=False, digest="", certificate="", message="", systems={}, counts={}
    )  # fmt: skip
    folder.mkdir()
    (folder / "events.jsonl").write_bytes(b"".join(map(events.encode, (started, *judged, finished))))
    return folder


def judged(name, clause, verdict=CheckVerdict.FAIL, kind=EntryType.OK):
    scenario = next(each for each in corpus.scenarios("stop_gate") if each.id == name)
    finding = Finding(clause, verdict, observed="it let the session end")
    end = Entry(0, 0, kind, "stop", {}, scenario.world.clock)
    return events.ScenarioJudged(scenario=scenario, origin="plan", history=(end,), findings=(finding,))


def test_failures_become_regressions_made_smaller_against_their_target(windtunnel, tmp_path):
    run = run_of(tmp_path / "run", judged("hook-calm-sessions-apart", "SH-08"), replay=str(NEVER_BLOCKS))
    ran = windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out")
    assert (0, "") == (ran.code, ran.err)
    ((name, data),) = files(tmp_path / "out").items()
    kept = load(data, where=name)
    assert (("SH-08",), 1) == (kept.clauses, len(kept.steps))
    assert name.startswith("hook-regression-sh-08-")
    assert ran.out.splitlines() == [
        f"{tmp_path / 'out' / name}  SH-08 was broken: it let the session end", "1 written; 0 were known already",
    ]  # fmt: skip


def test_a_failure_that_is_kept_already_is_not_written_again(windtunnel, tmp_path):
    run = run_of(tmp_path / "run", judged("hook-calm", "SH-08"), judged("hook-calm", "SH-08"))
    first = windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out")
    assert "cannot be reached, so nothing is made smaller" in first.err
    before = files(tmp_path / "out")
    (tmp_path / "out" / "notes.yaml").write_text("mine")
    again = windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out")
    assert "0 written; 1 were known already\n" == again.out
    assert {**before, "notes.yaml": b"mine"} == files(tmp_path / "out")


def test_regressions_go_to_the_folder_of_their_system(windtunnel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_of(tmp_path / "run", judged("hook-calm", "SH-08"))
    assert 0 == windtunnel("generate", "--from-failures", "run").code
    (written,) = (tmp_path / "scenarios" / "regressions" / "stop_gate").iterdir()
    assert "stop_gate" == load(written.read_bytes(), where=written.name).system


def test_a_run_without_failures_gives_nothing(windtunnel, tmp_path):
    run = run_of(tmp_path / "run", judged("hook-calm", "SH-08", CheckVerdict.PASS))
    ran = windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out")
    assert (0, False) == (ran.code, (tmp_path / "out").exists())
    assert ran.out.startswith("no failure of stop_gate in ")


@pytest.mark.parametrize("replay", ["--hook -- sh {hook}", "--python no.such:factory", "{target}"])
def test_the_target_is_reached_as_the_run_named_it(windtunnel, tmp_path, replay):
    hook = tmp_path / "hook.sh"
    hook.write_text("exit 0\n")
    target = NEVER_BLOCKS
    name = "gate-checker-missing" if "python" in replay else "hook-calm"
    run = run_of(tmp_path / "run", judged(name, "PS-PRM-02"), replay=replay.format(hook=hook, target=target))
    ran = windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out")
    assert 0 == ran.code
    (data,) = files(tmp_path / "out").values()
    assert ("PS-PRM-02",) == load(data, where="x").clauses
    assert ("is kept as it is" in ran.err) == ("python" in replay)


def test_a_failure_that_took_a_time_out_is_kept_as_it_is(windtunnel, tmp_path):
    slow = judged("hook-calm", "SH-08", kind=EntryType.INFO)
    run = run_of(tmp_path / "run", slow, replay=str(NEVER_BLOCKS))
    assert 0 == windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out").code
    (data,) = files(tmp_path / "out").values()
    assert msgspec.structs.asdict(slow.scenario)["steps"] == load(data, where="x").steps


def test_as_json_it_names_its_files_and_counts_what_it_chose(windtunnel, tmp_path):
    ran = windtunnel("generate", *FEW, "--out", tmp_path / "out", "--json")
    told = json.loads(ran.out)
    assert (0, "", 0) == (ran.code, ran.err, told["exit_code"])
    assert ("stop_gate", 0, str(tmp_path / "out")) == (told["system"], told["seed"], told["folder"])
    assert {str(tmp_path / "out" / name) for name in files(tmp_path / "out")} == set(told["files"])
    assert {"gate": {"wanted": 3, "chosen": 3, "tried": 10, "refused": {}, "fewer_because": [], "unsteady": 0, "red": []}} == told["profiles"]  # fmt: skip


def test_as_json_it_says_why_there_are_fewer_and_what_the_reference_fails(windtunnel, tmp_path, monkeypatch):
    red = corpus.scenarios("stop_gate")[0]
    found = Generated((), 90, {"jsonl.nan": "nothing proved that it stood"}, (red,), 2)
    monkeypatch.setattr(command, "generate", lambda *arguments: found)
    ran = windtunnel("generate", *FEW, "--out", tmp_path / "out", "--json")
    told = json.loads(ran.out)
    assert (3, 3, []) == (ran.code, told["exit_code"], told["files"])
    assert "the reference itself fails in 1 scenario, kept in" in ran.err
    why = ["no further candidate covered anything new", "2 did not end twice the same"]
    refused = {"jsonl.nan": "nothing proved that it stood"}
    assert {"wanted": 3, "chosen": 0, "tried": 90, "refused": refused, "fewer_because": why, "unsteady": 2, "red": [red.id]} == told["profiles"]["gate"]  # fmt: skip


def test_as_json_pairs_have_every_reason_for_which_some_are_open(windtunnel, tmp_path, monkeypatch):
    open_ = {frozenset((f"a{n}", f"b{n}")): f"reason {n // 2}" for n in range(14)}
    found = Paired((), 5, 20, 4, 2, open_, ("clock.back",), (), 1)
    monkeypatch.setattr(command, "paired", lambda *arguments: found)
    words = ("generate", *PAIRS, "--out", tmp_path / "out")
    told = json.loads(windtunnel(*words, "--json").out)["profiles"]["gate"]
    reasons = told.pop("open_reasons")
    assert [(f"reason {n}", 2, [f"a{2 * n}", f"b{2 * n}"]) for n in range(7)] == [
        tuple(each.values()) for each in reasons
    ]
    assert {"wanted": None, "chosen": 0, "needed": 5, "pairs": 20, "met": 4, "exclusive": 2, "open": 14, "left_out": ["clock.back"], "unsteady": 1, "red": []} == told  # fmt: skip
    assert "  open: 2 reason 4; the first is a8 and b8\n  ... and 4 for other reasons\n" in windtunnel(*words).out


def test_as_json_regressions_are_named_and_those_known_already_are_counted(windtunnel, tmp_path):
    run = run_of(tmp_path / "run", judged("hook-calm", "SH-08"), replay=str(NEVER_BLOCKS))
    first, again = (windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out", "--json") for _ in "ab")
    (name,) = files(tmp_path / "out")
    told = json.loads(first.out)
    (scenario,) = told.pop("scenarios")
    path = str(tmp_path / "out" / name)
    assert {"exit_code": 0, "system": "stop_gate", "run": str(run), "folder": str(tmp_path / "out"), "files": [path], "known": 0} == told  # fmt: skip
    assert (path, Path(name).stem, ["SH-08"]) == (scenario["file"], scenario["id"], scenario["clauses"])
    assert ([], 1) == (json.loads(again.out)["scenarios"], json.loads(again.out)["known"])


def test_as_json_a_run_without_failures_gives_an_empty_list(windtunnel, tmp_path):
    run = run_of(tmp_path / "run", judged("hook-calm", "SH-08", CheckVerdict.PASS))
    ran = windtunnel("generate", "--from-failures", run, "--out", tmp_path / "out", "--json")
    told = json.loads(ran.out)
    assert (0, [], [], 0) == (ran.code, told["files"], told["scenarios"], told["known"])
    assert not (tmp_path / "out").exists()
