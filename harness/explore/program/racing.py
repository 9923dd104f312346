"""The cases of op and a second command at once, in every order of their file calls."""

import itertools
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from harness.explore.program.cases import LayerName, Memory, Outcome, exit_of
from harness.explore.program.names import Names
from harness.explore.program.place import Judgement, Place
from harness.explore.races import Race, RaceBounds, RaceReport, RaceStep, explore_races, replay_race
from harness.sandbox import Ended

BEYOND: Final = 100  # random orders, where not all can be run
_STAGES: Final = (20, 200)  # with a budget: each begins anew, so that what an earlier one found is kept
_WHO: Final = ("op", "with")
_PART: Final = 10**4  # of a process number: see races.identities
_PARTS: Final = 3
_PATIENCE: Final = 3.0  # times the time limit of a command, in which nothing happens on a machine that is busy


class OutOfTimeError(Exception):
    """The budget was used up in the middle of a race."""


class RaceCase(msgspec.Struct, frozen=True, kw_only=True):
    """op and its rival in one order: ``choices`` repeat it, ``order`` says it in words."""

    id: str
    label: str
    choices: tuple[int, ...]
    names: Names
    order: tuple[str, ...] = ()
    steps: tuple[RaceStep, ...] = ()
    layer: LayerName = "schedule"

    def play(self, place: Place, memory: Memory) -> Outcome:
        """See Case."""
        attempt = _Attempt(place, memory)
        done = replay_race(
            attempt.run, attempt.judge, self.choices, below=(place.below,), bounds=_bounds(place), hide=self.names
        )
        if done.verdict is None:
            return Outcome(met=False, op=done.why)
        return Outcome(judgement=attempt.judgement(done.verdict), op=attempt.op)


class Raced(NamedTuple):
    """What a search gave: the report, and its failures as cases with their outcomes."""

    report: RaceReport
    failing: tuple[tuple[RaceCase, Outcome], ...]


class _Attempt:
    """One sandbox in which the race is run again and again; the judgements by the words they were told in."""

    def __init__(self, place: Place, memory: Memory, out_of_time: Callable[[], bool] | None = None) -> None:
        self._place = place
        self._memory = memory
        self._known: dict[str, Judgement] = {}
        self._out_of_time = out_of_time
        self.op = ""

    def run(self, race: Race) -> list[Ended]:
        if self._out_of_time is not None and self._out_of_time():
            raise OutOfTimeError
        self._place.fresh()
        program = self._place.program
        assert program.rival is not None  # noqa: S101 - races are asked for only when there is one
        ends = self._place.together((program.op, program.rival), race.filter)
        late = [who for who, ended in zip(_WHO, ends, strict=True) if ended.timed_out]
        if late:  # how long it takes is up to us, who hold it at its calls
            race.say_nothing(f"{late[0]} was ended by its time limit while it was held at its calls")
        return ends

    def judge(self, ends: list[Ended]) -> str:
        return self._told(self._memory.judge(self._place, exit_of(ends[0]))[1])

    def _told(self, judgement: Judgement) -> str:
        text = "" if judgement.passed else f"{judgement.by}: {judgement.said}"
        self._known[text] = judgement
        return text

    def judgement(self, verdict: str) -> Judgement:
        """What was judged in those words; of a deadlock, which nobody was asked to judge, the words alone."""
        return self._known.get(verdict) or Judgement(not verdict, "schedule", verdict)


def race(
    place: Place, memory: Memory, names: Names, limit: int, seed: int, out_of_time: Callable[[], bool] | None = None
) -> Raced:
    """Run op and its rival in every order, at most ``limit`` depth-first and then some at random."""
    attempt = _Attempt(place, memory, out_of_time)
    report = RaceReport(cut="the budget was used up")
    stages = [*(stage for stage in _STAGES if stage < limit), limit] if out_of_time else [limit]
    try:
        for stage in stages:
            report = explore_races(
                attempt.run,
                attempt.judge,
                below=(place.below,),
                bounds=_bounds(place, stage, BEYOND if stage == limit else 0),
                seed=seed,
                hide=names,
            )
            if report.exhausted:
                break
    except OutOfTimeError:
        report = msgspec.structs.replace(report, cut="the budget was used up", exhausted=False)
    found = [
        (_case(failure.choices, failure.order, names), Outcome(judgement=attempt.judgement(failure.verdict)))
        for failure in report.failures
    ]
    return Raced(report, tuple(found))


def _bounds(place: Place, schedules: int = 1, beyond: int = 0) -> RaceBounds:
    return RaceBounds(schedules=schedules, beyond=beyond, idle_s=_PATIENCE * place.timeout_s, endless_s=place.timeout_s)


def _case(choices: tuple[int, ...], order: tuple[RaceStep, ...], names: Names) -> RaceCase:
    return RaceCase(
        id=id_of(choices),
        label=f"op and --with at once, in an order with {len(order)} steps",
        choices=choices,
        names=names,
        order=tuple(_told_step(step) for step in order),
        steps=order,
    )


def _told_step(step: RaceStep) -> str:
    child = f" (process {step.process + 1})" if step.process else ""
    return f"{_WHO[step.run]}{child}: {step.name}({', '.join(step.paths)})"


def id_of(choices: Sequence[int]) -> str:
    """``S0x3-1x2``: three steps of process 0, then two of process 1; ``1.2`` is a process that process 1 started."""
    return "S" + "-".join(f"{_short(who)}x{len(list(steps))}" for who, steps in itertools.groupby(choices))


def _short(who: int) -> str:
    """A number as digits to the base of its parts, the last ones left out while they are 0."""
    digits = [str(who // _PART**place % _PART) for place in reversed(range(_PARTS))]
    while len(digits) > 1 and digits[-1] == "0":
        digits.pop()
    return ".".join(digits)


def _long(text: str) -> int:
    digits = [int(part) for part in text.split(".")]
    return sum(digit * _PART ** (_PARTS - 1 - place) for place, digit in enumerate(digits))


def choices_of(text: str) -> tuple[int, ...]:
    """The choices in an id; ValueError when it is none."""
    if not text.startswith("S"):
        raise ValueError(text)
    pairs = [part.split("x") for part in text[1:].split("-")]
    return tuple(_long(who) for who, number in pairs for _ in range(int(number)))


def case_of(text: str, names: Names) -> RaceCase:
    """The case that an id names; ValueError when it is none."""
    return _case(choices_of(text), (), names)
