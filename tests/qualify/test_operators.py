"""The operators of generated mutants change what they say, in one place, and nothing else."""

import ast
import enum

import pytest

from harness.qualify.operators import OPERATORS, changed, documented, is_general, named, sites


class Colour(enum.StrEnum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


ENUMS = {"Colour": Colour}


def mutated(source, operator):
    """The source with each place of that operator changed in turn."""
    tree = ast.parse(source)
    found = [site for site in sites(tree, "m", ENUMS) if site.operator == operator]
    return [ast.unparse(changed(tree, "m", ENUMS, site.id)) for site in found]


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("drop-a-sync", "os.fsync(d)", ["pass"]),
        ("drop-a-sync", "_sync_directory(d)", []),
        ("drop-a-sync", "os.close(d)", []),
        ("drop-exclusive-create", "f(os.O_WRONLY | os.O_EXCL)", ["f(os.O_WRONLY)"]),
        ("drop-exclusive-create", "f(os.O_WRONLY | os.O_CREAT)", []),
        ("write-in-place", "self.files.replace(path, data)", ["open(path, 'wb').write(data)"]),
        ("write-in-place", "text.replace('a', 'b')", []),
        ("narrow-an-except", "try:\n    f()\nexcept (A, B):\n    g()", ["try:\n    f()\nexcept A:\n    g()"]),
        ("narrow-an-except", "try:\n    f()\nexcept A | B:\n    g()", ["try:\n    f()\nexcept A:\n    g()"]),
        (
            "narrow-an-except",
            "try:\n    f()\nexcept OSError:\n    g()",
            ["try:\n    f()\nexcept FileNotFoundError:\n    g()"],
        ),
        ("narrow-an-except", "try:\n    f()\nexcept KeyError:\n    g()", []),
        ("narrow-an-except", "try:\n    f()\nexcept:\n    g()", []),
        ("narrow-an-except", "contextlib.suppress(A, B)", ["contextlib.suppress(A)"]),
        ("narrow-an-except", "contextlib.suppress(OSError)", ["contextlib.suppress(FileNotFoundError)"]),
        ("narrow-an-except", "contextlib.suppress(KeyError)", []),
        ("trust-a-type", "a = isinstance(x, int)", ["a = True"]),
        ("one-more", "a = x < 5", ["a = x < 5 + 1"]),
        ("one-more", "a = x < LIMIT", ["a = x < LIMIT + 1"]),
        ("one-more", "a = x <= self.tunables.most", ["a = x <= self.tunables.most + 1"]),
        ("write-in-place", "self.files.replace(path, b'')", []),
        ("one-more", "a = x < y", []),
        ("one-more", "a = x < 0", []),
        ("strictness", "a = x < y", ["a = x <= y"]),
        ("strictness", "a = x >= y", ["a = x > y"]),
        ("strictness", "a = x == y", []),
        ("strictness", "a = 0 < x < y", []),
        ("wall-clock-only", "a = max(now_s - then_s, 0.0)", ["a = now_s - then_s"]),
        ("wall-clock-only", "a = max(x, y)", []),
        ("swallow", "raise ValueError", ["pass"]),
        ("swallow", "try:\n    f()\nexcept A:\n    raise", ["try:\n    f()\nexcept A:\n    pass"]),
        ("swallow", "try:\n    a = f()\nexcept A:\n    raise", []),  # a name without a value is a crash, no mistake
        ("wrong-enum", "a = Colour.RED", ["a = Colour.GREEN"]),
        ("wrong-enum", "a = Colour.BLUE", ["a = Colour.RED"]),
        ("wrong-enum", "a = Colour.name", []),
        ("wrong-enum", "a = Other.RED", []),
        ("forgotten-condition", "a = x and y", ["a = x"]),
        ("forgotten-condition", "a = x or y or z", ["a = x or y"]),
    ],
)
def test_an_operator_changes_its_place(operator, source, expected):
    assert expected == mutated(source, operator)


def test_every_operator_has_a_description_and_a_name_of_its_own():
    assert len(OPERATORS) == len({operator.name for operator in OPERATORS})
    assert all(operator.description for operator in OPERATORS)


def test_a_log_code_is_no_decision():
    for name in ("LogCode", "Event"):
        assert () == sites(ast.parse(f"a = {name}.RED"), "m", {name: Colour})


def test_annotations_are_left_alone():
    assert [] == mutated("def f(a: Colour.RED) -> Colour.RED:\n    b: Colour.RED = 1", "wrong-enum")


def test_a_place_is_named_by_its_function_and_stays_when_lines_come_before_it():
    source = "class A:\n    def f(self):\n        return x < y or y < z"
    first, again = ([site.id for site in sites(ast.parse(text), "m", {})] for text in (source, f"import os\n{source}"))
    assert first == again
    assert ["forgotten-condition@m:A.f#1", "strictness@m:A.f#1", "strictness@m:A.f#2"] == first


def test_one_place_is_changed_and_the_tree_that_was_given_is_not():
    tree = ast.parse("def f():\n    return x < y or y < z")
    assert "x < y or y <= z" in ast.unparse(changed(tree, "m", {}, "strictness@m:f#2"))
    assert "x < y or y < z" in ast.unparse(tree)
    assert changed(tree, "m", {}, "strictness@m:f#3") is None


def test_functions_say_which_clauses_they_implement():
    source = 'class A:\n    def f(self):\n        """See LK-RL-06, and LK-RL-06 again."""\ndef g():\n    """Nothing."""'
    found = documented(ast.parse(source))
    assert {"A.f": {"LK-RL-06"}, "g": set()} == {scope: named(said) for scope, said in found.items()}


def test_what_general_operators_make_is_told_apart():
    assert is_general("forgotten-condition@m:f#1")
    assert not is_general("strictness@m:f#1")
