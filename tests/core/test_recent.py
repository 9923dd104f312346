"""Names seen lately. Source: issue 10, "memory flat over 365 days"."""

from harness.core import events
from harness.core.events import Anonymous, FailureRecorded
from harness.core.recent import Recent


def kept(recent, names):
    return "".join(name for name in names if name in recent)


def test_the_last_names_are_kept():
    recent = Recent(3)
    for name in "abcab":
        recent.add(name)
    assert "abc" == kept(recent, "abcd")
    recent.add("d")
    assert "bcd" == kept(recent, "abcd")


def test_of_several_names_the_first_of_the_alphabet_is_forgotten_first():
    recent = Recent(2)
    recent.update({"c", "a", "b"})
    assert "bc" == kept(recent, "abc")


def test_the_number_of_a_record_is_kept_until_many_others_came(monkeypatch):
    monkeypatch.setattr(events, "MOST", 2)
    anonymous = Anonymous()
    ids = [
        anonymous(FailureRecorded(at="", correlation_id="", record_id=name, name="", stored=True)).record_id
        for name in "abacba"
    ]
    assert ["record-1", "record-2", "record-1", "record-3", "record-2", "record-4"] == ids
