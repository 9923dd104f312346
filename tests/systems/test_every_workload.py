"""What holds for the scenarios, candidates and mutants of every system; what is one system's own is in its folder."""

import functools
import itertools
import re
from importlib import import_module
from random import Random

import msgspec
import pytest
from scenario_checks import faults_of, operations

from harness.core.clause import Level
from harness.core.scenario import dump, load
from harness.errors import UsageError
from harness.faults import catalogue
from harness.ports.fake_files import FakeFiles
from harness.systems import registry
from harness.systems.struck_machine import RESTARTED

SYSTEMS = registry.NAMES
KEEP_FILES = (
    "circuit_breaker",
    "diagnosis",
    "error_log",
    "dead_letter",
    "signals",
    "session_recovery",
    "rationalization",
    "review_gate",
    "phase_runner",
)
# levels on which a clause can be shown at all: what no fault of L3 can touch is judged below it
UNEXPLORED = {"diagnosis": {"L3"}}
# what only scenarios meet
NOT_DRAWN = {
    "diagnosis": {
        "jsonl.long_line", "jsonl.deep_nesting", "filesystem.file_for_directory", "filesystem.parent_missing",
    },
}  # fmt: skip
# an example without readings, and a share of many recoveries
UNBREAKABLE = {"ER-LOG-06", "DR-MET-01"}
NAMES = [kind.name for kind in catalogue.EVERY]


@functools.cache
def scenarios(name):
    return registry.get(name).workload.boundaries()


def room(name, module):
    return import_module(f"harness.systems.{name}.workload.{module}")


@pytest.fixture(params=SYSTEMS)
def name(request):
    return request.param


@pytest.fixture(params=KEEP_FILES)
def keeper(request):
    return request.param


def test_faults_that_strike_while_an_operation_runs_are_unsteady(keeper):
    candidates = import_module(f"harness.systems.{keeper}.workload.candidates")
    assert (True, False) == (candidates.unsteady("process.killed"), candidates.unsteady("filesystem.full"))


def test_ids_are_unique_and_ordinary(name):
    ids = [scenario.id for scenario in scenarios(name)]
    assert len(ids) == len(set(ids))
    assert [] == [each for each in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each)]


def test_every_clause_that_is_named_is_one_of_the_catalogue_and_every_scenario_names_one(name):
    known = {clause.id for clause in registry.get(name).catalogue}
    assert set() == {clause for scenario in scenarios(name) for clause in scenario.clauses} - known
    assert [] == [scenario.id for scenario in scenarios(name) if not scenario.clauses]


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_every_must_clause_of_a_profile_is_named_on_every_level_that_can_show_it(name, level):
    system = registry.get(name)
    if level in UNEXPLORED.get(name, ()):
        assert any(scenario.level == level for scenario in scenarios(name))
        return
    for profile in system.contract.PROFILES:
        of_profile = [each for each in scenarios(name) if (each.profile, each.level) == (profile, level)]
        named = {clause for scenario in of_profile for clause in scenario.clauses}
        musts = {clause.id for clause in system.catalogue.judged_in(profile) if clause.level is Level.MUST}
        assert set() == musts - named, profile


def test_every_scenario_says_what_its_last_operation_may_give_in_fields_of_the_contract(name):
    results = registry.get(name).contract.OPERATIONS.values()
    fields = {field for _, result in results for field in result.__struct_fields__ if field != "log"}
    assert [] == [scenario.id for scenario in scenarios(name) if not scenario.allowed]
    assert set() == {field for scenario in scenarios(name) for one in scenario.allowed for field in one} - fields


def test_the_operations_of_the_contract_are_asked_for_and_no_other(name):
    asked = {operation.name for operation in operations(scenarios(name))}
    assert set(registry.get(name).contract.OPERATIONS) == asked


def test_every_operation_has_arguments_of_the_contract(keeper):
    known = registry.get(keeper).contract.OPERATIONS
    for operation in operations(scenarios(keeper)):
        msgspec.convert(operation.args, known[operation.name][0])


def test_every_scenario_of_the_third_level_explores_one_step(name):
    explored = [sum(step.explore is not None for step in each.steps) for each in scenarios(name) if each.level == "L3"]
    assert {1} == set(explored)


def test_times_are_whole_microseconds(name):
    moves = [step.clock.by_s for scenario in scenarios(name) for step in scenario.steps if step.clock is not None]
    assert [] == [by_s for by_s in moves if round(by_s, 6) != by_s]


def test_a_scenario_is_the_same_when_it_is_read_back(name):
    for scenario in scenarios(name)[::23]:
        assert scenario == load(dump(scenario), where=scenario.id)


def test_the_same_chance_composes_the_same_candidates(keeper):
    profile = registry.get(keeper).contract.PROFILES[0]
    one, other = (
        list(itertools.islice(room(keeper, "candidates").candidates(profile, Random(3), ["clock.back"], calm=True), 20))
        for _ in range(2)
    )
    assert one == other


