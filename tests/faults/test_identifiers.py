"""What the faults of identifiers stand for; that the player puts them into arguments is told in tests/targets."""

import pytest

from harness.core.fault import ABSENT, Fault, Injection
from harness.faults.catalogue import inject
from harness.faults.identifier import KINDS, VALUES, field_of, is_identifier, value_of

HOSTILE = {
    "separators": lambda text: "/" in text and "\\" in text,
    "dot_dot": lambda text: text.startswith("../"),
    "absolute": lambda text: text.startswith("{outside}/"),
    "nul": lambda text: "\0" in text,
    "long": lambda text: len(text) == 300,
    "unicode": lambda text: not text.isascii(),
    "whitespace": lambda text: text and not text.strip(),
}


def test_every_kind_has_a_value():
    assert {f"identifier.{name}" for name in VALUES} | {"identifier.other_session"} == {kind.name for kind in KINDS}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_identifier_is_what_its_name_says(kind):
    assert HOSTILE[kind](value_of(Fault(f"identifier.{kind}")))


def test_what_is_no_text():
    assert value_of(Fault("identifier.absent")) is ABSENT
    assert value_of(Fault("identifier.null")) is None
    assert not isinstance(value_of(Fault("identifier.wrong_type")), str)


def test_another_sessions_identifier_is_given():
    assert value_of(Fault("identifier.other_session", None, {"value": "b"})) == "b"
    assert value_of(Fault("identifier.other_session")) == "session-2"


def test_the_argument_is_the_session_id_unless_another_one_is_named():
    assert field_of(Fault("identifier.null")) == "session_id"
    assert field_of(Fault("identifier.null", None, {"field": "transcript_path"})) == "transcript_path"


def test_only_identifiers_are_identifiers():
    assert is_identifier(Fault("identifier.null"))
    assert not is_identifier(Fault("clock.back"))


def test_nothing_is_armed_in_a_sandbox(plain):
    assert inject(Fault("identifier.nul"), plain, 1) == Injection(Fault("identifier.nul"), armed=True, proof="changed")
    assert plain.snapshot() == {}
