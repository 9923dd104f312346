"""What the oracle says of the load while and after a breaker is OPEN, and of tunables."""

import pytest
from handmade_breaker import (
    NAME,
    RESET,
    ask,
    bad,
    configure,
    failing,
    failures,
    load,
    look,
    moment,
    ok,
    probe,
    readings,
    record,
    recovery,
    refused,
    struck,
    together,
    trip,
)

from harness.core.history import EntryType

U = 300.0
CLOSED = [*trip(), *recovery()]
REDUCED = {"background": False, "queue": True}
ALL = {"background": True, "queue": False}


@pytest.mark.parametrize(
    ("answer", "clauses"),
    [
        (load(1, 2, **REDUCED), set()),
        (load(1, 1, full=1, **REDUCED), set()),
        (load(1, 3, **REDUCED), {"LK-RP-02"}),
        (load(1, 1, **REDUCED), {"LK-RP-02"}),
        (load(1, 2, background=True, queue=True), {"LK-RP-03"}),
        (load(1, 2, background=False, queue=False), {"LK-RP-04"}),
    ],
)
def test_the_load_is_reduced_while_a_breaker_is_open(answer, clauses):
    assert failing(trip(), answer) == clauses


@pytest.mark.parametrize(
    ("answer", "clauses"),
    [
        (load(1, 5, **ALL), set()),
        (load(1, 4, **ALL), {"LK-RP-02"}),
        (load(1, 5, background=False, queue=False), {"LK-RP-03"}),
        (load(1, 5, background=True, queue=True), {"LK-RP-04"}),
    ],
)
def test_control_the_load_is_full_while_none_is(answer, clauses):
    assert failing(ask(0), ok(0), answer) == clauses


RAMPS = [
    ("points_up", (3, 4, 5)),
    ("points_down", (2, 3, 5)),
    ("multiplicative_up", (3, 4, 4)),
    ("multiplicative_down", (2, 3, 3)),
]


@pytest.mark.parametrize(("reading", "agents"), RAMPS)
def test_capacity_grows_in_steps_after_closing(reading, agents):
    steps = [load(320 + 60 * step, count, **ALL) for step, count in enumerate(agents)]
    assert reading in readings("LK-RP-05", CLOSED, steps)


@pytest.mark.parametrize("answer", [load(320, 5, **ALL), load(440, 2, **ALL), load(379.9, 5, **ALL)])
def test_a_ramp_that_no_reading_has_is_blamed(answer):
    assert failing(CLOSED, answer) == {"LK-RP-05"}


def test_a_load_that_stays_reduced_is_blamed_for_that():
    assert failing(CLOSED, load(400, 2, **REDUCED)) == {"LK-RP-02"}


def test_one_agent_may_go_on_where_half_of_it_is_none():
    assert failing(CLOSED, load(330, 1, full=1, **ALL), load(330, 0, full=0, **ALL)) == set()


def test_a_failure_may_hold_the_ramp_up():
    held = [*CLOSED, *failures(390, last="CLOSED")]
    for agents in (3, 4, 1):
        assert failing(held, load(391, agents, **ALL)) == set()
    assert failing(held, load(391, 5, **ALL)) == {"LK-RP-05"}


def test_full_capacity_is_there_long_after_closing():
    assert failing(CLOSED, load(900, 5, **ALL)) == set()
    assert failing(CLOSED, load(900, 4, **ALL)) == {"LK-RP-02"}


def test_nothing_is_said_of_the_load_while_breakers_are_probed_or_nobody_knows():
    half = [*trip(), ask(U, "HALF_OPEN")]
    just = {NAME: record("CLOSED", -5)}
    late = [*trip(), *probe(U), *probe(U + 10), ask(U + 20, "HALF_OPEN"), ok(U + 20, None)]
    assert failing(half, load(U, 4, **ALL)) == set()
    assert failing(look(0, file=just), load(100, 4, **ALL)) == set()
    assert failing(late, load(330, 5, **ALL)) == {"LK-CB-19"}
    both = together(load(1, 4, **ALL), look(1, "OPEN"))
    assert failing(trip(), both) == set()


def test_a_file_that_is_no_valid_one_may_hold_breakers_that_are_open():
    wrong = {NAME: {**record("OPEN", 0), "state": "open"}}
    for file in (wrong, b"torn"):
        assert failing(load(0, 2, background=False, queue=True, file=file)) == set()
        assert failing(load(0, 5, **ALL, file=file)) == set()


def test_who_does_not_answer_about_the_load_is_blamed():
    begin, end = load(1, 5, **ALL)
    assert failing(ask(0), (begin, replaced(end, EntryType.FAIL))) == {"LK-RP-02", "LK-RP-03", "LK-RP-04"}


def replaced(end, kind, **value):
    return type(end)(end.n, end.process, kind, end.op, value, end.now)


def test_a_load_of_nonsense_is_nothing():
    begin, end = load(1, 5, **ALL)
    begin.value["agents"] = "many"
    assert failing(ask(0), (begin, end), (begin, replaced(end, EntryType.FAIL)), load(2, 0, full=-1, **ALL)) == set()


def test_tunables_are_set_one_by_one():
    assert failing(configure(0, True, {"threshold": 2}, threshold=2), failures(0, 0), refused(0)) == set()
    assert failing(configure(0, True)) == set()
    assert failing(configure(0, False, threshold=2)) == {"LK-CB-25"}
    assert failing(configure(0, True, {"threshold": 2, "window_s": 1.0}, threshold=2)) == {"LK-CB-25"}


