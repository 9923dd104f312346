"""`windtunnel explore`: what is said, written and returned. Source: issue 4, item 7."""

import json
import signal
import subprocess
import sys
import time

import jsonschema
import psutil
import pytest

from harness.errors import UntestableError, UsageError
from harness.explore.program.place import Place
from harness.explore.program.result import (
    Failing,
    Finished,
    Layer,
    LayerDone,
    Observed,
    Played,
    Started,
    encoded,
    schema,
)
from harness.explore.program.telling import NEVER_COVERED, lines, replayed
from harness.sandbox import launch, sandbox

CUT_IN_PLACE = """case $1 in
op) printf 'count 8\\n' > state/n ;;
slow) sleep 0.2; printf 'count 8\\n' > state/n ;;
check) case "$(cat state/n 2>&1)" in "count 7"|"count 8") ;; *) echo "The count is lost."; exit 1 ;; esac ;;
esac
"""
OPTIONS = ("explore", "--op", "sh app.sh op", "--check", "sh app.sh check", "--dir", "state")

FAILING = Failing(
    id="S0x1-1x1",
    layer="schedule",
    label="op and --with at once, in an order with 2 steps",
    by="check",
    said="Both have it.",
    op="exit code 0",
    recover_exit=0,
    steady=True,
    script="out/failing/S0x1-1x1.py",
    order=("op: stat(lock)", "with (process 2): openat(lock)"),
)
EVENTS = (
    Started(
        windtunnel="0",
        op=("app", "a b"),
        recover=("app", "mend"),
        check=("app", "check"),
        rival=("app", "c"),
        directory="/s",
        seed=0,
        limit=1000,
        jobs=2,
    ),
    Observed(calls=("openat(n)", "write(n)"), changes=("create n", "write 3 bytes at 0 of n"), whole="", steady=True),
    LayerDone(Layer(name="errno", enumerated=31, run=31, distinct=4)),
    LayerDone(
        Layer(name="crash", enumerated=12854, run=1000, distinct=1000, cut="1000 of 12854 states, chosen by seed 0")
    ),
    LayerDone(Layer(name="power twice", not_asked="there is no --recover that could be crashed")),
    LayerDone(Layer(name="schedule", enumerated=8, run=8, distinct=8, failing=6)),
    Played(case="E1", layer="errno", label="openat(n) fails with EIO", met=False),
    Finished(
        exit_code=1,
        interrupted=False,
        layers=(Layer(name="schedule", enumerated=8, run=8, distinct=8, failing=6),),
        smallest=(FAILING,),
        not_covered=("errno: 1 of 31 cases were not met, because op made other calls then",),
    ),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "app.sh").write_text(CUT_IN_PLACE)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "n").write_text("count 7\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_said_reads(snapshot):
    assert snapshot == "\n".join(line.rstrip() for event in EVENTS for line in lines(event, "state"))


def test_a_case_that_passes_when_it_is_played_again_reads(snapshot):
    assert snapshot == "\n".join(replayed(None, "killed before write(n)", "K2"))


@pytest.mark.parametrize(
    ("finished", "says"),
    [
        ({"exit_code": 0}, "no failing state found: sound in everything that was explored"),
        ({"exit_code": 0, "layers": (Layer(name="crash", run=1, cut="x"),)}, "not everything was run: crash"),
        ({"exit_code": 5}, "nothing can be said"),
        ({"exit_code": 130, "interrupted": True}, "interrupted"),
        (
            {"exit_code": 1, "smallest": (FAILING,), "layers": (Layer(name="crash", failing=1),)},
            "1 failing state found",
        ),
    ],
)
def test_the_last_line_is_the_verdict(finished, says):
    event = Finished(**{"interrupted": False, "layers": (), "smallest": (), "not_covered": (), **finished})
    assert says in list(lines(event, "state"))[-1]


def test_long_orders_and_many_changes_are_cut_for_people():
    long = Failing(id="S1", layer="schedule", label="", by="check", said="", order=tuple("x" * 70))
    event = Finished(exit_code=1, interrupted=False, layers=(), smallest=(long,), not_covered=())
    assert any("and 10 more steps" in line for line in lines(event, "."))
    seen = Observed(calls=(), changes=tuple("x" * 20), whole="", steady=True)
    assert any("and 8 more" in line for line in lines(seen, "."))


def test_a_failing_state_is_exit_1_with_a_script_and_a_replay(windtunnel, folder):
    ran = windtunnel(*OPTIONS, "--only", "crash")
    assert (1, "") == (ran.code, ran.err)
    assert "crash C2: killed after truncate n to 0 bytes\n  check: The count is lost.\n" in ran.out
    assert "  alone:   python3 windtunnel-report/failing/C2.py\n" in ran.out
    again = windtunnel(*OPTIONS, "--replay", "C2")
    assert (1, True) == (again.code, again.out.startswith("crash C2: killed after truncate n to 0 bytes\n"))
    alone = subprocess.run([sys.executable, "-I", "windtunnel-report/failing/C2.py"], check=False, capture_output=True)
    assert 1 == alone.returncode


def test_a_sound_program_is_exit_0(windtunnel, folder):
    ran = windtunnel("explore", "--op", "cat state/n", "--check", "sh app.sh check", "--dir", "state")
    assert (0, "") == (ran.code, ran.err)
    assert ran.out.endswith("no failing state found: sound in everything that was explored\n")
    assert all(f"  {sentence}\n" in ran.out for sentence in NEVER_COVERED)


def test_a_replay_of_what_passes_is_exit_0(windtunnel, folder):
    ran = windtunnel(*OPTIONS, "--replay", "C1")
    assert (0, "C1: killed before the first change\n  check passes: the failure does not show\n") == (ran.code, ran.out)


@pytest.mark.parametrize("id_", ["E1", "K3", "C2.C1", "P3", "S0x1-1x2"])
def test_cases_are_found_by_their_ids_in_every_layer(windtunnel, folder, id_):
    (folder / "app.sh").write_text(f"{CUT_IN_PLACE}\n[ $1 != mend ] || printf 'count 8\\n' > state/n\n")
    ran = windtunnel(*OPTIONS, "--recover", "sh app.sh mend", "--with", "sh app.sh op", "--replay", id_)
    assert (0, "", True) == (ran.code, ran.err, id_ in ran.out)  # the recovery mends whatever happened


@pytest.mark.parametrize("id_", ["", "E", "E999", "K0", "C999", "C1.C1", "Sx", "S0x1", "X1", "C1.E1"])
def test_an_id_that_nothing_has_is_exit_2(windtunnel, folder, id_):
    assert UsageError.exit_code == windtunnel(*OPTIONS, "--replay", id_).code


def test_the_result_is_json_that_agrees_with_the_files(windtunnel, folder):
    ran = windtunnel(*OPTIONS, "--json", "--report", "out", "--only", "crash", "--seed", "3")
    content = json.loads(ran.out)
    assert (1, 1, 3) == (ran.code, content["exit_code"], content["seed"])
    assert content == json.loads((folder / "out" / "result.json").read_text())
    assert ["kill", "crash", "crash twice"] == [layer["name"] for layer in content["layers"]]
    assert sum(layer["failing"] for layer in content["layers"]) == len(content["failing"])
    events = [json.loads(line) for line in (folder / "out" / "events.jsonl").read_text().splitlines()]
    assert ("started", "finished") == (events[0]["type"], events[-1]["type"])
    assert {f"{each['id']}.py" for each in content["smallest"]} == {
        path.name for path in (folder / "out" / "failing").iterdir()
    }


def test_what_is_written_keeps_to_the_published_schema(windtunnel, folder):
    windtunnel(*OPTIONS, "--only", "crash", "--only", "errno")
    report = folder / "windtunnel-report"
    lines_ = [json.loads(line) for line in (report / "events.jsonl").read_text().splitlines()]
    content = json.loads((report / "result.json").read_text())
    published = schema()
    event = jsonschema.Draft202012Validator(published)
    whole = jsonschema.Draft202012Validator({"$defs": published["$defs"], "$ref": "#/$defs/Result"})
    assert [] == [error.message for line in lines_ for error in event.iter_errors(line)]
    assert [] == [error.message for error in whole.iter_errors(content)]
    assert [False] * 3 == [
        event.is_valid({"type": "layer"}), whole.is_valid({**content, "odd": 1}), whole.is_valid({"failing": []})
    ]  # fmt: skip


def test_an_event_is_one_line_of_json():
    for event in EVENTS:
        line = encoded(event)
        assert line.endswith(b"\n")
        assert 1 == line.count(b"\n")
        assert {"type"} < json.loads(line).keys()


def test_scripts_of_an_earlier_run_are_taken_away(windtunnel, folder):
    windtunnel(*OPTIONS, "--only", "crash")
    windtunnel(*OPTIONS, "--only", "power")
    assert ["P2.py"] == [path.name for path in (folder / "windtunnel-report" / "failing").iterdir()]


def test_a_directory_in_the_place_of_a_script_is_exit_2(windtunnel, folder):
    (folder / "windtunnel-report" / "failing" / "C1.py").mkdir(parents=True)
    ran = windtunnel(*OPTIONS)
    assert (UsageError.exit_code, 1) == (ran.code, ran.err.count("\n"))
    assert "C1.py is a directory where a script has to stand" in ran.err


def test_a_name_cannot_order_a_ci_about(windtunnel, folder):
    ran = windtunnel("explore", "--op", "true '\n::error::x'", "--check", "true")
    assert "::error::x" in ran.out
    assert [] == [line for line in ran.out.splitlines() if line.startswith("::")]


def test_text_of_the_program_cannot_steer_the_terminal(windtunnel, folder):
    (folder / "app.sh").write_text(CUT_IN_PLACE.replace("The count is lost.", "\\033[2J lost"))
    ran = windtunnel(*OPTIONS, "--only", "crash")
    assert "\\x1b[2J lost" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--dir", "missing"), UsageError.exit_code),
        (("--op", "a | b"), UsageError.exit_code),
        (("--only", "luck"), UsageError.exit_code),
        (("--limit", "0"), UsageError.exit_code),
        (("--env", "x"), UsageError.exit_code),
        (("--op", "false"), UntestableError.exit_code),
        (("--check", "false"), UntestableError.exit_code),
        (("--recover", "no-such-program-of-anyone"), UntestableError.exit_code),
    ],
)
def test_what_cannot_be_explored_is_one_sentence(windtunnel, folder, more, code):
    ran = windtunnel(*OPTIONS, *more)
    assert (code, True) == (ran.code, bool(ran.err))
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("missing", ["--op", "--check"])
def test_op_and_check_are_needed(windtunnel, folder, missing):
    words = list(OPTIONS)
    del words[words.index(missing) : words.index(missing) + 2]
    assert UsageError.exit_code == windtunnel(*words).code


