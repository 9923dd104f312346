"""Each field of the Output Diagnosis under its own clause: DR-OUT-01 to DR-OUT-10."""

import pytest
from handmade_diagnosis import (
    FAIL,
    GONE,
    PASS,
    SECOND,
    Story,
    a_context,
    a_diagnosis,
    a_failure,
    a_plan,
    changed,
    fault,
    moment,
    ulid,
)

from harness.systems.diagnosis.oracle import form

NAN = float("nan")


def of(clause, **changes):
    """The finding about a diagnosis with that one thing changed."""
    return Story().failure(diagnosis=a_diagnosis(**changes)).finding(clause)


SHAPES = {
    "DR-OUT-01": [
        {"id": ulid(3)[:-1]},
        {"id": f"diagnosis_{ulid(3)}"},
        {"id": ulid(3).replace("J", "U")},
        {"id": f"8{ulid(3)[1:]}"},
        {"id": 12},
        {"id": GONE},
        {"id": f"diag_{ulid(3)}\n"},
    ],
    "DR-OUT-02": [
        {"timestamp": "yesterday"},
        {"timestamp": "2026-03-01"},
        {"timestamp": 1772366400},
        {"timestamp": GONE},
        {"timestamp": "2026-03-01T25:00:00Z"},
        {"timestamp": moment(-3600)},
        {"timestamp": moment(3600)},
        {"iteration": 3},
        {"iteration": "2"},
        {"iteration": GONE},
        {"iteration": True},
    ],
    "DR-OUT-03": [
        {"whyChain": None},
        {"whyChain": ["a", "b", "c", "d", "e"]},
        {"whyChain__why5": GONE},
        {"whyChain__why6": "more"},
        {"whyChain__why3": " "},
        {"whyChain__why1": 1},
    ],
    "DR-OUT-04": [
        {"rootCause": "git"},
        {"rootCause__category": ""},
        {"rootCause__description": None},
        {"rootCause__confidence": 1.1},
        {"rootCause__confidence": -0.1},
        {"rootCause__confidence": True},
        {"rootCause__confidence": "0.9"},
        {"rootCause__confidence": GONE},
        {"rootCause__confidence": NAN},
    ],
    "DR-OUT-05": [
        {"errorClassification": []},
        {"errorClassification__type": ""},
        {"errorClassification__severity": None},
        {"errorClassification__canRecover": 1},
        {"errorClassification__canRecover": False},
        {"errorClassification__canRecover": GONE},
        {"alternatives__0__tools": [], "alternatives__1__tools": []},
    ],
    "DR-OUT-06": [
        {"alternatives": {}},
        {"alternatives__2": GONE},
        {"alternatives__1": "ask"},
        {"alternatives__0__strategy": ""},
        {"alternatives__0__tools": "run_bash"},
        {"alternatives__0__tools": [1]},
        {"alternatives__0__description": GONE},
        {"alternatives__0__confidence": 2},
        {"alternatives__0__confidence": False},
        {"alternatives__0__estimatedIterations": "soon"},
        {"alternatives__0__estimatedIterations": -1},
        {"alternatives__0__estimatedIterations": True},
        {"alternatives__0__estimatedIterations": []},
        {"alternatives__0__estimatedIterations": None},
        {"alternatives": [a_diagnosis()["alternatives"][0]] * 3},
    ],
    "DR-OUT-07": [
        {"recoveryPlan": None},
        {"recoveryPlan": GONE},
        {"recoveryPlan": "curl"},
        {"recoveryPlan__priority": 0},
        {"recoveryPlan__priority": 2},
        {"recoveryPlan__priority": True},
        {"recoveryPlan__strategy": ""},
        {"recoveryPlan__steps": {}},
        {"recoveryPlan__steps": []},
        {"recoveryPlan__steps__0": "curl"},
        {"recoveryPlan__steps__0__action": ""},
        {"recoveryPlan__steps__0__tool": 1},
        {"recoveryPlan__steps__0__args": "curl"},
        {"recoveryPlan__steps__1__expectedOutcome": GONE},
        {"recoveryPlan__fallbackChain": "ask_user"},
        {"recoveryPlan__fallbackChain": GONE, "recoveryPlan__fallback_chain": []},
    ],
    "DR-OUT-08": [
        {"recoveryPlan__strategy": "another"},
        {"recoveryPlan__fallbackChain": ["request_user_setup", "manual_http_download"]},
        {"recoveryPlan__fallbackChain": ["manual_http_download"]},
        {"recoveryPlan__fallbackChain": []},
        {"recoveryPlan": a_plan("manual_http_download", ["unheard_of"])},
    ],
    "DR-OUT-09": [
        {"learningOpportunity": None},
        {"learningOpportunity__pattern": ""},
        {"learningOpportunity__rule": 1},
        {"learningOpportunity__applicableTaskTypes": "all"},
        {"learningOpportunity__generalizability": 1.5},
        {"learningOpportunity__generalizability": GONE},
    ],
    "DR-OUT-10": [
        {"alternatives__0__tools": ["docker"]},
        {"alternatives__2__strategy": "ask_user", "alternatives__2__tools": ["shell"]},
        {"alternatives__2__approach": "ask_user", "alternatives__2__tools": ["shell"]},
        {"recoveryPlan__steps__1__tool": "docker"},
    ],
}


