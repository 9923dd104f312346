"""What the tests of every system's scenarios share: what is in a scenario, and what playing it showed."""

from harness.core.finding import CheckVerdict
from harness.core.history import History


def faults_of(scenario):
    return {step.fault.name for step in scenario.steps if step.fault is not None}


def asked_in(step):
    if step.op is not None:
        return (step.op,) if step.op.name != "reset" else ()
    return step.schedule.together if step.schedule is not None else ()


def operations(scenarios, name=None):
    """Everything the scenarios ask for, or every operation of that name."""
    found = [each for scenario in scenarios for step in scenario.steps for each in asked_in(step)]
    return [each for each in found if name in (None, each.name)]


def widths(scenarios):
    """How many operations are asked for at once."""
    return {
        len(step.schedule.together) for scenario in scenarios for step in scenario.steps if step.schedule is not None
    }


def explored_steps(scenarios):
    """The steps that an exploration strikes or puts in order."""
    return [
        scenario.steps[number + 1]
        for scenario in scenarios
        for number, step in enumerate(scenario.steps)
        if step.explore is not None
    ]


def is_allowed(scenario, value):
    return any(all(value.get(name) == wanted for name, wanted in one.items()) for one in scenario.allowed)


def assert_breaks_nothing(system, scenario, history):
    findings = system.judge(scenario, history, system.catalogue)
    broken = [each for each in findings if each.verdict in (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR)]
    assert [] == broken, scenario.id


def is_refused(history):
    """Was a fault not put in place, or never met?"""
    standing = [injection for entry in history.entries for injection in entry.faults]
    return any(not injection.armed or not injection.proof for injection in standing)


def after_last_reset(history):
    resets = [entry.n for entry in history.entries if entry.op == "reset"]
    return History(tuple(entry for entry in history.entries if entry.n > resets[-1]))


def assert_witnessed(system, scenario, history):
    """Every clause the scenario names is witnessed in this part of its history."""
    findings = system.judge(scenario, history, system.catalogue)
    missed = [finding.clause for finding in findings if finding.verdict is CheckVerdict.INCONCLUSIVE]
    assert [] == missed, scenario.id
