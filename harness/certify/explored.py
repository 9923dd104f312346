"""What was enumerated about the operations of L3, and what a variant's findings are worth. Pure."""

from collections.abc import Iterable, Mapping

import msgspec

from harness.certify.flaky import FLAKY
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.faults import syscall

POWER = "power"
MOSTLY = 0.5  # of the variants; beyond that too many were not met to speak of the operation


class KindFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The variants of one kind: enumerated, those whose fault struck or whose order was kept, not met, failing."""

    planned: int
    fired: int = 0
    not_met: int = 0
    failed: int = 0


class Explored(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """One operation of a scenario of L3.

    ``calls`` counts the file calls it made when nothing stood against it, ``sites`` those that can be told from each
    other, ``writes`` those that change files. ``errnos`` are those that were enumerated. ``alike`` counts kills that
    leave the same files as another one, ``sampled`` writes of which not every byte was torn, ``redundant`` orders that
    were given up because they only repeat others. ``exhausted`` when every variant was played; ``cut`` says what is
    missing. ``bounded`` says where orders were left to chance: L3 is about those that were explored. ``power_cut`` says
    what is missing of the loss of power, which is an attribute of its own.
    """

    scenario: str
    profile: str
    operation: str
    clauses: tuple[str, ...]
    calls: int = 0
    sites: int = 0
    writes: int = 0
    errnos: tuple[str, ...] = ()
    kinds: Mapping[str, KindFacts] = msgspec.field(default_factory=dict)
    alike: int = 0
    sampled: int = 0
    redundant: int = 0
    exhausted: bool = True
    cut: str = ""
    bounded: str = ""
    power_cut: str = ""

    def with_variant(self, kind: str, *, fired: bool, failed: bool) -> "Explored":
        """These facts after one more variant of that kind."""
        old = self.kinds[kind]
        new = KindFacts(old.planned, old.fired + fired, old.not_met + (not fired), old.failed + failed)
        return msgspec.structs.replace(self, kinds={**self.kinds, kind: new})

    def closed(self) -> "Explored":
        """These facts at the end of the run: is anything missing?"""
        planned = sum(kind.planned for kind in self.kinds.values())
        not_met = sum(kind.not_met for kind in self.kinds.values())
        left = planned - not_met - sum(kind.fired for kind in self.kinds.values())
        cuts = [self.cut]
        if left:
            cuts.append(f"{left:,} of {planned:,} variants were not played")
        if not_met > planned * MOSTLY:
            cuts.append(f"most calls did not come again: {not_met:,} of {planned:,} variants were not met")
        said = "; ".join(filter(None, cuts))
        return msgspec.structs.replace(self, exhausted=not said and not self.bounded, cut=said)


def is_power(scenario: Scenario) -> bool:
    """Is it a variant in which the machine loses power?"""
    return any(step.crash is not None for step in scenario.steps)


def fired(history: History) -> bool:
    """Did the fault at a file call strike that this history was made for?"""
    ends = [entry for entry in history.entries if entry.type is not EntryType.INVOKE]
    return any(
        injection.armed and injection.proof and injection.fault.family == syscall.FAMILY
        for entry in ends
        for injection in entry.faults
    )


def counted(findings: Iterable[Finding], *, met: bool) -> tuple[Finding, ...]:
    """What a variant says of the clauses.

    What it did not reach is reached in others, so INCONCLUSIVE says nothing but when the harness does not know what to
    think; a variant whose fault was not met is no variant, and only its failures count.
    """
    wanted = {CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR} | ({CheckVerdict.PASS} if met else set())
    return tuple(finding for finding in findings if finding.verdict in wanted or finding.reason == FLAKY)


def asked(scenario: Scenario, place: int) -> str:
    """The operation that is explored, for people: its name, or those begun together."""
    step = scenario.steps[place + 1]
    if step.schedule is not None:
        return " + ".join(operation.name for operation in step.schedule.together)
    return step.op.name if step.op is not None else ""
