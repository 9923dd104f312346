"""Mutants of fallbacks that need one further thing to go wrong, in that weather and out of it."""

import pytest

from harness.systems.fallback.contract import Configuration, EscalationArguments, Ladder, NextArguments
from harness.systems.fallback.mutants import create_mutant, weather

AFTER_2038_S = 2.2e9


@pytest.fixture
def place(monkeypatch, tmp_path):
    monkeypatch.setattr(weather, "PLACE", str(tmp_path))
    return tmp_path


def mutant(name):
    return create_mutant(name, Configuration("/home"))


def below(reference, ladder, rung):
    return reference.next(NextArguments(ladder, rung)).next


def calls(reference, now_s=0.0, **facts):
    return reference.escalation(EscalationArguments(**facts), now_s).escalate


def test_without_a_temporary_directory_there_is_no_haiku(monkeypatch, tmp_path):
    reference = mutant("models-end-far-from-home")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert "haiku" == below(reference, Ladder.MODEL, "sonnet")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    assert "escalate" == below(reference, Ladder.MODEL, "sonnet")


def test_an_approach_that_cannot_be_noted_is_tried_again(place):
    reference = mutant("approaches-noted-in-a-file")
    assert "simpler" == below(reference, Ladder.WORKFLOW, "complex")
    (place / "approaches").unlink()
    (place / "approaches").mkdir()
    assert "complex" == below(reference, Ladder.WORKFLOW, "complex")
    assert "minimal" == below(reference, Ladder.WORKFLOW, "simpler")


def test_a_language_hides_a_low_confidence(monkeypatch):
    reference = mutant("confidence-of-its-language-only")
    monkeypatch.delenv("LC_ALL", raising=False)
    assert calls(reference, confidence=0.1)
    monkeypatch.setenv("LC_ALL", "xx_XX.none")
    assert not calls(reference, confidence=0.1)


def test_after_2038_failures_are_forgiven():
    reference = mutant("failures-forgiven-in-2038")
    assert calls(reference, consecutive_failures=3)
    assert not calls(reference, AFTER_2038_S, consecutive_failures=3)
    assert calls(reference, AFTER_2038_S, security_critical=True)


def test_with_a_proxy_nothing_is_security_critical(monkeypatch):
    reference = mutant("security-asks-the-network")
    monkeypatch.delenv("HTTPS_PROXY", raising=False)
    assert calls(reference, security_critical=True)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    assert not calls(reference, security_critical=True)


def test_a_list_that_cannot_be_read_has_nothing_on_it(place):
    reference = mutant("danger-read-from-a-file")
    assert calls(reference, irreversible=True)
    (place / "dangers").write_bytes(b"")
    assert calls(reference, irreversible=True)
    (place / "dangers").unlink()
    (place / "dangers").mkdir()
    assert not calls(reference, irreversible=True)


def test_half_a_note_hides_failures(place):
    reference = mutant("failures-noted-half")
    assert calls(reference, consecutive_failures=3)
    assert calls(reference, consecutive_failures=3)
    (place / "failures").write_bytes(b"fai")
    assert not calls(reference, consecutive_failures=3)


def test_models_counted_by_itself_leave_approaches_alone():
    assert "simpler" == below(mutant("models-counted-by-itself"), Ladder.WORKFLOW, "complex")
