"""The state file: what it says after each move, and files that others wrote. Level L1.

An inspection after each move lets the history see the file: what an operation finds is recorded when it begins.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.circuit_breaker.contract import STATE_PATH
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    INSTANT_S,
    INTERVAL_S,
    IS_CLOSED,
    NAME,
    OTHER,
    PERMITTED,
    REFUSED,
    THIRD,
    Story,
    calm,
    scenario,
    state,
)
from harness.systems.circuit_breaker.workload.half_open_boundaries import ANY

FIELDS = ("LK-CB-01", "LK-CB-02", "LK-CB-03", "LK-CB-04", "LK-CB-05", "LK-CB-06", "LK-CB-07")
READ = ("LK-CB-01", "LK-CB-09", "LK-CB-13")
EXAMPLE_CLOCK = "2025-01-20T10:36:00Z"  # 18 seconds after api/openai opened, in the example of the document
CLOSED_RECORD: Mapping[str, Any] = {
    "state": "CLOSED",
    "failure_count": 0,
    "success_count": 0,
    "last_failure_time": None,
    "last_state_change": "2025-01-20T10:30:00Z",
    "cooldown_until": None,
    "failure_window_start": None,
}
OPEN_RECORD: Mapping[str, Any] = {
    "state": "OPEN",
    "failure_count": 3,
    "success_count": 0,
    "last_failure_time": "2025-01-20T10:35:42Z",
    "last_state_change": "2025-01-20T10:35:42Z",
    "cooldown_until": "2025-01-20T10:40:42Z",
    "failure_window_start": "2025-01-20T10:34:50Z",
}
HALF_OPEN_RECORD: Mapping[str, Any] = {
    "state": "HALF_OPEN",
    "failure_count": 0,
    "success_count": 1,
    "last_failure_time": "2025-01-20T10:25:00Z",
    "last_state_change": "2025-01-20T10:30:00Z",
    "cooldown_until": None,
    "failure_window_start": None,
}
EXAMPLE: Mapping[str, Any] = {NAME: CLOSED_RECORD, OTHER: OPEN_RECORD, THIRD: HALF_OPEN_RECORD}
REST_S = 282.0  # until api/openai's cooldown ends


def holding(value: Any) -> dict[str, FileSpec]:
    """A state file with that JSON value."""
    return {STATE_PATH: FileSpec(text=json.dumps(value, indent=2) + "\n")}


def without(record: Mapping[str, Any], *fields: str) -> dict[str, Any]:
    """The record without these fields."""
    return {name: value for name, value in record.items() if name not in fields}


def file_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _written()
    yield from _example()
    yield from _accepted()
    yield from _odd()
    yield from _future()


def _written() -> Iterator[Scenario]:
    story = calm().ok().look().fail().look().later(2).fail().look().later(1).fail().look()
    story.later(1).ask().look().at(3 + COOLDOWN_S).ask(call="probe").look().later(1).succeeded("probe").look()
    story.later(INTERVAL_S).ok().look().later(INTERVAL_S).ok().look().later(1).ok().look()
    every = (*FIELDS, "LK-CB-12", "LK-CB-15", "LK-CB-20")
    yield scenario(
        "file-after-each-move", "A breaker goes round once, and the file is looked at after each step.", every,
        story.look(), IS_CLOSED,
    )  # fmt: skip
    again = calm().cooled().look().later(2.5).ask(call="probe").later(0.25).failed("probe").look().later(1).ask()
    yield scenario(
        "file-after-reopening", "A probe fails, and the file says until when.",
        (*FIELDS, "LK-CB-12", "LK-CB-21"), again.look(), state("OPEN"),
    )  # fmt: skip
    asked = calm().look().ask(call="one").look().succeeded("one").ok().fail().look().look()
    yield scenario(
        "file-no-transition", "Calls and failures that move nothing leave last_state_change as it is.",
        ("LK-CB-07", "LK-CB-09"), asked.later(5).fail().look().look(), IS_CLOSED,
    )  # fmt: skip
    two = calm().trip(NAME).look(NAME).fail(OTHER).look(OTHER).later(COOLDOWN_S).ask(NAME).look(OTHER)
    yield scenario(
        "file-two-breakers", "What happens to one breaker leaves the record of another as it is.",
        ("LK-CB-01", "LK-CB-02", "LK-CB-07"), two.look(NAME), state("HALF_OPEN"),
    )  # fmt: skip
    fraction = calm().later(0.123456).trip().look().later(COOLDOWN_S - INSTANT_S).ask().look()
    yield scenario(
        "file-fractions", "Times with microseconds are written down, and the cooldown is as long as ever.",
        ("LK-CB-05", "LK-CB-06", "LK-CB-12", "LK-CB-13"), fraction.ask(), REFUSED,
    )  # fmt: skip


def _of_example(**records: Mapping[str, Any]) -> dict[str, FileSpec]:
    return holding({**EXAMPLE, **records})


def _example() -> Iterator[Scenario]:
    for name, said, story, allowed, clauses in (
        ("closed", "CLOSED: it permits", calm(NAME).look().ask(), PERMITTED, ("LK-CB-09",)),
        ("open", "OPEN until 10:40:42: it refuses, and says how long", calm(OTHER).look().ask(), REFUSED,
         ("LK-CB-13", "LK-RP-01")),
        ("open-until-the-end", "OPEN: it refuses to the last microsecond",
         calm(OTHER).at(REST_S - INSTANT_S).ask().look().ask(), REFUSED, ("LK-CB-13", "LK-CB-14")),
        ("open-at-the-end", "OPEN: it is probed when the cooldown ends", calm(OTHER).at(REST_S).ask(), PERMITTED,
         ("LK-CB-14", "LK-CB-16")),
        ("half-open", "HALF_OPEN with one success: two more close it",
         calm(THIRD).ok().later(INTERVAL_S).look().ok().look().ask().ask(), PERMITTED, ("LK-CB-19",)),
        ("half-open-probed", "HALF_OPEN: it permits one call, and no more", calm(THIRD).ask().ask(), REFUSED,
         ("LK-CB-18",)),
        ("load", "OPEN: work is reduced", calm().capacity(5, 8),
         ({"agents": 2, "background": False, "queue_non_urgent": True},), ("LK-RP-02", "LK-RP-03", "LK-RP-04")),
    ):  # fmt: skip
        yield scenario(
            f"example-{name}", f"The example of the document is there, and one is {said}.", ("LK-CB-01", *clauses),
            story, allowed, files=_of_example(), clock=EXAMPLE_CLOCK,
        )  # fmt: skip
    kept = calm(NAME).fail().look().ask(OTHER).look()
    yield scenario(
        "example-is-kept", "One breaker of the example fails; the records of the others stay.",
        ("LK-CB-01", "LK-CB-02", "LK-CB-07", "LK-CB-13"), kept, IS_CLOSED, files=_of_example(), clock=EXAMPLE_CLOCK,
    )  # fmt: skip


def _accepted() -> Iterator[Scenario]:
    """Files of other writers that are valid: OPEN is OPEN."""
    both = {"success_count", "failure_window_start"}
    zone = {"last_state_change": "2025-01-20T11:35:42+01:00", "cooldown_until": "2025-01-20T11:40:42+01:00"}
    for word, said, record in (
        ("extra-fields", "has fields that nobody knows", {**OPEN_RECORD, "note": "x", "tags": ["a", {"b": None}]}),
        ("absent", "leaves out what is optional", without(OPEN_RECORD, *both)),
        ("null", "has null where something is optional", {**OPEN_RECORD, "failure_window_start": None}),
        ("whole-fraction", "counts 3.0 failures", {**OPEN_RECORD, "failure_count": 3.0, "success_count": 0.0}),
        ("offset", "has times with an offset from UTC", {**OPEN_RECORD, **zone}),
        ("microseconds", "has times with microseconds",
         {**OPEN_RECORD, "cooldown_until": "2025-01-20T10:40:42.000000Z"}),
    ):  # fmt: skip
        refused = calm(OTHER).look().ask().capacity(5).at(REST_S - INSTANT_S).ask()
        yield scenario(
            f"file-{word}", f"A valid state file {said}: OPEN is OPEN until its cooldown ends.",
            ("LK-CB-01", "LK-CB-08", "LK-CB-13") if word == "extra-fields" else ("LK-CB-01", "LK-CB-13"),
            refused, REFUSED, files=_of_example(**{OTHER: record}), clock=EXAMPLE_CLOCK,
        )  # fmt: skip
    yield scenario(
        "file-no-breakers", "The state file holds no breaker at all.", ("LK-CB-09",), calm().look().ok().ask(),
        PERMITTED, files=holding({}),
    )  # fmt: skip


# what is wrong with the record of api/openai, which says, or said, OPEN
_ODD: tuple[tuple[str, str, Any], ...] = (
    ("lower-case", "its state is open, in lower case", {**OPEN_RECORD, "state": "open"}),
    ("half-open-hyphen", "its state is half-open", {**OPEN_RECORD, "state": "half-open"}),
    ("unknown-state", "its state is none of the three", {**OPEN_RECORD, "state": "TRIPPED"}),
    ("state-missing", "it has no state", without(OPEN_RECORD, "state")),
    ("state-null", "its state is null", {**OPEN_RECORD, "state": None}),
    ("state-number", "its state is a number", {**OPEN_RECORD, "state": 1}),
    ("count-text", "it counts failures in words", {**OPEN_RECORD, "failure_count": "3"}),
    ("count-true", "it counts true failures", {**OPEN_RECORD, "failure_count": True}),
    ("count-negative", "it counts less than no failure", {**OPEN_RECORD, "failure_count": -1}),
    ("count-fraction", "it counts half a failure", {**OPEN_RECORD, "failure_count": 2.5}),
    ("count-huge", "it counts more failures than fit in 64 bits", {**OPEN_RECORD, "failure_count": 10**30}),
    ("count-missing", "it counts nothing", without(OPEN_RECORD, "failure_count")),
    ("success-negative", "it counts less than no success", {**OPEN_RECORD, "success_count": -1}),
    ("time-number", "its cooldown ends at a number", {**OPEN_RECORD, "cooldown_until": 1737369642}),
    ("time-text", "its cooldown ends at no time", {**OPEN_RECORD, "cooldown_until": "tomorrow"}),
    ("time-local", "its cooldown ends at a time without an offset",
     {**OPEN_RECORD, "cooldown_until": "2025-01-20T10:40:42"}),
    ("time-impossible", "its cooldown ends on the thirtieth of February",
     {**OPEN_RECORD, "cooldown_until": "2025-02-30T10:40:42Z"}),
    ("cooldown-missing", "it is OPEN without an end", without(OPEN_RECORD, "cooldown_until")),
    ("cooldown-null", "it is OPEN until null", {**OPEN_RECORD, "cooldown_until": None}),
    ("change-null", "it never changed its state", {**OPEN_RECORD, "last_state_change": None}),
    ("change-missing", "it does not say since when it is OPEN", without(OPEN_RECORD, "last_state_change")),
    ("record-list", "it is a list", ["OPEN", 3]),
    ("record-null", "it is null", None),
    ("record-text", "it is a text", "OPEN"),
)  # fmt: skip
_VALID = ("count-huge", "cooldown-missing", "cooldown-null")  # by the schema, that is


def _odd() -> Iterator[Scenario]:
    for word, said, record in _ODD:
        story = Story(OTHER).look().ask(call="first").look().later(COOLDOWN_S + 100).control_after()
        yield scenario(
            f"file-{word}", f"A record of the state file is wrong, {said}: OPEN is not taken for CLOSED.",
            ("LK-CB-22",) if word in _VALID else ("LK-CB-26",), story, REFUSED,
            files=_of_example(**{OTHER: record}), clock=EXAMPLE_CLOCK,
        )  # fmt: skip
    for word, said, text in (
        ("empty", "is empty", ""),
        ("truncated", "is cut in its middle", json.dumps(EXAMPLE)[:300]),
        ("list", "is a list", json.dumps([EXAMPLE])),
        ("not-json", "is no JSON", "api/openai = OPEN\n"),
    ):
        story = Story(OTHER).look().ask(call="first").look().later(COOLDOWN_S + 100).control_after()
        yield scenario(
            f"file-{word}", f"The state file {said}: nobody knows who is OPEN, and nobody says CLOSED.",
            ("LK-CB-26",), story, REFUSED, files={STATE_PATH: FileSpec(text=text)}, clock=EXAMPLE_CLOCK,
        )  # fmt: skip


def _future() -> Iterator[Scenario]:
    """A state file from the future: the clock was set back since."""
    ahead = {
        **OPEN_RECORD,
        "last_failure_time": "2031-01-20T10:35:42Z",
        "last_state_change": "2031-01-20T10:35:42Z",
        "cooldown_until": "2031-01-20T10:40:42Z",
        "failure_window_start": "2031-01-20T10:34:50Z",
    }
    yield scenario(
        "file-future-open", "A breaker is OPEN until years from now: it refuses, and never says less than nothing.",
        ("LK-CB-13", "LK-CB-28"), calm(OTHER).look().ask().later(1).ask(), REFUSED,
        files=_of_example(**{OTHER: ahead}), clock=EXAMPLE_CLOCK,
    )  # fmt: skip
    closed = {**CLOSED_RECORD, "failure_count": 2, "last_failure_time": "2031-01-20T10:35:42Z",
              "last_state_change": "2031-01-20T10:30:00Z", "failure_window_start": "2031-01-20T10:35:42Z"}  # fmt: skip
    yield scenario(
        "file-future-closed", "A breaker is CLOSED since years from now, with two failures to come.",
        ("LK-CB-09", "LK-CB-28"), calm(NAME).look().ask(call="one").look().succeeded("one").look(), ANY,
        files=_of_example(**{NAME: closed}), clock=EXAMPLE_CLOCK,
    )  # fmt: skip
    half = {**HALF_OPEN_RECORD, "last_state_change": "2031-01-20T10:30:00Z"}
    yield scenario(
        "file-future-half-open", "A breaker is HALF_OPEN since years from now: it can be probed, and closes.",
        ("LK-CB-22", "LK-CB-28"), calm(THIRD).look().ask().later(INTERVAL_S).ask().look(), ANY,
        files=_of_example(**{THIRD: half}), clock=EXAMPLE_CLOCK,
    )  # fmt: skip
