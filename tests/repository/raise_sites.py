"""What the sources say when they raise: the template of every message, read from the syntax tree.

A part that is only known at run time is ``{}``. A name is followed to the one text it was given, in its function, its
module, or the module it comes from; what is left without words is opaque, and the catalogue tells what is built there.
"""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from harness.certify.reach import NotAskedAsHookError
from harness.errors import WindtunnelError
from harness.messages import GAP, KINDS
from harness.targets.beginnings import OtherSystemsError

ROOT = Path(__file__).parents[2]
ERRORS = {kind.error.__name__: letter for letter, kind in KINDS.items() if issubclass(kind.error, WindtunnelError)}
ERRORS |= {OtherSystemsError.__name__: "T", NotAskedAsHookError.__name__: "U"}
SHOWN = {
    name for name, kind in vars(click).items() if isinstance(kind, type) and issubclass(kind, click.ClickException)
}
LETTERS = 4  # with fewer, a template says nothing by which its message could be known
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Site(NamedTuple):
    """One construction of an error: the letter of its kind, what it says, and where."""

    letter: str
    template: str
    module: str
    line: int


def raise_sites() -> list[Site]:
    """Every construction of one of our errors in harness/, those without words of their own too."""
    paths = sorted((ROOT / "harness").rglob("*.py"))
    calls = ("click.", "self.fail(", *(f"{name}(" for name in ERRORS))
    speaking = [path for path in paths if any(call in path.read_text("utf-8") for call in calls)]  # parsing is slow
    return [site for path in speaking for site in _of_module(path)]


def opaque(site: Site) -> bool:
    """Whether the site holds too few words to be known by them."""
    return not _has_words(site.template)


def _has_words(template: str) -> bool:
    return sum(map(str.isalpha, template.replace(GAP, ""))) >= LETTERS


@functools.cache
def string_constants() -> tuple[str, ...]:
    """Every text that stands in the sources, a part of an f-string for itself."""
    found = {
        node.value
        for path in (ROOT / "harness").rglob("*.py")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return tuple(sorted(found))


def _of_module(path: Path) -> Iterator[Site]:
    for function, node in _calls(_tree(path), None):
        letter = _letter(node.func, path)
        if letter and node.args:
            message = node.args[0 if letter == "C" else -1]
            for template in _templates(message, function, path):
                yield Site(letter, template, str(path.relative_to(ROOT)), node.lineno)


def _letter(called: ast.expr, path: Path) -> str:
    """The kind of error that a call of that makes; "" when it makes none."""
    if isinstance(called, ast.Name):
        return ERRORS.get(called.id, "")
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        if called.value.id == "click" and called.attr in SHOWN:
            return "C"
        if called.value.id == "self" and called.attr == "fail" and path.parent.name == "cli":  # of a click.ParamType
            return "C"
    return ""


def _calls(node: ast.AST, function: Function | None) -> Iterator[tuple[Function | None, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield function, child
        yield from _calls(child, child if isinstance(child, Function) else function)


def _templates(node: ast.expr, function: Function | None, path: Path) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [*_templates(node.body, function, path), *_templates(node.orelse, function, path)]
    if isinstance(node, ast.Name) and function is not None:
        given = [
            each.value for each in ast.walk(function) if isinstance(each, ast.Assign) and _names(each) == [node.id]
        ]
        if len(given) == 1:
            return _templates(given[0], None, path)
    return [_template(node, path).replace(GAP + GAP, GAP)]


def _template(node: ast.expr, path: Path) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_template(part, path) for part in node.values)
    if isinstance(node, ast.FormattedValue) and node.conversion == -1:
        return _template(node.value, path)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _template(node.left, path) + _template(node.right, path)
    if isinstance(node, ast.Name) and node.id.lstrip("_").isupper():
        return _constant(node.id, path) or GAP
    return GAP


def _constant(name: str, path: Path) -> str:
    """The text of a constant of the module, or of the one that it is imported from; "" when it is none."""
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and _names(node) == [name]:
            text = _template(node.value, path)
            return text if _has_words(text) else ""
        if isinstance(node, ast.ImportFrom) and node.module and name in [alias.name for alias in node.names]:
            source = ROOT.joinpath(*node.module.split(".")).with_suffix(".py")
            return _constant(name, source) if source.is_file() else ""
    return ""


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))
