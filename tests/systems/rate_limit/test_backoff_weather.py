"""Mutants of rate limit handling that need one further thing to go wrong, in that weather and out of it."""

import pytest

from harness.systems.rate_limit.contract import ClassifyArguments, Configuration, DelayArguments
from harness.systems.rate_limit.mutants import create_mutant, weather

AFTER_2038_S = 2.2e9


@pytest.fixture
def place(monkeypatch, tmp_path):
    monkeypatch.setattr(weather, "PLACE", str(tmp_path))
    return tmp_path


def mutant(name, **tunables):
    return create_mutant(name, Configuration("/home", tunables))


def is_limited(reference, status=None, message=None):
    return reference.classify(ClassifyArguments(status, message)).rate_limited


def test_a_time_zone_hides_429(monkeypatch):
    reference = mutant("status-read-by-time-zone")
    assert is_limited(reference, 429)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    assert not is_limited(reference, 429)


def test_a_language_hides_the_words(monkeypatch):
    reference = mutant("words-of-its-language-only")
    monkeypatch.delenv("LC_ALL", raising=False)
    assert is_limited(reference, None, "rate limit")
    monkeypatch.setenv("LC_ALL", "xx_XX.none")
    assert not is_limited(reference, None, "rate limit")


def test_after_2038_there_is_no_delay_but_the_longest():
    reference = mutant("no-delay-after-2038", initial_delay_s=150.0)
    assert [150.0, 300.0] == [reference.next_delay(DelayArguments(n), 0.0).delay_s for n in (1, 2)]
    assert [0.0, 300.0] == [reference.next_delay(DelayArguments(n), AFTER_2038_S).delay_s for n in (1, 2)]


def test_without_a_temporary_directory_nothing_is_bounded(monkeypatch, tmp_path):
    reference = mutant("bound-kept-in-a-place", initial_delay_s=600.0)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert 300.0 == reference.next_delay(DelayArguments(1)).delay_s
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    assert 600.0 == reference.next_delay(DelayArguments(1)).delay_s


def test_a_file_that_cannot_be_written_allows_every_retry(place):
    reference = mutant("retries-counted-in-a-file")
    assert not reference.next_delay(DelayArguments(6)).retry
    (place / "retries").unlink()
    (place / "retries").mkdir()
    assert reference.next_delay(DelayArguments(6)).retry


def test_a_file_that_cannot_be_read_allows_every_retry(place):
    reference = mutant("retries-read-from-a-file")
    assert not reference.next_delay(DelayArguments(6)).retry
    (place / "retries").write_bytes(b"")
    assert not reference.next_delay(DelayArguments(6)).retry
    (place / "retries").unlink()
    (place / "retries").mkdir()
    assert reference.next_delay(DelayArguments(6)).retry


def test_half_a_note_hides_429(place):
    reference = mutant("status-noted-half")
    assert is_limited(reference, 429)
    assert is_limited(reference, 429)
    (place / "statuses").write_bytes(b"stat")
    assert not is_limited(reference, 429)
