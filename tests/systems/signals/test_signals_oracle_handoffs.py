"""The oracle of signals on handmade histories: what is handed over, and what is healed."""

import pytest
from handmade_signals import FAIL, PASS, Day, friction, steps

READY = {"signal": "FEATURE_READY", "name": "auth"}
PAYLOAD = {"n": 1}
MAP = {"frictions": [{"timestamp": "2026-03-01T12:00:00Z", "classification": "unknown", **friction()}]}
ENTRY = MAP["frictions"][0]


def emitted(by="feature", written=True, content=PAYLOAD, **more):
    args = {**READY, "by": by, "payload": PAYLOAD, **more}
    return Day().do("emit", args, {"written": written}, FEATURE_READY_auth=content)


def consumed(day, answer=None, by="testing", **files):
    return day.do("consume", {**READY, "by": by}, {"handled": True, "content": PAYLOAD} if answer is None else answer,
                  **files).look()  # fmt: skip


def test_a_signal_is_handled_once():
    day = consumed(emitted(), FEATURE_READY_auth=None)
    assert day.broken() == set()
    assert (PASS, PASS) == (day.verdict("LK-SG-01"), day.verdict("LK-SG-03"))
    assert consumed(day).verdict("LK-SG-01") is FAIL
    assert consumed(emitted()).verdict("LK-SG-01") is FAIL
    for wrong in ({"handled": False}, {"handled": True, "content": {"n": 2}}):
        assert consumed(emitted(), wrong).verdict("LK-SG-03") is FAIL
    assert consumed(emitted(), {"handled": False}, FEATURE_READY_auth=None).verdict("LK-SG-01") is FAIL
    assert emitted(content=None).verdict("LK-SG-03") is FAIL
    assert emitted(written=False, content=None).verdict("LK-SG-03") is FAIL


def test_handlers_that_fail():
    for file, readings in ((PAYLOAD, ("after",)), (None, ("before",))):
        args = {**READY, "by": "testing", "handler": "fails"}
        day = emitted().do("consume", args, {"handled": False, "content": PAYLOAD}, FEATURE_READY_auth=file)
        assert day.readings("LK-SG-01") == readings
        lying = emitted().do("consume", args, {"handled": True, "content": PAYLOAD}, FEATURE_READY_auth=file)
        assert lying.verdict("LK-SG-01") is FAIL


def test_routes_are_readings():
    assert emitted("docs", written=False, content=None).readings("LK-SG-03") == ("enforced",)
    assert emitted("docs").readings("LK-SG-03") == ("convention",)
    assert consumed(emitted(), {"handled": False}, by="docs").readings("LK-SG-03") == ("enforced",)
    assert consumed(emitted(), by="docs", FEATURE_READY_auth=None).readings("LK-SG-03") == ("convention",)
    assert consumed(emitted(), {"handled": False}, by="docs", FEATURE_READY_auth=None).verdict("LK-SG-03") is FAIL


def test_unknown_words():
    args = {"signal": "X", "by": "human", "payload": {}}
    assert Day().do("emit", args, {"written": True}).verdict("LK-SG-03") is FAIL
    assert Day().do("emit", args, {"written": False}).broken() == set()
    assert Day().do("consume", {"signal": "X", "by": "human"}, {"handled": True}).verdict("LK-SG-03") is FAIL


def test_names_stay_inside():
    args = {"signal": "FEATURE_READY", "name": "/../../queue/pending.json", "by": "feature", "payload": {}}
    assert Day().do("emit", args, {"written": False}).verdict("LK-SG-04") is PASS
    assert Day().do("emit", args, {"written": True}, pending="{}").verdict("LK-SG-04") is FAIL
    grows = Day(drift="x").under("filesystem.growing", "{home}/.loki/signals/DRIFT_DETECTED")
    assert grows.do("emit", args, {"written": False}, drift="xx").verdict("LK-SG-04") is PASS
    out = {**args, "name": "../../x"}
    day = Day().begin("emit", out).put_at("{home}/x", "{}").end("emit", {"written": True})
    assert day.verdict("LK-SG-04") is FAIL
    other = {"signal": "FEATURE_READY", "name": "a/b", "by": "testing"}
    assert consumed(emitted()).do("consume", other, {"handled": True, "content": {}}).verdict("LK-SG-04") is FAIL


def found(payload=None, written=True, content=None):
    args = {"signal": "FRICTION_DETECTED", "by": "healer", "payload": payload or friction()}
    return Day().do("emit", args, {"written": written}, FRICTION_DETECTED=content)


def healed(signal, took, day=None, content=None, **facts):
    args = {"signal": signal, "by": "orchestrator" if "PHASE" in signal or "FRICTION" in signal else "healer"}
    files = facts.pop("files", {})
    args["by"] = "registry" if "KNOWLEDGE" in signal else args["by"]
    day = day or Day(**{signal: content or {}})
    answer = {"handled": True, "steps": took, "content": content or {}}
    return day.do("heal", {**args, **facts}, answer, **{signal: None}, **files).look()


