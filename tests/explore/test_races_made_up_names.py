"""Names that programs make up: random ones, and those of temporary files, are no change of mind."""

import pytest
from racing import Racing, Seen, all_exit_0, python, sandbox_for, texts

from harness.explore.races import RaceBounds

PYTHON = """
import os, sys, tempfile
before = open("state").read()
number, name = tempfile.mkstemp(prefix=".tmp-", dir=".")
os.write(number, (before + sys.argv[1]).encode()); os.close(number)
os.rename(name, "state")
"""
NODE = """
const fs = require("fs");
const before = fs.readFileSync("state", "utf8");
const folder = fs.mkdtempSync("tmp-");
fs.writeFileSync(folder + "/new", before + process.argv[1]);
fs.renameSync(folder + "/new", "state");
fs.rmdirSync(folder);
"""
BASH = 'read -r old <state; file=$(mktemp -p .); echo "$old$0" >"$file"; mv "$file" state'
PROGRAMS = {
    "python": [python(PYTHON, "1"), python(PYTHON, "2")],
    "node": [["node", "-e", NODE, "1"], ["node", "-e", NODE, "2"]],
    "bash": [["bash", "-c", BASH, "1"], ["bash", "-c", BASH, "2"]],
}
LANGUAGES = ["python", "bash", pytest.param("node", marks=pytest.mark.tools)]
SEARCHES = {"python": 6, "node": 6, "bash": 2}  # bash starts five programs a run
CHANCES = 8  # of a program that draws lots: in one search its lots may all be the same, as in one of thirty


@pytest.fixture(scope="module")
def box():
    with sandbox_for(["bash", "node", "mktemp", "mv"]) as box:
        yield box


def both_counted(seen: Seen) -> str:
    assert {"state"} == set(seen.files)
    return "" if len("".join(seen.files["state"].decode().split())) == 3 else "an update is lost"


def never(seen: Seen) -> str:
    return "always wrong"


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_searches_of_a_program_with_temporary_names_are_exhausted(box, language):
    race = Racing(box, PROGRAMS[language], {"state": b"0\n"})
    found = [race.explore(both_counted) for _ in range(SEARCHES[language])]
    assert {(True, "", 0, ())} == {(each.exhausted, each.cut, each.untold, each.inconclusive) for each in found}
    assert 1 == len({(each.schedules, each.redundant, each.longest, each.failing) for each in found})
    assert 0 < found[0].failing < found[0].judged


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_order_has_the_same_text_every_time(box, language):
    race = Racing(box, PROGRAMS[language], {"state": b"0\n"})
    failures = [race.explore(never, bounds=RaceBounds(schedules=5, beyond=0)).smallest for _ in range(3)]
    assert 1 == len({failure.order for failure in failures})
    again = race.replay(never, failures[0].choices, made_up=failures[0].made_up)
    assert failures[0].order == again.order
    assert any("{new name 1 of 0" in text for text in texts(again.order))


RANDOM_WORK = """
import os, random
for number in range(6):
    if random.random() < 0.5: open("a", "a").close()
    else: os.path.exists("b")
"""
ONE_OF_TWO = (
    "import os, random\nopen(random.choice(['a', 'b']), 'x').close()\nfor n in '123': open('log', 'a').write(n)"
)
OTHER_FILE = "import random\nopen(random.choice('abcdefgh')).read()\nopen('n', 'a').write('1')"


@pytest.mark.parametrize("code", [RANDOM_WORK, ONE_OF_TWO, OTHER_FILE], ids=["work", "one of two", "other file"])
def test_a_program_that_really_does_otherwise_is_told_and_its_orders_are_not_exhausted(box, code):
    race = Racing(box, [python(code)] * 2, dict.fromkeys("abcdefgh" if "choice('" in code else "", b""))
    searches = (race.explore(lambda seen: "", bounds=RaceBounds(schedules=60, beyond=0)) for _ in range(CHANCES))
    report = next(each for each in searches if not each.exhausted)
    assert 0 < report.untold <= report.schedules
    assert report.schedules == report.judged + report.redundant + report.untold
    assert {"a run did not repeat what it had done before"} == {why.partition(",")[0] for why in report.inconclusive}
    assert f"{report.untold} of {report.schedules} schedules say nothing: a run did not repeat" in report.cut


SHELL_LOOKS_FIRST = "name=f.$RANDOM$RANDOM; [ -e $name ] || : >$name; mkdir d.$$; : >d.$$/x; ls"


def test_a_made_up_name_that_is_looked_for_before_it_is_made_is_one_too(box):
    report = Racing(box, [["bash", "-c", SHELL_LOOKS_FIRST]] * 2).explore(all_exit_0)
    assert (0, True, "", 0) == (report.failing, report.exhausted, report.cut, report.untold)
    assert report.judged > 1


TWO_THREADS = """
import os, tempfile, threading
def save(text):
    number, name = tempfile.mkstemp(dir=".")
    os.write(number, text); os.close(number); os.rename(name, "state")
threads = [threading.Thread(target=save, args=(text,)) for text in (b"1", b"22")]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_threads_that_make_up_names_at_once_are_told_apart(box):
    said: set[bytes] = set()
    report = Racing(box, [python(TWO_THREADS)], {"state": b"0"}).explore(
        lambda seen: said.add(seen.files["state"]) or ""
    )
    assert (True, "", 0) == (report.exhausted, report.cut, report.untold)
    assert {b"1", b"22"} == said
