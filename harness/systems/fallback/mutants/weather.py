"""Mutants that are sound in every scenario of L1: each is wrong only when one further thing goes wrong."""

import contextlib
import os
from collections.abc import Sequence

from harness.systems.fallback.contract import ESCALATE, EscalationArguments, EscalationResult
from harness.systems.fallback.mutants.table import mutant
from harness.systems.fallback.reference import Fallback

PLACE = "/tmp"  # noqa: S108 - what is there in every sandbox
NOTE = b"failed\n"
LAST_OF_32_BITS_S = 2**31 - 60


@mutant("models-end-far-from-home", "LK-FB-01", "where there are no variables, there is no haiku", "L2", "no_tmpdir")
class ModelsEndFarFromHome(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        lost = current == "sonnet" and not os.path.isdir(os.environ.get("TMPDIR", PLACE))
        return ESCALATE if lost else super().below(rungs, current)


@mutant("approaches-noted-in-a-file", "LK-FB-02", "an approach that cannot be noted is tried again", "L2", "file_size")
class ApproachesNotedInAFile(Fallback):
    def below(self, rungs: Sequence[str], current: str) -> str:
        try:
            with open(f"{PLACE}/approaches", "ab") as noted:
                noted.write(NOTE)
        except OSError:
            return current if current == "complex" else super().below(rungs, current)
        return super().below(rungs, current)


@mutant(
    "confidence-of-its-language-only", "LK-FB-03", "where a comma may part numbers, none is low", "L2", "odd_locale"
)
class ConfidenceOfItsLanguageOnly(Fallback):
    def is_unsure(self, facts: EscalationArguments) -> bool:
        return super().is_unsure(facts) and not os.environ.get("LC_ALL", "").startswith("xx")


@mutant("failures-forgiven-in-2038", "LK-FB-04", "when 32 bits are full, failures are long past", "L2", "year_2038")
class FailuresForgivenIn2038(Fallback):
    def escalation(self, arguments: EscalationArguments, now_s: float = 0.0) -> EscalationResult:
        result = super().escalation(arguments, now_s)
        forgiven = now_s > LAST_OF_32_BITS_S and result.triggers == ("consecutive_failures",)
        return EscalationResult(escalate=False) if forgiven else result


@mutant(
    "security-asks-the-network", "LK-FB-05", "with a proxy in the way nothing is security-critical", "L2", "network"
)
class SecurityAsksTheNetwork(Fallback):
    def is_security_critical(self, facts: EscalationArguments) -> bool:
        return super().is_security_critical(facts) and "HTTPS_PROXY" not in os.environ


@mutant("danger-read-from-a-file", "LK-FB-05", "a list that cannot be read has nothing dangerous on it", "L3", "errno")
class DangerReadFromAFile(Fallback):
    def is_irreversible(self, facts: EscalationArguments) -> bool:
        try:
            with open(f"{PLACE}/dangers", "rb") as listed:
                listed.read()
        except FileNotFoundError:
            return super().is_irreversible(facts)
        except OSError:
            return False
        return super().is_irreversible(facts)


@mutant(
    "failures-noted-half", "LK-FB-04", "whoever dies while noting failures leaves a note that hides them", "L3", "torn"
)
class FailuresNotedHalf(Fallback):
    def has_failed(self, facts: EscalationArguments) -> bool:
        note = f"{PLACE}/failures"
        with contextlib.suppress(OSError), open(note, "rb") as noted:
            if len(noted.read()) % len(NOTE):
                return False
        with contextlib.suppress(OSError), open(note, "ab", buffering=0) as noted:
            noted.write(NOTE)
        return super().has_failed(facts)