def test_a_machine_without_supervisor_is_exit_5(windtunnel, folder, monkeypatch):
    monkeypatch.setattr(Place, "refused", "this machine refuses it")
    ran = windtunnel(*OPTIONS)
    assert 5 == ran.code
    assert "not covered:\n  everything: this machine refuses it\n" in ran.out


@pytest.fixture
def refusing(monkeypatch):
    """A machine that refuses namespaces, in this process."""
    monkeypatch.setattr(launch, "WAYS", (launch.PLAIN,))
    monkeypatch.setattr(sandbox, "_refused", {})


def test_where_namespaces_are_refused_nothing_runs_unless_it_is_allowed(windtunnel, folder, refusing):
    ran = windtunnel(*OPTIONS)
    assert (4, True) == (ran.code, "add --unsafe" in ran.err)
    ran = windtunnel(*OPTIONS, "--unsafe", "--only", "crash")
    assert (1, True) == (ran.code, "  containment: The network can be reached.\n" in ran.out)
    assert "count 7\n" == (folder / "state" / "n").read_text()


def test_a_directory_that_is_the_current_one_is_explored(windtunnel, folder, monkeypatch):
    monkeypatch.chdir(folder / "state")
    ran = windtunnel("explore", "--op", "sh -c 'echo 1 > m'", "--check", "test -e n", "--only", "crash")
    assert 0 == ran.code
    assert "below . and 2 changes:\n   1 create m\n" in ran.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_exit_130_and_leaves_nothing(folder, number):
    words = ["explore", "--op", "sh app.sh slow", *OPTIONS[3:], "--report", "out"]
    process = subprocess.Popen([sys.executable, "-m", "harness.cli", *words], stdout=subprocess.PIPE, text=True)
    out = process.stdout.readline() + process.stdout.readline()  # the commands: the sandboxes stand
    children = psutil.Process(process.pid).children(recursive=True)
    while not children and process.poll() is None:
        children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    out += process.stdout.read()
    assert 130 == process.wait(30)
    assert out.splitlines()[-1].startswith("interrupted") or len(out.splitlines()) == 2
    deadline = time.monotonic() + 30
    while any(child.is_running() for child in children) and time.monotonic() < deadline:
        psutil.wait_procs(children, timeout=1)
    assert not any(child.is_running() for child in children)


def test_what_was_found_is_told_even_when_its_script_cannot_be_written(windtunnel, folder):
    (folder / "out").mkdir()
    (folder / "out" / "failing").write_text("in the way")
    ran = windtunnel(*OPTIONS, "--only", "crash", "--report", "out")
    assert 1 == ran.code
    assert "crash C2: killed after truncate n to 0 bytes\n  check: The count is lost.\n  again:" in ran.out


def test_json_is_refused_for_a_replay(windtunnel, folder):
    ran = windtunnel(*OPTIONS, "--json", "--replay", "C2")
    assert (UsageError.exit_code, True) == (ran.code, "--json" in ran.err)
