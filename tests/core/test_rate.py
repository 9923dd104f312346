"""Bounds of a rate. Source: CERTIFICATION.md, Levels: "0 fail-closed in 12,000 trials: fail-open rate >= 99.975 %"."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.rate import at_least, none_of, percent_down, percent_up


def test_without_failures_it_is_the_rule_of_three():
    assert "99.975 %" == percent_down(at_least(12_000, 0))
    assert math.isclose(0.05 ** (1 / 300), at_least(300, 0))
    assert abs(at_least(300, 0) - (1 - 3 / 300)) < 1e-4


@pytest.mark.parametrize(("trials", "failures"), [(0, 0), (0, 1), (5, 5), (5, 6)])
def test_nothing_is_bounded_by_no_trial_or_no_success(trials, failures):
    assert 0.0 == at_least(trials, failures)


@pytest.mark.parametrize(
    ("trials", "failures", "expected"),
    # the 95 % point of Beta(failures + 1, trials - failures), from published tables of exact binomial limits
    [(10, 1, 1 - 0.39416), (20, 2, 1 - 0.28262), (50, 5, 1 - 0.19884), (100, 1, 1 - 0.04656)],
)
def test_with_failures_it_is_the_exact_binomial_limit(trials, failures, expected):
    assert math.isclose(expected, at_least(trials, failures), abs_tol=2e-5)


@given(st.integers(1, 600), st.integers(0, 600))
def test_the_bound_is_below_what_was_observed_and_falls_with_every_failure(trials, failures):
    failures = min(failures, trials)
    bound = at_least(trials, failures)
    assert 0.0 <= bound < 1.0
    assert bound <= (trials - failures) / trials
    assert at_least(trials, failures + 1) <= bound
    assert bound <= at_least(trials + 1, failures)


@given(st.floats(0, 1))
def test_a_percentage_is_never_rounded_up(rate):
    assert float(percent_down(rate).removesuffix(" %")) <= rate * 100 + 1e-9
    assert "100.000 %" == percent_down(1.0)


@given(st.floats(0, 1))
def test_what_a_rate_stays_below_is_never_rounded_down(rate):
    assert rate * 100 - 1e-9 <= float(percent_up(rate, 2).removesuffix(" %")) <= rate * 100 + 0.01 + 1e-9
    assert "0.10 %" == percent_up(1 - at_least(3_000, 0), 2)
    assert ("0.00 %", "100.00 %") == (percent_up(0.0, 2), percent_up(1.0, 2))


def test_none_of_so_many_is_told_with_its_bound():
    assert "at most 4.88 % of cases drawn so fail, at 95 % confidence" == none_of(60, "cases drawn so fail")
    assert "at most 95.00 % of seeds break a rule, at 95 % confidence" == none_of(1, "seeds break a rule")
    assert "" == none_of(0, "cases fail")
