"""Generated mutants: where the operators fit, and a reference that is imported with one place changed."""

import math
import subprocess
import sys
from collections import Counter

import pytest

from harness.errors import UsageError
from harness.qualify import subjects
from harness.qualify.operators import OPERATORS, is_general
from harness.qualify.places import PORTS, Places, install
from harness.qualify.qualification import MOST_EQUIVALENT, equivalents, kind_of
from harness.systems import registry

SITE = "one-more@reference.backoff:RateLimit.may_retry#1"
ASKED = """
import sys
from collections import Counter
from harness.qualify.places import install
if sys.argv[1:]:
    install("rate_limit", sys.argv[1])
from harness.systems.rate_limit.contract import Configuration, DelayArguments
from harness.systems.rate_limit.reference import create
made = create(Configuration(home="/tmp"))
print([made.next_delay(DelayArguments(retry=number)).retry for number in (5, 6, 7)])
"""


def answers(*words):
    done = subprocess.run([sys.executable, "-c", ASKED, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_place_that_is_changed_shows_in_what_is_imported_then():
    assert "[True, False, False]" == answers()
    assert "[True, True, False]" == answers(SITE)


@pytest.mark.parametrize("system", registry.NAMES)
def test_every_system_has_places_in_functions_that_cite_a_clause(system):
    some, all_ = Places(system).sites, Places(system, everywhere=True).sites
    assert some
    assert some.keys() <= all_.keys()


def test_every_operator_fits_somewhere():
    fitting = {site.operator for system in registry.NAMES for site in Places(system).sites.values()}
    assert {operator.name for operator in OPERATORS} == fitting


def test_only_a_reference_that_writes_has_places_in_the_ports():
    assert [] == [site for site in Places("rate_limit").sites.values() if site.module == PORTS]
    scopes = {site.scope for site in Places("review_gate").sites.values() if site.module == PORTS}
    assert {"RealFiles.replace"} == scopes


@pytest.mark.parametrize(
    ("site", "why"),
    [
        ("one-more@reference.backoff:RateLimit.may_retry#1", "is imported already"),
        ("one-more@reference.nothing:f#1", "has no place"),
        ("nonsense", "has no place"),
    ],
)
def test_a_place_that_cannot_be_changed_is_a_usage_error(site, why):
    import harness.systems.rate_limit.reference.backoff  # noqa: F401 - so that it is too late

    with pytest.raises(UsageError, match=why):
        install("rate_limit", site)


def test_a_place_that_is_none_is_no_subject():
    with pytest.raises(UsageError, match="no place 'nonsense'"):
        subjects.generated(registry.get("rate_limit"), ("nonsense",))


def test_every_equivalent_mutant_is_a_place_and_has_its_reason():
    for system, reasons in equivalents().items():
        of_them = {each.name for each in subjects.blind(registry.get(system))} | Places(system).sites.keys()
        assert set() == reasons.keys() - of_them, system
        assert all(len(why) > 20 for why in reasons.values()), system


def test_few_mutants_are_equivalent():
    known = Counter(kind_of(name) for reasons in equivalents().values() for name in reasons)
    count = {
        "generated": sum(not is_general(site) for system in registry.every() for site in Places(system.name).sites),
        "blind": sum(len(subjects.blind(system)) for system in registry.every()),
    }
    assert {} == {
        kind: number for kind, number in known.items() if number > MOST_EQUIVALENT * count.get(kind, math.inf)
    }
