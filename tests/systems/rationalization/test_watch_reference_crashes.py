"""The reference watch with each file call struck, at every crash, and with other processes at once."""

import pytest
from crash_checks import (
    assert_sound_at_every_error,
    assert_sound_in_every_order,
    assert_survives,
    outputs_of_processes,
)

from harness.explore.in_process.subject import Subject
from harness.ports.files import RealFiles
from harness.systems.rationalization.contract import ATTEMPTS_PATH, AttemptsArguments, Configuration, EnforceArguments
from harness.systems.rationalization.reference import create

NOW = 1_772_366_400.0
LOG = ATTEMPTS_PATH.removeprefix("{home}/")
OLD = b'{"timestamp": "2026-02-28T12:00:00Z", "agent": "a", "action": "old", "phrases": ["probably"]}\n'


def watch(home):
    return create(Configuration(home), RealFiles())


def excuse(home, action="new"):
    return watch(home).enforce(EnforceArguments("I think", action), NOW)


def told(home):
    return [each.action for each in watch(home).attempts(AttemptsArguments(), NOW).attempts]


@pytest.mark.parametrize("before", [{}, {LOG: b""}, {LOG: OLD}, {LOG: OLD + b'{"torn'}])
def test_what_was_logged_survives_any_kill_and_the_next_attempt_is_whole(home, before):
    old = ["old"] if before.get(LOG) else []

    def survives(done):
        found = told(home)
        if found not in ([*old, "new"], *([] if done else [old])):
            return f"{found} after it was {'done' if done else 'killed'}"
        result = excuse(home, "after")
        return "" if result.logged and told(home) == [*found, "after"] else f"{told(home)} after another"

    subject = Subject(home, before, lambda: excuse(home), recover=lambda: None, survives=survives)
    assert_survives(subject, "kill")


@pytest.mark.parametrize("before", [{}, {LOG: OLD}])
def test_whatever_call_fails_the_action_stops_and_the_answer_is_true(home, before):
    old = ["old"] if before.get(LOG) else []

    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        result = ended.result
        if result.proceeds or (not result.logged and not result.log):
            return repr(result)
        found = told(home)
        return "" if found in ([*old, "new"], *([] if result.logged else [old])) else f"{found} {result}"

    assert_sound_at_every_error(Subject(home, before, lambda: excuse(home), judge), 5)


def test_whatever_call_fails_the_attempts_are_told_or_that_they_cannot_be(home):
    def judge(ended):
        if ended.error is not None:
            return repr(ended.error)
        return "" if len(ended.result.attempts) == 1 or ended.result.log else repr(ended.result)

    subject = Subject(home, {LOG: OLD}, lambda: watch(home).attempts(AttemptsArguments(), NOW), judge)
    assert_sound_at_every_error(subject, 2)


def test_two_at_once_lose_no_attempt_in_any_order(home):
    def judge(ends):
        found = sorted(told(home))
        return "" if found == ["0", "1", "old"] and all(end.result.logged for end in ends) else f"{found}"

    bodies = [lambda number=number: excuse(home, str(number)) for number in range(2)]
    assert_sound_in_every_order(home, {LOG: OLD + b'{"torn'}, bodies, judge)


WORKER = """
import sys
from harness.systems.rationalization.contract import Configuration, EnforceArguments
from harness.systems.rationalization.reference import create

home, number = sys.argv[1], sys.argv[2]
watch = create(Configuration(home))
sys.stdin.readline()
for turn in range(25):
    told = watch.enforce(EnforceArguments("I think", f"{number}-{turn} " + "x" * 9000), 1e9)
    if not told.logged:
        sys.exit(str(told.log))
"""


def test_processes_at_once_lose_no_attempt(home):
    outputs_of_processes(WORKER, home, "012")
    found = [action.split()[0] for action in told(home)]
    for number in range(3):
        own = [each for each in found if each.startswith(f"{number}-")]
        assert own == [f"{number}-{turn}" for turn in range(25)]
