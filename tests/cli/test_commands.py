"""What the commands that run nothing print. Source: issue 2, CLI."""

import importlib
import json
import re
import subprocess
import sys

import pytest

from harness import __version__
from harness.certify import corpus
from harness.certify.aims import FAULTS
from harness.cli import COMMANDS, options
from harness.cli.explained_clause import SCENARIOS_SHOWN
from harness.core.scenario import dump, load
from harness.errors import MachineError
from harness.faults.survey import FamilyFact
from harness.report.sentences import joined
from harness.sandbox import launch
from harness.systems import registry

KINDS = ("clauses", "systems", "faults", "scenarios")


@pytest.mark.parametrize(
    "words", [(), *((name,) for name in COMMANDS)], ids=lambda words: words[0] if words else "windtunnel"
)
def test_the_help_reads(windtunnel, snapshot, words):
    ran = windtunnel(*words, "--help")
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out


def test_every_command_has_a_help_line_and_no_other_is_listed(windtunnel):
    listed = re.findall(r"^  ([a-z-]+)  ", windtunnel("-h").out.partition("Commands:")[2], re.MULTILINE)
    assert list(COMMANDS) == listed


@pytest.mark.parametrize("name", COMMANDS)
def test_what_the_list_says_of_a_command_is_the_first_sentence_of_its_own_help(name):
    command = importlib.import_module(COMMANDS[name].module).command
    assert command.get_short_help_str(limit=200) == COMMANDS[name].says


def test_the_help_imports_no_command():
    told = "import sys, harness.cli; harness.cli.main(['--help']); print([n for n in sys.modules if n.startswith('harness.')])"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "['harness.errors', 'harness.cli']" == ran.stdout.splitlines()[-1]


def test_the_version_is_told(windtunnel):
    assert (0, f"windtunnel, version {__version__}\n", "") == windtunnel("--version")


def test_the_module_runs_as_the_command_does():
    ran = subprocess.run(
        [sys.executable, "-m", "harness.cli", "--version"], capture_output=True, text=True, check=False
    )
    assert (0, f"windtunnel, version {__version__}\n") == (ran.returncode, ran.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_as_json_has_rows_of_one_shape(windtunnel, snapshot, kind):
    rows = json.loads(windtunnel("list", kind, "--json").out)
    shapes = {tuple((key, type(value).__name__) for key, value in row.items()) for row in rows}
    assert snapshot == sorted(shapes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_for_people_has_a_line_a_row(windtunnel, kind):
    rows = json.loads(windtunnel("list", kind, "--json").out)
    lines = windtunnel("list", kind).out.splitlines()
    assert len(rows) == len(lines) > 0
    assert all(line.startswith(next(iter(row.values()))) for line, row in zip(lines, rows, strict=True))


def test_lists_hold_everything_there_is(windtunnel):
    found = {
        kind: {next(iter(row.values())) for row in json.loads(windtunnel("list", kind, "--json").out)} for kind in KINDS
    }
    assert {clause.id for system in registry.every() for clause in system.catalogue} == found["clauses"]
    assert set(registry.NAMES) == found["systems"]
    assert {scenario.id for name in registry.NAMES for scenario in corpus.scenarios(name)} == found["scenarios"]


def test_the_coverage_of_a_system_has_a_line_a_clause_and_explains_the_blanks(windtunnel, snapshot):
    ran = windtunnel("list", "coverage", "--system", "fallback")
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out


def test_the_coverage_of_a_clause_has_every_fault_at_every_level(windtunnel, snapshot):
    ran = windtunnel("list", "coverage", "--clause", "lk-fb-01")
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out
    for level in ("L1", "L2", "L3"):
        told = ran.out.partition(f"profile ladder, {level}\n")[2].partition("\n\n")[0]
        assert set(FAULTS) == set(re.findall(r"[a-z_]+\.[a-z0-9_]+|\bcalm\b(?! weather)", told)), level


def test_the_coverage_as_json_has_every_cell(windtunnel):
    rows = json.loads(windtunnel("list", "coverage", "--system", "fallback", "--json").out)
    assert len(tuple(registry.get("fallback").catalogue)) * len(FAULTS) * 3 == len(rows)
    shapes = {tuple(row) for row in rows}
    assert {("system", "profile", "clause", "level", "fault", "planned", "mark", "met", "says")} == shapes
    assert {True} == {bool(row["says"]) for row in rows}
    one = windtunnel("list", "coverage", "--clause", "LK-FB-02", "--json").out
    assert [row for row in rows if row["clause"] == "LK-FB-02"] == json.loads(one)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("coverage", "--clause", "LK-FX-01"), "there is no clause 'LK-FX-01'; did you mean LK-FB-01? [WT-U03]"),
        (("coverage", "--clause", "?"), "there is no clause '?'; `windtunnel list clauses` names them [WT-U03]"),
        (
            ("coverage", "--clause", "LK-FB-01", "--system", "stop_gate"),
            "there is no clause 'LK-FB-01' of stop_gate; did you mean PS-FS-01? [WT-U03]",
        ),
        (
            ("scenarios", "--clause", "LK-FB-01"),
            "--clause is for `list coverage`; `list scenarios` does not take it [WT-U08]",
        ),
    ],
)
def test_a_clause_that_there_is_not_is_a_usage_error(windtunnel, words, error):
    assert (2, "", f"windtunnel: {error}\n") == windtunnel("list", *words)


