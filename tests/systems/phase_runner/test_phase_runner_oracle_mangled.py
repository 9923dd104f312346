"""Histories that somebody has mangled: whatever stands in them, the oracle finds something or nothing, and never falls."""

import copy
import json
import random

import msgspec
import pytest
from handmade_phases import (
    FAILURES,
    MISSING,
    PAIR,
    PASS,
    TRIO,
    Day,
    bad,
    both,
    check,
    conflict,
    ok,
    phase,
    plan,
    retry,
    summary,
)

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import EntryType, InputFact
from harness.systems.phase_runner.contract.words import phase_path

FAILED = FAILURES["test_failure"]
AGAIN = {"tasks_completed": 3, "tasks_total": 3}
VALUES = (None, True, 0, 1, 2, 3, -1, "", "0", "2a", "x", "phase", "complete", "timeout", [], {}, 1.5, "\ud800", 10**30)
CONTENTS = (b"", b"[]", b"{", b"\xff", b'{"status": "complete"}')
FAULTS = ("filesystem.missing", "process.restarted", "syscall.power", "filesystem.full", "filesystem.vanishing")


def resumed():
    day = Day().start(plan("2A", "3<2A"), ["2a"], ids=("2a", "3"))
    day.report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
    records = {"2a": ("failed", 2, both()), "3": ("blocked", 0, {"blocked_by": ["2a"]})}
    found = summary((), [("2a", 2, "test_failure")], [("3", ["2a"])])
    day.report("2a", FAILED, 2, halted=True, summary=found, records=records).look("2a", "3")
    day.start(plan("2A", "3<2A"), ["2a"], ("resume",)).succeed("2a", launch=[phase("3")])
    return day.succeed("3", completed=True).status(told=[("2a", "complete"), ("3", "complete")], completed=True)


def batch():
    day = Day().start(TRIO, ["2a", "2b", "2c"], ids=("2a", "2b", "2c", "3", "4"))
    day.report("2a", FAILED).report("2b", bad(missing=MISSING), halting=True)
    day.report("2c", ok(), launch=[check("2c")], halting=True)
    found = summary(["2c"], [("2a", 1, "test_failure"), ("2b", 1, "dependency_missing")], [("3", ["2a"]), ("4", ["2a"])],
                    missing_package="@types/jest", required_by="Type checking", install_step=MISSING["install"])  # fmt: skip
    blocked = ("blocked", 0, {"blocked_by": ["2a"]})
    records = {"2c": "complete", "2a": "failed", "2b": "failed", "3": blocked, "4": blocked}
    day.verified("2c", halted=True, summary=found, records=records)
    return day.start(TRIO, ["2a", "2b", "2c"], ("fresh",), ids=("2a", "2b", "2c", "3", "4"))


def clash():
    said = ok(modified=[{"path": "a", "lines": [{"first": 1, "last": 2}]}])
    day = Day().start(PAIR, ["2a", "2b"], ids=("2a", "2b", "3")).report("2a", said, launch=[check("2a")])
    day.report("2b", said, launch=[check("2b")]).verified("2a")
    failed = [("2a", 1, "file_conflict"), ("2b", 1, "file_conflict")]
    found = summary((), failed, [("3", ["2a"])], conflicts=[conflict("a", p2a=[], p2b=[])])
    day.verified("2b", halted=True, summary=found, records={"2a": "failed", "2b": "failed"})
    return day.look("2a").status("2a", told=[("2a", "failed", 1, "file_conflict")], halted=True)


def together():
    day = Day().start(PAIR, ["2a", "2b"])
    for process, id_ in enumerate(("2a", "2b"), 1):
        day.begin("report", {"phase_id": id_, "attempt": 1, "said": "{}"}, process)
    day.end("report", {"accepted": True}, 1)
    return day.end("report", {"accepted": True, "launch": [retry("2a", "parse_error"), retry("2b", "parse_error")]}, 2)


def within(value):
    """Every place in a JSON value, but the value itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in items:
        yield value, name
        yield from within(each)


def mangled(value, chance):
    value = copy.deepcopy(value)
    places = list(within(value))
    if places:
        held, name = chance.choice(places)
        if chance.random() < 0.3:
            del held[name]
        else:
            held[name] = copy.deepcopy(chance.choice([*VALUES, *(one[key] for one, key in places)]))
    return value


def changed(entries, chance):
    """The entries with one of them changed."""
    place = chance.randrange(len(entries))
    entry = entries[place]
    sort = chance.choice(("value", "value", "value", "input", "type", "process", "fault", "order"))
    if sort == "value":
        entry = msgspec.structs.replace(entry, value=mangled(json.loads(json.dumps(dict(entry.value))), chance))
    elif sort == "input" and entry.inputs:
        label, data = chance.choice(list(entry.inputs)), chance.choice(CONTENTS)
        fact = InputFact(chance.choice(("file", "file", "missing", "fifo")), len(data), data)
        entry = msgspec.structs.replace(entry, inputs={**entry.inputs, label: fact})
    elif sort == "type":
        entry = msgspec.structs.replace(entry, type=chance.choice(list(EntryType)))
    elif sort == "process":
        entry = msgspec.structs.replace(entry, process=chance.choice((0, 1, 2)))
    elif sort == "fault":
        entry = msgspec.structs.replace(
            entry, faults=(Injection(Fault(chance.choice(FAULTS), phase_path("2a")), True, "met"),)
        )
    found = [*entries[:place], entry, *entries[place + 1 :]]
    if sort == "order":
        found.insert(chance.randrange(len(found)), found.pop(place))
    return [msgspec.structs.replace(each, n=n) for n, each in enumerate(found)]


@pytest.mark.parametrize("story", [resumed, batch, clash, together])
def test_whatever_stands_there_it_is_judged(story):
    seen = set()
    for number in range(40):
        chance = random.Random(number)
        day = story()
        for _ in range(chance.choice((1, 1, 2, 4))):
            day.entries = changed(day.entries, chance)
        seen |= {found.verdict for found in day.findings().values()}
    assert CheckVerdict.HARNESS_ERROR not in seen
    assert {PASS, CheckVerdict.FAIL} <= seen


def test_what_is_not_mangled_is_right_or_wrong_as_it_was_told():
    assert resumed().broken() == set()
    assert together().broken() == set()
    assert clash().broken() == {"AB-NRT-04"}
    assert batch().broken() == set()
