"""Tests of which the default run takes a part, so that it stays short.

``pytest -m "not tools"`` takes them all, CI one in so many of them, another part with every commit. They carry the mark
``campaign``, or stand in ``long_tests.txt``: a test, and how many of its cases the default run takes all the same; or a
whole file, whose tests share what takes long. ``python tests/campaigns.py junit.xml`` writes the list anew from the times
of a run of all tests, and leaves the files in it as they are.
"""

import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import junitparser
import pytest

LIST = Path(__file__).with_name("long_tests.txt")
ALWAYS = ("tests/repository/test_tools.py", "tests/repository/test_sources.py")  # the house rules, of every commit
MOST_S = 2.5  # what the default run spends on one test, all its cases together


def sliced(values):
    """Parameters, of which the default run takes the first."""
    first, *others = values
    return [first, *(pytest.param(*_listed(each), marks=pytest.mark.campaign) for each in others)]


def _listed(value):
    return value if isinstance(value, tuple) else (value,)


def add_options(parser: pytest.Parser) -> None:
    """``--long``: all cases of the listed tests; ``--one-in N --slice WORD``: of campaign tests the part of that word."""
    parser.addoption("--long", action="store_true", help="take all cases of the tests in long_tests.txt")
    parser.addoption("--one-in", type=int, default=1, metavar="N", help="take one campaign test of N")
    parser.addoption("--slice", default="", metavar="WORD", help="which of them; another word, another part")


def mark_long(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the cases that the list leaves out; none with ``--long``, or where the command line names a test."""
    if config.option.long or any("::" in word for word in config.args):
        return
    kept = long_tests()
    met: dict[str, int] = defaultdict(int)
    for item in items:
        test = item.nodeid.partition("[")[0]
        file = test.partition("::")[0]
        met[test] += 1
        # a snapshot that no test of a run reads is taken for one that is not needed any more, and fails it
        if (file in kept or met[test] > kept.get(test, met[test])) and "snapshot" not in getattr(
            item, "fixturenames", ()
        ):
            item.add_marker("campaign")


def long_tests() -> dict[str, int]:
    """The list: a test by its name, or a file, and how many of its cases the default run takes; of a file none."""
    lines = (line.split() for line in LIST.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    return {name: int(kept) for name, kept in lines}


def of_the_slice(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects the campaign tests that are not in the part asked for; a test's name alone says in which it is."""
    of, word = config.option.one_in, config.option.slice
    left_out = {item for item in items if item.get_closest_marker("campaign") and _part(item.nodeid, word) % of}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _part(name: str, word: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{word} {name}".encode()).digest()[:8])


def measured(reports: list[Path]) -> Iterator[str]:
    """The lines of the list, from the JUnit files of runs."""
    times: dict[str, list[float]] = defaultdict(list)
    for report in reports:
        for suite in junitparser.JUnitXml.fromfile(str(report)):
            for case in suite:
                times[_name(case.classname, case.name)].append(case.time or 0.0)
    for name, each in sorted(times.items()):
        if sum(each) > MOST_S and not name.startswith(ALWAYS):
            yield f"{name} {int(len(each) * MOST_S / sum(each))}"


def _name(module: str, case: str) -> str:
    parts = module.split(".")
    classes = [part for part in parts if part.startswith("Test")]
    return "::".join([f"{'/'.join(parts[: len(parts) - len(classes)])}.py", *classes, case.partition("[")[0]])


if __name__ == "__main__":
    known = (
        f"# A test that takes over {MOST_S:g} s, and how many of its cases the default run takes; see campaigns.py.\n"
    )
    files = [f"{name} {kept}" for name, kept in long_tests().items() if "::" not in name]
    lines = [*files, *measured([Path(word) for word in sys.argv[1:]])]
    LIST.write_text(known + "".join(f"{line}\n" for line in lines))
