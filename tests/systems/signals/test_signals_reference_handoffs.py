"""Signals that are handed on, and healing, in the reference (LK-SG, LK-HL)."""

import pytest
from signals_reference_world import FRICTION, NOW, World, actions, codes

from harness.ports.clock import to_text
from harness.systems.signals.contract import HEALING, NAMED, Gate, Handler, Signal

FULL = OSError("full")
FOUND = "FRICTION_DETECTED"
KNOWN = "INSTITUTIONAL_KNOWLEDGE_FOUND"


@pytest.fixture
def world():
    return World()


def names(world):
    inside = [path for path in world.files.contents if path.startswith("/world/.loki/signals/")]
    assert len(inside) == len(world.files.contents)
    return sorted(path.rpartition("/")[2] for path in inside)


@pytest.mark.parametrize("signal", [each for each in Signal if each not in HEALING])
def test_a_signal_is_raised_handled_and_deleted(world, signal):
    name = "auth" if signal in NAMED else None
    assert world.emit(signal, name, {"a": ["\u6f22", None, 10**30]}).written
    assert [f"{signal}_auth" if name else signal] == names(world)
    found = world.opened().consume(signal, name)
    assert (True, {"a": ["\u6f22", None, 10**30]}, []) == (found.handled, found.content, codes(found))
    again = world.consume(signal, name)
    assert ([], False, None) == (names(world), again.handled, again.content)


def test_others_neither_raise_nor_handle_a_signal(world):
    assert (False, ["route_invalid"]) == ((found := world.emit(by="blog")).written, codes(found))
    world.emit()
    assert (False, ["route_invalid"]) == ((found := world.consume(by="blog")).handled, codes(found))
    assert (False, ["route_invalid"]) == ((found := world.heal(by="blog")).handled, codes(found))
    assert ["FEATURE_READY_auth"] == names(world)


def test_what_is_no_signal_here_is_refused(world):
    world.drift()
    for word in ("DRIFT_DETECTED", "", "../x"):
        assert ["signal_unknown"] == codes(world.emit(word, by="human"))
        assert ["signal_unknown"] == codes(world.consume(word, by="human"))
        assert ["signal_unknown"] == codes(world.heal(word, by="human"))
    assert ["signal_unknown"] == codes(world.consume(FOUND, None, by="orchestrator"))
    assert ["signal_unknown"] == codes(world.heal("DOCS_NEEDED", by="docs"))
    assert ["DRIFT_DETECTED"] == names(world)


@pytest.mark.parametrize(("name", "written"), [
    ("v1.2-A_b", "v1.2-A_b"), ("feature/auth", "feature%2Fauth"), ("..", "%2E%2E"), (".x.y", "%2Ex.y"), ("a.", "a."),
    ("../../x", "%2E%2E%2F..%2Fx"), ("a\0b", "a%00b"), ("%2F", "%252F"), ("\u00e9", "%C3%A9"), ("\ud800", "%ED%A0%80"),
    ("x" * 200, "x" * 200),
])  # fmt: skip
def test_a_name_stays_within_the_directory(world, name, written):
    assert world.emit(name=name).written
    assert [f"FEATURE_READY_{written}"] == names(world)
    assert world.consume(name=name).handled


@pytest.mark.parametrize(("signal", "name"), [
    ("FEATURE_READY", None), ("FEATURE_READY", ""), ("FEATURE_READY", "x" * 201), ("FEATURE_READY", "/" * 67),
    ("DOCS_NEEDED", "auth"),
])  # fmt: skip
def test_a_name_that_cannot_be_written_is_refused(world, signal, name):
    assert (False, ["name_invalid"]) == ((found := world.emit(signal, name)).written, codes(found))
    assert (False, ["name_invalid"]) == ((found := world.consume(signal, name)).handled, codes(found))
    assert [] == names(world)


def test_a_signal_whose_handler_fails_stays(world):
    world.emit()
    found = world.consume(handler=Handler.FAILS)
    assert (False, {"n": 1}, ["handler_failed"]) == (found.handled, found.content, codes(found))
    assert world.consume().handled


@pytest.mark.parametrize(("data", "content"), [(b"", None), (b" \n", None), (b"[1, 2]", [1, 2]), (b"{}", {})])
def test_whatever_json_a_signal_holds_is_handled(world, data, content):
    world.put("FEATURE_READY_auth", data)
    assert (True, content) == ((found := world.consume()).handled, found.content)


@pytest.mark.parametrize("data", [b"{", b"\xff", b"\0"])
def test_a_signal_that_is_no_json_is_set_aside(world, data):
    world.put("FEATURE_READY_auth", data)
    found = world.consume()
    assert (False, None, ["signal_invalid"]) == (found.handled, found.content, codes(found))
    assert [".FEATURE_READY_auth.aside-1"] == names(world)