def test_frictions():
    again = {"signal": "FRICTION_DETECTED", "by": "healer", "payload": friction()}
    day = found(content=ENTRY).do("emit", again, {"written": True})
    assert day.broken() == set()
    assert found(friction(location="nowhere"), content=ENTRY).verdict("LK-HL-02") is FAIL
    assert found(friction(location="nowhere"), written=False).broken() == set()
    day = healed("FRICTION_DETECTED", steps("add_friction"), found(content=ENTRY), ENTRY, files={"friction_map": MAP})
    assert (set(), PASS, PASS) == (day.broken(), day.verdict("LK-HL-02"), day.verdict("LK-HL-03"))
    lost = healed("FRICTION_DETECTED", steps("add_friction"), found(content=ENTRY), ENTRY)
    assert lost.verdict("LK-HL-03") is FAIL


@pytest.mark.parametrize("form", [MAP, [ENTRY], {"f-1": ENTRY}])
def test_the_map(form):
    args = {"friction_id": "f-1"}
    day = Day(friction_map=form)
    assert day.do("remove_friction", args, {"removed": False}).look().readings("LK-HL-03") == ("entry",)
    gone = Day(friction_map=form).do("remove_friction", args, {"removed": True}, friction_map=[]).look()
    assert gone.verdict("LK-HL-03") is FAIL
    assert Day(friction_map=form).do("remove_friction", args, {"removed": True}).look().verdict("LK-HL-03") is FAIL
    assert Day(friction_map=form).do("drifts", {}, {"records": []}, friction_map="{").look().verdict("LK-HL-03") is FAIL
    assert Day(friction_map=form).do("drifts", {}, {"records": []}, friction_map=[]).look().verdict("LK-HL-03") is FAIL
    word = {**args, "classification": "rule"}
    for told, files in ((False, {}), (True, {})):
        spoilt = Day(friction_map=form).do("classify_friction", word, {"classified": told}, **files).look()
        assert spoilt.verdict("LK-HL-03") is FAIL
    known = [{**ENTRY, "classification": "rule"}]
    assert Day(friction_map=known).do("remove_friction", args, {"removed": False}).verdict("LK-HL-03") is FAIL
    assert Day().do("remove_friction", args, {"removed": True}).verdict("LK-HL-03") is FAIL
    assert Day().do("classify_friction", word, {"classified": True}).verdict("LK-HL-03") is FAIL


@pytest.mark.parametrize(
    ("signal", "took", "facts", "verdict"),
    [
        ("BEHAVIOR_CHANGE_RISK", steps("pause_modification", "verify_tests", verify_tests=False), {}, PASS),
        ("BEHAVIOR_CHANGE_RISK", steps("verify_tests"), {}, FAIL),
        ("BEHAVIOR_CHANGE_RISK", steps("pause_modification", "verify_tests", "resume_modification"),
         {"tests_confirmed": True}, PASS),
        ("HEALING_PHASE_COMPLETE", steps("run_gate", "advance"), {}, PASS),
        ("HEALING_PHASE_COMPLETE", steps("advance", "run_gate"), {}, FAIL),
        ("HEALING_PHASE_COMPLETE", steps("run_gate", "advance", run_gate=False), {"gate": "hangs"}, FAIL),
        ("LEGACY_COMPATIBILITY_RISK", steps("block"), {"strict": True}, PASS),
        ("LEGACY_COMPATIBILITY_RISK", steps("warn"), {"strict": True}, FAIL),
        ("LEGACY_COMPATIBILITY_RISK", steps("warn"), {}, PASS),
        ("LEGACY_COMPATIBILITY_RISK", steps("warn", "block"), {}, FAIL),
    ],
)  # fmt: skip
def test_healing(signal, took, facts, verdict):
    assert healed(signal, took, **facts).verdict("LK-HL-04") is verdict


def test_knowledge():
    known, took = {"knowledge": "ask Ann"}, steps("append_knowledge")
    for text, verdict in (("old\nask Ann\n", PASS), ("old\n", FAIL), ("ask Ann\n", FAIL)):
        day = Day(knowledge="old\n", INSTITUTIONAL_KNOWLEDGE_FOUND=known)
        day = healed("INSTITUTIONAL_KNOWLEDGE_FOUND", took, day, known, files={"knowledge": text})
        assert day.verdict("LK-HL-04") is verdict
    assert healed("INSTITUTIONAL_KNOWLEDGE_FOUND", [], content=known).verdict("LK-HL-04") is FAIL


