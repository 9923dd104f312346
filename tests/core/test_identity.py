"""Digests and seeds are the same on every machine and in every order of keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import plain, words

from harness.core.digest import canonical, sha256_of
from harness.core.events import AttemptStarted, FailureObserved, StopAnswered, StopRequested, digest
from harness.core.seed import derive

AT = "2026-03-01T12:00:00Z"
STREAM = (
    AttemptStarted(at=AT, correlation_id="call-1", tool="bash", attempt=1),
    FailureObserved(at=AT, correlation_id="call-1", tool="bash", kind="exit", message="exit 1: no"),
    StopRequested(at=AT, correlation_id="stop-1", repeat=False),
    StopAnswered(at=AT, correlation_id="stop-1", decision="block", reasons=("todo",)),
)


def test_canonical_json_has_sorted_keys_and_no_spaces():
    assert (
        canonical({"b": [1, 2.5, None], "a": {"d": True, "c": "é"}})
        == '{"a":{"c":"é","d":true},"b":[1,2.5,null]}'.encode()
    )


def test_a_digest_never_changes():
    assert sha256_of({"b": 1, "a": "x"}) == "cdab067e9f3beb32d1252cfd63e492592fecbf591b0d08cadb24bb17f3864246"
    assert derive(0) == 6912158355717386040
    assert derive(7, "search", "gate", 3) == 13317261862912570633


@given(st.dictionaries(words, plain, max_size=5), st.randoms())
def test_a_digest_does_not_depend_on_the_order_of_keys(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert sha256_of(value) == sha256_of(dict(items))


@given(st.integers(0, 2**64 - 1), st.lists(words | st.integers(), max_size=3))
def test_a_seed_has_64_bits_and_the_same_names_give_the_same(seed, names):
    derived = derive(seed, *names)
    assert 0 <= derived < 2**64
    assert derive(seed, *names) == derived


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("ab",), ("a", "b", "c"), ("b", "a"), ("a", 1), ()])
def test_each_use_of_a_seed_gets_another(names):
    others = {("a",), ("a", "b"), ("ab",), ("a", "b", "c"), ("b", "a"), ("a", 1), ()} - {names}
    assert derive(1, *names) not in {derive(1, *other) for other in others}
    assert derive(1, *names) != derive(2, *names)


def test_the_digest_of_a_stream_never_changes():
    assert digest(STREAM) == "d1510b85377fd9ad9330a57dcb280978429964e992c3a0dfd5e98141cd8c6d05"


@pytest.mark.parametrize(
    "other",
    [
        STREAM[:-1],
        STREAM[::-1],
        (*STREAM[:-1], StopAnswered(at=AT, correlation_id="stop-1", decision="approve", reasons=("todo",))),
        (
            *STREAM[:-1],
            StopAnswered(at="2026-03-01T12:00:01Z", correlation_id="stop-1", decision="block", reasons=("todo",)),
        ),
    ],
    ids=["shorter", "another order", "another answer", "another time"],
)
def test_another_stream_has_another_digest(other):
    assert digest(STREAM) != digest(other)