@pytest.mark.parametrize(
    ("clause", "changes"),
    [pytest.param(clause, each, id=f"{clause}-{n}") for clause, many in SHAPES.items() for n, each in enumerate(many)],
)
def test_a_field_of_another_shape_breaks_its_clause(clause, changes):
    assert FAIL == of(clause, **changes).verdict


@pytest.mark.parametrize("clause", SHAPES)
def test_the_example_of_the_document_keeps_every_clause(clause):
    assert PASS == of(clause).verdict


@pytest.mark.parametrize(
    ("clause", "changes", "readings"),
    [
        ("DR-OUT-01", {}, ("prefixed",)),
        ("DR-OUT-01", {"id": ulid(9)}, ("bare",)),
        ("DR-OUT-01", {"id": ulid(9).lower()}, ("bare",)),
        ("DR-OUT-05", {}, ("fatal_is_final", "strategies_exist")),
        ("DR-OUT-05", {"errorClassification__severity": "fatal"}, ("strategies_exist",)),
        (
            "DR-OUT-05",
            {"errorClassification__severity": "fatal", "errorClassification__canRecover": False},
            ("fatal_is_final",),
        ),
        ("DR-OUT-06", {}, ("number", "range")),
        ("DR-OUT-06", {"alternatives__0__estimatedIterations": "2-3"}, ("range",)),
        ("DR-OUT-06", {"alternatives__0__estimatedIterations": [2, 3]}, ("range",)),
        ("DR-OUT-07", {}, ("always", "null_when_hopeless")),
        ("DR-OUT-07", {"recoveryPlan": None, "errorClassification__canRecover": False}, ("null_when_hopeless",)),
        ("DR-OUT-08", {}, ("alternatives", "others_too")),
        ("DR-OUT-08", {"recoveryPlan__fallbackChain": ["ask_user"]}, ("others_too",)),
        ("DR-OUT-08", {"recoveryPlan__fallbackChain": ["manual_download", "ask_user"]}, ("others_too",)),
        ("DR-OUT-08", {"recoveryPlan__fallbackChain": ["manual_http_download", "ask_user"]}, ("alternatives", "others_too")),
    ],
)  # fmt: skip
def test_a_permitted_reading_conforms(clause, changes, readings):
    finding = of(clause, **changes)
    assert (PASS, readings) == (finding.verdict, finding.readings)


def test_a_plan_that_asks_the_user_may_end_with_another():
    tools = ["curl_download_and_extract", "manual_http_download"]
    for chain in (tools, []):
        assert PASS == of("DR-OUT-08", recoveryPlan=a_plan("request_user_setup", chain, steps=[])).verdict
    assert FAIL == of("DR-OUT-08", recoveryPlan=a_plan("request_user_setup", tools[::-1], steps=[])).verdict
    assert FAIL == of("DR-OUT-08", recoveryPlan=a_plan("unheard_of", tools, steps=[])).verdict


