"""Many agents at once under one virtual clock: reproducible, sound, and able to find what is wrong. Issue 5, item 6."""

import json

import pytest
from playing import played

from harness.core.events import (
    AttemptStarted,
    BreakerMoved,
    BreakerTold,
    CallPermitted,
    ClockStepped,
    Diagnosed,
    ErrorsReported,
    FailureRecorded,
    MachineRestarted,
    NonBlockingFailed,
    RecoveryEnded,
    SessionCut,
    StorageChanged,
)
from harness.ports.clock import to_seconds
from harness.ports.fake_files import FakeFiles
from harness.runtime.mutants import MUTANTS
from harness.runtime.order import broken_together
from harness.simulation.archive import LOGGED
from harness.simulation.mishaps import CAUSES
from harness.simulation.profiles import PROFILES
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly
from harness.simulation.virtual_time import START, TICKS_PER_S

# equal on every machine and Python; a change of what is simulated, or of an event's words, changes them on purpose
DIGESTS = {
    "calm": "a6b8e547b4eeb5b97775cd7a0e1ba02b146338b24cc82e0a30728dd3ff45082d",
    "flaky": "2a2122d53a1e71512aa9b199a9beeb70ba8af8ab751365eeee3b7e5b1c4309f0",
    "hostile": "79510bccfd247414c17914f997bc18a09d4c4b2e6e50e8c356e51d31c7cd6ff3",
}


# what an invariant sees of a mutant, too
SEEN_BY_INVARIANTS = {"unrecorded": ("INV-04",), "logged-at-the-end": ("INV-04",), "never-asked": ("INV-08",)}


def kinds(events, *wanted):
    return [event for _, event in events if isinstance(event, wanted)]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_seed_gives_the_same_digest_on_every_machine(profile):
    simulation, _ = played(profile=profile)
    assert simulation.digest == DIGESTS[profile]


def test_another_seed_number_of_agents_or_profile_gives_another_digest():
    digests = {played(**plan)[0].digest for plan in ({}, {"seed": 2}, {"agents": 3}, {"profile": "flaky"})}
    assert len(digests) == 4


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(3))
def test_the_references_keep_every_rule_in_every_weather(profile, seed):
    simulation, _ = played(days=2, seed=seed, profile=profile)
    assert dict(simulation.broken) == {}


def test_checking_event_by_event_finds_what_checking_at_the_end_finds():
    simulation, events = played(profile="hostile", kind=MUTANTS["failure-untold"].session)
    lived = [(session, event) for session, event in events if session not in simulation.latest]
    assert set(broken_together(lived)) == set(simulation.broken) == {"INT-05"}


@pytest.mark.parametrize(
    "name",
    [
        "unrecorded",
        "repeat-forgotten",
        "told-twice",
        "refusal-counted",
        "delay-halved",
        "fell-back-early",
        "polling",
        "record-shared",
        "first-only",
        "never-asked",
        "stopped-by-commit",
        "last-reported",
        "strategy-repeated",
        "success-diagnosed",
        "logged-at-the-end",
        "failure-kept",
        "no-checkpoint",
        "requirements-unread",
        "failure-uncounted",
        "unreviewed",
    ],
)
def test_a_mutant_of_the_wiring_is_found_in_a_simulation_too(name):
    simulation, _ = played(profile="flaky", kind=MUTANTS[name].session)
    assert set(simulation.broken) == {MUTANTS[name].rule, *SEEN_BY_INVARIANTS.get(name, ())}


def test_agents_that_do_not_share_the_state_file_are_found():
    """LK-CB-01: one file for all."""

    class Apart(Assembly):
        def of(self, agent, files, clock):
            return super().of(agent, files, clock)._replace(breaker=super().of(agent, FakeFiles(), clock).breaker)

    simulation, _ = played(profile="flaky", assembly=Apart(HOME))
    assert "INT-18" in simulation.broken


def test_agents_share_breakers_through_the_one_state_file():
    simulation, events = played(profile="flaky")
    assert f"{HOME}/.loki/state/circuit-breakers.json" in simulation.files.contents
    told = {session.rsplit("-", 1)[0] for session, event in events if isinstance(event, BreakerTold)}
    moved = {session.rsplit("-", 1)[0] for session, event in events if isinstance(event, BreakerMoved)}
    assert told == {"agent-0", "agent-1", "agent-2", "agent-3"}
    assert len(moved) > 1


def test_calls_of_agents_overlap():
    _, events = played()
    running, most = set(), 0
    for session, event in events:
        if isinstance(event, AttemptStarted) and event.provider:
            running.add(session)
        elif isinstance(event, BreakerTold):
            running.discard(session)
        most = max(most, len(running))
    assert most == 4


def test_calm_weather_has_no_trouble_and_hostile_weather_has_all_of_it():
    trouble = (StorageChanged, ClockStepped, MachineRestarted, SessionCut)
    assert kinds(played(days=3, profile="calm")[1], *trouble) == []
    assert {type(event) for event in kinds(played(days=3, profile="hostile")[1], *trouble)} == set(trouble)


