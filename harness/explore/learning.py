"""What the operations of an L3 scenario do to files when nothing stands against them, recorded as often as needed."""

from typing import Final, NamedTuple

from harness.core.fault import Fault
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.enumerated import changing_names, enumerated, explored_steps
from harness.faults.syscalls import Call
from harness.targets.player import InputsOf, Player
from harness.targets.session import Session

ONCE_MORE: Final = 2  # recordings beyond the second, where names change: what they have in common is then no chance


class Learned(NamedTuple):
    """The runs of a scenario as it is, and for each place where something is explored its recordings, one a run."""

    histories: tuple[History, ...]
    recordings: tuple[tuple[tuple[Call, ...], ...], ...]


def learned(scenario: Scenario, session: Session, inputs_of: InputsOf) -> Learned:
    """Plays ``scenario`` twice, and twice more where it calls files otherwise each time."""
    runs = [_run(scenario, session, inputs_of) for _ in range(2)]
    if any(changing_names(place) for place in _by_place(runs)):
        runs += [_run(scenario, session, inputs_of) for _ in range(ONCE_MORE)]
    return Learned(tuple(player.history() for player in runs), _by_place(runs))


def faults_at_calls(scenario: Scenario, session: Session, inputs_of: InputsOf) -> tuple[Fault, ...]:
    """Every fault at a file call that the one operation explored in ``scenario`` makes."""
    (place,) = explored_steps(scenario)
    (recordings,) = learned(scenario, session, inputs_of).recordings
    struck = (each.scenario.steps[place].fault for each in enumerated(scenario, place, recordings).variants)
    return tuple(fault for fault in struck if fault is not None)


def _run(scenario: Scenario, session: Session, inputs_of: InputsOf) -> Player:
    player = Player(scenario, session, inputs_of)
    player.begin()
    for step in scenario.steps:
        player.take(step)
    return player


def _by_place(runs: list[Player]) -> tuple[tuple[tuple[Call, ...], ...], ...]:
    return tuple(zip(*(player.recorded for player in runs), strict=True))
