"""A catalogue finds clauses by id and by the view they show in."""

import msgspec
import pytest
from values import catalogue, clause

from harness.core.clause import Level

FIRST = clause("T-1", profiles={"gate": None, "stop_hook": "extra"})
SECOND = clause("T-2", Level.SHOULD, profiles={"gate": None})
BOTH = catalogue(FIRST, SECOND)


def test_clauses_come_in_document_order():
    assert list(BOTH) == [FIRST, SECOND]
    assert BOTH.judged_in("gate") == (FIRST, SECOND)
    assert BOTH.judged_in("stop_hook") == (FIRST,)
    assert BOTH.judged_in("nowhere") == ()


def test_the_groups_of_a_profile_are_those_its_clauses_belong_to():
    both = msgspec.structs.replace(BOTH, groups={"other": "nobody's", "extra": "what some have"})
    assert both.groups_of("stop_hook") == ("extra",)
    assert both.groups_of("gate") == both.groups_of("nowhere") == ()


def test_a_group_of_which_a_clause_asks_more_is_a_group_of_its_profile():
    wide = msgspec.structs.replace(FIRST, widened_by={"gate": "more"})
    both = msgspec.structs.replace(BOTH, clauses=(wide, SECOND), groups={"more": "of whom more is asked", "extra": ""})
    assert both.groups_of("gate") == ("more",)
    assert both.groups_of("stop_hook") == ("extra",)


def test_a_clause_is_found_by_its_id():
    assert BOTH["T-2"] is SECOND
    assert "T-1" in BOTH
    assert "T-3" not in BOTH
    with pytest.raises(KeyError, match="T-3"):
        BOTH["T-3"]


@pytest.mark.parametrize(
    ("ambiguous", "readings", "loose"),
    [(False, (), False), (True, (), True), (True, ("a",), False), (False, ("a",), False)],
)
def test_only_an_ambiguous_clause_without_readings_is_loose(ambiguous, readings, loose):
    assert clause(ambiguous=ambiguous, readings=readings).is_loose is loose
