"""The five healing signals: what each records, what it waits for, what it blocks. Level L1."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.signals.contract import FRICTION_MAP_PATH, HEALING, KNOWLEDGE_PATH, Role, Signal, path_of
from harness.systems.signals.workload.signal_steps import calm, friction, scenario, text

FRICTION = ("LK-HL-01", "LK-HL-02", "LK-HL-03", "LK-SG-01")
PROCESSED = ("LK-HL-01", "LK-HL-04", "LK-SG-01")
KNOWLEDGE: Mapping[str, Any] = {"knowledge": "Invoices close on the third working day", "source": "src/billing"}
_IN_ORDER = tuple(signal for signal in Signal if signal in HEALING)


def healing_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _routes()
    yield from _frictions()
    yield from _maps()
    yield from _rest()
    yield from _knowledge()


def payload(signal: Signal) -> Mapping[str, Any] | None:
    """What is raised with that signal."""
    return KNOWLEDGE if signal is Signal.INSTITUTIONAL_KNOWLEDGE_FOUND else None


def _routes() -> Iterator[Scenario]:
    for signal in _IN_ORDER:
        word = signal.value.lower().replace("_", "-")
        story = calm().emit(signal, payload=payload(signal)).heal(signal, by=Role.BLOG.value).heal(signal).heal(signal)
        story.emit(signal, payload=payload(signal), by=Role.BLOG.value).heal(signal).drifts()
        clauses = FRICTION if signal is Signal.FRICTION_DETECTED else PROCESSED
        yield scenario(f"heals-{word}", f"Somebody else asks for {signal}, and raises it.", clauses, story)
    story = calm()
    for signal in _IN_ORDER:
        story.emit(signal, payload=payload(signal))
    for signal in _IN_ORDER:
        story.heal(signal)
    yield scenario("heals-all", "Every healing signal is raised, then each is processed.", (*FRICTION, *PROCESSED),
                   story.drifts())  # fmt: skip
    story = calm()
    for signal in _IN_ORDER:
        story.heal(signal)
    yield scenario("heals-nothing", "What was never raised is looked for.", ("LK-SG-02",), story.drift().drifts())
    story = calm().emit(Signal.DOCS_NEEDED).heal(Signal.DOCS_NEEDED, by="docs").heal("DRIFT_DETECTED", by="healer")
    yield scenario("heals-other-words", "Signals of other kinds are given to healing.", ("LK-SG-02",),
                   story.drift().drifts())  # fmt: skip


_FRICTIONS: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...] = (
    (
        "location",
        tuple({"location": odd} for odd in ("src/invoice.py", "src/invoice.py:0", "src/invoice.py:last", ":234")),
    ),
    ("types", ({"location": 234}, {"location": None}, {"friction_id": 42}, {"behavior": None}, {"agent": ["a"]})),
    ("words", ({"friction_id": ""}, {"classification": 1})),
)


def _frictions() -> Iterator[Scenario]:
    found = Signal.FRICTION_DETECTED
    for classification in ("unknown", "business_rule", "true_bug"):
        story = calm().emit(found, payload=friction(classification=classification)).heal(found).remove().drifts()
        word = classification.replace("_", "-")
        yield scenario(f"friction-{word}", f"A friction that is {classification} is to be removed.", FRICTION, story)
    bare = friction()
    del bare["classification"]
    story = calm().emit(found, payload=bare).heal(found).remove().classify().remove().drifts()
    yield scenario("friction-unclassified", "Nobody classified the friction; somebody does, and it may go.", FRICTION,
                   story)  # fmt: skip
    story = calm().emit(found).heal(found).remove().restart().remove().classify(classification="unknown").remove()
    yield scenario("friction-still-unknown", "To call a friction unknown is not to classify it.", FRICTION[2:],
                   story.drifts())  # fmt: skip
    story = calm().emit(found).heal(found).emit(found, payload=friction("friction-043")).heal(found)
    story.classify("friction-043").remove("friction-042").remove("friction-043").drifts()
    yield scenario("friction-two", "Of two frictions one is classified.", FRICTION, story.drifts())
    story = calm().remove("friction-999").classify("friction-999").drift()
    yield scenario("friction-not-there", "A friction that nobody found.", ("LK-SG-02",), story.drifts())
    for word, cases in _FRICTIONS:
        story = calm()
        for fields in cases:
            story.emit(found, payload=friction(**{"id_": "friction-041", **fields})).heal(found)
        yield scenario(f"friction-odd-{word}", f"Frictions are none, by their {word}; the next one is.", FRICTION,
                       story.emit(found, payload=friction("friction-044")).heal(found).drifts())  # fmt: skip
    for word, said in (("list", '["friction-041"]'), ("text", '"friction-041"'), ("number", "41")):
        story = calm().heal(found).emit(found, payload=friction("friction-044")).heal(found).drifts()
        yield scenario(f"friction-file-{word}", f"The signal of a friction is a {word}, and no object.", FRICTION,
                       story, files={path_of(found) or "": FileSpec(text=said)})  # fmt: skip
    odd = friction('f "1"\n\u6f22', location="C:\\src\\a b.py:1", behavior="a\x00b\u2028c", note=[1])
    yield scenario("friction-odd-texts", "A friction has odd texts, and a field of its own.", FRICTION,
                   calm().emit(found, payload=odd).heal(found).remove(odd["friction_id"]).drifts())  # fmt: skip


_OLD = {"timestamp": "2026-02-01T10:00:00Z", **friction("friction-001")}
_BARE = {name: value for name, value in _OLD.items() if name != "classification"}
_MAPS: tuple[tuple[str, str, FileSpec], ...] = (
    ("object", "an object of frictions", text({"frictions": [_OLD], "version": 3})),
    ("list", "a list of frictions", text([_OLD])),
    ("bare", "a friction without a classification", text([_BARE])),
    ("truncated", "half of a map", FileSpec(text=json.dumps({"frictions": [_OLD]})[:60])),
)


def _maps() -> Iterator[Scenario]:
    found = Signal.FRICTION_DETECTED
    for word, said, spec in _MAPS:
        story = calm().emit(found).heal(found).remove().remove("friction-001").classify().drifts()
        yield scenario(f"map-{word}", f"The friction map holds {said}.", FRICTION, story,
                       files={FRICTION_MAP_PATH: spec})  # fmt: skip


def _rest() -> Iterator[Scenario]:
    risk, done = Signal.BEHAVIOR_CHANGE_RISK, Signal.HEALING_PHASE_COMPLETE
    for confirmed in (True, False):
        word = "confirmed" if confirmed else "unconfirmed"
        story = calm().emit(risk).heal(risk, tests_confirmed=confirmed).heal(risk).drifts()
        yield scenario(f"risk-{word}", f"A change may alter behaviour; its tests are {word}.", PROCESSED, story)
    for gate in ("passes", "fails", "hangs"):
        story = calm().emit(done).heal(done, gate=gate).heal(done).drifts()
        clauses = PROCESSED if gate == "passes" else PROCESSED[1:]  # its route shows before the gate is asked
        yield scenario(f"gate-{gate}", f"A phase is complete; its gate {gate}.", clauses, story)
    breaks = Signal.LEGACY_COMPATIBILITY_RISK
    for strict in (True, False):
        word = "strict" if strict else "lenient"
        story = calm().emit(breaks).heal(breaks, strict=strict).heal(breaks).drifts()
        yield scenario(f"legacy-{word}", f"A legacy API breaks; the mode is {word}.", PROCESSED, story)


_NOTES: tuple[tuple[str, str, FileSpec], ...] = (
    ("lines", "what others found", FileSpec(text="# Institutional knowledge\n\n- Never deploy on Fridays\n")),
    ("without-end-of-line", "no line break at its end", FileSpec(text="- Never deploy on Fridays")),
    ("not-utf8", "no UTF-8", FileSpec(base64=b"- caf\xe9\n")),
)


def _knowledge() -> Iterator[Scenario]:
    found = Signal.INSTITUTIONAL_KNOWLEDGE_FOUND
    for word, said, spec in _NOTES:
        story = calm().emit(found, payload=KNOWLEDGE).heal(found).emit(found, payload={"knowledge": "Ask Ann first"})
        yield scenario(f"knowledge-{word}", f"institutional-knowledge.md holds {said}: it stays.", PROCESSED,
                       story.heal(found).drifts(), files={KNOWLEDGE_PATH: spec})  # fmt: skip
    story = calm()
    for odd in (None, 7, ""):
        story.emit(found, payload={"knowledge": odd}).heal(found)
    yield scenario("knowledge-none", "The knowledge is none; the next is.", PROCESSED,
                   story.emit(found, payload=KNOWLEDGE).heal(found).drifts())  # fmt: skip
