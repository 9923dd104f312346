"""A model beside the reference: what it is asked, what is taken of its answer, and that none is needed."""

import threading

import pytest
from reflection_world import GIT, REPOSITORY, World, codes, context, kind, says

from harness.systems.diagnosis.contract import WHYS, Reflection
from harness.systems.diagnosis.reference.answers import Answers
from harness.systems.diagnosis.reference.flags import Flags
from harness.systems.diagnosis.reference.memories import Trace
from harness.systems.diagnosis.reference.model import Asking, ScriptedModel

GOOD = {
    "whyChain": {why: f"because of {why}" for why in WHYS},
    "rootCause": {"category": "missing_binary", "description": "There is no git", "confidence": 0.5},
    "errorClassification": {"type": "command_not_found"},
    "learningOpportunity": {"rule": "Use curl", "generalizability": 0.25},
}
ODD = {"message": "it did not work", "code": 1}


def test_a_good_answer_is_taken():
    found = World().clone(model=says(GOOD))
    diagnosis = found.diagnosis
    assert GOOD["whyChain"] == diagnosis["whyChain"]
    assert {"category": "missing_binary", "description": "There is no git", "confidence": 0.5} == diagnosis["rootCause"]
    assert ("Use curl", 0.25) == (
        diagnosis["learningOpportunity"]["rule"], diagnosis["learningOpportunity"]["generalizability"],
    )  # fmt: skip
    assert [] == codes(found)


@pytest.mark.parametrize("text", ["```json\n{}\n```", "Here it is:\n```\n{}\n```\nDone.", "It is {}, I think."])
def test_an_answer_in_a_fence_or_between_words_is_taken(text):
    import json

    found = World().clone(model=says(text.replace("{}", json.dumps(GOOD))))
    assert "There is no git" == found.diagnosis["rootCause"]["description"]


@pytest.mark.parametrize(
    "text", ["", "garbage", '{"whyChain": {"why1"', "[]", "{}", "7", "null", "[" * 100_000, "\ud800", "}{"]
)
def test_what_is_no_answer_is_told_and_left_out(text):
    found = World().clone(model=says(text))
    assert ["model_answer_invalid"] == codes(found)
    assert World().clone().diagnosis["whyChain"] == found.diagnosis["whyChain"]


@pytest.mark.parametrize(
    ("answer", "dropped"),
    [
        ({"rootCause": {"confidence": 5}}, "rootCause.confidence"),
        ({"rootCause": {"confidence": True}}, "rootCause.confidence"),
        ({"rootCause": {"confidence": "high"}}, "rootCause.confidence"),
        ({"rootCause": {"description": ""}}, "rootCause.description"),
        ({"rootCause": "git"}, "rootCause.confidence"),
        ({"whyChain": {"why1": 7}}, "whyChain.why1"),
        ({"errorClassification": {"type": "odd"}}, "errorClassification.type"),
        ({"errorClassification": {"type": []}}, "errorClassification.type"),
    ],
    ids=str,
)
def test_fields_of_another_shape_are_dropped_each_by_itself(answer, dropped):
    found = World().clone(model=says(answer))
    assert ["model_answer_invalid"] == codes(found)
    assert dropped in found.log[0].message
    assert 0.95 == found.diagnosis["rootCause"]["confidence"]


def test_a_confidence_of_zero_is_one():
    assert 0.0 == World().clone(model=says({"rootCause": {"confidence": 0}})).diagnosis["rootCause"]["confidence"]


def test_a_model_never_overrides_what_is_known():
    found = World().clone(model=says(GOOD | {"errorClassification": {"type": "timeout"}}))
    assert ("command_not_found", ["model_answer_invalid"]) == (kind(found), codes(found))
    assert "There is no git" != found.diagnosis["rootCause"]["description"]


def test_a_model_may_tell_what_is_not_known():
    found = World().observe(ODD, model=says(GOOD | {"errorClassification": {"type": "timeout"}}))
    assert ("timeout", "timeout") == (kind(found), found.diagnosis["rootCause"]["category"])
    assert "reduce_scope" == found.diagnosis["alternatives"][0]["strategy"]


@pytest.mark.parametrize(
    ("behaviour", "code"), [("raises", "model_failed"), ("hangs", "model_timed_out"), ("slow", "model_timed_out")]
)
def test_a_model_that_fails_is_told_and_left_out(behaviour, code):
    found = World(model_limit_s=0.01).clone(model=says(GOOD, behaviour, 60.0))
    assert (Reflection.FULL, [code], 1) == (found.reflection, codes(found), len(found.model_calls))
    assert World().clone().diagnosis["whyChain"] == found.diagnosis["whyChain"]


def test_a_slow_model_in_time_is_heard():
    assert [] == codes(World().clone(model=says(GOOD, "slow", 0.001)))


@pytest.mark.parametrize("limit_s", [0.0, -1.0, float("nan")])
def test_without_time_a_model_is_late(limit_s):
    model = ScriptedModel(says(GOOD, "hangs"))
    trace = Trace()
    assert None is Asking().ask(model, "?", Flags().settings({})[0], limit_s, trace)
    assert ["model_timed_out"] == [entry.code for entry in trace.log()]


def test_without_a_thread_a_model_cannot_be_asked(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert ["model_failed"] == codes(World().clone(model=says(GOOD)))


def test_a_fast_path_asks_no_model():
    world = World()
    world.clone()
    world.tried(True)
    found = world.clone(model=says(GOOD))
    assert (Reflection.FAST, ()) == (found.reflection, found.model_calls)


@pytest.mark.parametrize(("flags", "expected"), [({}, (0.2, 1024)), ({"TEMP": "0", "MAX_TOKENS": "0"}, (0.0, 0))])
def test_the_model_is_asked_with_the_flags(flags, expected):
    named = {f"AUTONOMOUS_DIAGNOSTIC_{name}": text for name, text in flags.items()}
    (call,) = World(flags=named).clone(model=says(GOOD)).model_calls
    assert expected == (call.temperature, call.max_tokens)


def test_the_model_is_told_all_that_is_known():
    actions = [{"tool": f"tool{number}", "args": {"n": number}, "result": "r", "success": False} for number in range(5)]
    error = GIT | {"stdout": "the output", "signal": "SIGTERM"}
    around = context(previousActions=actions)
    (call,) = (
        World().observe(error, args={"command": f"git clone {REPOSITORY}"}, context=around, model=says("")).model_calls
    )
    told = (
        "127",
        "bash: git: command not found",
        "the output",
        "SIGTERM",
        "http_fetch",
        "a.txt",
        "src",
        "Do it",
        REPOSITORY,
    )
    assert [] == [each for each in (*told, "tool2", "tool3", "tool4") if each not in call.prompt]
    assert [] == [each for each in ("tool0", "tool1") if each in call.prompt]


def test_four_whys_are_no_chain():
    found = Answers().insight('{"whyChain": {"why1": "a", "why2": "b", "why3": "c", "why4": "d"}}')
    assert (None, ()) == (found.whys, found.dropped)
