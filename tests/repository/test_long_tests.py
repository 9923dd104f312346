"""What the default run leaves out is listed, and the list is of tests there are."""

import re
from pathlib import Path

import campaigns
import pytest

ROOT = Path(__file__).parents[2]
LISTED = campaigns.long_tests()
REPORT = """<testsuites><testsuite name="pytest">
<testcase classname="tests.cli.test_demo" name="test_quick" time="0.1"/>
<testcase classname="tests.cli.test_demo" name="test_slow" time="12.5"/>
<testcase classname="tests.cli.test_demo.TestMany" name="test_slow" time="12.5"/>
<testcase classname="tests.cli.test_demo" name="test_many[a]" time="2.0"/>
<testcase classname="tests.cli.test_demo" name="test_many[b]" time="2.0"/>
<testcase classname="tests.cli.test_demo" name="test_many[c]" time="2.0"/>
</testsuite></testsuites>"""


class Item:
    """What the marking asks of a collected test."""

    def __init__(self, nodeid):
        self.nodeid, self.marks = nodeid, []

    def add_marker(self, name):
        self.marks.append(name)

    def get_closest_marker(self, name):
        return name if name in self.marks else None


class Config:
    """What it asks of a run."""

    def __init__(self, *args, long=False, one_in=1, word=""):
        self.args, self.deselected, self.hook = args, [], self
        self.option = type("Option", (), {"long": long, "one_in": one_in, "slice": word})

    def pytest_deselected(self, items):
        self.deselected += items


@pytest.fixture
def listed(monkeypatch):
    monkeypatch.setattr(campaigns, "long_tests", lambda: {"tests/a.py::test_long": 1, "tests/b.py": 0})


def test_every_listed_test_is_there():
    def there(name):
        path, _, test = name.partition("::")
        first = test.partition("::")[0]  # of a class the methods may be inherited
        found = rf"^(def|class) {first}\b" if first else ""
        return (ROOT / path).is_file() and re.search(found, (ROOT / path).read_text("utf-8"), re.MULTILINE)

    assert [] == [name for name in LISTED if not there(name)]


def test_the_house_rules_are_checked_with_every_commit():
    assert [] == [name for name in LISTED if name.startswith(campaigns.ALWAYS)]


def test_the_cases_that_the_list_leaves_out_are_campaign_tests(listed):
    items = [Item(f"tests/a.py::{name}") for name in ("test_long[x]", "test_short[x]", "test_long[y]", "test_long[z]")]
    campaigns.mark_long(Config("tests"), items)
    assert [[], [], ["campaign"], ["campaign"]] == [item.marks for item in items]


def test_what_reads_a_snapshot_stays_in_the_default_run(listed):
    item = Item("tests/b.py::test_one")
    item.fixturenames = ("snapshot",)
    campaigns.mark_long(Config("tests"), [item])
    assert [] == item.marks


def test_of_a_listed_file_all_are(listed):
    items = [Item("tests/b.py::test_one"), Item("tests/b.py::test_two[x]"), Item("tests/bb.py::test_one")]
    campaigns.mark_long(Config("tests"), items)
    assert [["campaign"], ["campaign"], []] == [item.marks for item in items]


def test_a_test_that_is_asked_for_by_its_name_is_run_whole_and_all_are_with_an_option(listed):
    items = [Item("tests/a.py::test_long[x]"), Item("tests/a.py::test_long[y]")]
    for config in (Config("tests/a.py::test_long"), Config("tests", long=True)):
        campaigns.mark_long(config, items)
        assert [[], []] == [item.marks for item in items]


def test_the_parts_of_one_word_are_all_campaign_tests_and_none_twice():
    items = [Item(f"tests/a.py::test_{n}") for n in range(200)]
    for item in items[50:]:
        item.add_marker("campaign")
    left = []
    for word in ("one", "other"):
        mine, config = list(items), Config(one_in=4, word=word)
        campaigns.of_the_slice(config, mine)
        assert items[:50] == mine[:50]
        assert set(items) == {*mine, *config.deselected}
        assert 15 < len(mine) - 50 < 65
        left.append(mine)
    assert left[0] != left[1]


def test_the_list_is_made_of_the_times_of_a_run(tmp_path):
    report = tmp_path / "junit.xml"
    report.write_text(REPORT)
    slow = [f"tests/cli/test_demo.py::{name} 0" for name in ("TestMany::test_slow", "test_slow")]
    expected = [slow[0], "tests/cli/test_demo.py::test_many 1", slow[1]]
    assert expected == list(campaigns.measured([report]))
