"""``windtunnel replay`` of files, folders and short ids, and where two implementations part. Source: issue 3, 5."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from harness.certify import corpus, events
from harness.cli import compare
from harness.core.fault import Fault, Injection
from harness.core.history import Entry, EntryType, FileFact, History
from harness.core.scenario import dump, load

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / "examples" / "hooks"
SOUND, NEVER_BLOCKS = (HOOKS / name / "target.yaml" for name in ("sound_python", "never_blocks"))
SCENARIOS = corpus.directory() / "stop_gate"
CALM = SCENARIOS / "hook-calm.yaml"
GATE = SCENARIOS / "gate-answer-form.yaml"
NOW = "2026-03-01T12:00:00Z"


@pytest.fixture
def folder(tmp_path):
    """A folder of three scenarios, one of them below it and one of them for gates."""
    (tmp_path / "all" / "more").mkdir(parents=True)
    for path in (CALM, GATE):
        shutil.copy(path, tmp_path / "all")
    shutil.copy(SCENARIOS / "hook-transcript-missing.yaml", tmp_path / "all" / "more")
    return tmp_path / "all"


@pytest.fixture
def report(tmp_path):
    """A run of never_blocks that kept one failure, under the short id k3f9."""
    scenarios = tmp_path / "report" / "scenarios"
    scenarios.mkdir(parents=True)
    shutil.copy(CALM, scenarios)
    (scenarios / "index.json").write_text(json.dumps({"k3f9": CALM.name}))
    started = events.RunStarted(
        format=events.FORMAT, windtunnel="0", target="never-blocks", replay=str(NEVER_BLOCKS), carriers=("hook",),
        systems=("stop_gate",), profiles={}, level="L1", seed=0, cases=0, budget_s=None, suite_digest="",
        implementation_digest="", planned=1, uncontained=(),
    )  # fmt: skip
    (tmp_path / "report" / "events.jsonl").write_bytes(events.encode(started))
    return tmp_path / "report"


def test_a_folder_is_a_line_a_scenario_and_a_summary(windtunnel, folder, snapshot):
    ran = windtunnel("replay", folder)
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out


def test_a_folder_ends_with_the_code_of_its_worst_scenario(windtunnel, folder, snapshot):
    ran = windtunnel("replay", folder, NEVER_BLOCKS)
    assert (1, "") == (ran.code, ran.err)
    assert snapshot == ran.out


def test_a_scenario_that_is_not_witnessed_makes_a_folder_inconclusive(windtunnel, folder):
    text = dump(load(CALM.read_bytes(), where="x")).replace("SH-07", "PS-TR-01")
    (folder / CALM.name).write_text(text)
    ran = windtunnel("replay", folder, SOUND)
    assert 5 == ran.code
    assert "INCONCLUSIVE  hook-calm  PS-TR-01" in ran.out
    assert ran.out.endswith("1 passed, 0 failed, 1 inconclusive; 1 not for this target\n")


@pytest.fixture
def of_many(tmp_path):
    """A folder of scenarios of three systems, none of which is that of the stop gate."""
    for system, name in (
        ("circuit_breaker", "breaker-again-and-again"), ("fallback", "ladder-confidence-between-the-limits"),
        ("rate_limit", "backoff-configured-among-others"),
    ):  # fmt: skip
        (tmp_path / "many").mkdir(exist_ok=True)
        shutil.copy(corpus.directory() / system / f"{name}.yaml", tmp_path / "many")
    return tmp_path / "many"


def test_of_a_folder_of_several_systems_the_reference_plays_each(windtunnel, of_many):
    ran = windtunnel("replay", of_many)
    assert (0, "3 passed, 0 failed, 0 inconclusive") == (ran.code, ran.out.splitlines()[-1])


def test_a_target_plays_what_it_serves_and_the_rest_is_counted(windtunnel, of_many):
    served = f"{sys.executable} -m harness.targets.served fallback"
    ran = windtunnel("replay", of_many, "--stdio", "--", *served.split())
    assert (0, "") == (ran.code, ran.err)
    assert [
        "not played    1 of rate_limit: it does not implement rate_limit: it names ['fallback']",
        "not played    1 of circuit_breaker: it does not implement circuit_breaker: it names ['fallback']",
        "PASS          ladder-confidence-between-the-limits",
        "1 passed, 0 failed, 0 inconclusive; 2 not for this target",
    ] == ran.out.splitlines()[1:]
    told = json.loads(windtunnel("replay", of_many, "--json", "--stdio", "--", *served.split()).out)
    assert (["rate_limit", "circuit_breaker"], 2) == (told["not_served"], told["counts"]["not_for_this_target"])


def test_of_a_folder_what_both_serve_is_compared_and_the_rest_is_counted(windtunnel, of_many):
    served = f"{sys.executable} -m harness.targets.served fallback"
    words = ["--against", "reference", "--json", "--stdio", "--", *served.split()]
    ran = windtunnel("replay", of_many, *words)
    assert (0, {"alike": 1, "parted": 0, "not_for_both": 2}) == (ran.code, json.loads(ran.out)["counts"])
    (of_many / "ladder-confidence-between-the-limits.yaml").unlink()
    refused = windtunnel("replay", of_many, *words)
    assert (4, True) == (refused.code, "it does not implement rate_limit" in refused.err)


def test_a_target_that_serves_none_of_them_is_told(windtunnel, of_many):
    (of_many / "ladder-confidence-between-the-limits.yaml").unlink()
    served = f"{sys.executable} -m harness.targets.served fallback"
    ran = windtunnel("replay", of_many, "--stdio", "--", *served.split())
    assert 4 == ran.code
    assert "it does not implement rate_limit: it names ['fallback']" in ran.err
    refused = windtunnel("replay", of_many, SOUND)
    assert (2, True) == (refused.code, "rate_limit is not asked one process a call" in refused.err)


def test_a_short_id_is_played_against_the_target_it_failed_with(windtunnel, report):
    ran = windtunnel("replay", "k3f9", "--report", report)
    assert 1 == ran.code
    assert ["hook-calm", "target: never-blocks"] == [
        line.partition(":")[0] if n == 0 else line for n, line in enumerate(ran.out.splitlines()[:2])
    ]
    assert "FAIL          SH-08" in ran.out


def test_the_whole_id_of_a_failure_means_it_too(windtunnel, report):
    """What is said of a loss of power names scenarios by their whole ids."""
    by_short, by_id = (windtunnel("replay", word, "--report", report) for word in ("k3f9", CALM.stem))
    assert (by_short.code, by_short.out) == (by_id.code, by_id.out)


def test_a_short_id_is_played_against_another_target_that_is_named(windtunnel, report):
    ran = windtunnel("replay", "k3f9", SOUND, "--report", report)
    assert (0, "target: sound-python") == (ran.code, ran.out.splitlines()[1])


def test_without_a_stored_run_the_reference_is_played(windtunnel, report):
    (report / "events.jsonl").unlink()
    assert "target: reference" == windtunnel("replay", "k3f9", "--report", report).out.splitlines()[1]
    (report / "events.jsonl").write_text("no event\n")
    assert "target: reference" == windtunnel("replay", "k3f9", "--report", report).out.splitlines()[1]


def test_a_scenario_of_ours_is_found_by_its_id(windtunnel):
    assert windtunnel("replay", "gate-answer-form") == windtunnel("replay", GATE)


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("k3f8 --report REPORT", 2, "'k3f8' is no file, and no scenario has that id; did you mean k3f9?"),
        ("zzzz --report REPORT", 2, "the failures stored in REPORT: k3f9"),
        ("zzzz --report nowhere", 2, "the failures stored in nowhere: none"),
        ("hook-clam", 2, "did you mean hook-calm"),
        ("nowhere/", 2, "'nowhere/' is no file, and no scenario has that id"),
        ("no/where", 2, "cannot read the scenario file no/where: No such file or directory"),
        ("empty", 2, "empty holds no scenario file: there is no *.yaml or *.json below it"),
        ("mixed", 2, "mixed/a.yaml is not a scenario file"),
        ("gates TARGET", 5, "none of the 1 scenarios runs against sound-python"),
        ("gates TARGET --against reference", 5, "none of the 1 scenarios runs against both"),
        ("gates/gate-answer-form.yaml TARGET", 2, "is a scenario of profile gate; sound-python is not reached that way"),
        ("gates/gate-answer-form.yaml TARGET --diff", 2, "sound-python is not reached that way"),
        ("gates/gate-answer-form.yaml --against nowhere.yaml", 2, "cannot read the target file nowhere.yaml"),
        ("gates reference extra", 2, "name one target"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(windtunnel, report, tmp_path, monkeypatch, words, code, sentence):
    monkeypatch.chdir(tmp_path)
    for name, text in (("mixed", "x: 1\n"), ("gates", GATE.read_text())):
        (tmp_path / name).mkdir()
        (tmp_path / name / ("a.yaml" if name == "mixed" else GATE.name)).write_text(text)
    (tmp_path / "empty").mkdir()
    ran = windtunnel(
        "replay", *(word.replace("REPORT", str(report)).replace("TARGET", str(SOUND)) for word in words.split())
    )
    assert (code, "") == (ran.code, ran.out)
    assert sentence.replace("REPORT", str(report)) in ran.err
    assert 1 == len(ran.err.splitlines())


@pytest.mark.parametrize("text", ["{", "[]", '{"k3f9": 7}', '{"k3f9": "../x.yaml"}'])
def test_an_index_that_is_none_is_said(windtunnel, report, text):
    (report / "scenarios" / "index.json").write_text(text)
    ran = windtunnel("replay", "k3f9", "--report", report)
    assert 2 == ran.code
    assert "is no list of failures" in ran.err


def test_the_first_step_where_they_part_is_shown_side_by_side(windtunnel, snapshot):
    ran = windtunnel("replay", CALM, NEVER_BLOCKS, "--against", SOUND, "--diff")
    assert (1, "") == (ran.code, ran.err)
    assert snapshot == ran.out


def test_without_diff_the_step_where_they_part_takes_few_lines(windtunnel):
    ran = windtunnel("replay", CALM, NEVER_BLOCKS, "--against", "reference")
    assert 1 == ran.code
    assert "they part at operation 1: stop" == ran.out.splitlines()[1]
    assert 5 == len(ran.out.splitlines())


def test_two_that_end_every_operation_alike_do_not_part(windtunnel):
    ran = windtunnel("replay", CALM, SOUND, "--diff")
    assert (0, "they do not part: sound-python and reference end all 2 operations alike") == (
        ran.code,
        ran.out.splitlines()[-1],
    )


def test_a_folder_is_compared_scenario_by_scenario(windtunnel, folder):
    ran = windtunnel("replay", folder, SOUND, "--against", "reference")
    assert 2 == ran.out.count("they do not part")
    assert 0 == ran.code


def test_a_target_does_not_part_from_itself(windtunnel):
    ran = windtunnel("replay", GATE, "--against", "reference")
    assert "they do not part: reference and reference (other) end all 2 operations alike" == ran.out.splitlines()[-1]


def told(value, kind=EntryType.OK, files=None, faults=()):
    end = Entry(1, 0, kind, "check", value, NOW, (), files or {})
    return History((Entry(0, 0, EntryType.INVOKE, "check", {"a": 1}, NOW, faults), end))


@pytest.mark.parametrize(
    ("one", "other", "parts"),
    [
        ({"decision": "block"}, {"decision": "block"}, False),
        ({"decision": "block"}, {"decision": "approve"}, True),
        ({"reasons": ["a"]}, {"reasons": ["b"]}, True),
        ({"summary": "these words"}, {"summary": "those words"}, False),
        ({"summary": "these words"}, {"summary": None}, True),
        ({"summary": ""}, {"summary": None}, False),
        ({"log": [{"code": "x"}]}, {"log": []}, False),
        ({"counters": {"a": 1}}, {"counters": {"a": 2}}, True),
        ({"alerts": [{"kind": "a", "message": "x"}]}, {"alerts": [{"kind": "a", "message": "y"}]}, False),
    ],
)
def test_words_and_logs_are_not_compared_and_everything_else_is(one, other, parts):
    assert parts == (compare.parted(told(one), told(other)) is not None)


def test_an_answer_parts_from_none_and_from_an_error():
    assert compare.parted(told({}), told({}, EntryType.FAIL))
    lost = History(told({}).entries[:1])
    assert (1, True) == (compare.parted(told({}), lost)[0], compare.parted(lost, lost) is None)
    assert compare.parted(told({}), History())


def test_files_and_faults_are_shown_where_they_part(capsys):
    files = {f"{{home}}/{n:02}": FileFact("file", 3, str(n)) for n in range(12)}
    faults = (Injection(Fault("jsonl.nan", "{home}/x"), True, "changed"), Injection(Fault("clock.back"), True))
    ours, theirs = (
        told({"a": 1}, files=files, faults=faults),
        told({"error": "x"}, EntryType.FAIL, {"{home}/00": FileFact("directory")}),
    )
    assert 1 == compare.show("one", "other", ours, theirs, whole=True)
    out = capsys.readouterr().out
    assert "under: jsonl.nan\n" in out
    assert "  {home}/00: file of 3 bytes (one), directory (other)\n" in out
    assert "  {home}/01: file of 3 bytes (one), not there (other)\n" in out
    assert "  and 2 more\n" in out
    assert 1 == compare.show("one", "other", ours, History(), whole=True)
    assert 'no: "answer"' in capsys.readouterr().out


def document(ran):
    """The one document that was said, and nothing beside it."""
    assert "" == ran.err
    return json.loads(ran.out)


def test_as_json_a_scenario_says_what_was_found_of_each_clause(windtunnel):
    lines = windtunnel("replay", CALM, NEVER_BLOCKS).out.splitlines()
    ran = windtunnel("replay", CALM, NEVER_BLOCKS, "--json")
    told = document(ran)
    (scenario,) = told.pop("scenarios")
    counts = {"passed": 0, "failed": 1, "inconclusive": 0, "not_for_this_target": 0}
    assert {"exit_code": 1, "target": "never-blocks", "counts": counts} == told
    assert (1, "failed", None) == (ran.code, scenario["outcome"], scenario["variants"])
    assert lines[0] == f"{scenario['id']}: {scenario['title']}"
    said = []
    for each in scenario["findings"]:
        said.append(f"{each['verdict']:<13} {each['clause']}  {each['reason']}")
        if each["verdict"] == "FAIL":
            said += [f"  expected: {each['expected']}", f"  observed: {each['observed']}"]
    assert lines[2:] == said
    assert "operations" not in scenario


def test_as_json_the_operations_are_there_when_they_are_asked_for(windtunnel):
    (scenario,) = document(windtunnel("replay", CALM, SOUND, "--json", "-v"))["scenarios"]
    assert {"stop", "reset"} >= {each["op"] for each in scenario["operations"]}
    ends = [each["end"] for each in scenario["operations"] if each["op"] == "stop"]
    assert [("ok", "block"), ("ok", "approve")] == [(end["type"], end["value"]["decision"]) for end in ends]


def test_as_json_a_folder_is_a_list_and_counts(windtunnel, folder):
    ran = windtunnel("replay", folder, NEVER_BLOCKS, "--json")
    told = document(ran)
    assert (1, 1) == (ran.code, told["exit_code"])
    assert {"passed": 0, "failed": 2, "inconclusive": 0, "not_for_this_target": 1} == told["counts"]
    assert ["hook-calm", "hook-transcript-missing"] == [each["id"] for each in told["scenarios"]]


def test_as_json_a_folder_has_no_document_when_nothing_of_it_runs(windtunnel, folder):
    (folder / CALM.name).unlink()
    (folder / "more" / "hook-transcript-missing.yaml").unlink()
    ran = windtunnel("replay", folder, SOUND, "--json")
    assert (5, "") == (ran.code, ran.out)
    assert "none of the 1 scenarios runs against sound-python" in ran.err


@pytest.mark.parametrize("words", [("--against", SOUND), ("--against", SOUND, "--diff")])
def test_as_json_two_that_part_say_where_and_how_each_ended(windtunnel, words):
    ran = windtunnel("replay", CALM, NEVER_BLOCKS, *words, "--json")
    told = document(ran)
    ((scenario,), counts) = told["scenarios"], {"alike": 0, "parted": 1, "not_for_both": 0}
    assert (1, 1, ["never-blocks", "sound-python"], counts) == (ran.code, *list(told.values())[:3])
    parts_at = scenario["parts_at"]
    assert ("hook-calm", 2, 1, "stop") == (
        scenario["id"],
        scenario["operations"],
        parts_at["operation"],
        parts_at["op"],
    )
    assert [("never-blocks", "ok", "approve"), ("sound-python", "ok", "block")] == [
        (end["target"], end["type"], end["value"]["decision"]) for end in parts_at["ends"]
    ]


def test_as_json_two_that_do_not_part_have_no_such_step(windtunnel, folder):
    ran = windtunnel("replay", folder, SOUND, "--diff", "--json")
    told = document(ran)
    assert (0, {"alike": 2, "parted": 0, "not_for_both": 1}) == (ran.code, told["counts"])
    assert [None, None] == [each["parts_at"] for each in told["scenarios"]]


def test_as_json_what_is_under_an_operation_and_its_files_is_told():
    faults = (Injection(Fault("jsonl.nan", "{home}/x"), True, "changed"), Injection(Fault("clock.back"), True))
    ours = told({"a": 1}, files={"{home}/x": FileFact("file", 3, "1")}, faults=faults)
    parts_at = compare.as_data("one", "other", ours, told({"error": "x"}, EntryType.FAIL))["parts_at"]
    assert ["jsonl.nan"] == parts_at["under"]
    assert [{"path": "{home}/x", "found": ["file of 3 bytes", "not there"]}] == parts_at["files"]
    lost = compare.as_data("one", "other", ours, History(ours.entries[:1]))["parts_at"]
    assert {"target": "other", "type": None, "value": None} == lost["ends"][1]
