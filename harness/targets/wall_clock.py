"""The clocks of programs that no library can be put before: told by a supervisor, in every run of a session.

Programs with a dynamic loader are given libfaketime, which costs nothing at each question: see ``faults.clock``.
"""

from harness.errors import MachineError
from harness.faults import clock
from harness.faults.syscalls import Go, SteppedTime, Supervisor, TimeCalls
from harness.ports.clock import RealClock
from harness.sandbox import Run, Sandbox, Surroundings, WallClock, base_environment

_TOLERANCE_S = 5
_NS = 1_000_000_000
_TIMEOUT_S = 10.0


def tell(sandbox: Sandbox, told: WallClock) -> str:
    """Whatever is started from now on under a supervisor is told that clock; the proof that a program then read it.

    MachineError when this machine refuses it.
    """
    with Supervisor(lambda _: Go(), below=(), names=frozenset(), times=TimeCalls(told)) as supervisor:
        run = Run(
            argv=("sh", "-c", "date +%s; date +%s"),
            env=base_environment(sandbox.roots),
            cwd="/",
            timeout_s=_TIMEOUT_S,
            filter=supervisor.filter(),
        )
        now_ns = int(RealClock().now_s() * _NS)
        (ended,) = sandbox.run_together([run])
    if ended.start_error:
        raise MachineError(f"this machine starts no program under a filter ({ended.start_error})")
    sandbox.surround(Surroundings(wall_clock=told))
    read = [int(line) for line in ended.stdout.split() if line.lstrip(b"-").isdigit()]
    expected = [told.told_ns(now_ns, reading) / _NS for reading in (1, 2)]
    if len(read) != len(expected) or any(abs(a - b) > _TOLERANCE_S for a, b in zip(read, expected, strict=True)):
        return ""
    return "stepped" if told.steps_by_s else "moved"


def times_in(surroundings: Surroundings, stepped: SteppedTime | None = None) -> TimeCalls | None:
    """What answers questions for the time in these surroundings; None where they are left to the kernel.

    A ``stepped`` time moves with the scenario's, so of a wrong clock only its steps are added.
    """
    told = surroundings.wall_clock
    if stepped is not None:
        steps = WallClock() if told is None else WallClock(steps_by_s=told.steps_by_s, steps_from=told.steps_from)
        return TimeCalls(steps, stepped=stepped)
    return None if told is None else TimeCalls(told)


def place(sandbox: Sandbox, kind: str, params: clock.Params) -> str:
    """The fault of the family clock with that name, and its proof; see ``tell``."""
    return tell(sandbox, clock.wall_clock(kind, params, RealClock().now_s()))
