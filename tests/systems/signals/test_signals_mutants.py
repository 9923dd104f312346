"""Every mutant is the reference with one attribute changed, and shows on the outside.

That the right clause kills it is for ``qualify`` to show; here it only has to differ somewhere from the reference.
"""

import functools
import re
from importlib import resources

import pytest
import yaml
from signals_battery import Battery, Struck, configuration

from harness.errors import UsageError
from harness.ports.files import FakeFiles
from harness.systems.signals.contract import SIGNALS
from harness.systems.signals.mutants import MUTANTS, create_mutant
from harness.systems.signals.reference import Signals, create

CLAUSES = yaml.safe_load(resources.files("harness.systems.signals").joinpath("clauses.yaml").read_bytes())["clauses"]
OF_LEVEL = {level: [name for name, each in MUTANTS.items() if each.level == level] for level in ("L1", "L2", "L3")}


def own(kind):
    return [name for name in vars(kind) if not re.fullmatch(r"__\w+__", name)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_changes_one_attribute(name):
    mutant = MUTANTS[name]
    assert (name, SIGNALS) == (mutant.name, mutant.profile)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)
    assert len(own(mutant.changed)) == len(own(mutant.implementation)) == 1
    assert hasattr(mutant.changed.__mro__[1], own(mutant.changed)[0])
    assert mutant.implementation.__mro__[1] is Signals
    assert mutant.description


def test_every_clause_that_binds_has_a_mutant_and_every_mutant_a_clause():
    killed = {mutant.clause for mutant in MUTANTS.values()}
    assert {clause["id"] for clause in CLAUSES if clause["level"] != "MAY"} == killed


def test_mutants_are_made_by_name():
    for name, mutant in MUTANTS.items():
        assert type(create_mutant(name, configuration(), FakeFiles())) is mutant.implementation
    assert isinstance(create_mutant(OF_LEVEL["L1"][0], configuration()), Signals)
    with pytest.raises(UsageError, match="nobody"):
        create_mutant("nobody", configuration())


@functools.cache
def reference(kind):
    return tuple(kind(create).run())


def told(name, kind):
    return tuple(kind(functools.partial(create_mutant, name)).run())


def test_the_reference_tells_the_same_twice():
    for kind in (Battery, Struck):
        assert len(reference(kind)) > 100
        assert tuple(kind(create).run()) == reference(kind)


@pytest.mark.parametrize("name", OF_LEVEL["L1"])
def test_a_mutant_of_l1_shows_in_calm_weather(name):
    assert told(name, Battery) != reference(Battery)


@pytest.mark.parametrize("name", [*OF_LEVEL["L2"], *OF_LEVEL["L3"]])
def test_a_mutant_of_a_higher_level_shows_only_there(name):
    assert told(name, Battery) == reference(Battery)


@pytest.mark.parametrize("name", OF_LEVEL["L2"])
def test_a_mutant_of_l2_shows_under_a_fault(name):
    assert told(name, Struck) != reference(Struck)