WARNING = {"level": "warning", "code": "tunable_invalid"}
ODD = [
    {"threshold": 0}, {"threshold": -1}, {"threshold": 2.5}, {"threshold": "3"}, {"threshold": True},
    {"cooldown_s": None}, {"window_s": "NaN"}, {"window_s": float("inf")}, {"colour": "red"}, {"half_open_interval_s": [3]},
]  # fmt: skip


@pytest.mark.parametrize("named", ODD, ids=str)
def test_values_that_are_none_are_refused_or_the_default_is_taken(named):
    assert readings("LK-CB-25", configure(0, False, **named)) == {"refused"}
    assert readings("LK-CB-25", configure(0, True, log=[WARNING], **named)) == {"default"}
    assert failing(configure(0, True, **named)) == {"LK-CB-25"}


def test_of_several_values_the_good_ones_count_or_none():
    mixed = {"threshold": 5, "window_s": -1}
    assert readings("LK-CB-25", configure(0, False, **mixed)) == {"refused"}
    assert readings("LK-CB-25", configure(0, True, {"threshold": 5}, log=[WARNING], **mixed)) == {"default"}
    assert failing(configure(0, False, {"threshold": 5}, **mixed)) == {"LK-CB-25"}


@pytest.mark.parametrize("named", [{"threshold": 4.0}, {"cooldown_s": 1e12}], ids=str)
def test_of_values_that_people_differ_on_nothing_is_said(named):
    for accepted in (True, False):
        assert failing(configure(0, accepted, **named)) == set()


def test_values_that_cannot_be_followed_are_not():
    wrong = configure(0, True, {"half_open_interval_s": 0.0}, half_open_interval_s=0.0)
    assert failing(wrong, trip(), ask(U, "HALF_OPEN"), refused(U, "HALF_OPEN", c="d")) == {"LK-CB-25"}


def test_who_does_not_answer_about_tunables_is_blamed_unless_they_are_nonsense():
    begin, end = configure(0, True, threshold=2)
    assert failing((begin, replaced(end, EntryType.INFO, reason="died"))) == {"LK-CB-25"}
    begin.value["tunables"] = 5
    assert failing((begin, end)) == set()


def test_each_process_has_its_own_tunables():
    mine = configure(0, True, {"threshold": 1}, threshold=1, process=1)
    assert failing(mine, failures(0, last="CLOSED"), failures(1, process=1)) == set()


def test_tunables_are_forgotten_by_a_process_started_anew_or_it_is_told_them():
    mine = [configure(0, True, {"threshold": 1}, threshold=1), look(0)]
    again = struck("process.restarted", path=None)
    for last in ("CLOSED", "OPEN"):
        assert failing(mine, ask(1, faults=[again]), bad(1, last, faults=[again])) == set()
    assert failing(mine, look(1, faults=[again]), configure(2, True, {"window_s": 5.0}, window_s=5.0)) == set()
    assert (
        failing(mine, look(1, faults=[again]), configure(2, True, {"threshold": 1, "window_s": 5.0}, window_s=5.0))
        == set()
    )


@pytest.mark.parametrize(
    ("tunables", "history"),
    [
        ({"threshold": 5}, failures(0, 0, 0)),
        ({"threshold": 2}, failures(0, 0, last="CLOSED")),
        ({"window_s": 5.0}, failures(0, 3, 6)),
        ({"window_s": 100.0}, failures(0, 50, 99, last="CLOSED")),
        ({"window_s": 100.0}, [*failures(0, last="CLOSED"), look(1, failure_count=2)]),
        ({"cooldown_s": 20.0}, [*trip(), look(0, "OPEN", cooldown_until=moment(U))]),
        ({"cooldown_s": 20.0}, [*trip(), refused(20)]),
        ({"cooldown_s": 20.0}, [*trip(), look(19, "HALF_OPEN")]),
        (
            {"half_open_interval_s": 5.0},
            [*trip(), *probe(U), refused(U + 5, "HALF_OPEN", c="d"), refused(U + 15, "HALF_OPEN", c="e")],
        ),
        ({"half_open_interval_s": 50.0}, [*trip(), *probe(U), ask(U + 10, "HALF_OPEN", c="d")]),
        ({"recovery_threshold": 1}, [*trip(), *probe(U)]),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_tunable_that_is_not_followed_is_blamed_for_that(tunables, history):
    assert failing(list(history), RESET, ask(0), tunables=tunables) == {"LK-CB-25"}


@pytest.mark.parametrize(
    ("tunables", "history"),
    [
        ({"threshold": 2}, failures(0, 0)),
        ({"cooldown_s": 20.0}, [*trip(), look(0, "OPEN", cooldown_until=moment(20)), ask(20, "HALF_OPEN")]),
        ({"half_open_interval_s": 5.0}, [*trip(), *probe(U), ask(U + 5, "HALF_OPEN", c="d")]),
        ({"recovery_threshold": 1}, [*trip(), *probe(U, state="CLOSED")]),
        ({"window_s": "nonsense", "colour": 1}, trip()),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_tunables_of_the_configuration_are_followed(tunables, history):
    assert failing(list(history), tunables=tunables) == set()


def test_a_configuration_that_is_nonsense_is_that_of_the_defaults():
    assert failing(trip(), tunables=["nonsense"]) == set()
