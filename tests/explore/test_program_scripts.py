"""A failing case as one file of plain Python. Source: issue 4, item 6: shown without this harness."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from explored import ATOMIC, COUNTED, TRUNCATING, explored, folder_with, made

from harness.errors import HarnessFault
from harness.explore.crash_states import CrashState
from harness.explore.program import scripts, standalone_script
from harness.explore.program.cases import LAYERS, StateCase
from harness.explore.program.place import Place
from harness.explore.writes import DIRECTORY, SymbolicLink

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
RACING = """case $1 in
op) [ -e state/lock ] || { : > state/lock; : > state/$2; } ;;
check) if [ -e state/a ] && [ -e state/b ]; then echo "Both have it."; exit 1; fi ;;
esac"""


def shown(text, folder, *words):
    """Run a script where nothing of ours is on the path, in an empty environment and another directory."""
    path = folder / "script.py"
    path.write_text(text)
    ran = subprocess.run(
        [sys.executable, "-I", path, *words], env={}, cwd="/", capture_output=True, text=True, check=False, timeout=60
    )
    return ran.returncode, ran.stdout, ran.stderr


def script_of(folder, case, **commands):
    return scripts.script(made(folder, **commands), case, ENVIRONMENT, 10)


@pytest.fixture(scope="module")
def cut_in_place(tmp_path_factory):
    return explored(folder_with(tmp_path_factory.mktemp("cut"), TRUNCATING))


@pytest.mark.parametrize("layer", ["errno", "kill", "crash", "power"])
def test_a_script_shows_the_failure_on_its_own(cut_in_place, tmp_path, layer):
    failing = cut_in_place.smallest[layer]
    case, _ = cut_in_place.exploration.failing[failing.id]
    folder = Path(cut_in_place.events[0].directory).parent
    before = (folder / "state" / "n").read_text()
    code, out, _ = shown(script_of(folder, case), tmp_path)
    assert 1 == code
    assert out.startswith(f"{failing.id}: {failing.label}\n")
    assert out.endswith("check: exit code 1\n    The count is lost.\nthe failure shows\n")
    assert before == (folder / "state" / "n").read_text()


@pytest.mark.parametrize("kind", ["torn", "killed"])
def test_a_real_kill_is_shown_where_it_hit(cut_in_place, tmp_path, kind):
    case = next(
        case
        for case, failing in cut_in_place.exploration.failing.values()
        if failing.layer == "kill" and ("byte" in failing.label) == (kind == "torn")
    )
    code, out, _ = shown(script_of(Path(cut_in_place.events[0].directory).parent, case), tmp_path)
    assert (1, True) == (code, "op was ended" in out)


def test_a_failure_that_is_mended_does_not_show(cut_in_place, tmp_path):
    case, _ = cut_in_place.exploration.failing[cut_in_place.smallest["kill"].id]
    mended = folder_with(tmp_path, ATOMIC)
    code, out, _ = shown(script_of(mended, case), tmp_path)
    assert (2, True) == (code, "op did not make the call that the case is about" in out)


def test_a_state_that_is_recovered_does_not_show(cut_in_place, tmp_path):
    case, _ = cut_in_place.exploration.failing[cut_in_place.smallest["crash"].id]
    script = f"""case $1 in recover) echo "count 7" > state/n ;; {COUNTED} esac"""
    folder = folder_with(tmp_path, script)
    code, out, _ = shown(script_of(folder, case, recover="sh app.sh recover"), tmp_path)
    assert (0, True) == (code, out.endswith("the failure does not show\n"))


def test_an_order_is_repeated_by_its_script(tmp_path):
    commands = {"op": "sh app.sh op a", "rival": "sh app.sh op b"}
    found = explored(folder_with(tmp_path, RACING), only=["schedule"], **commands)
    case, failing = found.exploration.failing[found.smallest["schedule"].id]
    text = script_of(tmp_path, case, **commands)
    outputs = {shown(text, tmp_path) for _ in range(10)}
    ((code, out, err),) = outputs
    assert (1, "") == (code, err)
    assert list(failing.order) == [line.strip() for line in out.splitlines() if line.startswith("    ")][:-1]


def test_an_order_in_which_a_command_makes_up_names_is_repeated_by_its_script(tmp_path):
    script = """case $1 in
op) read -r n < state/n; echo $((n + 1)) > state/n.tmp; mv state/n.tmp state/n ;;
other) read -r n < state/n; t=$(mktemp -p state); echo $((n + 1)) > $t; mv $t state/n; : > state/other ;;
check) [ ! -e state/other ] || [ "$(cat state/n)" = 9 ] || { echo "An update is lost."; exit 1; } ;;
esac"""
    commands = {"op": "sh app.sh op", "rival": "sh app.sh other", "check": "sh app.sh check"}
    found = explored(folder_with(tmp_path, script, n="7\n"), only=["schedule"], **commands)
    case, failing = found.exploration.failing[found.smallest["schedule"].id]
    assert any("{new name 1 of 1.1}" in step for step in failing.order)
    assert "An update is lost." == failing.said
    text = script_of(tmp_path, case, **commands)
    assert [1, 1, 1] == [shown(text, tmp_path)[0] for _ in range(3)]


def test_an_order_that_cannot_be_repeated_is_not_shown(tmp_path):
    commands = {"op": "sh app.sh op a", "rival": "sh app.sh op b"}
    found = explored(folder_with(tmp_path, RACING), only=["schedule"], **commands)
    case, _ = found.exploration.failing[found.smallest["schedule"].id]
    (tmp_path / "app.sh").write_text("exit 0")
    code, out, _ = shown(script_of(tmp_path, case, **commands), tmp_path)
    assert (2, True) == (code, "the order was not repeated: step 1" in out)


def test_names_that_differ_each_time_are_met_by_the_script(tmp_path):
    script = f"""case $1 in
