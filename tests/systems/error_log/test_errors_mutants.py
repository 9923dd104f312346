"""Every mutant is the reference with one attribute changed, and shows on the outside.

That the right clause kills it is for ``qualify`` to show; here it only has to differ somewhere from the reference.
"""

import functools
import re
from importlib import resources

import pytest
import yaml
from errors_battery import Battery, Struck, configuration
from errors_reference_world import Failing

from harness.errors import UsageError
from harness.ports.files import FakeFiles
from harness.systems.error_log.contract import LOG
from harness.systems.error_log.mutants import MUTANTS, create_mutant
from harness.systems.error_log.reference import ErrorLog, create

CLAUSES = yaml.safe_load(resources.files("harness.systems.error_log").joinpath("clauses.yaml").read_bytes())["clauses"]
L1 = [name for name, mutant in MUTANTS.items() if mutant.level == "L1"]
L2 = [name for name, mutant in MUTANTS.items() if mutant.level == "L2"]
L3 = [name for name, mutant in MUTANTS.items() if mutant.level == "L3"]
IMMEASURABLE = {"ER-LOG-06"}  # an example without readings: nothing can break it
DRAWN = re.compile(r"(err_x?|_)[0-9a-z]{6}(?=[^0-9a-z_])")


def own(kind):
    return [name for name in vars(kind) if not re.fullmatch(r"__\w+__", name)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_changes_one_attribute(name):
    mutant = MUTANTS[name]
    assert (name, LOG) == (mutant.name, mutant.profile)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)
    assert len(own(mutant.changed)) == len(own(mutant.implementation)) == 1
    assert hasattr(mutant.changed.__mro__[1], own(mutant.changed)[0])
    assert mutant.implementation.__mro__[1] is ErrorLog
    assert mutant.description


def test_every_clause_that_binds_has_a_mutant_and_every_mutant_a_clause():
    killed = {mutant.clause for mutant in MUTANTS.values()}
    assert killed <= {clause["id"] for clause in CLAUSES}
    assert {clause["id"] for clause in CLAUSES if clause["level"] != "MAY"} - IMMEASURABLE <= killed


def test_descriptions_say_different_things():
    assert len(MUTANTS) == len({mutant.description for mutant in MUTANTS.values()})


def test_mutants_are_made_by_name():
    for name, mutant in MUTANTS.items():
        assert type(create_mutant(name, configuration(), FakeFiles())) is mutant.implementation
    assert isinstance(create_mutant(L1[0], configuration()), ErrorLog)
    with pytest.raises(UsageError, match="nobody"):
        create_mutant("nobody", configuration())


def transcript(kind, make):
    return tuple(DRAWN.sub(r"\1", said) for said in kind(make, Failing).run())


@functools.cache
def reference(kind):
    return transcript(kind, create)


def told(name, kind):
    return transcript(kind, functools.partial(create_mutant, name))


def test_the_reference_tells_the_same_twice():
    for kind in (Battery, Struck):
        assert len(reference(kind)) > 100
        assert transcript(kind, create) == reference(kind)


@pytest.mark.parametrize("name", L1)
def test_a_mutant_of_l1_shows_in_calm_weather(name):
    assert told(name, Battery) != reference(Battery)


@pytest.mark.parametrize("name", [*L2, *L3])
def test_a_mutant_of_a_higher_level_shows_only_there(name):
    assert told(name, Battery) == reference(Battery)


@pytest.mark.parametrize("name", L2)
def test_a_mutant_of_l2_shows_under_a_fault(name):
    assert told(name, Struck) != reference(Struck)
