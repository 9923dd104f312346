"""What level L3 asks of a stop gate, and which mutants show that it is asked. Source: issue 4, "Shows"; CERTIFICATION.md.

That each mutant is killed is for ``qualify`` to show.
"""

import pytest

from harness.certify import corpus
from harness.core.clause import Level
from harness.core.verdict import L3
from harness.explore.enumerated import explored_steps
from harness.qualify.layers import struck
from harness.systems import registry
from harness.systems.stop_gate.contract import GATE, STOP_HOOK
from harness.systems.stop_gate.mutants import MUTANTS
from harness.systems.stop_gate.workload.stop_steps import UNFINISHED, scenario, stop

SYSTEM = registry.get("stop_gate")
ENUMERATED = [scenario for scenario in corpus.scenarios("stop_gate") if scenario.level == L3]
MINE = {name for name, mutant in MUTANTS.items() if mutant.level == L3}
# what no scenario of the level names, and why; no MUST is among them
UNNAMED = {
    GATE: {"PS-MON-02"},  # SHOULD: alerts of a whole hour, which a kill takes no check from but the one it struck
    STOP_HOOK: {"PS-SES-05"},  # SHOULD: a date in the future, which no call of the hook writes
}
# the classical mistakes, and the mutants that make them
SHOWN = {
    "truncate in place": {
        GATE: {"count-cut-before-it-is-written", "counters-cut-before-they-are-written"},
        STOP_HOOK: {"hook-killed-holds-for-ever"},
    },
    "rename without fsync": {
        GATE: {"count-renamed-before-it-is-synced"},
        STOP_HOOK: {"hook-count-renamed-before-it-is-synced"},
    },
    "missing directory sync": {
        GATE: {"count-named-before-its-directory-is-synced"},
        STOP_HOOK: {"hook-count-named-before-its-directory-is-synced"},
    },
    "check-then-touch": {
        GATE: {"semaphore-looked-for-then-made"},
        STOP_HOOK: {"hook-end-looked-for-then-made", "hook-two-at-once-leave-it-to-each-other"},
    },
    # of a hook nothing is asked that is added up, but a bound on its blocks, which one block more still keeps
    "lost update": {GATE: {"counters-without-a-lock"}, STOP_HOOK: set()},
    "stale-lock takeover": {
        GATE: {"stale-lock-taken-over-by-two"},
        STOP_HOOK: {"hook-stale-lock-taken-over-by-two"},
    },
    "append after a torn line": {
        GATE: {"count-appended-to-a-torn-line"},
        STOP_HOOK: {"hook-count-stops-at-a-torn-line"},
    },
    "temporary file read as state": {
        GATE: {"temporary-semaphore-counts", "marker-of-a-killed-check-holds"},
        STOP_HOOK: {"hook-killed-puts-the-guard-to-sleep"},
    },
    "narrow except": {
        GATE: {
            "semaphore-io-error-escapes", "summary-quota-escapes", "config-io-error-escapes",
            "counters-io-error-blocks",
        },
        STOP_HOOK: {"hook-io-error-is-unfinished", "hook-io-error-exits-2"},
    },
    # where a session was held already, and only there
    "error of a later call": {
        GATE: {"busy-count-holds-for-ever"},
        STOP_HOOK: {"hook-busy-rename-holds-for-ever", "hook-unlink-refused-exits-2"},
    },
}  # fmt: skip


@pytest.mark.parametrize("profile", [GATE, STOP_HOOK])
def test_every_clause_is_named_at_the_level_but_those_that_cannot_show_there(profile):
    named = {clause for scenario in ENUMERATED if scenario.profile == profile for clause in scenario.clauses}
    asked = {clause.id: clause.level for clause in SYSTEM.catalogue if profile in clause.profiles}
    assert UNNAMED[profile] == set(asked) - named
    assert not [clause for clause in UNNAMED[profile] if asked[clause] is Level.MUST]


@pytest.mark.parametrize("scenario", ENUMERATED, ids=lambda scenario: scenario.id)
def test_a_scenario_of_the_level_explores_one_operation_and_asks_others_afterwards(scenario):
    (place,) = explored_steps(scenario)
    assert len(scenario.steps) > place + 2
    explored = scenario.steps[place + 1]
    kinds = scenario.steps[place].explore.kinds
    assert (explored.schedule is not None) == ("schedule" in kinds)
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("profile", [GATE, STOP_HOOK])
def test_each_kind_of_exploration_is_asked_of_both_profiles(profile):
    kinds = {word for scenario in ENUMERATED if scenario.profile == profile for word in struck(scenario)}
    wanted = {"syscall.errno", "syscall.killed", "syscall.torn", "syscall.power", "schedule"}
    assert wanted <= kinds


@pytest.mark.parametrize("mistake", SHOWN)
def test_each_classical_mistake_is_made_by_a_mutant_of_each_profile_where_it_can_show(mistake):
    for profile, names in SHOWN[mistake].items():
        assert names <= MINE
        assert {profile} >= {MUTANTS[name].profile for name in names}
    assert set(SHOWN[mistake]) == {GATE, STOP_HOOK}
    assert SHOWN[mistake][GATE]


def test_every_mutant_of_the_level_makes_one_of_them():
    assert MINE == {name for made in SHOWN.values() for names in made.values() for name in names}


@pytest.mark.parametrize("name", sorted(MINE))
def test_a_mutant_is_looked_for_where_its_clause_may_fail(name):
    mutant = MUTANTS[name]
    hinted = [each for each in ENUMERATED if each.profile == mutant.profile and _hinted(mutant.under, each)]
    assert hinted
    assert mutant.clause in {clause for each in hinted for clause in (*each.clauses, *ALWAYS_JUDGED)}


ALWAYS_JUDGED = ("SH-01", "SH-02")  # of every stop, whatever a scenario names


def _hinted(under, scenario):
    return under in struck(scenario) or under in scenario.id


def test_a_scenario_whose_last_stop_deserves_a_block_has_to_say_what_is_allowed():
    with pytest.raises(ValueError, match="its last step does not say what is allowed"):
        scenario("s", "s", (), (stop(UNFINISHED),))


def kinds_where(ends):
    """What is enumerated about the stops of hooks of which ``ends`` is true, given the steps before, it, and after."""
    kinds = set()
    for each in ENUMERATED:
        (place,) = explored_steps(each)
        resets = [n for n, step in enumerate(each.steps) if step.op is not None and step.op.name == "reset"]
        before, struck, after = each.steps[resets[-1] : place], each.steps[place + 1].op, each.steps[place + 2 :]
        if each.profile == STOP_HOOK and each.group is None and struck is not None and ends(before, struck, after):
            kinds |= set(each.steps[place].explore.kinds)
    return kinds


def of(steps, session_id):
    return [step.op for step in steps if step.op is not None and step.op.args.get("session_id") == session_id]


def test_a_held_session_is_struck_in_every_way_and_then_stopped_until_it_may_end():
    def asked(before, struck, after):
        return bool(of(before, struck.args["session_id"])) and any(step.repeat is not None for step in after)

    assert {"errno", "killed", "torn", "power"} == kinds_where(asked)


def test_a_held_session_that_is_finished_now_is_struck_in_every_way():
    def released(before, struck, after):
        held = [op for op in of(before, struck.args["session_id"]) if op.args["deserves"] == "block"]
        return bool(held) and struck.args["deserves"] == "approve"

    assert {"errno", "killed", "torn", "power"} == kinds_where(released)