def test_without_a_fault_that_has_a_place_there_are_calm_candidates_or_none(keeper):
    candidates = room(keeper, "candidates").candidates
    assert [] == list(candidates("", Random(1), ["network.refused"], calm=False))
    assert {"L1"} == {each.level for each in itertools.islice(candidates("", Random(1), [], calm=True), 3)}


def test_a_candidate_holds_the_fault_it_was_asked_for_at_most_and_is_told_in_a_line(keeper):
    candidates = room(keeper, "candidates")
    known = {clause.id for clause in registry.get(keeper).catalogue}
    for candidate in itertools.islice(candidates.candidates("", Random(7), NAMES, calm=True), 60):
        assert len(faults_of(candidate)) == (candidate.level == "L2")
        assert candidates.title(candidate).startswith("Found: ")
        assert set() == set(candidates.meant(candidate)) - known


def test_faults_that_strike_one_place_are_in_one_slot(keeper):
    candidates, combinations = room(keeper, "candidates"), room(keeper, "combinations")
    slots = combinations.slots("", NAMES)
    left = set(candidates.without_place("", NAMES)) - set(combinations.AT_CALLS)
    assert set(NAMES) - left == {name for slot in slots.values() for name in slot}
    for row in itertools.islice(itertools.product(*slots.values()), 5):
        assert set(row) == faults_of(combinations.combined("", row))


# -- machines


def machine(name):
    system = registry.get(name)
    return system.workload.machine(system.contract.PROFILES[0], ())


def test_every_fault_the_machine_draws_is_one_of_the_list_and_every_kind_that_the_scenarios_hold_is_drawn(keeper):
    drawn = {RESTARTED.name, *(fault.name for table in machine(keeper).FAULTS for fault in table.items)}
    assert set() == drawn - set(NAMES)
    held = {fault for scenario in scenarios(keeper) for fault in faults_of(scenario)}
    left = {fault for fault in held - drawn if not fault.startswith("identifier.")}  # drawn with the operations
    assert set() == left - {"clock.year_9999"} - NOT_DRAWN.get(keeper, set())


# -- mutants


def own(kind):
    return [name for name in vars(kind) if not re.fullmatch(r"__\w+__", name)]


def mutants(name):
    return registry.get(name).mutants.MUTANTS


def test_a_mutant_changes_one_attribute(name):
    profiles = registry.get(name).contract.PROFILES
    for mutant_name, mutant in mutants(name).items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", mutant_name), mutant_name
        assert mutant.name == mutant_name
        assert mutant.profile in profiles, mutant_name
        assert 1 == len(own(mutant.changed)), mutant_name
        assert hasattr(mutant.changed.__mro__[1], own(mutant.changed)[0]), mutant_name


def leads_to(part, changed):
    """Is it the changed class, or differs it only by parts that lead there?"""
    return part is changed or (own(part) != [] and all(leads_to(getattr(part, name), changed) for name in own(part)))


def test_an_implementation_that_is_a_mutant_differs_from_the_reference_by_the_changed_part_only(keeper):
    system = registry.get(keeper)
    right = type(system.reference.create(system.contract.Configuration("/world")))
    for mutant_name, mutant in mutants(keeper).items():
        assert leads_to(mutant.implementation, mutant.changed), mutant_name
        assert mutant.implementation.__mro__[1] is right, mutant_name


def test_mutants_are_made_by_name(keeper):
    system = registry.get(keeper)
    configuration = system.contract.Configuration("/world")
    for mutant_name, mutant in mutants(keeper).items():
        made = system.mutants.create_mutant(mutant_name, configuration, FakeFiles())
        assert type(made) is mutant.implementation, mutant_name
    in_real_files = next(mutant for mutant in mutants(keeper).values() if mutant.level == "L1")
    assert type(system.mutants.create_mutant(in_real_files.name, configuration)) is in_real_files.implementation


def test_descriptions_of_mutants_say_different_things(name):
    found = [(mutant.profile, mutant.description) for mutant in mutants(name).values()]
    assert all(description for _, description in found)
    assert len(found) == len(set(found))


def test_every_must_clause_has_a_mutant_and_every_mutant_a_clause(name):
    system = registry.get(name)
    killed = {mutant.clause for mutant in mutants(name).values()}
    assert set() == killed - {clause.id for clause in system.catalogue}
    assert set() == {clause.id for clause in system.catalogue if clause.level is Level.MUST} - killed


def test_every_clause_that_binds_and_that_an_operation_shows_has_a_mutant(keeper):
    killed = {mutant.clause for mutant in mutants(keeper).values()}
    binding = {clause.id for clause in registry.get(keeper).catalogue if clause.level is not Level.MAY}
    assert set() == binding - killed - UNBREAKABLE


def test_a_mutant_that_does_not_exist_is_refused_by_its_name(name):
    with pytest.raises(UsageError, match="nobody"):
        registry.get(name).mutants.create_mutant("nobody", None)
