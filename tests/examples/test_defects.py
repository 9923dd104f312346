"""The seeded defects and their twins do their job in calm, and their checks tell a broken state from a sound one.

What the layers of `explore` find of them is stated where those are tested. Source: issue 4, "Shows".
"""

import subprocess
from pathlib import Path

import pytest
from defects.programs import LAYERS, PROGRAMS, TABLE

EVERYWHERE = ("python",)  # the others need a tool of the machine
SEEDED = {
    "truncate_in_place",
    "rename_without_fsync",
    "missing_directory_sync",
    "check_then_touch",
    "lost_update",
    "stale_lock_takeover",
    "append_after_torn_line",
    "narrow_except",
}
TWINS = {"atomic_replace", "flock", "o_excl", "append_completes_torn_line", "broad_except"}
BROKEN = {  # by hand: what stands in the directory, and what the check says of it
    "truncate_in_place": ({"config": b"lim", "pending": b"limit 20\n"}, "neither the old one nor the new one"),
    "rename_without_fsync": ({"config": b""}, "neither the old one nor the new one"),
    "missing_directory_sync": ({"config": b"limit 10\n"}, "is gone, and not in force"),
    "check_then_touch": ({"claim": b"", "ran.a": b"", "ran.b": b""}, "Both workers ran the task"),
    "lost_update": ({"ledger": b"start\nb\n"}, "neither pending nor in the ledger"),
    "stale_lock_takeover": ({"lease": b"9999999999\n", "leads.a": b"", "leads.b": b""}, "Both workers lead"),
    "append_after_torn_line": ({"log": b"first\nsecrecovered\n"}, "lost in a torn line"),
    "narrow_except": ({"outbox": b"pa"}, "The message is lost"),
}
AS = {  # a twin is checked as the defect it is the twin of
    "atomic_replace": "truncate_in_place",
    "flock": "lost_update",
    "o_excl": "check_then_touch",
    "append_completes_torn_line": "append_after_torn_line",
    "broad_except": "narrow_except",
}


def rows(wanted=lambda program: True):
    return [
        # a machine without node, perl or a C compiler fails these; .ci/run installs them
        pytest.param(each, id=str(each), marks=[] if each.language in EVERYWHERE else [pytest.mark.tools])
        for each in PROGRAMS
        if wanted(each)
    ]


every = pytest.mark.parametrize("program", rows())


@pytest.fixture
def state(tmp_path):
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """``made(program)`` is the program ready to run, built at its first use."""
    folder = tmp_path_factory.mktemp("built")
    ready = {}

    def make(program):
        if str(program) not in ready:
            ready[str(program)] = program.made(folder)
        return ready[str(program)]

    return make


def ran(words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def laid_out(program, directory, files):
    for path in directory.iterdir():
        path.unlink()
    for name, data in files.items():
        (directory / name).write_bytes(data)
    return program.commands(directory)


def test_every_defect_and_every_twin_is_written_in_every_language():
    assert SEEDED == {each.defect for each in PROGRAMS if not each.sound}
    assert TWINS == {each.defect for each in PROGRAMS if each.sound}
    languages = {"python", "node", "bash", "c", "static_c", "perl"}
    assert languages == set(TABLE["languages"])
    assert {(defect, language) for defect in SEEDED | TWINS for language in languages} == {
        (each.defect, each.language) for each in PROGRAMS
    }


def test_every_layer_has_something_to_find_and_no_layer_is_unknown():
    assert set(LAYERS) == {layer for each in PROGRAMS for layer in each.found_by}
    assert set() == {layer for each in PROGRAMS for layer in each.also} - set(LAYERS)
    assert all("schedule" in each.found_by or each.sound for each in PROGRAMS if each.beside)


def test_no_program_lies_about_that_no_row_names():
    here = Path(__file__).parents[1] / "defects"
    assert set(here.glob("*/program.*")) == {each.source for each in PROGRAMS}


@every
def test_in_calm_the_operation_does_its_work_once_and_the_check_is_content(program, state, made):
    run = laid_out(made(program), state, program.begin)
    assert [0, 0] == [ran(run.check).returncode, ran(run.op).returncode]
    after = contents(state)
    assert program.begin != after
    assert (0, "") == (ran(run.check).returncode, ran(run.check).stdout)
    assert [0, 0] == [ran(run.recover).returncode, ran(run.check).returncode]


@every
def test_recovery_leaves_what_it_finds_in_order_and_takes_leftovers_away(program, state, made):
    run = laid_out(made(program), state, program.begin)
    leftover = {"config": "config.tmp", "ledger": "ledger.a", "inbox": "spool"}
    names = [leftover[name] for name in program.begin if name in leftover]
    for name in names:
        (state / name).write_bytes(b"li")
    assert [0, 0] == [ran(run.recover).returncode, ran(run.check).returncode]
    assert [] == [name for name in names if (state / name).exists()]


@every
def test_the_check_says_no_in_one_sentence_when_the_state_was_broken_by_hand(program, state, made):
    files, sentence = BROKEN[AS.get(program.defect, program.defect)]
    run = laid_out(made(program), state, files)
    checked = ran(run.check)
    assert 1 == checked.returncode
    assert (
        sentence in checked.stdout or "A record is lost" in checked.stdout or "of a worker is neither" in checked.stdout
    )
    assert 1 == checked.stdout.count("\n")


@pytest.mark.parametrize("program", rows(lambda each: each.beside))
def test_one_after_the_other_two_workers_do_no_harm(program, state, made):
    run = laid_out(made(program), state, program.begin)
    assert [0, 0, 0] == [ran(words).returncode for words in (run.op, run.beside, run.check)]
    first = {"check_then_touch": "ran.a", "o_excl": "ran.a", "stale_lock_takeover": "leads.a"}.get(program.defect)
    if first is None:
        assert b"start\na\nb\n" == (state / "ledger").read_bytes()
    else:
        assert [first] == [name for name in contents(state) if name.endswith((".a", ".b"))]


@pytest.mark.parametrize("program", rows(lambda each: AS.get(each.defect, each.defect) == "append_after_torn_line"))
def test_after_a_torn_line_only_the_sound_log_keeps_the_next_record(program, state, made):
    run = laid_out(made(program), state, {"log": b"first\nsec"})
    assert 0 == ran(run.recover).returncode
    kept = (b"first\nsec\nrecovered\n", 0) if program.sound else (b"first\nsecrecovered\n", 1)
    assert kept == (contents(state)["log"], ran(run.check).returncode)


def puts_aside(program):
    # cp, of bash, takes a directory of that name for the place to put the message in
    return AS.get(program.defect, program.defect) == "narrow_except" and program.language != "bash"


@pytest.mark.parametrize("program", rows(puts_aside))
def test_where_the_outbox_is_a_directory_only_the_sound_program_keeps_the_message(program, state, made):
    run = laid_out(made(program), state, program.begin)
    (state / "outbox").mkdir()
    ran(run.op)
    (state / "outbox").rmdir()
    assert (["spool"] if program.sound else []) == [path.name for path in state.iterdir()]
