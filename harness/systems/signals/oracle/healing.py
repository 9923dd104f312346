"""The healing signals: what their processing does, and the friction map (LK-HL-02 to 04). Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.signals.contract import UNCLASSIFIED, Action, Gate, Signal, StepTaken
from harness.systems.signals.oracle.drifts import known_steps
from harness.systems.signals.oracle.files import State, Step
from harness.systems.signals.oracle.handoffs import is_friction, judge_friction
from harness.systems.signals.oracle.values import has, is_plain, read, same

Entries = Mapping[str, list[Mapping[str, Any]]]
_MAY_CHANGE: Final = ("heal", "classify_friction", "remove_friction")


def entries_of(state: State) -> Entries | None:
    """The frictions of the map by their ids; None when nobody knows them."""
    if not state.knows("friction_map"):
        return None
    data = state.data("friction_map")
    if data is None:
        return {}
    found = read(data)
    if found is None or not found.is_clean:
        return None
    value = found.value
    if isinstance(value, Mapping) and isinstance(value.get("frictions"), list | Mapping):
        value = value["frictions"]
    if isinstance(value, Mapping):
        value = [{"friction_id": name, **each} for name, each in value.items() if isinstance(each, Mapping)]
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for each in value if isinstance(value, list) else ():
        if isinstance(each, Mapping) and isinstance(each.get("friction_id"), str):
            entries.setdefault(each["friction_id"], []).append(each)
    return entries


def judge_map(step: Step, notes: Notes) -> None:
    """The other entries of the map stay, whatever is done (LK-HL-03)."""
    before, after = entries_of(step.before), entries_of(step.after) if step.after is not None else None
    if not before or step.after is None or not step.after.knows("friction_map"):
        return
    if after is None:
        notes.breaks("LK-HL-03", "the friction map stays one", f"it is none after {step.first.said}")
        return
    subjects = {_subject(call) for call in step.calls if call.op in _MAY_CHANGE}
    for id_, entries in before.items():
        kept = any(has(one, each) for each in entries for one in after.get(id_, ()))
        if not kept and id_ not in subjects and None not in subjects:
            notes.breaks("LK-HL-03", f"the friction {id_!r} stays in the map", f"it changed after {step.first.said}")


def _subject(call: Call) -> str | None:
    """The friction it is about; None when nobody knows."""
    if call.op == "heal" and call.args is not None and call.args.signal != Signal.FRICTION_DETECTED:
        return ""
    content = call.answer.content if call.op == "heal" and call.answer is not None else call.args
    found = content.get("friction_id") if isinstance(content, dict) else getattr(content, "friction_id", None)
    return found if isinstance(found, str) else None


def judge_healed(step: Step, call: Call, notes: Notes) -> None:
    """One healing signal was processed: what was to be done was, in order."""
    args, answer = call.args, call.answer
    steps = known_steps(answer.steps)
    if not answer.handled:
        if answer.content is None and Action.ADVANCE in steps:
            notes.breaks("LK-HL-04", "nothing is done about a signal that is not there", call.said)
        return
    if args.signal == Signal.FRICTION_DETECTED:
        _mapped(step, call, steps, notes)
        return
    wrong = {
        Signal.BEHAVIOR_CHANGE_RISK: _paused,
        Signal.INSTITUTIONAL_KNOWLEDGE_FOUND: _appended,
        Signal.HEALING_PHASE_COMPLETE: _gated,
        Signal.LEGACY_COMPATIBILITY_RISK: _warned,
    }
    if args.signal in wrong:
        expected = wrong[args.signal](step, call, steps)
        notes.holds("LK-HL-04", not expected, expected or "what the rules ask for", call.said)


def _mapped(step: Step, call: Call, steps: Sequence[str], notes: Notes) -> None:
    content = call.answer.content
    if not isinstance(content, dict) or is_friction(content) is not True or not is_plain(content):
        return
    judge_friction(call, content, content, notes, is_fresh=False)
    if step.is_alone and step.lacks("friction_map"):
        notes.breaks("LK-HL-03", "there is a map that has the friction", f"there is none after {call.said}")
        return
    after = entries_of(step.after) if step.after is not None else None
    if step.after is None or not step.is_alone or not step.after.knows("friction_map"):
        return
    found = (after or {}).get(content["friction_id"], [])
    ok = Action.ADD_FRICTION in steps and any(
        has(each, {name: content[name] for name in ("friction_id", "location", "behavior", "agent")}) for each in found
    )
    notes.holds("LK-HL-03", ok, f"the friction {content['friction_id']!r} is in the map", f"not after {call.said}")
    if ok:
        judge_friction(call, content, found[-1], notes, is_fresh=False)


def _paused(step: Step, call: Call, steps: Sequence[str]) -> str:
    del step
    wanted = [Action.PAUSE_MODIFICATION, Action.VERIFY_TESTS]
    confirmed = call.args.tests_confirmed
    if confirmed:
        wanted.append(Action.RESUME_MODIFICATION)
    known = [each for each in steps if each in (*wanted, Action.RESUME_MODIFICATION)]
    if known != wanted or _ok_of(call.answer.steps, Action.VERIFY_TESTS) is not confirmed:
        return f"{', '.join(wanted)}, as the tests are {'' if confirmed else 'not '}confirmed"
    return ""


def _appended(step: Step, call: Call, steps: Sequence[str]) -> str:
    content, after, before = call.answer.content, step.after, step.before
    said = content.get("knowledge") if isinstance(content, dict) else None
    if Action.APPEND_KNOWLEDGE not in steps:
        return "what was found is appended"
    if step.is_alone and step.lacks("knowledge"):
        return "there is a file that has what was found"
    if after is None or not step.is_alone or not after.knows("knowledge") or not before.knows("knowledge"):
        return ""
    held, now = before.data("knowledge") or b"", after.data("knowledge") or b""
    if not now.startswith(held.rstrip()):
        return "the file begins as before"
    if isinstance(said, str) and is_plain(said) and said.strip().encode() not in now[len(held.rstrip()) :]:
        return f"the file goes on with {said!r}"[:300]
    return ""


def _gated(step: Step, call: Call, steps: Sequence[str]) -> str:
    del step
    passes = call.args.gate == Gate.PASSES
    wanted = [Action.RUN_GATE, Action.ADVANCE] if passes else [Action.RUN_GATE]
    known = [each for each in steps if each in (Action.RUN_GATE, Action.ADVANCE)]
    if known != wanted or _ok_of(call.answer.steps, Action.RUN_GATE) is not passes:
        return f"{', '.join(wanted)}, as the gate {call.args.gate}"
    return ""


def _warned(step: Step, call: Call, steps: Sequence[str]) -> str:
    del step
    if call.args.strict:
        return "" if Action.BLOCK in steps else "in strict mode it is blocked"
    return "" if Action.WARN in steps and Action.BLOCK not in steps else "a warning, and no block"


def _ok_of(steps: Sequence[StepTaken], action: str) -> bool:
    return next(each.ok for each in reversed(steps) if each.action == action)


def judge_classified(step: Step, call: Call, notes: Notes) -> None:
    """A friction of the map was classified (LK-HL-03)."""
    id_, word, told = call.args.friction_id, call.args.classification, call.answer.classified
    before, after = entries_of(step.before), entries_of(step.after) if step.after is not None else None
    if before is None or not step.is_alone or not is_plain([id_, word]):
        return
    is_word = bool(word.strip()) and word.strip().casefold() != UNCLASSIFIED
    if told and id_ not in before:
        notes.breaks("LK-HL-03", f"there is no friction {id_!r}", call.said)
    elif not told and id_ in before and is_word and not step.minds("friction_map"):
        notes.breaks("LK-HL-03", f"the friction {id_!r} is classified", call.said)
    elif told and after is not None and not any(same(each.get("classification"), word) for each in after.get(id_, ())):
        notes.breaks("LK-HL-03", f"the friction {id_!r} is {word!r}", f"it is not after {call.said}")


def judge_removed(step: Step, call: Call, notes: Notes) -> None:
    """Somebody wanted to remove a friction of the map (LK-HL-03)."""
    id_, told = call.args.friction_id, call.answer.removed
    before, after = entries_of(step.before), entries_of(step.after) if step.after is not None else None
    if before is None or not step.is_alone or not is_plain(id_):
        return
    if id_ not in before:
        if told:
            notes.breaks("LK-HL-03", f"there is no friction {id_!r}", call.said)
        return
    kinds = [each.get("classification") for each in before[id_]]
    is_there = None if after is None else id_ in after
    if is_there is not None and is_there is told and not (told and len(before[id_]) > 1):
        notes.breaks("LK-HL-03", "what is removed is gone from the map, and nothing else", call.said)
    elif UNCLASSIFIED in kinds or None in kinds:
        notes.holds("LK-HL-03", not told, "a friction that nobody classified stays", call.said, ("entry",))
    elif not told and all(isinstance(each, str) and each.strip() for each in kinds) and not step.shaken:
        notes.breaks("LK-HL-03", "a friction that is classified may go", call.said)
