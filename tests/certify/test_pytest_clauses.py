"""``pytest --windtunnel-target``: every clause an item, one run for all, also under xdist. Source: issue 3, Build 7."""

import inspect
import json
import os
import re
import shlex
import shutil
import signal
import sys
import textwrap
from pathlib import Path

import pytest

from harness import pytest_clauses
from harness.certify import corpus

pytest_plugins = ["pytester"]

KEPT = ("hook-calm", "hook-transcript-fifo", "hook-calm-variations", "hook-transcript-garbage")


def few(patch, ledger):
    """A plan of few scenarios, so that a run takes a second, and a line in ``ledger`` for each that is really made."""
    files, run = corpus._files, pytest_clauses._run

    def counted(config):
        with Path(ledger).open("a") as file:
            file.write(f"{os.getpid()}\n")
        return run(config)

    patch(corpus, "_files", lambda system: [path for path in files(system) if path.stem in KEPT])
    patch(pytest_clauses, "_run", counted)


# the same in processes of their own
CONFTEST = f"""
    import os
    from pathlib import Path
    from harness import pytest_clauses
    from harness.certify import corpus

    KEPT = {KEPT}

{{few}}

    few(setattr, {{ledger!r}})
"""


@pytest.fixture
def place(pytester, pytestconfig, monkeypatch):
    """A project with two hooks, two tests of its own, and a ledger of the runs made in it."""
    # what this run of pytest set for itself is not the inner one's
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("sound_python", "never_blocks", "samples"):
        shutil.copytree(pytestconfig.rootpath / "examples" / "hooks" / name, pytester.path / "hooks" / name)
    pytester.makepyfile(test_own="def test_one(): pass\ndef test_two(): pass\n")
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    few(monkeypatch.setattr, pytester.path / "ledger")
    return pytester


def ran(place, target, *words, conftest=None):
    """How it ended, and how many runs were made; with ``conftest`` in processes of their own."""
    run = place.runpytest_inprocess
    if conftest is not None:
        source = textwrap.indent(inspect.getsource(few), "    ")
        text = textwrap.dedent(CONFTEST.format(few=source, ledger=str(place.path / "ledger")))
        place.makeconftest(text + textwrap.dedent(conftest))
        run = place.runpytest_subprocess
    result = run("-ra", "-p", "no:cacheprovider", "--windtunnel-target", target, *words)
    ledger = place.path / "ledger"
    return result, len(ledger.read_text().splitlines()) if ledger.exists() else 0


SOUND, DEAD = "hooks/sound_python/target.yaml", "hooks/never_blocks/target.yaml"
L1 = ("--windtunnel-level", "L1")
PICKED = ("-k", "SH-01 or SH-04 or SH-06 or SH-07 or SH-08 or PS-OUT-01 or PS-CFG-01 or test_one")


def verdicts(result):
    """The last word about each item, by clause."""
    found = {}
    for line in result.outlines:
        match = re.search(r"windtunnel::stop_gate::([A-Z0-9-]+)(?:@windtunnel)? (PASSED|FAILED|SKIPPED|XFAIL)", line)
        other = re.search(r"(PASSED|FAILED|SKIPPED|XFAIL) windtunnel::stop_gate::([A-Z0-9-]+)", line)
        if match:
            found[match[1]] = match[2]
        elif other:
            found[other[2]] = other[1]
    return found


def test_each_clause_is_an_item_with_its_id(place):
    result, runs = ran(place, SOUND, "--collect-only", "-q")
    assert 0 == result.ret
    result.stdout.fnmatch_lines(
        ["test_own.py::test_one", "windtunnel::stop_gate::SH-04", "windtunnel::stop_gate::SH-08"]
    )
    assert 0 == runs


def test_what_conforms_passes_what_does_not_bind_is_skipped_with_its_reason(place):
    result, runs = ran(place, SOUND, *L1, "-v", "-k", "SH-01 or SH-08 or PS-CFG-01 or test_one")
    assert 1 == runs
    assert {"SH-01": "PASSED", "SH-08": "PASSED", "PS-CFG-01": "SKIPPED"} == verdicts(result)
    result.stdout.fnmatch_lines(["SKIPPED*: group power_steering is not declared"])
    result.assert_outcomes(passed=3, skipped=1, deselected=result.parseoutcomes()["deselected"])
    assert 0 == result.ret


def test_a_must_that_is_not_established_fails_with_the_reason(place):
    """SH-03 needs stops in a row, which the few scenarios here have none of."""
    result, _ = ran(place, SOUND, *L1, "-k", "SH-03")
    result.assert_outcomes(failed=1, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["SH-03 (MUST) is not established: *"])


def test_a_should_that_is_not_established_is_an_expected_failure_with_its_reason(place):
    result, _ = ran(place, SOUND, *L1, "-v", "-m", "windtunnel")
    shoulds = [clause for clause, verdict in verdicts(result).items() if verdict == "XFAIL"]
    outcomes = result.parseoutcomes()
    assert outcomes.get("xfailed", 0) == len(shoulds)
    assert all(clause not in ("SH-01", "SH-08") for clause in shoulds)
    assert 2 == outcomes["deselected"]


