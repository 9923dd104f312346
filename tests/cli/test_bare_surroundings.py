"""Commands in surroundings of their own: without colours, without a home, in a checkout that nobody can write to."""

import functools
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import needs
import pytest

ROOT = Path(__file__).parents[2]
BROKEN = "examples/hooks/blocks_on_parse_error"
CERTIFY = ("certify", f"{BROKEN}/target.yaml", "--level", "L1", "--cases", "0", "--report")
COMMANDS = {
    "help": ("--help",),
    "explain": ("explain", "SH-03"),
    "list": ("list", "clauses"),
    "doctor": ("doctor",),
    "certify": (*CERTIFY, "{report}"),
}
LIMIT_S = 300
NOBODYS = 1_234_567  # a number of a user that no machine names
# what a person may have set for all programs, which would decide here
DECIDE = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM", "PYTHONDONTWRITEBYTECODE")
USUAL = {name: value for name, value in os.environ.items() if name not in DECIDE} | {
    "COLUMNS": "100", "TERM": "xterm-256color",
}  # fmt: skip
STYLES = re.compile(rb"\x1b\[([0-9;:]*)m")
COLOURS = {*range(30, 50), *range(90, 108)}  # as parameters of such a sequence, by ECMA-48 and xterm; bold is none
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" "$0" && cd "$0" && exec "$@"'


def line_of(command, report):
    return [sys.executable, "-m", "harness.cli", *(word.format(report=report) for word in COMMANDS[command])]


def on_a_terminal(words, env):
    """The exit code and all that a terminal is sent."""
    ours, theirs = pty.openpty()
    said = b""
    with subprocess.Popen(words, cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as ran:
        os.close(theirs)
        try:
            while select.select([ours], [], [], LIMIT_S)[0]:
                said += os.read(ours, 65536)
        except OSError:  # so Linux says that nobody holds the other side any more
            return ran.wait(LIMIT_S), said
        finally:
            ran.kill()
            os.close(ours)
    raise AssertionError(f"nothing was said for {LIMIT_S} s after {said!r}")


def colours(said):
    return {int(each) for found in STYLES.findall(said) for each in re.split(rb"[;:]", found) if each} & COLOURS


@pytest.mark.parametrize("command", COMMANDS)
def test_who_wants_no_colours_gets_none_on_a_terminal_either(tmp_path, command):
    code, said = on_a_terminal(line_of(command, tmp_path / "r"), {**USUAL, "NO_COLOR": "1"})
    assert set() == colours(said)
    assert (True, True) == (code in {"certify": (1,), "doctor": (0, 4)}.get(command, (0,)), bool(said)), said


def test_who_says_nothing_gets_colours_on_a_terminal(tmp_path):
    """Else the test above could not fail."""
    code, said = on_a_terminal(line_of("certify", tmp_path / "r"), USUAL)
    assert (1, True) == (code, {31, 32, 33} <= colours(said)), said


def ended(command, home, report):
    """How a command ends and what it says; of a certification what its result holds, since it tells how far it is."""
    env = {name: value for name, value in USUAL.items() if name != "HOME"} | ({} if home is None else {"HOME": home})
    ran = subprocess.run(
        line_of(command, report), cwd=ROOT, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    if command != "certify":
        return ran.returncode, ran.stdout, ran.stderr
    return ran.returncode, json.loads((report / "result.json").read_text()), ran.stderr


@pytest.fixture(scope="module")
def at_home(tmp_path_factory):
    """``at_home(command)``: how it ends where there is a home, run once."""
    home = tmp_path_factory.mktemp("home")
    return functools.cache(lambda command: ended(command, str(home), home / "r"))


@pytest.mark.parametrize("home", [None, "/no/such/home"], ids=["unset", "not there"])
@pytest.mark.parametrize("command", COMMANDS)
def test_who_has_no_home_is_told_the_same(tmp_path, at_home, command, home):
    assert at_home(command) == ended(command, home, tmp_path / "r")
    assert not Path("/no").exists()


@needs.namespaces
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("host", "list"), 0, "is not installed in /.local/share/windtunnel/hosts"),
        (("certify",), 2, "no hook is set up here"),
        (("certify", str(ROOT / BROKEN / "target.yaml"), *CERTIFY[2:-1], "--clause", "SH-03", "--report", "{report}"), 0, "SH-03 MUST CONFORMS"),
    ],
    ids=["host list", "discovery", "a target"],
)  # fmt: skip
def test_who_has_no_home_nor_name_is_no_defect_of_ours(tmp_path, words, code, says):
    """A container may run under a number that has no name, and set no HOME."""
    env = {name: value for name, value in USUAL.items() if name not in ("HOME", "WINDTUNNEL_HOSTS", "XDG_DATA_HOME")}
    inside = [
        "unshare",
        "--user",
        f"--map-user={NOBODYS}",
        f"--map-group={NOBODYS}",
        sys.executable,
        "-m",
        "harness.cli",
    ]
    line = [*inside, *(word.format(report=tmp_path / "r") for word in words)]
    ran = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert code == ran.returncode, ran.stderr
    assert says in ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what a checkout has, and a function that runs a command in it while nothing there can be written."""
    place = tmp_path_factory.mktemp("read-only")
    for name in ("harness", "scenarios", BROKEN, "examples/hooks/samples"):
        shutil.copytree(ROOT / name, place / name)

    def run(*words):
        inside = ["unshare", "--map-root-user", "-m", "sh", "-c", READ_ONLY, place, sys.executable, *words]
        env = {**USUAL, "PYTHONPATH": str(place)}
        return subprocess.run(inside, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)

    return place, run


def everything(place):
    return {str(path): path.lstat().st_mtime_ns for path in sorted(place.rglob("*"))}


@needs.namespaces
def test_the_checkout_is_the_one_that_runs_and_cannot_be_written(checkout):
    """Else the tests below could not fail."""
    place, run = checkout
    assert f"{place}/harness/__init__.py\n" == run("-c", "import harness; print(harness.__file__)").stdout
    assert "Read-only file system" in run("-c", "open('harness/x', 'w')").stderr


@needs.namespaces
@pytest.mark.parametrize("words", [COMMANDS["explain"], COMMANDS["list"]], ids=["explain", "list"])
def test_a_checkout_that_is_read_only_tells_the_same(checkout, words):
    place, run = checkout
    before = everything(place)
    ran = run("-m", "harness.cli", *words)
    usual = subprocess.run(
        [sys.executable, "-m", "harness.cli", *words], cwd=ROOT, env=USUAL, capture_output=True, text=True, check=True
    )
    assert (0, "", usual.stdout) == (ran.returncode, ran.stderr, ran.stdout)
    assert before == everything(place)


@needs.namespaces
def test_a_checkout_that_is_read_only_certifies_when_the_report_goes_elsewhere(checkout, tmp_path):
    place, run = checkout
    before = everything(place)
    ran = run("-m", "harness.cli", *CERTIFY, tmp_path / "r")
    assert (1, "") == (ran.returncode, ran.stderr), ran.stdout
    assert "nonconformant" == json.loads((tmp_path / "r" / "result.json").read_text())["outcome"]
    assert before == everything(place)


@needs.namespaces
def test_a_checkout_that_is_read_only_says_that_the_report_has_to_go_elsewhere(checkout):
    place, run = checkout
    ran = run("-m", "harness.cli", *CERTIFY[:-1])
    assert (2, "") == (ran.returncode, ran.stdout)
    assert (
        "cannot write the report to windtunnel-report: Read-only file system; choose another with --report"
        in ran.stderr
    )
    assert not (place / "windtunnel-report").exists()
