"""What holds of every file. Source: issue 2; CONTRIBUTING.md, "House rules"."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = sorted((ROOT / "harness").rglob("*.py"))
LINES = 400
FUNCTION_LINES = 60
# where checkouts, environments and homes of whoever worked on this lie; transcripts tell of the home of one "dev", sandboxes have an "agent"
PLACES = (r"work/(main|shared|\.library)", "opt/wt", "root/", "home/(?!dev/|agent/)[a-z]+/", "Users/[a-z]+/")
MACHINE_PATHS = re.compile("|".join(f"/{place}" for place in PLACES))  # so that none stands here either


def tracked():
    """Every file that git knows or would add."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:  # an unpacked sdist
        return [
            path
            for path in ROOT.rglob("*")
            if path.is_file() and not any(p.startswith(".") for p in path.relative_to(ROOT).parts)
        ]
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def parsed():
    return [(path, ast.parse(path.read_text("utf-8"))) for path in PACKAGE]


def named(path, node):
    return f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


@pytest.mark.parametrize("folder", ["harness", "tests", "benchmarks"])
def test_files_are_at_most_400_lines(folder):
    long = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in (ROOT / folder).rglob("*.py")
    }
    assert {} == {path: lines for path, lines in long.items() if lines > LINES}


def test_functions_are_at_most_60_lines():
    long = [
        named(path, node)
        for path, tree in parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]
    assert [] == long


def test_no_two_modules_of_tests_have_the_same_name():
    """Every folder of tests is on the path, so the second of a name would be the first one."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("*.py") if "defects" not in path.parts)
    assert {} == {name: count for name, count in names.items() if count > 1 and name != "conftest.py"}


def test_no_module_is_called_after_nothing():
    assert [] == [path for path in PACKAGE if path.stem in ("utils", "util", "helpers", "misc", "common", "tools")]


def test_every_public_module_class_and_function_has_a_docstring():
    missing = []
    for path, tree in parsed():
        if not ast.get_docstring(tree):
            missing.append(str(path.relative_to(ROOT)))
        if "mutants" not in path.parts and path.stem != "blind_mutants":
            missing += [named(path, node) for node in _public(tree) if not ast.get_docstring(node)]
    # what overrides a class of a library is documented there
    assert [] == [name for name in missing if not name.endswith(("list_commands", "get_command", "resolve_command"))]


def _public(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def test_no_file_holds_a_path_of_a_machine():
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in MACHINE_PATHS.finditer(text)]
    assert [] == found


@pytest.mark.parametrize("path", ["work/main/x", "opt/wt/bin", "root/.cache", "home/me/x", "Users/me/x"])
def test_a_path_of_a_machine_is_recognised(path):
    assert MACHINE_PATHS.search(f"see /{path}")


def test_nothing_generated_or_private_is_tracked():
    names = [str(path.relative_to(ROOT)) for path in tracked()]
    unwanted = re.compile(
        r"[{}]|(^|/)(__pycache__|\.venv[^/]*|\.\w+_cache|windtunnel-report|\.hypothesis|node_modules)/|\.(pyc|orig|rej)$|(^|/)\.coverage"
    )
    assert [] == [name for name in names if unwanted.search(name)]


def test_mutant_switches_are_not_in_what_is_installed_as_a_hook():
    hook = (ROOT / "harness" / "systems" / "stop_gate" / "reference" / "hook.py").read_text("utf-8")
    assert "mutant" not in hook
