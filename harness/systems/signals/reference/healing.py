"""Healing Processing Rules (LK-HL): what each of the five healing signals has done before it is deleted."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from harness.ports.files import Files
from harness.systems.signals.contract import (
    FRICTION_MAP_PATH,
    KNOWLEDGE_PATH,
    Action,
    ClassifyArguments,
    ClassifyResult,
    Gate,
    HealArguments,
    HealResult,
    LogCode,
    RemoveArguments,
    RemoveResult,
    Signal,
    StepTaken,
)
from harness.systems.signals.reference.drifts import Place
from harness.systems.signals.reference.frictions import FrictionMap, Knowledge
from harness.systems.signals.reference.handoffs import Handoffs
from harness.systems.signals.reference.texts import shown, writable
from harness.systems.trace import Trace

FRICTION_UNKNOWN: Final = "friction_unknown"
FRICTION_KEPT: Final = "friction_kept"

Steps = tuple[StepTaken, ...]


class Processing(NamedTuple):
    """A signal that is processed: what it says, and what is known beside."""

    payload: Any
    arguments: HealArguments
    trace: Trace


class Healing:
    """Healing, on its files. No method raises."""

    map_class = FrictionMap
    knowledge_class = Knowledge

    def __init__(self, place: Place, files: Files, handoffs: Handoffs) -> None:
        self.handoffs = handoffs
        self.map = self.map_class(place(FRICTION_MAP_PATH), files)
        self.knowledge = self.knowledge_class(place(KNOWLEDGE_PATH), files)

    def heal(self, arguments: HealArguments) -> HealResult:
        """Somebody processes a healing signal; it is deleted afterwards."""
        trace = Trace()
        file = self.handoffs.wanted(arguments.signal, arguments.by, None, trace, healing=True)
        if file is None:
            return HealResult(handled=False, log=trace.told())
        with self.handoffs.lock.held(trace) as held:
            content = self.handoffs.content(file, trace) if held else None
            if content is None:
                return HealResult(handled=False, log=trace.told())
            if not self.is_processable(arguments.signal, content.payload):
                trace.warning(LogCode.SIGNAL_INVALID, f"that is no payload of {arguments.signal}")
                self.dismiss(file, trace)
                return HealResult(handled=False, log=trace.told())
            done, steps = self.processed(Processing(content.payload, arguments, trace))
            handled = done and self.handoffs.deleted(file, trace)
        return HealResult(handled, steps, content.payload, trace.told())

    def is_processable(self, signal: str, payload: Any) -> bool:
        """Has it what its processing needs?"""
        if signal == Signal.FRICTION_DETECTED:
            return self.handoffs.rules.is_friction(payload)
        return signal != Signal.INSTITUTIONAL_KNOWLEDGE_FOUND or self.handoffs.rules.is_knowledge(payload)

    def dismiss(self, file: Any, trace: Trace) -> None:
        """Sets aside what cannot be processed, so that it does not stand in the way of the next."""
        try:
            file.set_aside(file.read() or b"")
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "a signal cannot be set aside", error)

    def processed(self, processing: Processing) -> tuple[bool, Steps]:
        """Is its processing done, and by what steps?"""
        rules: dict[str, Callable[[Processing], tuple[bool, Steps]]] = {
            Signal.FRICTION_DETECTED: self.friction,
            Signal.BEHAVIOR_CHANGE_RISK: self.risk,
            Signal.INSTITUTIONAL_KNOWLEDGE_FOUND: self.found,
            Signal.HEALING_PHASE_COMPLETE: self.completed,
            Signal.LEGACY_COMPATIBILITY_RISK: self.legacy,
        }
        return rules[processing.arguments.signal](processing)

    def friction(self, processing: Processing) -> tuple[bool, Steps]:
        """It is added to the map (LK-HL-03)."""
        ok = self.recorded(lambda: self.map.add(processing.payload, processing.trace), processing.trace)
        return ok, (StepTaken(Action.ADD_FRICTION, ok=ok),)

    def risk(self, processing: Processing) -> tuple[bool, Steps]:
        """The modification is paused until characterization tests are confirmed."""
        confirmed = processing.arguments.tests_confirmed
        steps = (StepTaken(Action.PAUSE_MODIFICATION), StepTaken(Action.VERIFY_TESTS, ok=confirmed))
        return True, (*steps, StepTaken(Action.RESUME_MODIFICATION)) if confirmed else steps

    def found(self, processing: Processing) -> tuple[bool, Steps]:
        """Knowledge is appended."""
        knowledge = processing.payload["knowledge"]
        ok = self.recorded(lambda: self.knowledge.append(knowledge), processing.trace)
        return ok, (StepTaken(Action.APPEND_KNOWLEDGE, ok=ok),)

    def completed(self, processing: Processing) -> tuple[bool, Steps]:
        """The gate is run before anything advances."""
        passed = self.passes(processing.arguments.gate, processing.trace)
        ran = StepTaken(Action.RUN_GATE, ok=passed)
        return True, (ran, StepTaken(Action.ADVANCE)) if passed else (ran,)

    def passes(self, gate: Gate, trace: Trace) -> bool:
        """Does the gate hook pass? One that hangs, or fails in any way, has not."""
        try:
            self.handoffs.outside.run_gate(gate)
        except Exception as error:  # noqa: BLE001 - a hook is somebody else's code
            trace.error(LogCode.HANDLER_FAILED, "the phase gate did not pass", error)
            return False
        return True

    def legacy(self, processing: Processing) -> tuple[bool, Steps]:
        """It blocks in strict mode, and warns otherwise."""
        return True, (StepTaken(Action.BLOCK if processing.arguments.strict else Action.WARN),)

    def recorded(self, action: Callable[[], None], trace: Trace) -> bool:
        """Could it be recorded?"""
        try:
            action()
        except OSError as error:
            trace.error(LogCode.HEALING_WRITE_FAILED, "what was found is not recorded", error)
            return False
        return True

    # -- the map

    def classify(self, arguments: ClassifyArguments) -> ClassifyResult:
        """Somebody classifies a friction."""
        trace, friction_id = Trace(), writable(arguments.friction_id)
        word = writable(arguments.classification)
        if not self.map.rules.is_classification(word):
            trace.warning(LogCode.SIGNAL_INVALID, f"{shown(word)} classifies nothing")
            return ClassifyResult(classified=False, log=trace.told())
        changed = self.changed(lambda: self.map.classify(friction_id, word, trace), FRICTION_UNKNOWN, trace)
        return ClassifyResult(changed, trace.told())

    def remove(self, arguments: RemoveArguments) -> RemoveResult:
        """Somebody wants to remove a friction."""
        trace, friction_id = Trace(), writable(arguments.friction_id)
        return RemoveResult(
            self.changed(lambda: self.map.remove(friction_id, trace), FRICTION_KEPT, trace), trace.told()
        )

    def changed(self, action: Callable[[], bool], otherwise: str, trace: Trace) -> bool:
        """Changes the map under the lock; False, and told, when it did not change."""
        with self.handoffs.lock.held(trace) as held:
            if not held:
                return False
            try:
                done = action()
            except OSError as error:
                trace.error(LogCode.HEALING_WRITE_FAILED, "the friction map is not changed", error)
                return False
        if not done:
            trace.warning(otherwise, "no such friction, or nobody classified it")
        return done