def test_a_list_of_one_system_is_of_that_system(windtunnel):
    rows = json.loads(windtunnel("list", "clauses", "--system", "stop_gate", "--json").out)
    assert {"stop_gate"} == {row["system"] for row in rows}


def test_a_clause_is_explained(windtunnel, snapshot):
    ran = windtunnel("explain", "PS-TR-07")
    assert 0 == ran.code
    named = [scenario.id for scenario in corpus.scenarios("stop_gate") if "PS-TR-07" in scenario.clauses]
    tested = f"tested   in {len(named)} scenarios: {joined(named, SCENARIOS_SHOWN)}\n"
    assert tested in ran.out
    assert snapshot == ran.out.replace(tested, "tested   in ...\n")


def test_of_a_clause_that_asks_more_of_some_it_is_said_of_whom(windtunnel):
    lines = windtunnel("explain", "LK-RAT-04").out.splitlines()
    judged = lines.index("judged   in profile watch")
    assert "more     is asked in profile watch of implementations that declare behaviour" == lines[judged + 1]


def test_a_clause_is_explained_in_any_case(windtunnel):
    assert windtunnel("explain", "PS-TR-07") == windtunnel("explain", "ps-tr-07")


@pytest.mark.parametrize(
    "clause", [clause for system in registry.every() for clause in system.catalogue], ids=lambda c: c.id
)
def test_every_clause_can_be_explained(windtunnel, clause):
    ran = windtunnel("explain", clause.id)
    assert 0 == ran.code
    assert clause.statement in ran.out
    assert clause.source in ran.out
    assert all(name in ran.out for name in clause.readings)


def test_doctor_says_what_this_machine_can_do(windtunnel):
    ran = windtunnel("doctor")
    assert ran.out.startswith(f"windtunnel {__version__} on Python 3.")
    assert {"ok ", "no ", "   "} >= {line[:3] for line in ran.out.splitlines()[1:-1] if not line.startswith("advice: ")}
    machine = json.loads(windtunnel("doctor", "--json").out)["machine"]
    assert (0 if machine["namespaces"] else 4) == ran.code


def test_doctor_on_a_machine_that_refuses_and_lacks_everything_says_how_to_get_it(windtunnel, monkeypatch, snapshot):
    monkeypatch.setattr(launch, "WAYS", (launch.Way("unshare", ("no-such-unshare",)), launch.PLAIN))
    monkeypatch.setattr("harness.cli.doctor.shutil.which", lambda name: None)
    monkeypatch.setattr(sys.modules["harness.sandbox.probe"], "_setting", lambda path: "")
    monkeypatch.setattr("harness.cli.doctor.platform", type("P", (), {
        "python_version": staticmethod(lambda: "3.x"), "system": staticmethod(lambda: "Linux"), "machine": staticmethod(lambda: "x86_64"),
    }))  # fmt: skip
    families = (
        FamilyFact("jsonl", 17),
        FamilyFact(
            "clock",
            8,
            dict.fromkeys(("clock.back", "clock.jump"), "libfaketime is not installed; apt-get install faketime"),
        ),
        FamilyFact("filesystem", 21, {"filesystem.full": "it needs namespaces"}, ("filesystem.unreadable",)),
    )
    monkeypatch.setattr("harness.cli.doctor.survey.families", lambda: families)
    ran = windtunnel("doctor")
    assert 4 == ran.code
    assert snapshot == ran.out.replace(__version__, "VERSION")


def test_doctor_exits_4_where_a_fault_that_l2_needs_is_refused(windtunnel, monkeypatch):
    refused = FamilyFact("process", 7, {"process.slow_disk": "strace is not installed; apt-get install strace"})
    monkeypatch.setattr("harness.cli.doctor.survey.families", lambda: (FamilyFact("jsonl", 17), refused))
    assert (4, 4) == (windtunnel("doctor").code, windtunnel("doctor", "--json").code)


