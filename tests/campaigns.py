"""Tests of which the default run takes a part, so that it stays short; ``pytest -m "not tools"`` and CI take them all."""

import pytest


def sliced(values):
    """Parameters, of which the default run takes the first."""
    first, *others = values
    return [first, *(pytest.param(*_listed(each), marks=pytest.mark.campaign) for each in others)]


def _listed(value):
    return value if isinstance(value, tuple) else (value,)
