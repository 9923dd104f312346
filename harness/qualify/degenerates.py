"""Runs the degenerate implementations: none of them may pass a single MUST clause.

A clause is refuted as soon as one scenario of L1 fails or cannot establish it, as in any verdict; only what is left is
played further. A clause that nothing refutes has passed.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from harness.certify import corpus
from harness.certify.disguise import any_day, disguised
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, own_process
from harness.core.clause import Level
from harness.core.finding import CheckVerdict
from harness.core.scenario import Scenario
from harness.core.verdict import L1
from harness.errors import UntestableError
from harness.explore.playing import play
from harness.qualify.degenerate import ANSWER_KEY, ANSWERS, KEY, KINDS, LEARNING
from harness.sandbox.pool import SandboxPool
from harness.sandbox.room import Seen
from harness.systems import registry
from harness.targets.sandboxed import SandboxedSession
from harness.targets.session import Session
from harness.targets.slots import Slots

RANDOM_RUNS = 20  # of the random one, each with a seed of its own
MOST_ANSWERS_BYTES = 1 << 20
WAITING = 4  # runs a job at once: most of the time they wait for an answer that does not come
TIMEOUT_SCALE = 0.005  # one that hangs has said all it will say
_SLOW = (ANSWER_KEY, "hang")
_SCOUT = ("always-no", 0)
"""Played first of each system: what tells something of it is begun with by the others."""


class Refuted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a degenerate implementation of a system came to: the MUST clauses it ``passed``, none when all is well.

    ``seed`` tells the runs of a random one apart; ``clauses`` were looked at, in so many ``examples`` (scenarios) and
    ``seconds``; ``untestable`` says why it could not even be asked.
    """

    system: str
    kind: str
    seed: int
    clauses: int
    passed: tuple[str, ...]
    examples: int
    seconds: float
    untestable: str = ""


def runs(systems: Sequence[registry.System]) -> list[tuple[registry.System, str, int]]:
    """Every run there is: a kind, of a system, with a seed."""
    return [
        (system, kind, seed)
        for system in systems
        for kind in KINDS
        for seed in range(RANDOM_RUNS if kind == "random" else 1)
    ]


def refute(
    wanted: Sequence[tuple[registry.System, str, int]], jobs: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Refuted]:
    """What became of each of these runs, in their order."""
    systems = {system.name: system for system, _, _ in wanted}
    for system in systems.values():
        system.load()
        corpus.enumerated(system.name)  # before the workers begin, which would each make it

    def one(run: tuple[registry.System, str, int]) -> Refuted:
        scout = scouts[run[0].name].result()
        return scout.refuted if run[1:] == _SCOUT else _refuted(*run, slots, stopped, scout.telling).refuted

    with SandboxPool() as sandboxes, ThreadPoolExecutor(jobs * WAITING) as pool:
        slots = Slots(jobs * 2, sandboxes)  # whoever asks waits for the process that answers, and the other way round
        scouts = {name: pool.submit(_refuted, system, *_SCOUT, slots, stopped) for name, system in systems.items()}
        # those that take longest are begun first, so that nobody waits for the last of them alone
        futures = {run: pool.submit(one, run) for run in sorted(wanted, key=lambda run: run[1] not in _SLOW)}
        try:
            yield from (futures[run].result() for run in wanted)
        finally:
            for run in futures.values():
                run.cancel()


def refuted(
    system: registry.System, kind: str, seed: int, slots: Slots, stopped: Callable[[], bool] = lambda: False
) -> Refuted:
    """One run."""
    return _refuted(system, kind, seed, slots, stopped).refuted


class _Ended(NamedTuple):
    """What a run came to, and the scenarios that refuted something in it."""

    refuted: Refuted
    telling: frozenset[str]


def _refuted(
    system: registry.System,
    kind: str,
    seed: int,
    slots: Slots,
    stopped: Callable[[], bool],
    before: frozenset[str] = frozenset(),
) -> _Ended:
    """One run; it is begun with the scenarios that told something of another one ``before``."""
    begun = time.monotonic()
    profile = system.served_profile
    left = {clause.id for clause in system.catalogue if clause.level is Level.MUST and profile in clause.profiles}
    count = len(left)
    met: set[str] = set()
    examples, why = 0, ""
    telling: set[str] = set()
    try:
        with _answering(system, kind, seed, slots) as (reach, session):
            waiting = _mine(system, reach)
            while not stopped() and (scenario := greediest(waiting, left, before)) is not None:
                waiting.remove(scenario)
                examples += 1
                with slots.held():
                    if _look(system, scenario, session, left, met):
                        telling.add(scenario.id)
    except UntestableError as error:
        why, left = str(error), set()
    passed = tuple(clause.id for clause in system.catalogue if clause.id in left & met)
    took_s = round(time.monotonic() - begun, 3)
    return _Ended(Refuted(system.name, kind, seed, count, passed, examples, took_s, why), frozenset(telling))


