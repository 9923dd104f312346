"""Scenarios for readers without windtunnel: the faults are files. Source: issue 3, 5."""

import pytest

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Operation, Scenario, Step, World
from harness.explore.plain import rendered
from harness.systems import registry

PATH = "{home}/t.jsonl"
STOP = Step(op=Operation("stop", {"deserves": "approve"}))
RESET = Step(op=Operation("reset"))
LINES = '{"role": "user", "content": "x"}\n{"role": "assistant", "content": "y"}\n'


def plain(*steps, files=None, clock="2026-03-01T12:00:00Z"):
    files = {PATH: FileSpec(text=LINES)} if files is None else files
    found = Scenario(1, "x", "x", "stop_gate", "stop_hook", (), World(clock, files), steps)
    return rendered(found, registry.get("stop_gate"))


def struck(name, path=PATH, **params):
    return Step(fault=Fault(name, path, params))


def test_only_what_follows_the_last_reset_is_left():
    found = plain(STOP, RESET, STOP, STOP)
    assert (STOP, STOP) == found.steps


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("filesystem.missing", FileSpec("absent")),
        ("filesystem.empty", FileSpec(text="")),
        ("filesystem.directory", FileSpec("directory")),
        ("filesystem.fifo", FileSpec("fifo")),
        ("filesystem.symlink_loop", FileSpec("symlink", target=PATH)),
        ("filesystem.unreadable", FileSpec(text=LINES, mode=0)),
        ("json_document.null", FileSpec(text="null")),
    ],
)
def test_a_fault_becomes_a_file(name, spec):
    found = plain(struck(name), STOP)
    assert ((STOP,), spec) == (found.steps, found.world.files[PATH])


def test_damage_that_is_no_text_becomes_base64():
    spec = plain(struck("jsonl.bad_utf8"), STOP).world.files[PATH]
    assert (None, True) == (spec.text, spec.base64.startswith(LINES.encode()[:10]))


def test_a_sample_becomes_its_text():
    files = plain(STOP, files={PATH: FileSpec(sample="block")}).world.files
    assert registry.get("stop_gate").process_calls.default_samples()["block"].decode() == files[PATH].text


def test_a_fault_at_a_directory_takes_the_files_below_it_along():
    below = "{home}/run/kept"
    found = plain(struck("filesystem.file_for_directory", "{home}/run"), STOP, files={below: FileSpec(text="x")})
    assert ["{home}/run"] == list(found.world.files)


@pytest.mark.parametrize(
    "steps",
    [
        (struck("filesystem.read_only", "{home}"), STOP),
        (struck("filesystem.full", "{home}"), STOP),
        (STOP, struck("jsonl.nan"), STOP),
        (struck("jsonl.nan"),),
        (struck("jsonl.long_line"), STOP),
        (struck("clock.back", None, by_s=1), STOP),
        (struck("jsonl.no_such"), STOP),
        (STOP, RESET),
    ],
    ids=["mount", "full disk", "after an operation", "no operation", "10 MiB", "no path", "unknown", "nothing left"],
)
def test_what_cannot_be_a_file_is_not_rendered(steps):
    assert plain(*steps) is None
