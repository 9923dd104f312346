"""What this machine can inject, asked by doing all of it once, in a sandbox of its own."""

from collections.abc import Iterable
from itertools import groupby

import msgspec

from harness.core.fault import Fault, Scalar
from harness.faults import process
from harness.faults.catalogue import EVERY, inject
from harness.faults.kind import FaultKind
from harness.sandbox import Sandbox, SandboxPlan, Write

_FILE = "{home}/folder/file"
_SESSION = b'{"role": "user", "content": "go on"}\n{"role": "assistant", "content": "I did."}\n'
_DOCUMENT = b'{"enabled": true, "timeout_seconds": 30}\n'
_ON_FOLDERS = (
    "filesystem.read_only",
    "filesystem.full",
    "filesystem.no_inodes",
    "filesystem.aged",
    "filesystem.garbled",
)
_PROGRAM = "date"  # every machine has it


class FamilyFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One family: how many faults it has, why which are refused here, and which stand without a proof."""

    family: str
    faults: int
    refused: dict[str, str] = {}
    unproven: tuple[str, ...] = ()

    def reasons(self) -> dict[str, tuple[str, ...]]:
        """Each reason for a refusal, with the faults it concerns, without the family's name."""
        found: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            found.setdefault(reason, []).append(name.partition(".")[2])
        return {reason: tuple(names) for reason, names in found.items()}


def families() -> tuple[FamilyFact, ...]:
    """Every family, in the order of the catalogue; MachineError when no sandbox can be built at all."""
    with Sandbox(SandboxPlan()) as sandbox:
        return tuple(
            _family(sandbox, family, kinds)
            for family, kinds in groupby(EVERY, key=lambda kind: kind.name.partition(".")[0])
        )


def _family(sandbox: Sandbox, family: str, kinds: Iterable[FaultKind]) -> FamilyFact:
    refused: dict[str, str] = {}
    unproven: list[str] = []
    count = 0
    for kind in kinds:
        count += 1
        sandbox.fresh()
        sandbox.apply([Write(_FILE, _DOCUMENT if family == "json_document" else _SESSION)])
        injection = inject(_sample(kind), sandbox, 0)
        if not injection.armed:
            refused[kind.name] = injection.proof
        elif not injection.proof and kind.name.partition(".")[2] not in process.BY_SESSION:
            unproven.append(kind.name)
    return FamilyFact(family, count, refused, tuple(unproven))


def _sample(kind: FaultKind) -> Fault:
    path = None
    if kind.placed:
        path = _FILE.rpartition("/")[0] if kind.name in _ON_FOLDERS else _FILE
    params: dict[str, Scalar] = {"program": _PROGRAM} if "program" in kind.params else {}
    return Fault(kind.name, path, params)