def test_a_full_disk_keeps_failures_from_being_stored_and_nothing_else():
    _, events = played(days=3, profile="hostile")
    full, stored = False, {True: set(), False: set()}
    for _, event in events:
        if isinstance(event, StorageChanged):
            full = event.full
        elif isinstance(event, FailureRecorded):
            stored[full].add(event.stored)
    assert stored == {True: {False}, False: {True}}


def test_a_clock_that_is_set_back_shows_in_the_times_of_events():
    _, events = played(days=3, profile="hostile")
    times = [to_seconds(event.at) for _, event in events]
    assert times != sorted(times)
    assert [event.by_s for event in kinds(events, ClockStepped) if event.by_s < 0]


def test_time_begins_where_it_is_said_and_only_counts_whole_ticks():
    _, events = played()
    elapsed = [to_seconds(event.at) - to_seconds(START) for _, event in events]
    assert min(elapsed) >= 0
    assert max(elapsed) < 2 * 86_400, "a day more, in which everything ends"
    assert all((each * TICKS_PER_S).is_integer() for each in elapsed)


def test_an_agent_that_died_leaves_its_probe_and_others_go_on():
    """LK-CB-17: a lost probe frees its slot after the interval."""
    simulation, events = played(days=2, seed=0, profile="hostile")
    cut = {session for session, event in events if isinstance(event, SessionCut)}
    open_probes = {}
    for session, event in events:
        if isinstance(event, CallPermitted) and event.state == "HALF_OPEN":
            open_probes[session] = True
        elif isinstance(event, BreakerTold):
            open_probes.pop(session, None)
    assert cut & set(open_probes), "one of them died in the middle of a probe"
    assert dict(simulation.broken) == {}


def test_an_interruption_ends_it_between_two_steps():
    simulation = Simulation(Plan(1, 2, 1), Assembly(HOME))
    asked = iter(range(1000))
    assert simulation.run(interrupted=lambda: next(asked) == 100) is False
    assert 0 < simulation.clock.ticks < 86_400 * TICKS_PER_S


def test_it_stops_at_an_event_and_keeps_what_led_to_it():
    whole, _ = played(profile="flaky", kind=MUTANTS["told-twice"].session)
    first = whole.first["INT-06"]
    again = Simulation(Plan(1, 4, 1, "flaky"), Assembly(HOME), MUTANTS["told-twice"].session)
    assert again.run(until=first.event.number)
    assert again.led_to == (*first.before, first.event)


def test_files_of_sessions_that_ended_are_tidied_away():
    simulation, _ = played(days=2)
    assert len(simulation.files.contents) < 100


def test_the_file_of_the_error_log_stays_small_and_loses_no_record_of_the_session_that_writes_it():
    simulation, events = played(profile="hostile")
    kept = json.loads(simulation.files.read(f"{HOME}/specs/errors.json", 1 << 20))["errors"]
    recorded = [event.record_id for _, event in events if type(event) is FailureRecorded]
    assert 0 < len(kept) < 4 * LOGGED < len(recorded)
    assert {each["id"] for each in kept} <= set(recorded)


def test_patterns_are_learned_over_the_days_and_by_all_agents():
    """DR-LRN-01, DR-LRN-02."""
    _, events = played(days=4, profile="hostile")
    diagnosed = [(session, event.reflection) for session, event in events if type(event) is Diagnosed]
    third = len(diagnosed) // 3
    fast = [sum(reflection == "fast" for _, reflection in part) for part in (diagnosed[:third], diagnosed[-third:])]
    assert fast[0] < fast[1]
    learned = {session.rsplit("-", 1)[0] for session, reflection in diagnosed if reflection == "fast"}
    assert learned == {"agent-0", "agent-1", "agent-2", "agent-3"}


def test_what_fails_beside_the_work_is_reported_at_the_end_of_each_session():
    """ER-NB-03; what a session that died has left, its agent's next one reports."""
    _, events = played(days=2, profile="flaky")
    failed = [event.name for _, event in events if type(event) is NonBlockingFailed]
    reported = [name for _, event in events if type(event) is ErrorsReported for name in event.names]
    assert len(failed) > 20
    assert set(reported) <= set(failed)
    assert len(reported) > 0.9 * len(failed), "the sessions that still run have reported nothing yet"


def test_the_simulation_knows_which_cause_it_planted():
    simulation, _ = played(profile="flaky")
    accuracy = next(metric for metric in simulation.metrics.told() if metric.name == "root cause accuracy")
    assert accuracy.count > 50
    assert accuracy.value > 0.8


def test_tools_fail_in_all_ten_types_and_recoveries_end_either_way():
    _, events = played(days=2, profile="hostile")
    types = {event.error_type for _, event in events if type(event) is Diagnosed}
    assert types >= {cause.value for cause in CAUSES}
    assert {event.succeeded for _, event in events if type(event) is RecoveryEnded} == {True, False}