def test_storage_that_fails_is_told(world):
    world.files.broken["replace", "auth"] = FULL
    assert (False, ["signal_write_failed"]) == ((found := world.emit()).written, codes(found))
    world.files.broken.clear()
    world.emit()
    for broken, code in ((("lock", ".lock"), "lock_failed"), (("read", "auth"), "storage_failed")):
        world.files.broken = {broken: FULL}
        assert (False, None, [code]) == ((found := world.consume()).handled, found.content, codes(found))
    world.files.broken = {("remove", "auth"): FULL}
    assert (False, {"n": 1}, ["storage_failed"]) == ((found := world.consume()).handled, found.content, codes(found))
    world.files.broken = {("lock", ".lock"): FULL}
    assert (False, ["lock_failed"]) == ((found := world.emit()).written, codes(found))
    world.put("FEATURE_READY_auth", b"{")
    world.files.broken = {("create", "aside-1"): FULL}
    assert (False, ["storage_failed"]) == ((found := world.consume()).handled, codes(found))


# -- healing


def test_a_friction_goes_into_the_map(world):
    assert world.emit(FOUND, None, {**FRICTION, "note": 1}).written
    expected = {**FRICTION, "note": 1, "timestamp": to_text(NOW), "classification": "unknown"}
    assert expected == world.json(FOUND)
    found = world.heal()
    assert (True, ["add_friction"], expected, []) == (found.handled, actions(found), found.content, codes(found))
    assert {"frictions": [expected]} == world.json("map")
    assert None is world.data(FOUND)


@pytest.mark.parametrize(("stamp", "kept"), [("2026-01-25T10:30:00Z", True), ("then", False), (7, False)])
def test_a_time_that_is_given_stays(world, stamp, kept):
    world.found(timestamp=stamp, classification="bug")
    (entry,) = world.json("map")["frictions"]
    assert (stamp if kept else to_text(NOW), "bug") == (entry["timestamp"], entry["classification"])


@pytest.mark.parametrize("fields", [
    {"location": "a.py"}, {"location": "a.py:0"}, {"location": ":7"}, {"location": "a.py:x"}, {"location": 7},
    {"location": "a.py:\u0667"}, {"friction_id": ""}, {"friction_id": 5}, {"behavior": None}, {"agent": []},
    {"classification": 1}, {"classification": ""},
])  # fmt: skip
def test_what_is_no_friction_is_refused(world, fields):
    found = world.emit(FOUND, None, {**FRICTION, **fields})
    assert (False, ["signal_invalid"], []) == (found.written, codes(found), names(world))


@pytest.mark.parametrize(
    ("signal", "content"), [(FOUND, {"a": 1}), (FOUND, [1]), (FOUND, b""), (KNOWN, {}), (KNOWN, [])]
)
def test_a_signal_of_somebody_else_that_cannot_be_processed_is_set_aside(world, signal, content):
    world.put(signal, content)
    found = world.heal(signal)
    assert (False, (), ["signal_invalid"]) == (found.handled, found.steps, codes(found))
    assert [f".{signal}.aside-1"] == names(world)
    world.put(signal, content if content != b"" else b" ")
    world.files.broken = {("remove", signal): FULL}
    assert ["signal_invalid", "storage_failed"] == codes(world.heal(signal))


def test_a_friction_is_removed_only_when_it_is_classified(world):
    world.found()
    assert (False, ["friction_kept"]) == ((found := world.remove()).removed, codes(found))
    for word in ("unknown", " Unknown ", ""):
        assert (False, ["signal_invalid"]) == ((found := world.classify(classification=word)).classified, codes(found))
    assert (False, ["friction_unknown"]) == ((found := world.classify("f-9")).classified, codes(found))
    assert world.classify().classified
    assert "bug" == world.json("map")["frictions"][0]["classification"]
    assert world.remove().removed
    assert (False, {"frictions": []}) == (world.remove().removed, world.json("map"))


def test_a_friction_that_is_found_again_takes_its_place(world):
    world.found()
    world.found(friction_id="f-2")
    world.found(behavior="Sleeps 3s")
    assert ["f-2", "f-1"] == [each["friction_id"] for each in world.json("map")["frictions"]]
    world.classify()
    world.found(behavior="Sleeps 3s")
    assert ["unknown", "bug"] == [each["classification"] for each in world.json("map")["frictions"]]


OLD = {**FRICTION, "friction_id": "f-0", "timestamp": "2026-01-25T10:30:00Z", "classification": "bug"}


