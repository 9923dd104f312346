"""``python -m harness.qualify.false_alarms``: how often is a sound implementation called wrong?

Each run is a fresh search, under a seed of its own, of an implementation that is taken to be sound. It must find no
clause that fails. What it finds is a defect of the harness, or of the implementation: it has to be looked at.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from harness.core import struct_types
from harness.core.digest import sha256_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.errors import UsageError, WindtunnelError
from harness.explore.driver import named_after
from harness.explore.playing import play
from harness.explore.stateful import SHRINKS_OF_PROCESSES, search
from harness.qualify import alarm_report
from harness.qualify.alarm_report import Alarm, Tally
from harness.qualify.sound import Sound, implementations, shares
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots

RUNS = 3000
CASES = 2  # of a run. Hypothesis begins with the simplest case there is; only those after it are drawn
JOBS = 2
BATCH = 10  # runs of one session: opening one costs as much as a run
_LOOKS_WRONG = (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR)


class Batch(NamedTuple):
    """Runs number ``first`` and following of one implementation, so many of ``cases`` cases, all from one ``seed``."""

    name: str
    first: int
    runs: int
    cases: int
    seed: int


class _Watched:
    """What one run did, and what looked wrong in it: SHOULD clauses too, of which a search says nothing."""

    def __init__(self, system: registry.System) -> None:
        self._system = system
        self.operations = 0
        self.digests: list[str] = []  # one a case that was judged
        self.wrong: dict[str, Scenario] = {}  # the first scenario in which a clause failed

    def __call__(self, scenario: Scenario, history: History) -> None:
        self.digests.append(sha256_of([scenario.world, scenario.steps]))
        self.operations += sum(entry.type is EntryType.INVOKE and entry.op != "reset" for entry in history.entries)
        for finding in _wrong(self._system, scenario, history):
            self.wrong.setdefault(finding.clause, named_after(scenario, finding))


def plan(wanted: Mapping[str, Sound], runs: int, cases: int, seed: int) -> list[Batch]:
    """The work of so many runs, the implementations in turn, so that what is cut short shows something of each."""
    given = shares(wanted, runs)
    batches = [
        Batch(name, first, min(BATCH, count - first), cases, seed)
        for name, count in given.items()
        for first in range(0, count, BATCH)
    ]
    return sorted(batches, key=lambda batch: batch.first / given[batch.name])


def carried_out(batch: Batch) -> Tally:
    """What became of those runs. An error of the harness or of the implementation is an alarm as well."""
    sound = implementations()[0][batch.name]
    sound.reach.system.load("workload")
    struct_types.build()
    tally = Tally()
    left = range(batch.first, batch.first + batch.runs)
    slots = Slots(1)
    while left:
        with slots.held(), sound.reach.open(slots) as session:
            for number in left:
                left = range(number + 1, left.stop)
                if not _run(sound, session, batch, number, tally):
                    break  # nobody knows what state the session is in
    return tally


def _run(sound: Sound, session: Session, batch: Batch, number: int, tally: Tally) -> bool:
    """Adds one run to the tally; false when it broke."""
    reach = sound.reach
    watched = _Watched(reach.system)
    seed = derive(batch.seed, "false alarms", sound.name, number)
    alarms: list[Alarm] = []
    broke = ""
    try:
        found, _ = search(
            reach.system, session, reach.profile, reach.groups, seed, batch.cases, lambda: False, watched,
            SHRINKS_OF_PROCESSES,
        )  # fmt: skip
        smallest = {scenario.clauses[0]: scenario for scenario in found}
        for clause, scenario in {**watched.wrong, **smallest}.items():
            alarms.append(_alarm(sound, number, clause, scenario, session))
    except Exception as error:  # noqa: BLE001 - whatever breaks is what is looked for here
        broke = f"{type(error).__name__}: {error}"
        alarms.append(Alarm(sound.name, number, "", broke, "", repeats=False, target=sound.target))
    tally.add_run(number, len(watched.digests), watched.operations, watched.digests, alarms)
    return not broke


def _alarm(sound: Sound, number: int, clause: str, scenario: Scenario, session: Session) -> Alarm:
    """An alarm, with whether it comes again when its scenario is played again."""
    history = play(scenario, session, sound.reach.system.inputs_of)
    again = {finding.clause: finding for finding in _wrong(sound.reach.system, scenario, history)}
    observed = again[clause].observed if clause in again else scenario.title
    return Alarm(
        sound.name, number, clause, observed, scenario.id, repeats=clause in again, target=sound.target,
        scenario=scenario,
    )  # fmt: skip


def _wrong(system: registry.System, scenario: Scenario, history: History) -> list[Finding]:
    findings = system.judge(scenario, history, system.catalogue)
    return [finding for finding in findings if finding.verdict in _LOOKS_WRONG]


def tallied(batches: Sequence[Batch], jobs: int) -> Iterator[tuple[Batch, Tally]]:
    """Each batch with what became of it, in the order in which they end; in this very process for one job.

    Hypothesis keeps global state, so searches take turns within a process.
    """
    if jobs == 1:
        for batch in batches:
            yield batch, carried_out(batch)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _deaf) as pool:
        waited_for = {pool.submit(carried_out, batch): batch for batch in batches}
        try:
            for future in as_completed(waited_for):
                yield waited_for[future], future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _deaf() -> None:
    """Ctrl-C reaches the whole group of processes; the first of them ends the others in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def measure(
    wanted: Mapping[str, Sound], runs: int, cases: int, seed: int, jobs: int, tell: Callable[[str], object]
) -> tuple[dict[str, Tally], bool]:
    """The tally of each implementation, and whether all runs were made: whoever interrupts keeps what was seen."""
    tallies = {name: Tally() for name in wanted}
    batches = plan(wanted, runs, cases, seed)
    begun = time.monotonic()
    try:
        for done, (batch, tally) in enumerate(tallied(batches, jobs), start=1):
            tallies[batch.name].merge(tally)
            if done % max(len(batches) // 20, 1) == 0:
                made = sum(each.runs for each in tallies.values())
                tell(f"{made:,} of {runs:,} runs after {time.monotonic() - begun:.0f} s")
    except KeyboardInterrupt:
        return tallies, False
    return tallies, True


def _chosen(names: Sequence[str]) -> dict[str, Sound]:
    known = implementations()[0]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no sound implementation {name!r}; there are: {', '.join(known)}")
    return {name: sound for name, sound in known.items() if not names or name in names}


def _arguments(words: Sequence[str] | None) -> Any:
    parser = argparse.ArgumentParser(prog="python -m harness.qualify.false_alarms", description=__doc__)
    parser.add_argument("--runs", type=_positive, default=RUNS, help=f"how many in all; {RUNS:,}")
    parser.add_argument("--cases", type=_positive, default=CASES, help=f"of a run; {CASES}")
    parser.add_argument("--seed", type=int, default=0, help="where chance begins; 0")
    parser.add_argument("--jobs", type=_positive, default=min(JOBS, os.cpu_count() or 1), help="processes at once")
    parser.add_argument("--report", type=Path, metavar="FILE", help="where the JSON goes")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this one; repeatable")
    return parser.parse_args(words)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def main(words: Sequence[str] | None = None) -> int:
    """Makes the runs, prints and writes what they showed. 0 when all were silent, 3 when one was not.

    2 for a wrong argument; 130 when it was interrupted, and what was seen until then was silent.
    """
    asked = _arguments(words)
    try:
        wanted = _chosen(asked.only)
    except WindtunnelError as error:
        print(f"windtunnel: {error}", file=sys.stderr)  # noqa: T201 - a command's output
        return 2
    begun = time.monotonic()
    tallies, whole = measure(
        wanted, asked.runs, asked.cases, asked.seed, asked.jobs, lambda text: print(text, file=sys.stderr, flush=True)  # noqa: T201
    )  # fmt: skip
    refused = {} if asked.only else implementations()[1]
    scope = alarm_report.Scope(asked.runs, asked.cases, asked.seed, time.monotonic() - begun, whole, refused)
    print(alarm_report.text(tallies, scope, asked.report))  # noqa: T201 - a command's output
    alarm_report.write(tallies, scope, asked.report)
    if any(tally.alarms for tally in tallies.values()):
        return 3
    return 0 if whole else 130


if __name__ == "__main__":
    sys.exit(main())
