"""Sandboxes are lent to one after the other, fresh each time, and none is left behind."""

import pytest

from harness.errors import MachineError
from harness.sandbox import SandboxPlan
from harness.sandbox.pool import SandboxPool
from harness.sandbox.wire import Write

PLAIN = SandboxPlan(force_fallback=True)


def test_what_is_given_back_is_lent_again_and_holds_nothing():
    with SandboxPool() as pool:
        with pool.take(PLAIN) as first:
            first.apply([Write("{home}/kept", b"?")])
        with pool.take(PLAIN) as second:
            assert second is first
            assert {} == second.snapshot()
            with pool.take(PLAIN) as third:
                assert third is not second
        with pool.take(SandboxPlan(force_fallback=True, writable_bytes=2**20)) as another:
            assert another not in (first, third)
    assert [True] * 3 == [each.is_closed for each in (first, third, another)]


def test_one_that_broke_is_not_lent_again():
    with SandboxPool() as pool:
        first = pool.take(PLAIN)
        first.abort()
        with pytest.raises(MachineError):
            first.snapshot()
        first.close()
        assert first.is_closed
        with pool.take(PLAIN) as second:
            assert second is not first


def test_what_comes_back_after_the_end_is_taken_down():
    with SandboxPool() as pool:
        late = pool.take(PLAIN)
    assert not late.is_closed
    late.close()
    assert late.is_closed


def test_one_that_was_aborted_is_not_lent_again_although_its_agent_may_still_answer(monkeypatch):
    with SandboxPool() as pool:
        first = pool.take(PLAIN)
        monkeypatch.setattr(first._agent, "kill", lambda: None)
        first.abort()
        first.close()
        assert first.is_closed


def test_what_is_closed_twice_is_given_back_once():
    with SandboxPool() as pool:
        first = pool.take(PLAIN)
        first.close()
        first.close()
        with pool.take(PLAIN) as second, pool.take(PLAIN) as third:
            assert (True, True) == (second is first, third is not first)


def test_of_those_that_nobody_uses_only_the_last_are_kept():
    with SandboxPool(1) as pool:
        first, second = pool.take(PLAIN), pool.take(PLAIN)
        first.close()
        assert not first.is_closed
        second.close()
        assert (True, False) == (first.is_closed, second.is_closed)
        with pool.take(PLAIN) as third:
            assert third is second
