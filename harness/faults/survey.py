"""What this machine can inject, asked by doing all of it once, in a sandbox of its own."""

from collections.abc import Iterable
from itertools import groupby

import msgspec

from harness.core.fault import Fault, Scalar
from harness.faults import process, syscall
from harness.faults.catalogue import EVERY, checked, inject
from harness.faults.kind import FaultKind
from harness.faults.syscalls import Supervisor
from harness.sandbox import Run, Sandbox, SandboxPlan, Write, base_environment

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
_TIMEOUT_S = 10.0  # a shell that writes one word; more means the machine is ill


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
        fault = _sample(kind)
        injection = inject(fault, sandbox, 0)
        if injection.armed and family == syscall.FAMILY:
            injection = msgspec.structs.replace(injection, proof=_struck(sandbox, fault))
        if not injection.armed:
            refused[kind.name] = injection.proof
        elif not injection.proof and kind.name.partition(".")[2] not in process.BY_SESSION:
            unproven.append(kind.name)
    return FamilyFact(family, count, refused, tuple(unproven))


def _struck(sandbox: Sandbox, fault: Fault) -> str:
    """What a shell met that writes to a file while that fault stands in its way."""
    armed = syscall.CallFault(checked(fault, sandbox), sandbox.roots.hide)
    place = sandbox.roots.resolve(_FILE)
    with Supervisor(armed, below=(place,), names=armed.names) as supervisor:
        run = Run(
            argv=("sh", "-c", 'echo more >> "$0"', place),
            env=base_environment(sandbox.roots),
            cwd="/",
            timeout_s=_TIMEOUT_S,
            filter=supervisor.filter(),
        )
        sandbox.run_together([run])
    return armed.proof(supervisor.struck)


def _sample(kind: FaultKind) -> Fault:
    path = None
    if kind.placed:
        path = _FILE.rpartition("/")[0] if kind.name in _ON_FOLDERS else _FILE
    params: dict[str, Scalar] = {"program": _PROGRAM} if "program" in kind.params else {}
    return Fault(kind.name, path, params)
