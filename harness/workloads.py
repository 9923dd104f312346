"""For people who test with Hypothesis: a system's workloads as strategies and as a state machine.

from harness import workloads

with workloads.opened("target.yaml") as hook:
    @given(workloads.scenarios("stop_gate", "stop_hook"))
    def test_it(scenario):
        hook.check(scenario)

TestHook = workloads.state_machine("stop_gate", "stop_hook", "target.yaml").TestCase
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from harness.certify import corpus
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, from_spec, reference
from harness.core.clause import Level
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Scenario
from harness.errors import MachineError, UsageError
from harness.explore.driver import JudgingDriver, ViolationError
from harness.explore.playing import play
from harness.explore.stateful import STEPS
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots
from harness.targets.target_file import load

REFERENCE = "reference"


def scenarios(
    system: str, profile: str, *, level: str | None = None, target: str | Path | None = None
) -> st.SearchStrategy[Scenario]:
    """A strategy of the materialised scenarios of a profile, which shrinks towards those of fewest steps.

    ``level`` leaves only those of that level, ``target`` those that are meant for it: the groups and paths that it
    declares. UsageError when none is left.
    """
    reach = None if target is None else _reach(target, registry.get(system), profile)
    found = [
        scenario
        for scenario in corpus.scenarios(system)
        if scenario.profile == profile
        and level in (None, scenario.level)
        and (reach is None or runs_for(scenario, reach))
        and not scenario.full_length
    ]
    if not found:
        raise UsageError(f"{system} has no scenario of profile {profile!r} and level {level!r}")
    return st.sampled_from(sorted(found, key=lambda scenario: (len(scenario.steps), scenario.id)))


class Opened:
    """An implementation that scenarios can be played against, contained as in a certification."""

    def __init__(self, system: registry.System, session: Session) -> None:
        self.system = system
        self.session = session

    def findings(self, scenario: Scenario) -> tuple[Finding, ...]:
        """What the oracle says of one run of ``scenario``."""
        history = play(scenario, self.session, self.system.inputs_of)
        return self.system.judge(scenario, history, self.system.catalogue)

    def check(self, scenario: Scenario) -> None:
        """ViolationError when a run of ``scenario`` breaks a MUST clause."""
        for finding in self.findings(scenario):
            must = self.system.catalogue[finding.clause].level is Level.MUST
            if must and finding.verdict is CheckVerdict.FAIL:
                raise ViolationError(scenario, finding.clause, finding.expected, finding.observed)


@contextmanager
def opened(
    target: str | Path, *, system: str = "stop_gate", profile: str | None = None, unsafe: bool = False
) -> Iterator[Opened]:
    """The implementation of a target file, or ``reference`` in the profile that is asked for.

    MachineError where this machine cannot contain it, unless ``unsafe``.
    """
    found = registry.get(system)
    slots = Slots(1)
    with slots.held(), _reach(target, found, profile).open(slots) as session:
        if not (unsafe or session.contained()):
            raise MachineError("this machine refuses namespaces, so nothing would contain the command; see unsafe")
        yield Opened(found, session)


def state_machine(
    system: str, profile: str, target: str | Path, *, unsafe: bool = False
) -> type[RuleBasedStateMachine]:
    """The system's state machine against that target: ``state_machine(...).TestCase`` is a unittest case.

    It opens the target when the case's class is set up. A violation is raised at the end of a run, with its scenario.
    """
    found = registry.get(system)
    base: Any = found.workload.machine(profile, _reach(target, found, profile).groups)

    at_hand: list[JudgingDriver] = []

    class Machine(base):  # type: ignore[misc]  # found by name
        def __init__(self) -> None:
            if not at_hand:
                raise UsageError("the target is opened by the TestCase of this machine; run that")
            super().__init__(at_hand[-1])

    stack = ExitStack()

    def set_up() -> None:
        implementation = stack.enter_context(opened(target, system=system, profile=profile, unsafe=unsafe))
        at_hand.append(JudgingDriver(found, implementation.session, profile, seed=0))

    def tear_down() -> None:
        at_hand.clear()
        stack.close()

    case: Any = Machine.TestCase
    case.setUpClass = staticmethod(set_up)
    case.tearDownClass = staticmethod(tear_down)
    case.settings = settings(deadline=None, stateful_step_count=STEPS)
    return Machine


def _reach(target: str | Path, system: registry.System, profile: str | None) -> Reach:
    if str(target) == REFERENCE:
        reaches = reference(system, timeout_scale=1.0)
    else:
        reaches = (from_spec(load(Path(target)), system, timeout_scale=1.0),)
    for reach in reaches:
        if profile in (None, reach.profile):
            return reach
    raise UsageError(f"{target} shows in profile {reaches[0].profile!r}, not in {profile!r}")
