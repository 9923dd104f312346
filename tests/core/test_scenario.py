"""A scenario is replayable: its file gives it back, and a file that is none is refused in one sentence."""

import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from values import CLOCK, scenarios

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, Explore, FileSpec, Operation, Scenario, Step, World, dump, load
from harness.errors import FileFormatError

SMALL = Scenario(1, "a", "A title", "toy", "gate", ("T-1",), World(CLOCK), (Step(op=Operation("check")),))


def written(**changes: object) -> str:
    """The file of SMALL with these keys changed; None takes a key away."""
    keys = {**yaml.safe_load(dump(SMALL)), **changes}
    return yaml.safe_dump({key: value for key, value in keys.items() if value is not None})


@given(scenarios)
def test_a_dumped_scenario_loads_as_it_was(scenario):
    text = dump(scenario)
    assert scenario == load(text, where="x")
    assert scenario == load(text.encode(), where="x")


@given(scenarios)
def test_a_loaded_scenario_dumps_to_the_same_bytes(scenario):
    text = dump(scenario)
    assert text == dump(load(text, where="x"))


def test_what_is_default_is_not_written():
    assert set(yaml.safe_load(dump(SMALL))) == {
        "format",
        "id",
        "title",
        "system",
        "profile",
        "clauses",
        "world",
        "steps",
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Expected `object`, got `null`"),
        ("just words", "Expected `object`, got `str`"),
        ("[1", "while parsing a flow sequence"),
        (b"\xff\xfe\xff", "is not a scenario file"),
        ("a: {[1]: 2}", "unhashable key"),
        ("format: 2026-13-45", "month must be in 1..12"),
        ("!!bool maybe", "is not a scenario file"),
        ("!!timestamp x", "is not a scenario file"),
        ("!!python/object/apply:os.system [true]", "could not determine a constructor"),
        ("\0", "is not a scenario file"),
        (written(id=None), "missing required field `id`"),
        (written(colour="red"), "unknown field `colour`"),
        (written(steps=[{}]), "a step has exactly one of op, fault, clock, schedule, repeat, explore and crash"),
        (written(steps=[{"op": {"name": "a"}, "clock": {"by_s": 1}}]), "a step has exactly one of"),
        (written(steps=[{"op": {"name": 5}}]), "Expected `str`, got `int` - at `$.steps[0].op.name`"),
        (written(world={"clock": CLOCK, "files": {"{home}/a": {"kind": "socket"}}}), "Invalid enum value 'socket'"),
        (
            written(world={"clock": CLOCK, "files": {"{home}/a": {"base64": "no base64!"}}}),
            "Invalid base64 encoded string",
        ),
        (written(steps=[{"explore": {"kinds": []}}, {"op": {"name": "a"}}]), "names each of its kinds once"),
        (
            written(steps=[{"explore": {"kinds": ["torn", "torn"]}}, {"op": {"name": "a"}}]),
            "names each of its kinds once",
        ),
        (written(steps=[{"explore": {"kinds": ["power", "schedule"]}}]), "explore has the kind schedule alone"),
        (written(steps=[{"explore": {"kinds": ["errno"]}}]), "explore stands right before an operation"),
        (written(steps=[{"explore": {"kinds": ["errno"]}}, {"op": {"name": "reset"}}]), "right before an operation"),
        (written(steps=[{"explore": {"kinds": ["schedule"]}}, {"op": {"name": "a"}}]), "right before a schedule"),
        (
            written(steps=[{"repeat": {"at_most": 2, "until": {}, "steps": [{"explore": {"kinds": ["errno"]}}]}}]),
            "nothing is explored within a repeat",
        ),
        (written(format=2), "has scenario format 2; this version reads format 1"),
    ],
)
def test_a_bad_scenario_file_gets_one_sentence_that_names_it(text, says):
    with pytest.raises(FileFormatError) as caught:
        load(text, where="some/file.yaml")
    message = str(caught.value)
    assert message.startswith("some/file.yaml ")
    assert says in message
    assert "\n" not in message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("level", ["[", "- ", "{a: ", "? "])
def test_a_file_nested_deeper_than_any_stack_does_not_end_the_process(level):
    # in a process of its own: without the bound, libyaml's binding dies by SIGSEGV
    code = (
        "from harness.core.scenario import load\nfrom harness.errors import FileFormatError\n"
        f"try: load({level!r} * 60_000 + 'a', where='x')\nexcept FileFormatError as error: print(error)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout[:27]) == (0, "x is not a scenario file: m")


def test_a_long_flat_file_is_read_whatever_its_length():
    long = Scenario(
        1, "a", "t", "toy", "gate", (), World(CLOCK), tuple(Step(clock=ClockStep(float(n))) for n in range(2000))
    )
    assert long == load(dump(long), where="x")


def test_bytes_are_written_as_base64():
    world = World(CLOCK, {"{home}/a": FileSpec(base64=b"\x00\xff")})
    scenario = Scenario(1, "a", "t", "toy", "gate", (), world, ())
    assert yaml.safe_load(dump(scenario))["world"]["files"] == {"{home}/a": {"base64": "AP8="}}


def test_what_to_explore_stands_before_its_operation():
    steps = (Step(explore=Explore(("errno", "killed", "torn", "power"))), Step(op=Operation("check")))
    scenario = Scenario(1, "a", "t", "toy", "gate", (), World(CLOCK), steps, "L3")
    assert scenario == load(dump(scenario), where="x")


@pytest.mark.parametrize(
    ("name", "family"), [("jsonl.bom", "jsonl"), ("filesystem.full", "filesystem"), ("odd", "odd"), ("a.b.c", "a")]
)
def test_a_fault_belongs_to_the_family_before_its_first_dot(name, family):
    assert family == Fault(name).family