op) t=$(mktemp -p state); : > state/n; printf 'count 8\\n' > $t; mv $t state/n ;;
{COUNTED}
esac"""
    found = explored(folder_with(tmp_path, script), only=["errno"])
    case = next(case for case, failing in found.exploration.failing.values() if "tmp.*" in failing.label)
    assert 1 == shown(script_of(tmp_path, case), tmp_path)[0]


REFUSED = "def cover(copy: str, directory: str) -> None:\n    raise OSError(1, 'refused')\n\n\ndef _unused("


def test_where_a_private_view_is_refused_a_copy_is_used_only_when_it_is_asked_for(cut_in_place, tmp_path):
    case, _ = cut_in_place.exploration.failing[cut_in_place.smallest["kill"].id]
    folder = Path(cut_in_place.events[0].directory).parent
    text = script_of(folder, case).replace("def cover(", REFUSED)
    code, out, _ = shown(text, tmp_path)
    assert (2, True) == (code, "--in-a-copy" in out)
    assert 1 == shown(text, tmp_path, "--in-a-copy")[0]
    assert "count 7\n" == (folder / "state" / "n").read_text()


def test_a_script_for_another_machine_is_not_shown(cut_in_place, tmp_path):
    case, _ = cut_in_place.exploration.failing[cut_in_place.smallest["kill"].id]
    text = script_of(Path(cut_in_place.events[0].directory).parent, case)
    code, out, _ = shown(text.replace(f'"machine": "{os.uname().machine}"', '"machine": "pdp11"'), tmp_path)
    assert (2, True) == (code, "it was made on pdp11" in out)


def test_every_kind_of_file_is_put_back(tmp_path):
    folder_with(tmp_path, 'cd state; [ "$(cat a/b d link; ls)" != "$(printf "x\\377\\nnew\\nnew\\na\\nd\\nlink")" ]')
    (tmp_path / "state" / "d").mkdir()
    before = {"n": b"count 7\n", "d": DIRECTORY}
    files = {"a": DIRECTORY, "a/b": b"x\xff\n", "d": b"new\n", "link": SymbolicLink("d")}
    case = StateCase(id="C1", layer="crash", label="", before=before, state=CrashState(files, "", finished=False))
    assert 1 == shown(script_of(tmp_path, case), tmp_path)[0]


def test_a_command_that_does_not_end_shows(tmp_path):
    folder_with(tmp_path, "case $1 in op) cat state/n > /dev/null || sleep 60 ;; esac")
    found = explored(tmp_path, only=["errno"], limit=1, timeout_s=2)
    case, _ = found.exploration.failing[found.smallest["errno"].id]
    text = scripts.script(made(tmp_path), case, ENVIRONMENT, 0.5)
    code, out, _ = shown(text, tmp_path)
    assert (1, True) == (code, "op did not end within 0.5 s" in out)


def test_scripts_are_plain_python_and_name_nothing_of_ours(cut_in_place):
    folder = Path(cut_in_place.events[0].directory).parent
    for case, _ in cut_in_place.exploration.failing.values():
        tree = ast.parse(script_of(folder, case))
        imported = {
            (each.module or "").partition(".")[0] if isinstance(each, ast.ImportFrom) else alias.name.partition(".")[0]
            for each in ast.walk(tree)
            if isinstance(each, ast.Import | ast.ImportFrom)
            for alias in each.names
        }
        assert imported <= sys.stdlib_module_names


def test_the_template_has_one_place_to_fill():
    text = Path(standalone_script.__file__).read_text()
    assert 1 == text.count(scripts._HOLE) == text.count(scripts._MAIN) == text.count(scripts._FIRST)


def test_every_layer_has_a_script(cut_in_place):
    class Unknown:
        id = label = ""

    assert {failing.layer for failing in cut_in_place.finished.smallest} <= set(LAYERS)
    with pytest.raises(HarnessFault, match="no stand-alone script shows a Unknown"):
        scripts.script(made(Path(cut_in_place.events[0].directory).parent), Unknown(), {}, 1)


def test_scripts_find_what_the_sandbox_found(tmp_path):
    folder_with(tmp_path, TRUNCATING)
    place = Place(made(tmp_path), 10)
    try:
        assert {"HOME", "PATH", "LANG", "TZ", "PYTHONHASHSEED"} <= place.environment.keys()
    finally:
        place.close()
    assert os.path.exists(tmp_path / "state" / "n")