@pytest.mark.parametrize("shape", [
    [OLD, 5], {"version": 3, "frictions": [OLD, None]}, {"f-0": OLD, "version": 3},
    {"f-0": {"classification": "bug"}, "version": 3, "other": 3},
])  # fmt: skip
def test_a_map_keeps_its_shape_and_what_else_it_holds(world, shape):
    world.put("map", shape)
    world.found()
    world.classify("f-1", "quirk")
    world.classify("f-0", "rule")
    found = world.json("map")
    assert type(shape) is type(found)
    assert "frictions" not in found or "frictions" in shape
    assert world.remove("f-1").removed
    assert world.remove("f-0").removed
    rest = {"version": 3, "frictions": [None]} if "frictions" in shape else {
        name: value for name, value in shape.items() if name != "f-0"} if isinstance(shape, dict) else [5]  # fmt: skip
    assert rest == world.json("map")


@pytest.mark.parametrize("data", [b"", b"1", b"{", b"\xff", b'{"frictions": {}}'])
def test_a_map_that_is_none_is_kept_aside(world, data):
    world.put("map", data)
    found = world.found()
    assert (True, ["storage_failed"]) == (found.handled, codes(found))
    assert data == world.files.read("/world/.loki/healing/.friction-map.json.aside-1", 99)
    assert 1 == len(world.json("map")["frictions"])


def test_an_empty_object_becomes_a_map(world):
    world.put("map", {})
    world.found()
    assert ["frictions"] == list(world.json("map"))


@pytest.mark.parametrize("before", [b"", b"- old\n", b"- old"])
def test_knowledge_is_appended(world, before):
    world.put("knowledge", before)
    assert world.emit(KNOWN, None, {"knowledge": "Ask Ann"}).written
    found = world.heal(KNOWN)
    assert (True, ["append_knowledge"]) == (found.handled, actions(found))
    assert (before.strip() + b"\n- Ask Ann\n").lstrip(b"\n") == world.data("knowledge")
    assert ["signal_invalid"] == codes(world.emit(KNOWN, None, {"knowledge": " "}))


@pytest.mark.parametrize(("fields", "expected"), [
    ({}, ["pause_modification", "verify_tests"]),
    ({"tests_confirmed": True}, ["pause_modification", "verify_tests", "resume_modification"]),
])  # fmt: skip
def test_a_risk_pauses_the_modification(world, fields, expected):
    world.emit("BEHAVIOR_CHANGE_RISK", None)
    found = world.heal("BEHAVIOR_CHANGE_RISK", **fields)
    assert (True, expected) == (found.handled, actions(found))
    assert bool(fields) == found.steps[1].ok


@pytest.mark.parametrize("gate", Gate)
def test_a_phase_advances_only_through_its_gate(world, gate):
    world.emit("HEALING_PHASE_COMPLETE", None)
    found = world.heal("HEALING_PHASE_COMPLETE", gate=gate)
    passed = gate is Gate.PASSES
    assert (True, ["run_gate", "advance"] if passed else ["run_gate"]) == (found.handled, actions(found))
    assert (passed, [] if passed else ["handler_failed"]) == (found.steps[0].ok, codes(found))


@pytest.mark.parametrize(("strict", "expected"), [(True, ["block"]), (False, ["warn"])])
def test_a_legacy_risk_blocks_in_strict_mode(world, strict, expected):
    world.emit("LEGACY_COMPATIBILITY_RISK", None)
    found = world.heal("LEGACY_COMPATIBILITY_RISK", strict=strict)
    assert (True, expected, {"n": 1}) == (found.handled, actions(found), found.content)


@pytest.mark.parametrize(("signal", "payload", "end"), [
    (FOUND, FRICTION, "friction-map.json"), (KNOWN, {"knowledge": "x"}, "institutional-knowledge.md"),
])  # fmt: skip
def test_what_cannot_be_recorded_stays_a_signal(world, signal, payload, end):
    world.emit(signal, None, payload)
    world.files.broken["replace", end] = FULL
    found = world.heal(signal)
    assert (False, ["healing_write_failed"], False) == (found.handled, codes(found), found.steps[0].ok)
    world.files.broken = {("lock", ".lock"): FULL}
    assert (False, ["lock_failed"]) == ((found := world.heal(signal)).handled, codes(found))
    world.files.broken = {("remove", signal): FULL}
    assert (False, ["storage_failed"]) == ((found := world.heal(signal)).handled, codes(found))
    world.files.broken.clear()
    assert world.heal(signal).handled


def test_a_map_that_cannot_be_changed_is_told(world):
    world.found()
    for broken, code in ((("replace", "map.json"), "healing_write_failed"), (("lock", ".lock"), "lock_failed")):
        world.files.broken = {broken: FULL}
        assert (False, [code]) == ((found := world.classify()).classified, codes(found))
