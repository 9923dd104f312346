"""Scenarios are made anew only where the files and the sources are the ones they were materialised from."""

import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import msgspec
import pytest

from harness.certify import corpus, enumerated
from harness.core.scenario import dump
from harness.systems import registry

SYSTEM = "rate_limit"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the files of one system, and no cache of what was read before."""
    folder = tmp_path / "scenarios"
    shutil.copytree(corpus.directory() / SYSTEM, folder / SYSTEM)
    monkeypatch.setattr(corpus, "directory", lambda: folder)
    return folder / SYSTEM


@pytest.fixture
def read(monkeypatch):
    """The names of the files that were read as YAML."""
    names = []
    load = corpus.load
    monkeypatch.setattr(corpus, "load", lambda text, where: names.append(where) or load(text, where=where))
    return names


def kept(folder):
    return {path.name for path in folder.rglob("*.yaml") if path.parent != folder}


def test_files_that_are_what_the_code_enumerates_are_not_read(copy, read):
    assert 100 < len(corpus.scenarios(SYSTEM))
    assert kept(copy) == set(read)


def test_what_a_changed_file_holds_is_what_is_played(copy, read):
    before = corpus.scenarios(SYSTEM)
    path = copy / f"{before[0].id}.yaml"
    path.write_text(dump(msgspec.structs.replace(before[0], title="Another one.")))
    after = corpus.scenarios(SYSTEM)
    assert {"Another one."} == {each.title for each in after} - {each.title for each in before}
    assert path.name in read


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.rename(path.with_name("renamed.yaml"))])
def test_a_file_that_is_missing_or_has_another_name_makes_all_of_them_read(copy, read, change):
    change(next(copy.glob("*.yaml")))
    corpus.scenarios(SYSTEM)
    assert {path.name for path in copy.rglob("*.yaml")} == set(read)


def test_a_changed_source_makes_all_of_them_read(copy, read, monkeypatch):
    of = enumerated.known()[SYSTEM]
    monkeypatch.setattr(enumerated, "known", lambda: {SYSTEM: msgspec.structs.replace(of, sources="0" * 64)})
    corpus.scenarios(SYSTEM)
    assert {path.name for path in copy.rglob("*.yaml")} == set(read)


def test_an_enumeration_of_other_scenarios_than_the_files_makes_all_of_them_read(copy, read, monkeypatch):
    made = corpus._boundaries(SYSTEM)
    monkeypatch.setattr(corpus, "_boundaries", lambda system: made[1:])
    assert made[0].id in {each.id for each in corpus.scenarios(SYSTEM)}
    assert {path.name for path in copy.rglob("*.yaml")} == set(read)


def test_a_system_of_which_nothing_is_known_is_read(copy, read, monkeypatch):
    monkeypatch.setattr(enumerated, "known", dict)
    corpus.scenarios(SYSTEM)
    assert {path.name for path in copy.rglob("*.yaml")} == set(read)


@pytest.mark.parametrize("system", registry.NAMES)
def test_what_is_shipped_is_of_these_files_and_these_sources(system):
    """When red: `python -m harness.certify.materialise`."""
    files = {path.name: path.read_bytes() for path in (corpus.directory() / system).glob("*.yaml")}
    of = enumerated.known()[system]
    assert enumerated.files_digest(files) == of.files
    assert enumerated.sources_digest(system, of.modules) == of.sources


@pytest.mark.parametrize("system", registry.NAMES)
def test_the_sources_are_the_modules_of_the_enumeration_and_each_is_a_file(system):
    """Of the digest: one that is not found would be left out of it without a word."""
    modules = enumerated.known()[system].modules
    assert {"harness.core.scenario", f"harness.systems.{system}.workload"} <= set(modules)
    package = Path(str(resources.files("harness")))
    assert [] == [name for name in modules if not enumerated.source(package, name).is_file()]


def test_every_source_and_the_clauses_are_in_the_digest(tmp_path, monkeypatch):
    package = tmp_path / "harness"
    shutil.copytree(str(resources.files("harness")), package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(enumerated.resources, "files", lambda name: package.joinpath(*name.split(".")[1:]))
    modules = enumerated.known()[SYSTEM].modules
    before = enumerated.sources_digest(SYSTEM, modules)
    assert before == enumerated.known()[SYSTEM].sources
    for path in (
        package / "systems" / SYSTEM / "clauses.yaml",
        *(enumerated.source(package, name) for name in modules),
    ):
        text = path.read_bytes()
        path.write_bytes(text + b"\n# other\n")
        assert before != enumerated.sources_digest(SYSTEM, modules), path
        path.write_bytes(text)


@pytest.mark.parametrize("system", ["stop_gate", "rate_limit", "fallback"])
def test_what_is_asked_first_by_most_is_enumerated_without_hypothesis(system):
    """Whose import takes as long as all the rest."""
    asked = f"from harness.systems import registry; registry.get({system!r}).workload.boundaries()"
    words = [sys.executable, "-c", f"import sys; {asked}; print('hypothesis' in sys.modules)"]
    assert "False\n" == subprocess.run(words, capture_output=True, text=True, check=True).stdout