def test_chains_in_another_order_than_the_alternatives_are_none():
    more = changed(a_diagnosis()["alternatives"][1], strategy="third")
    plan = a_plan(chain=["third", "manual_http_download", "request_user_setup"])
    alternatives = [*a_diagnosis()["alternatives"], more]
    assert FAIL == of("DR-OUT-08", alternatives=alternatives, recoveryPlan=plan).verdict


@pytest.mark.parametrize(
    "changes",
    [
        {"recoveryPlan": a_plan("request_user_setup", [], steps=[])},
        {"recoveryPlan__steps__0__tool": None},
        {"recoveryPlan__steps__0__tool": ""},
        {"timestamp": "2026-03-01T12:00:00"},
        {"timestamp": "2026-03-01T13:00:00+01:00"},
        {"iteration": 2.0},
    ],
    ids=["asking", "null-tool", "empty-tool", "local-time", "other-zone", "float-iteration"],
)
def test_what_the_document_leaves_open_breaks_nothing(changes):
    assert {"DR-OUT-08"} >= Story().failure(diagnosis=a_diagnosis(**changes)).failed() & set(SHAPES)


def test_an_id_is_unique_in_its_world_and_over_its_processes():
    story = Story().failure("c1").failure("c2", diagnosis=a_diagnosis(1), process=1, error=a_failure("other"))
    assert "diag_" in story.finding("DR-OUT-01").observed
    assert FAIL == story.verdict("DR-OUT-01")


def test_after_a_reset_an_id_may_come_again():
    story = Story().failure("c1")
    story.reset()
    story.at = 1.0
    assert PASS == story.failure("c2", diagnosis=a_diagnosis(1)).verdict("DR-OUT-01")


def test_ids_with_and_without_their_prefix_are_no_one_reading():
    story = Story().failure("c1").failure("c2", diagnosis=a_diagnosis(2, id=ulid(2)))
    assert "inconsistent" == story.finding("DR-OUT-01").reason


def test_under_a_broken_clock_no_time_is_compared():
    story = Story().failure(diagnosis=a_diagnosis(timestamp=moment(1e6)), faults=[fault("clock.jump")])
    assert PASS == story.verdict("DR-OUT-02")


def test_where_the_context_has_no_iteration_any_is_right():
    story = Story().failure(diagnosis=a_diagnosis(iteration=7), context={"iteration": "two"})
    assert PASS == story.verdict("DR-OUT-02")


def test_where_no_available_tools_are_told_any_may_be_named():
    assert Story().failure(context=None, diagnosis=a_diagnosis()).finding("DR-OUT-10") is not None
    assert Story().failure(context=[], diagnosis=a_diagnosis(iteration=0)).finding("DR-OUT-10") is None


@pytest.mark.parametrize(
    ("plan", "clause"),
    [
        (changed(SECOND, priority=0), "DR-OUT-07"),
        (changed(SECOND, priority=1.5), "DR-OUT-07"),
        (changed(SECOND, steps__0__tool="docker"), "DR-OUT-10"),
    ],
)
def test_the_plan_to_go_on_with_has_the_same_form(plan, clause):
    story = Story().failure().outcome(success=False, more={"next_plan": plan})
    assert {clause} == story.failed() & set(SHAPES)


def test_the_widest_reading_finds_what_is_missing():
    assert "" == form.incomplete(a_diagnosis())
    assert "" == form.incomplete(a_diagnosis(recoveryPlan=None, errorClassification__canRecover=False))
    assert "whyChain None" == form.incomplete(a_diagnosis(whyChain=None))
    assert "recoveryPlan None" == form.incomplete(a_diagnosis(recoveryPlan=None))


def test_a_plan_whose_own_strategy_nobody_knows_has_no_confidence():
    assert None is form.confidence_of("unknown", a_diagnosis())
    assert () == form.alternatives({"alternatives": None})
    assert () == form.tools_named({"tools": None})
    assert () == form.whys({"whyChain": []})
    assert () == form.steps_of(None)


def test_an_alternative_without_tools_list_asks():
    found = a_diagnosis(context=a_context())
    assert [False, True, True] == [
        form.asks(name, found) for name in ("manual_http_download", "request_user_setup", "ask_user")
    ]