@contextmanager
def _answering(system: registry.System, kind: str, seed: int, slots: Slots) -> Iterator[tuple[Reach, Session]]:
    """A session with a degenerate implementation; an answer key learns before."""
    scale = TIMEOUT_SCALE if kind == "hang" else 1.0
    if kind != ANSWER_KEY:
        reach = own_process(system, _words(system, kind, seed), kind, timeout_scale=scale)
        with _opened(reach, slots) as session:
            yield reach, session
        return
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        key = Path(folder) / "key.json"
        key.write_bytes(msgspec.json.encode(learned(system, slots)))
        words = _words(system, kind, seed)
        reach = own_process(system, words, kind, timeout_scale=scale, env={KEY: str(key)}, expose=(folder,))
        with _opened(reach, slots) as session:
            yield reach, session


@contextmanager
def _opened(reach: Reach, slots: Slots) -> Iterator[Session]:
    """A session that holds a slot only while it is opened: who plays in it takes one for each scenario."""
    with ExitStack() as held:
        with slots.held():
            session = held.enter_context(reach.open(slots))
        yield session


def _words(system: registry.System, kind: str, seed: int) -> tuple[str, ...]:
    return (sys.executable, "-m", "harness.qualify.degenerate", system.name, kind, str(seed))


def learned(system: registry.System, slots: Slots) -> dict[str, Any]:
    """What an answer key knows: what the reference answered in every published scenario of L1."""
    key: dict[str, Any] = {}
    reach = own_process(system, _words(system, LEARNING, 0), LEARNING, timeout_scale=1.0)
    with _opened(reach, slots) as session:
        for scenario in corpus.enumerated(system.name):
            if scenario.level == L1 and not scenario.full_length and runs_for(scenario, reach):
                with slots.held():
                    play(scenario, cast("Session", _Unwatched(session)), system.inputs_of)
                assert isinstance(session, SandboxedSession)  # noqa: S101 - as every process of our own
                told = session.sandbox.read(f"{{home}}/{ANSWERS}", MOST_ANSWERS_BYTES)
                for line in (told.data or b"").splitlines():
                    key.update(msgspec.json.decode(line))
    return key


class _Unwatched:
    """A session that does not look at what stands in its files: nobody judges what it played."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def look(self, paths: Sequence[str]) -> Seen:
        """See Session.look."""
        del paths
        return Seen({}, {})


def _mine(system: registry.System, reach: Reach) -> list[Scenario]:
    """The scenarios of L1, but for those that only wait, and what a run asks again on another day."""
    simple = [each for each in corpus.enumerated(system.name) if each.level == L1 and not each.full_length]
    mine = [each for each in simple if runs_for(each, reach)]
    return [*mine, *disguised(mine, system.catalogue, reach.profile, any_day())]


def greediest(scenarios: Sequence[Scenario], left: set[str], before: frozenset[str] = frozenset()) -> Scenario | None:
    """The scenario to be played next: that aims at the most clauses that are left, for its length; None of no more.

    Those that told something ``before`` come first, and those that aim at none of them last: what a scenario aims at
    is met in it, and any other may fail in it as well.
    """

    def worth(scenario: Scenario) -> tuple[bool, float, int]:
        aims = len(left.intersection(scenario.clauses))
        return aims > 0 and scenario.id in before, aims / (2 + len(scenario.steps)), -len(scenario.steps)

    return max(scenarios, key=worth, default=None) if left else None


def _look(system: registry.System, scenario: Scenario, session: Session, left: set[str], met: set[str]) -> bool:
    """Plays a scenario, and takes from ``left`` what it refutes; true when that is something."""
    count = len(left)
    for finding in system.judge(scenario, play(scenario, session, system.inputs_of), system.catalogue):
        if finding.verdict is CheckVerdict.PASS and finding.witnesses:
            met.add(finding.clause)
        elif finding.verdict in (CheckVerdict.FAIL, CheckVerdict.INCONCLUSIVE):
            left.discard(finding.clause)
    return len(left) < count
