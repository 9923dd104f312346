"""The scenario files that a certificate rests on. Source: CERTIFICATION.md, "Determinism"; ARCHITECTURE.md."""

import shutil
from importlib import resources

import pytest

from harness.certify import corpus, materialise
from harness.certify.enumerated import is_known
from harness.core.clause import Level
from harness.core.scenario import dump
from harness.errors import FileFormatError, HarnessFault, UsageError
from harness.faults import catalogue as faults
from harness.systems import registry

SYSTEMS = registry.NAMES


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of scenarios/ that a test may change."""
    folder = tmp_path / "scenarios"
    shutil.copytree(corpus.directory(), folder)
    monkeypatch.setattr(corpus, "directory", lambda: folder)
    return folder


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_files_on_disk_are_exactly_what_the_code_enumerates(system):
    """When red: `python -m harness.certify.materialise`, and look at the difference."""
    on_disk = {path.name: path.read_text("utf-8") for path in (corpus.directory() / system).glob("*.yaml")}
    enumerated = corpus.materialised(system)
    assert sorted(enumerated) == sorted(on_disk)
    assert [] == [name for name in enumerated if enumerated[name] != on_disk[name]]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_files_are_known_to_come_from_the_sources_as_they_are(system):
    """When red: `python -m harness.certify.materialise`. Nothing is wrong till then, but every run reads every file."""
    on_disk = {path.name: path.read_bytes() for path in (corpus.directory() / system).glob("*.yaml")}
    assert is_known(system, on_disk)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_clause_is_named_by_a_scenario_of_each_profile_it_shows_in(system):
    catalogue = registry.get(system).catalogue
    covered = {(clause, scenario.profile) for scenario in corpus.scenarios(system) for clause in scenario.clauses}
    wanted = {(clause.id, profile) for clause in catalogue for profile in clause.profiles if clause.level is Level.MUST}
    named = {clause for clause, _ in covered}
    nowhere = ["DR-MET-01"] if system == "diagnosis" else []  # a share of an agent's recoveries: no operation shows it
    assert nowhere == [clause.id for clause in catalogue if clause.id not in named]
    assert nowhere == [clause.id for clause in catalogue if not clause.profiles]
    assert [] == sorted(wanted - covered)


@pytest.mark.parametrize("system", SYSTEMS)
def test_ids_are_unique_and_in_order(system):
    ids = [scenario.id for scenario in corpus.scenarios(system)]
    assert sorted(set(ids)) == ids


@pytest.mark.parametrize("system", SYSTEMS)
def test_scenarios_name_only_clauses_faults_groups_and_operations_there_are(system):
    known = registry.get(system)
    groups = {None, *known.catalogue.groups}
    kinds = {kind.name for kind in faults.EVERY}
    for scenario in corpus.scenarios(system):
        assert system == scenario.system
        assert scenario.clauses, scenario.id
        assert all(clause in known.catalogue for clause in scenario.clauses), scenario.id
        assert scenario.group in groups, scenario.id
        steps = [*scenario.steps, *(inner for step in scenario.steps if step.repeat for inner in step.repeat.steps)]
        operations = [step.op for step in steps if step.op]
        operations += [op for step in steps if step.schedule for op in step.schedule.together]
        assert {step.fault.name for step in steps if step.fault} <= kinds, scenario.id
        assert {op.name for op in operations} <= {"reset", *known.contract.OPERATIONS}, scenario.id


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_clause_is_named_only_where_its_profile_shows_it(system):
    catalogue = registry.get(system).catalogue
    for scenario in corpus.scenarios(system):
        assert all(scenario.profile in catalogue[clause].profiles for clause in scenario.clauses), scenario.id


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_reference_plays_every_scenario_of_its_profile(system):
    """One of a group that it does not have would be left out without a word, and the mutants that only it kills."""
    known = registry.get(system)
    played = [each for each in corpus.scenarios(system) if each.profile == known.served_profile]
    assert played
    assert {each.group for each in played} <= {None, *known.served_groups}


def test_a_changed_file_is_another_suite(copy):
    before = corpus.digest(SYSTEMS)
    assert before == corpus.digest(SYSTEMS)
    path = next((copy / SYSTEMS[0]).glob("*.yaml"))
    path.write_text(path.read_text() + "\n")
    assert before != corpus.digest(SYSTEMS)


def test_a_renamed_and_a_removed_file_are_other_suites(copy):
    digests = [corpus.digest(SYSTEMS)]
    path = max((copy / SYSTEMS[0]).glob("*.yaml"))  # under its new name it still comes last
    moved = path.rename(path.with_name("zz-renamed.yaml"))
    digests.append(corpus.digest(SYSTEMS))
    moved.unlink()
    digests.append(corpus.digest(SYSTEMS))
    assert 3 == len(set(digests))


def test_a_regression_is_part_of_the_corpus(copy):
    before = {scenario.id for scenario in corpus.scenarios(SYSTEMS[0])}
    first = corpus.scenarios(SYSTEMS[0])[0]
    folder = copy / "regressions" / SYSTEMS[0]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "found-once.yaml").write_text(dump(first).replace(f"id: {first.id}", "id: found-once", 1))
    assert {"found-once"} == {scenario.id for scenario in corpus.scenarios(SYSTEMS[0])} - before


def test_a_file_has_the_name_of_its_scenario():
    ids = {scenario.id for system in SYSTEMS for scenario in corpus.scenarios(system)}
    assert ids == set(corpus.paths())


@pytest.mark.parametrize("folder", ["{system}/found", "regressions/{system}"])
def test_what_search_built_and_regressions_are_part_of_the_plan_and_of_its_digests(copy, folder):
    system = SYSTEMS[0]
    before, plan = corpus.digest(SYSTEMS), corpus.plan(SYSTEMS)
    first = corpus.scenarios(system)[0]
    path = copy / folder.format(system=system) / "found-once.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(first).replace(f"id: {first.id}", "id: found-once", 1))
    assert "found-once" in {scenario.id for scenario in corpus.scenarios(system)}
    assert (plan.files + 1, True) == (corpus.plan(SYSTEMS).files, plan.sha256 != corpus.plan(SYSTEMS).sha256)
    assert before != corpus.digest(SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_plan_is_every_scenario_file_of_the_system(system):
    files = [path for path in corpus.directory().rglob("*.yaml") if system in path.parts]
    assert len(files) == corpus.plan((system,)).files == len(corpus.scenarios(system))


def test_a_file_in_another_folder_is_another_plan(copy):
    """Its name alone would not tell a scenario of the enumeration from one that search built."""
    before = corpus.plan(SYSTEMS).sha256
    path = min((copy / SYSTEMS[0]).glob("*.yaml"))
    (copy / SYSTEMS[0] / "found").mkdir(exist_ok=True)
    path.rename(copy / SYSTEMS[0] / "found" / path.name)
    assert before != corpus.plan(SYSTEMS).sha256


def test_generating_takes_away_what_is_enumerated_no_more_and_keeps_what_search_built(tmp_path, monkeypatch):
    enumerated = tmp_path / "scenarios" / SYSTEMS[0]
    (enumerated / "found").mkdir(parents=True)
    for path in (enumerated / "found" / "kept.yaml", enumerated / "old.yaml"):
        path.write_text("as it was")
    monkeypatch.setattr(materialise, "generated", lambda: {f"scenarios/{SYSTEMS[0]}/new.yaml": "new"})
    assert 1 == materialise.write(tmp_path)
    assert ["found/kept.yaml", "new.yaml"] == sorted(
        path.relative_to(enumerated).as_posix() for path in enumerated.rglob("*.yaml")
    )


def test_two_files_of_one_id_are_refused(copy):
    folder = copy / SYSTEMS[0] / "found"
    folder.mkdir(exist_ok=True)
    first = corpus.scenarios(SYSTEMS[0])[0]
    (folder / "again.yaml").write_text(dump(first))
    with pytest.raises(HarnessFault, match=f"two scenario files of {SYSTEMS[0]} hold the id {first.id}"):
        corpus.scenarios(SYSTEMS[0])


def test_a_scenario_file_that_gives_a_key_twice_is_refused(copy):
    path = min((copy / SYSTEMS[0]).glob("*.yaml"))
    path.write_text(path.read_text() + "format: 1\n")
    with pytest.raises(FileFormatError, match=f"^{path.name} is not a scenario file: the key 'format' is given twice"):
        corpus.scenarios(SYSTEMS[0])


def test_a_broken_scenario_file_is_named(copy):
    (copy / SYSTEMS[0] / "broken.yaml").write_text("format: 1\n")
    with pytest.raises(FileFormatError, match=r"^broken\.yaml is not a scenario file"):
        corpus.scenarios(SYSTEMS[0])


def test_a_system_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(UsageError, match="there is no system 'gate'; this version has: stop_gate"):
        corpus.scenarios("gate")


def test_two_scenarios_of_one_id_are_a_fault_of_ours(monkeypatch):
    first = corpus.scenarios(SYSTEMS[0])[0]
    monkeypatch.setattr(registry.get(SYSTEMS[0]).workload, "boundaries", lambda: [first, first])
    with pytest.raises(HarnessFault, match=f"two scenarios of {SYSTEMS[0]} are called {first.id}"):
        corpus.materialised(SYSTEMS[0])


def test_a_copy_without_scenarios_says_how_to_mend_it(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "files", lambda package: tmp_path / "harness")
    with pytest.raises(HarnessFault, match="install it again"):
        corpus.directory.__wrapped__()


def test_an_installed_copy_reads_the_scenarios_packed_into_it(tmp_path, monkeypatch):
    packed = tmp_path / "harness" / "_scenarios"
    packed.mkdir(parents=True)
    monkeypatch.setattr(resources, "files", lambda package: tmp_path / "harness")
    assert packed == corpus.directory.__wrapped__()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_scenario_survives_being_written_and_read(system):
    """What is read here was written from the enumeration; see the first test."""
    read = {scenario.id: scenario for scenario in corpus.scenarios(system)}
    enumerated = list(registry.get(system).workload.boundaries())
    assert enumerated
    for scenario in enumerated:
        assert scenario == read[scenario.id]
