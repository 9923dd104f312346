"""The kill matrix: each mutant in each layer by itself, whether or not another layer has killed it already."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from harness.core.seed import derive
from harness.errors import WindtunnelError
from harness.explore.stateful import SHRINKS_OF_PROCESSES, search
from harness.qualify.layers import LAYERS, STATEFUL
from harness.qualify.mutants import fate_in
from harness.qualify.plays import Plays
from harness.qualify.qualification import Layered
from harness.qualify.subjects import Subject
from harness.targets.slots import Slots

CASES = 60  # of a search: a defect that needs more is not found by this layer


def matrix(
    subjects: Sequence[Subject], jobs: int, seed: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[str, str, Layered]]:
    """The id of a mutant, a layer, and what became of it there; all layers of all of them.

    Searches take turns, since Hypothesis keeps global state.
    """
    slots = Slots(jobs)

    def enumerated(pair: tuple[Subject, str]) -> tuple[str, str, Layered]:
        subject, layer = pair
        with slots.held():
            fate = fate_in(subject, slots, layer, stopped)
        return subject.id, layer, Layered(fate.killed, fate.scenario, fate.examples, fate.seconds)

    pairs = [(subject, layer) for subject in subjects for layer in LAYERS if layer != STATEFUL]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(enumerated, pairs)
    for subject in subjects:
        with slots.held():
            yield subject.id, STATEFUL, searched(subject, slots, seed, stopped)


def searched(subject: Subject, slots: Slots, seed: int, stopped: Callable[[], bool]) -> Layered:
    """What a search by the state machine makes of a mutant; what it finds has to fail again."""
    begun = time.monotonic()
    reach = subject.reach()
    own = derive(seed, "matrix", subject.id)
    scenario, cases, killed = None, 0, False
    try:
        with reach.open(slots) as session:
            found, cases = search(
                subject.system, session, subject.profile, reach.groups, own, CASES, stopped,
                shrinks=SHRINKS_OF_PROCESSES,
            )  # fmt: skip
            if found:
                (played,) = Plays(subject.system, subject.clause).of(found[0], session)
                killed = subject.clause in played.failed if subject.clause else bool(played.failed)
                scenario = found[0].id if killed else None
    except WindtunnelError:
        killed = False
    return Layered(killed, scenario, cases, round(time.monotonic() - begun, 3))
