"""Random stories played against a right breaker of random readings: no clause may fail, whatever happens."""

import random

import pytest
from tiny_breaker import Tiny

from harness.core.finding import CheckVerdict
from harness.core.scenario import ClockStep, Operation, Scenario, Schedule, Step, World
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("circuit_breaker")
KNOBS = {
    "window_kind": ("sliding", "tumbling"), "edge": ("in", "out"), "success": ("leaves", "clears"),
    "origin": ("start", "end", "slots"), "stamp": ("due", "call"), "surplus": ("refused", "queued", "blocked"),
    "late": ("ignored", "counted"), "reopened_count": (0, 1, 3), "keeps_failure": (False, True),
    "multiplicative": (False, True),
}  # fmt: skip
TIMES = (0.5, 0.000001, 1, 5, 9, 9.999999, 10, 10, 10, 11, 20, 30, 59, 60, 61, 100, 290, 299, 300, 300, 301)


class Story:
    def __init__(self, draw):
        self.draw, self.steps, self.calls, self.number = draw, [], {"a": [], "b/c": []}, 0
        self.names = ("a", "b/c")[: draw.choice((1, 1, 2))]
        self.goes_back = draw.random() < 0.2

    def acquire(self, name):
        self.number += 1
        self.calls[name].append(f"c{self.number}")
        return Operation("acquire", {"name": name, "call": f"c{self.number}"})

    def record(self, name, call):
        if self.draw.random() < 0.5:
            return Operation("record", {"name": name, "call": call, "outcome": "success"})
        return Operation(
            "record", {"name": name, "call": call, "outcome": "failure", "error": f"E{self.draw.randrange(3)}"}
        )

    def step(self):
        name, process, kind = self.draw.choice(self.names), self.draw.choice((0, 0, 0, 1)), self.draw.random()
        if kind < 0.28:
            return Step(process, op=self.acquire(name))
        if kind < 0.62 and self.calls[name]:
            last = self.draw.randrange(len(self.calls[name])) if self.draw.random() < 0.4 else -1
            return Step(process, op=self.record(name, self.calls[name].pop(last)))
        if kind < 0.72:
            return Step(process, op=Operation("inspect", {"name": name}))
        if kind < 0.76:
            return Step(process, op=Operation("capacity", {"agents": self.draw.choice((1, 2, 3, 5, 8))}))
        if kind < 0.80:
            return Step(schedule=Schedule(tuple(self.acquire(self.draw.choice(self.names)) for _ in range(3))))
        if kind < 0.84 and len(self.calls[name]) > 1:
            told = tuple(self.record(name, self.calls[name].pop()) for _ in range(min(4, len(self.calls[name]))))
            return Step(schedule=Schedule(told))
        back = self.goes_back and self.draw.random() < 0.15
        return Step(clock=ClockStep(self.draw.choice(TIMES) * (-1 if back else 1)))


@pytest.mark.parametrize("seed", range(150))
def test_no_clause_fails_for_a_right_breaker(seed):
    draw = random.Random(seed)
    knobs = {name: draw.choice(values) for name, values in KNOBS.items()}
    story = Story(draw)
    steps = tuple(story.step() for _ in range(draw.randrange(10, 60)))
    scenario = Scenario(
        1, f"random-{seed}", "random", "circuit_breaker", "breaker", (), World("2026-03-01T12:00:00Z"), steps
    )
    with DirectSession("breaker", lambda config: Tiny(config, **knobs)) as session:
        history = play(scenario, session, SYSTEM.inputs_of)
    found = SYSTEM.judge(scenario, history, SYSTEM.catalogue)
    assert [finding for finding in found if finding.verdict is not CheckVerdict.PASS] == []
