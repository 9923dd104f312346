"""Every kind of strike, in every language and in every place of a program: all of them fire, and do what they say."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from supervised import PYTHON, a_run, data, ended, showing_python, supervisor

from harness.faults.syscalls import Delay, Fail, Go, Kill, Kind, Torn
from harness.sandbox import Sandbox

pytestmark = pytest.mark.tools

PLACES = Path(__file__).parent / "places"
BUILD = ["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-pthread"]
LANGUAGES = ("python", "node", "bash", "c", "static_c", "perl")
WITHOUT_THREADS = ("bash", "perl")
WHOLE = b"hello world"
# how it ends, what it leaves in the file that is struck, and the proof
STRIKES = {
    "errno": (Kind.WRITE, Fail("EIO"), "failed", b"", "EIO"),
    "errno at open": (Kind.OPEN, Fail("EACCES"), "failed", None, "EACCES"),
    "killed": (Kind.WRITE, Kill(), "killed", b"", "SIGKILL"),
    "killed before close": (Kind.CLOSE, Kill(), "killed", WHOLE, "SIGKILL"),
    "torn": (Kind.WRITE, Torn(5), "killed", b"hello", "5 bytes"),
    "delayed": (Kind.WRITE, Delay(0.02), "done", WHOLE, "delayed"),
}


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """How the program is started in each language."""
    built = tmp_path_factory.mktemp("places")
    for name, more in (("c", []), ("static_c", ["-static"])):
        subprocess.run([*BUILD, *more, "-o", built / name, PLACES / "places.c"], check=True)
    return {
        "python": (*PYTHON[:-1], f"{PLACES}/places.py"),
        "node": ("node", f"{PLACES}/places.js"),
        "bash": ("bash", f"{PLACES}/places.sh"),
        "c": (str(built / "c"),),
        "static_c": (str(built / "static_c"),),
        "perl": ("perl", f"{PLACES}/places.pl"),
    }


@pytest.fixture(scope="module")
def _shown(commands: dict[str, tuple[str, ...]]) -> Iterator[Sandbox]:
    node = os.path.realpath(shutil.which("node") or "")
    with showing_python(str(PLACES), str(Path(commands["c"][0]).parent), node) as sandbox:
        yield sandbox


@pytest.fixture
def shown(_shown: Sandbox) -> Sandbox:
    """A fresh sandbox in which all of them run."""
    _shown.fresh()
    return _shown


@pytest.mark.parametrize("kind", sorted(STRIKES))
@pytest.mark.parametrize("where", ["self", "child", "grandchild", "thread"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_strike_fires_wherever_the_call_is_made(shown, commands, language, where, kind):
    if where == "thread" and language in WITHOUT_THREADS:
        where = "self"  # it has none
    struck_kind, answer, expected, left, proof = STRIKES[kind]
    if language == "bash" and struck_kind is Kind.CLOSE:
        left = b""  # it closes what it has put in the place of its output, and then writes
    met = []

    def decide(call):
        if call.kind is struck_kind and call.paths[0].endswith("/second") and not met:
            met.append(call)
            return answer
        return Go()

    with supervisor(shown, decide) as sup:
        (end,) = shown.run_together([a_run(shown, sup, *commands[language], where, shown.roots.home)])
    how = "killed" if end.signal == 9 else {0: "done", 3: "failed"}.get(end.exit_code)
    assert ([proof], expected) == ([each.proof for each in sup.struck], how)
    assert (left, WHOLE) == (data(shown, "{home}/second"), data(shown, "{home}/first")), "the other file is whole"
    assert (where == "thread") == (met[0].pid != met[0].tid)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_call_is_found_by_its_path_and_number(shown, commands, language):
    met = []

    def decide(call):
        if call.kind is Kind.WRITE:
            met.append(os.path.basename(call.paths[0]))
        return Go()

    end = ended(shown, decide, *commands[language], "self", shown.roots.home)
    assert (0, ["first", "second"]) == (end.exit_code, met)


def test_node_does_without_io_uring_where_it_would_use_it(shown):
    script = (
        "require('fs').writeFile('a', 'hello', () => require('fs').readFile('a', 'utf8', (e, t) => console.log(t)))"
    )
    met = []

    def decide(call):
        met.append(call.kind)
        return Go()

    with supervisor(shown, decide) as sup:
        (end,) = shown.run_together([a_run(shown, sup, "node", "-e", script, UV_USE_IO_URING="1")])
    assert (0, b"hello\n") == (end.exit_code, end.stdout)
    assert {Kind.OPEN, Kind.WRITE, Kind.READ, Kind.CLOSE} <= set(met)


def test_a_pipeline_is_one_run(shown):
    script = "seq 1000 | sort -n | tee copy | wc -l > count"
    opened = []

    def decide(call):
        if call.kind is Kind.OPEN and call.flags & os.O_CREAT:
            opened.append((os.path.basename(call.paths[0]), call.run))
        return Go()

    end = ended(shown, decide, "bash", "-c", script)
    assert (0, {("copy", 0), ("count", 0)}) == (end.exit_code, set(opened))
    assert b"1000\n" == data(shown, "{home}/count")
