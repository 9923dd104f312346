"""The page of figures says what was measured, on which machine, and never where."""

import platform
import re
from datetime import date
from pathlib import Path

import pytest

from benchmarks.measure import Figure
from benchmarks.page import machine, page

FIGURES = [
    ("one", Figure((1.0, 2.0, 3.0), "", "this : that", "at most 2")),
    ("two", Figure((4.5,), " s", "a start", "told, none")),
]


def test_a_row_has_median_quartiles_and_goal():
    rows = [line for line in page(FIGURES, {}, date(2026, 11, 26)).splitlines() if line.startswith("| `")]
    assert [
        "| `one` | 2.000 | 1.500 to 2.500 | 3 | this : that | at most 2 | yes |",
        "| `two` | 4.500 s | 4.500 to 4.500 | 1 | a start | told, none | - |",
    ] == rows


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("at most 2", "yes"), ("at most 1.9", "almost"), ("at most 1.4", "no"), ("under 1.4 s", "no"),
        ("at least 2", "yes"), ("at least 2.1", "almost"), ("at least 2.6", "no"), ("at least 5,000", "no"),
        ("about 1, at most 1.1", "no"), ("told, none", ""),
    ],
)  # fmt: skip
def test_a_goal_is_missed_when_the_median_and_the_nearer_quartile_miss_it(goal, said):
    assert said == FIGURES[0][1]._replace(goal=goal).reached()


def test_the_machine_is_named_by_its_parts_and_not_by_its_name():
    assert re.fullmatch(r"\d+ x .+, \d+ GiB, Linux \S+, Python 3\.\S+", machine())
    assert platform.node() not in machine()


def test_the_page_says_what_was_not_measured_and_why():
    text = page(FIGURES, {"hosts": f"no host is in {Path.home()}/hosts"}, date(2026, 11, 26))
    assert text.endswith(" |\n\n`hosts` was not measured: no host is in ~/hosts.\n")
