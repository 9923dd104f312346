"""The digest of a stream of events does not hang on ids that each implementation draws for itself."""

from harness.core.events import FailureRecorded, digest

AT = "2026-03-01T12:00:00Z"


def stream(*ids):
    return tuple(FailureRecorded(at=AT, correlation_id="call-1", record_id=each, stored=True) for each in ids)


def test_ids_of_records_count_by_their_order_only():
    assert digest(stream("err_1_a", "err_2_b")) == digest(stream("err_7_x", "err_9_y"))


def test_two_records_with_one_id_are_told_from_two():
    assert digest(stream("err_1_a", "err_1_a")) != digest(stream("err_1_a", "err_2_b"))


def test_a_failure_without_a_record_stays_one_without():
    assert digest(stream("")) != digest(stream("err_1_a"))
