"""Mutants of healing: what is recorded, what waits, what is blocked."""

from collections.abc import Iterable, Mapping
from typing import Any

from harness.systems.signals.contract import Action, Gate, StepTaken
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.frictions import ENTRIES, Friction, FrictionMap, FrictionRules, Knowledge
from harness.systems.signals.reference.healing import Healing, Processing, Steps
from harness.systems.trace import Trace


@mutant("frictions-are-anywhere", "LK-HL-02", "a friction is raised without a location of path and line")
class FrictionsAreAnywhere(FrictionRules):
    def is_location(self, found: Any) -> bool:
        return True


@mutant("frictions-are-not-added", "LK-HL-03", "a friction is processed, and not added to the map")
class FrictionsAreNotAdded(Healing):
    def friction(self, processing: Processing) -> tuple[bool, Steps]:
        return True, (StepTaken(Action.ADD_FRICTION),)


@mutant("maps-hold-one-friction", "LK-HL-03", "each friction takes the place of all before")
class MapsHoldOneFriction(FrictionMap):
    def add(self, friction: Mapping[str, Any], trace: Trace) -> None:
        self.read(trace)
        self.write({ENTRIES: [dict(friction)]})


@mutant("unclassified-frictions-may-go", "LK-HL-03", "a friction is removed although nobody classified it")
class UnclassifiedFrictionsMayGo(FrictionMap):
    def may_go(self, own: Iterable[Friction]) -> bool:
        return True


@mutant("modifications-are-resumed-untested", "LK-HL-04", "a modification is resumed without confirmed tests")
class ModificationsAreResumedUntested(Healing):
    def risk(self, processing: Processing) -> tuple[bool, Steps]:
        done, steps = super().risk(processing)
        return done, (*steps[:2], StepTaken(Action.RESUME_MODIFICATION))


@mutant("knowledge-is-overwritten", "LK-HL-04", "knowledge takes the place of all that was found before")
class KnowledgeIsOverwritten(Knowledge):
    def append(self, knowledge: str) -> None:
        self.file.put(f"- {knowledge}\n".encode())


@mutant("phases-advance-anyway", "LK-HL-04", "a component advances when its gate fails")
class PhasesAdvanceAnyway(Healing):
    def completed(self, processing: Processing) -> tuple[bool, Steps]:
        done, steps = super().completed(processing)
        return done, (steps[0], StepTaken(Action.ADVANCE))


@mutant("hanging-gates-pass", "LK-HL-04", "a gate that does not answer is taken to have passed")
class HangingGatesPass(Healing):
    def passes(self, gate: Gate, trace: Trace) -> bool:
        return gate is Gate.HANGS or super().passes(gate, trace)


@mutant("strict-mode-warns", "LK-HL-04", "a legacy risk does not block in strict mode")
class StrictModeWarns(Healing):
    def legacy(self, processing: Processing) -> tuple[bool, Steps]:
        return True, (StepTaken(Action.WARN),)
