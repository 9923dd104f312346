"""Sound implementations raise no alarm, and a harness that is wrong about one does. Source: CERTIFICATION.md, "Control".

The whole measurement, 3,000 runs, is the nox session ``false_alarms``.
"""

import json
from types import SimpleNamespace

import pytest

from harness.core.clause import Level
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import load
from harness.core.seed import derive
from harness.errors import UsageError
from harness.qualify import alarm_report, false_alarms, sound
from harness.qualify.alarm_report import Alarm, Tally, bound
from harness.qualify.false_alarms import main, plan
from harness.systems import registry

THREE = ("reference/rate_limit", "reference/fallback", "reference/rationalization")
ONE = "reference/rate_limit"


def only(*names):
    return [word for name in names for word in ("--only", name)]


def test_a_few_runs_of_three_sound_implementations_are_silent(tmp_path, capsys):
    report = tmp_path / "alarms.json"
    assert 0 == main(["--runs", "6", "--jobs", "2", "--report", str(report), *only(*THREE)])
    found = json.loads(report.read_text())
    assert (6, 0, True, []) == (found["runs"], found["alarmed_runs"], found["complete"], found["alarms"])
    assert dict.fromkeys(THREE, 2) == {name: each["runs"] for name, each in found["implementations"].items()}
    for each in found["implementations"].values():
        assert each["cases"] >= each["different_cases"] >= 2
        assert each["operations"] >= each["cases"]
    assert found["bound"] == capsys.readouterr().out.splitlines()[-1] == bound(6, 0)
    assert [report] == list(tmp_path.iterdir())


def test_the_same_seed_draws_the_same_cases_in_one_process_and_in_two(tmp_path):
    def digests(name, *words):
        report = tmp_path / name
        main(["--runs", "12", "--report", str(report), *only(ONE), *words])
        return json.loads(report.read_text())["implementations"][ONE]["digest"]

    one = digests("one", "--jobs", "1")
    assert one == digests("two", "--jobs", "2")
    assert one != digests("other", "--jobs", "1", "--seed", "1")


def judging(monkeypatch, change):
    """The oracle of every system with a defect: what ``change`` makes of a scenario, its history and the findings."""
    sound_judge = registry.System.judge

    def judge(self, scenario, history, catalogue):
        return change(scenario, history, sound_judge(self, scenario, history, catalogue))

    monkeypatch.setattr(registry.System, "judge", judge)


