"""Mutants of signals that are handed on: their names, routes, contents, and that they are deleted."""

from collections.abc import Mapping
from typing import Any

from harness.systems.signals.contract import NAMED, Role, Signal
from harness.systems.signals.mutants.table import mutant
from harness.systems.signals.reference.handoffs import Handoffs, Routes
from harness.systems.signals.reference.kept_file import KeptFile
from harness.systems.trace import Trace


@mutant("handled-signals-stay", "LK-SG-01", "a signal that was handled is not deleted")
class HandledSignalsStay(Handoffs):
    def deleted(self, file: KeptFile, trace: Trace) -> bool:
        return True


@mutant("signals-are-lost-unread", "LK-SG-01", "a signal is deleted, and no handler is given it")
class SignalsAreLostUnread(Handoffs):
    def parsed(self, data: bytes, file: KeptFile, trace: Trace) -> Any:
        file.remove()
        return None


@mutant("drift-log-is-consumed", "LK-SG-02", "DRIFT_DETECTED can be handled like any signal, and is deleted")
class DriftLogIsConsumed(Handoffs):
    def wanted(
        self, signal: str, by: str, name: str | None, trace: Trace, *, healing: bool
    ) -> KeptFile | None:  # fmt: skip
        if signal == "DRIFT_DETECTED" and not healing:
            self.files.remove(f"{self.directory}/{signal}")
        return super().wanted(signal, by, name, trace, healing=healing)


@mutant("names-follow-a-hyphen", "LK-SG-03", "between a signal and its name there is a hyphen")
class NamesFollowAHyphen(Routes):
    def file_name(self, signal: str, name: str | None) -> str | None:
        found = super().file_name(signal, name)
        return f"{signal}-{found[len(signal) + 1 :]}" if found is not None and signal in NAMED else found


@mutant(
    "failed-tests-go-to-merge", "LK-SG-03", "TESTS_FAILED is handled by the merge stream, not by that of the feature"
)
class FailedTestsGoToMerge(Routes):
    def may_consume(self, signal: str, by: str) -> bool:
        return by == Role.MERGE if signal == Signal.TESTS_FAILED else super().may_consume(signal, by)


@mutant("payloads-are-dropped", "LK-SG-03", "the payload of a workflow signal is not written")
class PayloadsAreDropped(Handoffs):
    def written(self, file: KeptFile, payload: Mapping[str, Any], trace: Trace) -> bool:
        named = any(f"/{signal}" in file.path for signal in ("FEATURE_READY", "TESTS_PASSED"))
        return super().written(file, {} if named else payload, trace)


@mutant("waiting-signals-stay", "LK-SG-03", "a signal that is raised while one of its name waits is dropped")
class WaitingSignalsStay(Handoffs):
    def written(self, file: KeptFile, payload: Mapping[str, Any], trace: Trace) -> bool:
        return file.read() is not None or super().written(file, payload, trace)


@mutant("names-lead-out", "LK-SG-04", "a name is part of a path as it is")
class NamesLeadOut(Routes):
    def escaped(self, name: str) -> str:
        return "x/" + name if name.startswith("..") else super().escaped(name)


@mutant("odd-names-become-one", "LK-SG-04", "characters that a file name cannot have all become one")
class OddNamesBecomeOne(Routes):
    def escaped(self, name: str) -> str:
        return "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "_" for each in name)


@mutant("behaviour-risks-go-to-review", "LK-HL-01", "BEHAVIOR_CHANGE_RISK is processed by who raised it only")
class BehaviourRisksGoToReview(Routes):
    def may_consume(self, signal: str, by: str) -> bool:
        return by == Role.REVIEW if signal == Signal.BEHAVIOR_CHANGE_RISK else super().may_consume(signal, by)
