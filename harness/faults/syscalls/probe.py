"""Whether file calls can be struck on this machine, asked by striking one: nothing is taken on trust."""

import os
import sys
from typing import Final

from harness.errors import MachineError
from harness.faults.syscalls.answers import Fail
from harness.faults.syscalls.calls import Kind
from harness.faults.syscalls.sites import Recorder
from harness.faults.syscalls.supervisor import Answer, Call, Supervisor
from harness.sandbox import Run, Sandbox, base_environment

_PLACE: Final = "{tools}/supervised"
_TIMEOUT_S: Final = 10.0  # a shell that writes one word; more means the machine is ill
_known: dict[bool, str] = {}


def refusal(sandbox: Sandbox) -> str:
    """Why no file call can be struck in such a sandbox, in a sentence; "" when one was. Tried once for each kind."""
    kind = sandbox.containment.namespaces
    if kind not in _known:
        _known[kind] = tried(sandbox)
    return _known[kind]


def tried(sandbox: Sandbox) -> str:
    """The same, tried now: a shell is made to write, and its write to fail with an error that no disk here gives."""
    if sys.platform != "linux":
        return "file calls are struck by seccomp, which only Linux has"
    place = sandbox.roots.resolve(_PLACE)
    strike = _FirstWrite()
    try:
        with Supervisor(strike, below=(place,)) as supervisor:
            run = Run(
                argv=("sh", "-c", 'echo x > "$0" || exit 3', place),
                env=base_environment(sandbox.roots),
                cwd="/",
                timeout_s=_TIMEOUT_S,
                filter=supervisor.filter(),
            )
            (ended,) = sandbox.run_together([run])
    except (MachineError, OSError) as error:
        return f"file calls cannot be struck here: {error}"
    if ended.start_error:
        return f"file calls cannot be struck here: a program under a filter does not start ({ended.start_error})"
    opened = any(call.kind is Kind.OPEN for _, call in strike.seen.calls)
    if not opened or [each.proof for each in supervisor.struck] != ["EDQUOT"] or ended.exit_code != 3:
        return "file calls cannot be struck here: one that was to fail did not"
    return ""


class _FirstWrite:
    """Fails the first write; a path it has seen by then came from memory, and the file from a descriptor."""

    def __init__(self) -> None:
        self.seen = Recorder(os.path.basename)
        self._struck = False

    def __call__(self, call: Call) -> Answer:
        answer = self.seen(call)
        if call.kind is Kind.WRITE and not self._struck:
            self._struck = True
            return Fail("EDQUOT")
        return answer