def test_what_deviates_fails_with_everything_needed_to_see_it_again(place):
    result, runs = ran(place, DEAD, *L1, *PICKED)
    assert (1, 1) == (result.ret, runs)
    result.stdout.fnmatch_lines(
        [
            "SH-08 (MUST, *): the guard is dead",
            "  requires: The hook blocks the sample session*",
            "  expected: the session its owner says it blocks is blocked in calm weather",
            "  observed: let the session end*",
            "  scenario: hook-calm",
            "  replay:   windtunnel replay *",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_the_report_of_the_run_is_written_and_its_replay_command_works(place):
    result, _ = ran(place, DEAD, *L1, "-k", "SH-08", "--windtunnel-report", "out/here")
    names = {path.name for path in (place.path / "out" / "here").iterdir()}
    assert {"events.jsonl", "result.json", "junit.xml", "report.md", "scenarios"} <= names
    (command,) = set(re.findall(r"  replay: +windtunnel (.*)", result.stdout.str()))  # CI's summary says it once more
    assert 1 == place.run(sys.executable, "-m", "harness.cli", *shlex.split(command)).ret


@pytest.mark.parametrize("dist", ["load", "loadgroup"])
def test_under_xdist_there_is_one_run_whatever_the_distribution(place, dist):
    result, runs = ran(place, DEAD, *L1, "-n", "2", "--dist", dist, "-v", *PICKED, conftest="")
    assert 1 == runs
    found = verdicts(result)
    assert ("FAILED", "SKIPPED") == (found["SH-08"], found["PS-CFG-01"])
    assert 1 == result.ret
    result.stdout.fnmatch_lines(["*SH-08 (MUST, *): the guard is dead"])


def test_a_worker_that_dies_in_its_run_leaves_it_to_the_next(place):
    """The lock is the kernel's: what holds it is gone with its process."""
    dying = """
    inner = pytest_clauses._run

    def dies_once(config):
        ran = inner(config)
        if len(Path("ledger").read_text().splitlines()) == 1:
            os._exit(1)
        return ran

    pytest_clauses._run = dies_once
    """
    result, runs = ran(place, SOUND, *L1, "-n", "2", "-v", "-k", "SH-01 or SH-08", conftest=dying)
    assert 2 == runs
    assert {"PASSED"} <= set(verdicts(result).values())
    assert "crashed" in result.stdout.str()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("none.yaml", "-n", "2"), "cannot read the target file"),
        ((SOUND, "--windtunnel-system", "engine"), "there is no system 'engine'"),
        ((SOUND, "--windtunnel-level", "L9"), "there is no level 'L9' to ask for"),
    ],
)
def test_a_target_that_is_none_is_told_before_anything_runs(place, words, sentence):
    result, runs = ran(place, *words)
    assert (pytest.ExitCode.USAGE_ERROR, 0) == (result.ret, runs)
    result.stderr.fnmatch_lines([f"ERROR: --windtunnel-target: *{sentence}*"])


def test_what_cannot_be_tested_passes_nowhere(place):
    (place.path / "hooks" / "sound_python" / "hook.py").write_text("import sys; sys.exit(7)\n")
    result, _ = ran(place, SOUND, *L1, "-k", "SH-01 or SH-07 or PS-CFG-01")
    result.assert_outcomes(failed=2, skipped=1, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["untestable: sound-python cannot be tested: it fails with exit code 7*"])


def test_a_command_that_is_gone_passes_nowhere(place):
    (place.path / "hooks" / "never_blocks" / "guard.py").unlink()
    result, _ = ran(place, DEAD, *L1, "-k", "SH-01")
    result.assert_outcomes(failed=1, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["the run broke: python3 has no script to run*"])


def test_without_the_option_nothing_is_added_and_nothing_is_loaded(place):
    place.makepyfile(
        test_own="""
        import sys

        def test_lean():
            assert not [name for name in sys.modules if name.startswith("harness.") and name != "harness.pytest_plugin"]
        """
    )
    result = place.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_strict_markers_know_the_clauses(place):
    result, _ = ran(
        place, SOUND, *L1, "--strict-markers", "--strict-config", "-m", "windtunnel and not xdist_group", "-q"
    )
    assert pytest.ExitCode.NO_TESTS_COLLECTED == result.ret
    without, _ = ran(place, SOUND, *L1, "--strict-markers", "-p", "no:xdist", "-k", "SH-01")
    without.assert_outcomes(passed=1, deselected=without.parseoutcomes()["deselected"])


def test_ctrl_c_ends_the_run_and_pytest(place, monkeypatch):
    """The run is told to end, and pytest ends as it does for any Ctrl-C."""
    begin = pytest_clauses.Engine.run

    def pressed(engine):
        events = begin(engine)
        yield next(events)
        signal.raise_signal(signal.SIGINT)
        yield from events

    monkeypatch.setattr(pytest_clauses.Engine, "run", pressed)
    result = place.runpytest_inprocess("--windtunnel-target", SOUND, *L1, "-k", "SH-01", no_reraise_ctrlc=True)
    assert pytest.ExitCode.INTERRUPTED == result.ret
    assert "interrupted" == json.loads((place.path / "windtunnel-report" / "result.json").read_text())["outcome"]


def test_the_reference_is_a_target_too(place):
    result, _ = ran(place, "reference", *L1, "-v", "-k", "SH-08 or PS-CFG-01")
    assert {"SH-08": "PASSED", "PS-CFG-01": "FAILED"} == verdicts(result)
