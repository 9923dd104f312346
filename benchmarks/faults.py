"""What it costs to arm and disarm a fault of each family, and what a fault costs that is armed and not hit."""

import time
from functools import partial

from benchmarks.hook import hook_reach
from benchmarks.measure import Figure, ratios
from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Operation, Scenario, World
from harness.sandbox import base_environment
from harness.targets.hook import HookSession
from harness.targets.slots import Slots

CASES = 4  # a round
ROUNDS = 9
CLOCK = "2026-03-01T12:00:00Z"
TRANSCRIPT = "{home}/t.jsonl"
# one of each family, none of which changes how long the hook works
REPRESENTATIVES = (
    Fault("jsonl.blank_lines", TRANSCRIPT),
    Fault("json_document.list", "{project}/settings.json"),
    Fault("identifier.unicode", None, {"field": "session_id"}),
    Fault("filesystem.read_only", "{outside}"),
    Fault("filesystem.full", "{outside}"),
    Fault("clock.forward", None, {"by_s": 1}),
    Fault("process.few_descriptors", None, {"count": 256}),
    Fault("environment.odd_umask", None),
    Fault("collaborator.exits", None, {"program": "git"}),
    Fault("network.refused", None),
)
# file calls only, so that what stands in front of each of them shows; about 0.1 s of work
FILE_CALLS = """
import os
for number in range(4000):
    fd = os.open("probe", os.O_CREAT | os.O_RDWR, 0o600)
    os.write(fd, b"x"); os.fstat(fd); os.close(fd); os.stat("probe")
    os.replace("probe", "probed"); os.unlink("probed")
"""


def arming() -> list[tuple[str, Figure]]:
    """For each family, a whole stop with one of its faults armed and taken back : the same stop bare."""
    slots = Slots(1)
    world = World(CLOCK, {TRANSCRIPT: FileSpec(sample="approve")})
    scenario = Scenario(1, "bench", "", "stop_gate", "stop_hook", (), world, ())
    stop = Operation("stop", {"transcript_path": TRANSCRIPT})
    figures = []
    with slots.held(), hook_reach().open(slots) as session:

        def case(fault: Fault | None = None) -> float:
            begun = time.perf_counter()
            for _ in range(CASES):
                session.reset(scenario)
                if fault is not None:
                    session.inject(fault, 0)
                session.perform([(0, stop)])
            session.reset(scenario)
            return time.perf_counter() - begun

        for fault in REPRESENTATIVES:
            session.reset(scenario)
            injection = session.inject(fault, 0)
            if not injection.armed:
                print(f"{fault.family:<14} not on this machine: {injection.proof}")
                continue
            values = ratios(partial(case, fault), case, ROUNDS)
            figures.append((fault.family, Figure(values, "", f"stop with {fault.name} : bare stop", "told, none")))
    return figures


def shim() -> Figure:
    """File calls of a process that libfaketime stands in front of : the same calls bare."""
    slots = Slots(1)
    scenario = Scenario(1, "bench", "", "stop_gate", "stop_hook", (), World(CLOCK), ())
    with slots.held(), hook_reach().open(slots) as session:
        assert isinstance(session, HookSession)
        sandbox = session.sandbox
        words = (session.bare_run(Operation("stop", {})).argv[0], "-I", "-S", "-c", FILE_CALLS)
        environment = base_environment(sandbox.roots)

        def calls(surrounded: bool) -> float:
            begun = time.perf_counter()
            sandbox.run(words, env=environment, cwd="{tmp}", timeout_s=60.0, surrounded=surrounded)
            return time.perf_counter() - begun

        session.reset(scenario)
        session.inject(Fault("clock.forward", None, {"by_s": 1}), 0)
        values = ratios(lambda: calls(True), lambda: calls(False))
    return Figure(values, "", "file calls behind libfaketime : bare file calls", "at most 1.15")