def failing(clause, verdict=CheckVerdict.FAIL):
    return lambda scenario, history, findings: (
        *findings,
        Finding(clause, verdict, expected="something else", observed="what is right"),
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Where no report is asked for, scenarios go below the folder one is in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_oracle_with_a_defect_raises_an_alarm_with_what_it_takes_to_see_it_again(here, monkeypatch, capsys):
    clause = next(iter(registry.get("rate_limit").catalogue)).id
    judging(monkeypatch, failing(clause))
    report = here / "reports" / "alarms.json"
    assert 3 == main(["--runs", "1", "--jobs", "1", "--report", str(report), *only(ONE)])
    found = json.loads(report.read_text())
    (alarm,) = found["alarms"]
    assert (ONE, 0, clause, "what is right", True) == tuple(
        alarm[field] for field in ("implementation", "run", "clause", "observed", "repeats")
    )
    file = here / "reports" / "alarms" / f"{alarm['scenario']}.yaml"
    assert f"windtunnel replay {file}" == alarm["replay"]
    assert "rate_limit" == load(file.read_bytes(), where="it").system
    assert (1, bound(1, 1)) == (found["alarmed_runs"], found["bound"])
    told = capsys.readouterr().out
    assert f"ALARM {ONE}, run 0: {clause}, again when played again" in told
    assert alarm["replay"] in told


def test_a_should_that_fails_is_an_alarm_though_a_search_passes_over_it(here, monkeypatch):
    clauses = registry.get("signals").catalogue
    should = next(clause.id for clause in clauses if clause.level is Level.SHOULD)
    judging(monkeypatch, failing(should))
    assert 3 == main(["--runs", "1", "--jobs", "1", *only("reference/signals")])
    (file,) = (here / "windtunnel-report" / "false_alarms").iterdir()
    assert should.lower() in file.name


def test_what_looks_wrong_once_only_is_an_alarm_that_does_not_repeat(here, monkeypatch, capsys):
    clause = next(iter(registry.get("rate_limit").catalogue)).id
    first = []

    def once(scenario, history, findings):
        if scenario.id == "search" and not first:
            first.append(scenario)
            return failing(clause, CheckVerdict.HARNESS_ERROR)(scenario, history, findings)
        return findings

    judging(monkeypatch, once)
    assert 3 == main(["--runs", "1", "--jobs", "1", *only(ONE)])
    assert "and not again when played again" in capsys.readouterr().out


def test_an_oracle_that_breaks_is_an_alarm_and_the_next_run_has_a_session_of_its_own(here, monkeypatch, capsys):
    def breaks(scenario, history, findings):
        if scenario.seed == derive(0, "false alarms", ONE, 0):
            raise KeyError("no such thing")
        return findings

    judging(monkeypatch, breaks)
    assert 3 == main(["--runs", "3", "--jobs", "1", "--report", "alarms.json", *only(ONE)])
    found = json.loads((here / "alarms.json").read_text())
    assert (3, 1) == (found["runs"], found["alarmed_runs"])
    assert [("", 0, "KeyError: 'no such thing'", "")] == [
        (alarm["clause"], alarm["run"], alarm["observed"], alarm["replay"]) for alarm in found["alarms"]
    ]
    assert "run 0: it broke" in capsys.readouterr().out


def test_a_run_that_is_interrupted_tells_of_the_runs_it_made(here, monkeypatch, capsys):
    def interrupted(batches, jobs):
        yield from ((batch, tally) for batch, tally in [(batches[0], Tally())])
        raise KeyboardInterrupt

    monkeypatch.setattr(false_alarms, "tallied", interrupted)
    assert 130 == main(["--runs", "20", "--report", "alarms.json", *only(ONE)])
    assert (0, False) == tuple(json.loads((here / "alarms.json").read_text())[name] for name in ("runs", "complete"))
    assert ["interrupted: 20 runs were asked for", "0 runs: nothing is bounded"] == (
        capsys.readouterr().out.splitlines()[-2:]
    )


@pytest.mark.parametrize(("runs", "alarmed", "sentence"), [
    (3000, 0, "0 false alarms in 3,000 runs: at most 0.10 % at 95 % confidence"),
    (3000, 1, "1 false alarm in 3,000 runs: at most 0.16 % at 95 % confidence"),
    (3000, 15, "15 false alarms in 3,000 runs: at most 0.77 % at 95 % confidence"),
    (1, 0, "0 false alarms in 1 run: at most 95.00 % at 95 % confidence"),
    (1, 1, "1 false alarm in 1 run: at most 100.00 % at 95 % confidence"),
    (0, 0, "0 runs: nothing is bounded"),
])  # fmt: skip
def test_the_bound_is_told_in_one_sentence_and_rounded_up(runs, alarmed, sentence):
    assert sentence == bound(runs, alarmed)


def some(**carriers):
    reached = {carrier: SimpleNamespace(carrier=carrier) for carrier in ("stdio", "hook")}
    return {name: sound.Sound(name, reached[carrier], "") for name, carrier in carriers.items()}


@pytest.mark.parametrize("runs", [1, 2, 51, 52, 3000])
def test_the_shares_make_up_exactly_the_runs_that_were_asked_for(runs):
    given = sound.shares(some(a="stdio", b="stdio", c="hook"), runs)
    assert runs == sum(given.values())
    assert given["a"] >= given["b"] >= given["c"] >= 0
    assert runs < 51 or round(given["a"] / given["c"]) in range(24, 27)


def test_every_run_is_in_one_batch_and_what_is_cut_short_has_some_of_each():
    batches = plan(some(a="stdio", b="stdio"), 50, 2, 7)
    numbers = sorted((batch.name, batch.first + n) for batch in batches for n in range(batch.runs))
    assert [(name, n) for name in "ab" for n in range(25)] == numbers
    assert {"a", "b"} == {batch.name for batch in batches[:2]}
    assert {(2, 7)} == {(batch.cases, batch.seed) for batch in batches}


def test_tallies_are_the_same_in_whatever_order_batches_end():
    alarm = Alarm("x", 1, "C", "wrong", "id", repeats=True)

    def merged(*order):
        whole = Tally()
        for number in order:
            part = Tally()
            part.add_run(number, 2, 9, [f"d{number}", "simplest"], [alarm] if number == 1 else [])
            whole.merge(part)
        return whole.runs, whole.cases, whole.different, whole.operations, whole.alarmed, whole.alarms, whole.digest

    assert merged(0, 1, 2) == merged(2, 0, 1)
    assert (3, 6, 4, 27, 1) == merged(0, 1, 2)[:5]


def test_the_references_and_the_sound_examples_are_sound():
    found, refused = sound.implementations()
    assert {f"reference/{name}" for name in registry.NAMES} <= set(found)
    assert {"reference/stop_gate/hook", *(f"hooks/sound_{name}" for name in ("bash", "node", "python"))} <= (
        set(found) | set(refused)
    )
    assert "" == found["reference/stop_gate/hook"].target
    for name, each in found.items():
        assert name.startswith("reference/") or each.target == f"examples/{name}/target.yaml"


@pytest.mark.parametrize(("folder", "system"), [
    ("sound_bash", "stop_gate"), ("circuit_breaker_node", "circuit_breaker"), ("review_gate_bash", "review_gate"),
])  # fmt: skip
def test_the_system_of_an_example_is_the_one_its_folder_begins_with(folder, system, tmp_path):
    assert system == sound._system_of(tmp_path / folder).name


def test_what_cannot_be_reached_here_is_left_out_and_said(monkeypatch, tmp_path, capsys):
    scope = alarm_report.Scope(2, 2, 0, 1.0, whole=True, refused={"hooks/x": "there is no node"})
    assert "hooks/x was left out: there is no node" in alarm_report.text({}, scope, None).splitlines()


def test_an_implementation_that_there_is_not_is_a_wrong_argument(capsys):
    assert 2 == main(["--only", "reference/gate"])
    assert (
        "there is no sound implementation 'reference/gate'; there are: reference/stop_gate" in capsys.readouterr().err
    )
    with pytest.raises(UsageError):
        false_alarms._chosen(["x"])


@pytest.mark.parametrize("words", [["--runs", "0"], ["--cases", "-1"], ["--jobs", "0"], ["--runs", "many"]])
def test_a_number_below_one_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert 2 == ended.value.code