def test_doctor_goes_on_where_no_sandbox_can_be_built_at_all(windtunnel, monkeypatch):
    def refused():
        raise MachineError("there is no way")

    monkeypatch.setattr("harness.cli.doctor.survey.families", refused)
    assert json.loads(windtunnel("doctor", "--json").out)["faults"] == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("2m", 120), ("1h", 3600), ("1.5m", 90), ("0.5", 0.5)]
)
def test_a_duration_is_read(text, seconds):
    assert seconds == options.DURATION.convert(text, None, None)
    assert seconds == options.DURATION.convert(float(seconds), None, None)


def test_a_random_seed_is_another_one_each_time_and_a_number_is_itself():
    drawn = {options.SEED.convert("random", None, None) for _ in range(20)}
    assert (20, True) == (len(drawn), all(0 <= seed < 2**32 for seed in drawn))
    assert (7, 0) == (options.SEED.convert("7", None, None), options.SEED.convert(0, None, None))


SCENARIO = "hook-transcript-fifo"


def test_a_scenario_is_replayed_against_the_reference(windtunnel):
    ran = windtunnel("replay", corpus.directory() / "stop_gate" / f"{SCENARIO}.yaml")
    assert (0, "") == (ran.code, ran.err)
    assert {"PASS"} == {line.split()[0] for line in ran.out.splitlines()[2:]}


def test_a_verbose_replay_shows_operations_and_results(windtunnel):
    plain = windtunnel("replay", corpus.directory() / "stop_gate" / f"{SCENARIO}.yaml")
    ran = windtunnel("replay", "-v", corpus.directory() / "stop_gate" / f"{SCENARIO}.yaml", "reference")
    assert [line for line in ran.out.splitlines() if not line.startswith("  ")] == plain.out.splitlines()
    assert '  stop {"' in ran.out
    assert '    ok {"decision":"approve"' in ran.out


def test_a_replay_that_does_not_enter_what_it_is_meant_for_is_inconclusive(windtunnel, tmp_path):
    """Without its fault, the scenario shows nothing of the clause it names."""
    path = corpus.directory() / "stop_gate" / f"{SCENARIO}.yaml"
    text = dump(load(path.read_bytes(), where=path.name)).replace("clauses:\n", "clauses:\n- PS-TR-01\n", 1)
    text = text if "PS-TR-01" in text else text.replace("clauses: [", "clauses: [PS-TR-01, ", 1)
    (tmp_path / "changed.yaml").write_text(text)
    ran = windtunnel("replay", tmp_path / "changed.yaml")
    assert 5 == ran.code
    assert "INCONCLUSIVE  PS-TR-01" in ran.out


@pytest.mark.parametrize(
    ("words", "kind", "name"),
    [
        ((), "ServedReference", "reference"),
        (("--mutant", "size-limit-missing"), "ServedReference", "size-limit-missing"),
        (("--python", "json:loads"), "ServedFactory", "json:loads"),
    ],
)
def test_serve_speaks_for_what_it_is_asked_for(windtunnel, monkeypatch, words, kind, name):
    served = []
    monkeypatch.setattr("harness.cli.serve.serve", lambda *arguments: served.append(arguments))
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert 0 == windtunnel("serve", *words).code
    ((system, implementation, told, *_),) = served
    assert ("stop_gate", kind, name) == (system.name, type(implementation).__name__, told)


def test_serve_as_hook_is_one_call_of_a_mutant_hook(windtunnel, monkeypatch):
    called = []
    hook = type("Hook", (), {"main": lambda self: called.append("called") or 2})
    monkeypatch.setattr(registry.get("stop_gate").mutants, "mutant_hook", lambda name: hook())
    name = next(
        name for name, mutant in registry.get("stop_gate").mutants.MUTANTS.items() if mutant.profile == "stop_hook"
    )
    assert (2, ["called"]) == (windtunnel("serve", "--as-hook", "--mutant", name).code, called)


@pytest.mark.parametrize("code", [1, 2])
def test_a_mutant_hook_that_exits_keeps_its_exit_code(windtunnel, monkeypatch, code):
    def exits(self):
        raise SystemExit(code)

    monkeypatch.setattr(
        registry.get("stop_gate").mutants, "mutant_hook", lambda name: type("Hook", (), {"main": exits})()
    )
    name = next(
        name for name, mutant in registry.get("stop_gate").mutants.MUTANTS.items() if mutant.profile == "stop_hook"
    )
    with pytest.raises(SystemExit) as ended:
        windtunnel("serve", "--as-hook", "--mutant", name)
    assert code == ended.value.code