def test_the_last_knowledge_of_a_day_is_in_a_file_though_nobody_reads_it():
    known, args = {"knowledge": "ask Ann"}, {"signal": "INSTITUTIONAL_KNOWLEDGE_FOUND", "by": "registry"}
    answer = {"handled": True, "steps": steps("append_knowledge"), "content": known}
    for files, verdict in (({"knowledge": "ask Ann\n"}, PASS), ({}, FAIL)):
        day = Day(INSTITUTIONAL_KNOWLEDGE_FOUND=known).do("heal", args, answer, **files)
        assert day.verdict("LK-HL-04") is verdict


@pytest.mark.parametrize(("fault", "verdict"), [("filesystem.full", FAIL), ("filesystem.vanishing", PASS)])
def test_what_is_said_to_be_recorded_is_in_a_file_whatever_stood_in_the_way(fault, verdict):
    known = {"knowledge": "ask Ann"}
    day = Day(INSTITUTIONAL_KNOWLEDGE_FOUND=known).under(fault, "{home}/.loki")
    assert healed("INSTITUTIONAL_KNOWLEDGE_FOUND", steps("append_knowledge"), day, known).verdict("LK-HL-04") is verdict
    day = Day(FRICTION_DETECTED=ENTRY).under(fault, "{home}/.loki")
    mapped = healed("FRICTION_DETECTED", steps("add_friction"), day, ENTRY)
    assert ("LK-HL-03" in mapped.broken()) is (verdict is FAIL)
    raised = Day().under(fault, "{home}/.loki")
    args = {**READY, "by": "feature", "payload": PAYLOAD}
    assert ("LK-SG-03" in raised.do("emit", args, {"written": True}).broken()) is (verdict is FAIL)


def test_names_that_have_no_path():
    assert emitted("docs", name="a/b").readings("LK-SG-03") == ("convention",)
    args = {"signal": "FEATURE_READY", "name": "a/b", "by": "testing", "handler": "fails"}
    failed = emitted(name="a/b").do("consume", args, {"handled": False, "content": PAYLOAD})
    for answer in ({"handled": False}, {"handled": True, "content": PAYLOAD}):
        assert failed.do("consume", {**args, "handler": "ok"}, answer).broken() == set()


def test_what_cannot_be_deleted_is_not_told_to_be_handled():
    for how in ({}, {"handler": "fails"}):
        kept = emitted().under("filesystem.not_writable", "{home}/.loki/signals")
        args = {**READY, "by": "testing", **how}
        assert kept.do("consume", args, {"handled": False, "content": PAYLOAD}).look().broken() == set()
    kept = emitted().under("filesystem.not_writable", "{home}/.loki/signals")
    assert consumed(kept).verdict("LK-SG-01") is FAIL


def test_what_may_wait_still():
    assert consumed(Day(), {"handled": False}, by="docs").broken() == set()
    args = {**READY, "by": "feature", "payload": {"n": 2}}
    twice = emitted().do("emit", args, {"written": True}, FEATURE_READY_auth={"n": 2})
    assert consumed(twice, FEATURE_READY_auth={"n": 2}).broken() == set()
    empty = emitted(payload={}, content={})
    assert consumed(empty, {"handled": True}, FEATURE_READY_auth=None).broken() == set()
    args = {"signal": "FRICTION_DETECTED", "by": "orchestrator"}
    assert found(content=ENTRY).do("consume", args, {"handled": True, "content": {"n": 1}}).broken() == set()


def test_odd_healing():
    assert found(friction(location="nowhere"), written=False, content=ENTRY).verdict("LK-HL-02") is FAIL
    args = {"signal": "HEALING_PHASE_COMPLETE", "by": "orchestrator"}
    assert Day().do("heal", args, {"handled": False, "steps": steps("advance")}).verdict("LK-HL-04") is FAIL
    assert Day().do("heal", {"signal": "X", "by": "healer"}, {"handled": True}).verdict("LK-HL-04") is None
    assert healed("FRICTION_DETECTED", steps("add_friction")).broken() == set()
    assert healed("FRICTION_DETECTED", steps("add_friction"), content=ENTRY).broken() == {"LK-HL-03"}
    other = {"frictions": [{**ENTRY, "friction_id": "f-2"}]}
    mapped = healed("FRICTION_DETECTED", steps("add_friction"), Day(friction_map=other), ENTRY)
    assert mapped.verdict("LK-HL-03") is FAIL
    args = {"signal": "FRICTION_DETECTED", "by": "orchestrator"}
    answer = {"handled": True, "steps": steps("add_friction"), "content": ENTRY}
    assert found(content=ENTRY).do("heal", args, answer, FRICTION_DETECTED=None).broken() == {"LK-HL-03"}
    args = {"friction_id": "f-1"}
    beside = Day(friction_map=[1, ENTRY]).do("remove_friction", args, {"removed": False}).look()
    assert beside.readings("LK-HL-03") == ("entry",)
    assert Day(friction_map="{").do("remove_friction", args, {"removed": False}).look().broken() == set()
    word = {**args, "classification": "rule"}
    assert Day(friction_map="{").do("classify_friction", word, {"classified": False}).look().broken() == set()
