"""The page of figures says what was measured, on which machine, and never where."""

import platform
import re
from datetime import date
from pathlib import Path

from benchmarks.measure import Figure
from benchmarks.page import machine, page

FIGURES = [
    ("one", Figure((1.0, 2.0, 3.0), "", "this : that", "at most 2")),
    ("two", Figure((4.5,), " s", "a start", "told, none")),
]


def test_a_row_has_median_quartiles_and_goal():
    rows = [line for line in page(FIGURES, {}, date(2026, 11, 26)).splitlines() if line.startswith("| `")]
    assert [
        "| `one` | 2.000 | 1.500 to 2.500 | 3 | this : that | at most 2 |",
        "| `two` | 4.500 s | 4.500 to 4.500 | 1 | a start | told, none |",
    ] == rows


def test_the_machine_is_named_by_its_parts_and_not_by_its_name():
    assert re.fullmatch(r"\d+ x .+, \d+ GiB, Linux \S+, Python 3\.\S+", machine())
    assert platform.node() not in machine()


def test_the_page_says_what_was_not_measured_and_why():
    text = page(FIGURES, {"hosts": f"no host is in {Path.home()}/hosts"}, date(2026, 11, 26))
    assert text.endswith(" |\n\n`hosts` was not measured: no host is in ~/hosts.\n")
