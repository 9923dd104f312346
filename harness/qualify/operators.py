"""Operators of generated mutants: the mistakes of the domain, each a change of one place of a source.

A place that no operator fits is left alone. Annotations, docstrings and ``__slots__`` never change. Pure.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterator, Mapping
from enum import EnumMeta
from typing import Any, NamedTuple

Enums = Mapping[str, EnumMeta]
"""The enumerations a module can name, by the names it has for them."""
Change = Callable[[ast.AST, Enums], ast.AST | None]
"""What takes the place of a node; None where the operator does not fit."""

_NARROWER = {"OSError": "FileNotFoundError", "Exception": "ValueError", "BaseException": "OSError"}
_LOOSER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_ORDERS, _ENDS = frozenset(("schedule",)), frozenset(("killed", "torn", "power"))
_DEFAULTS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Constant, ast.JoinedStr)
_BOUNDS = ("max", "min")
_OF_LOGS = frozenset(("LogCode", "Event"))  # what an entry of a log is called is no decision, and hardly in a clause
_CLAUSE = re.compile(r"\b[A-Z]{2}-[A-Z0-9]+-\d+\b")


class Operator(NamedTuple):
    """One kind of mistake."""

    name: str
    description: str
    change: Change
    level: str = "L1"
    """The lowest at which it can show."""
    explored: frozenset[str] = frozenset()
    """What is explored to show it at L3."""
    raises: bool = False
    """Is the mistake itself that an operation raises?"""
    is_general: bool = False
    """Is it no mistake of this domain? What it makes is told apart: the documents are often silent about it."""


class Site(NamedTuple):
    """One place of a module that one operator changes: the ``number``-th of its kind, from 1, in that ``scope``."""

    operator: str
    module: str
    scope: str
    number: int
    line: int

    @property
    def id(self) -> str:
        """Stays the same while its function does: ``operator@module:scope#number``."""
        return f"{self.operator}@{self.module}:{self.scope}#{self.number}"


def _drop_a_sync(node: ast.AST, enums: Enums) -> ast.AST | None:
    """The bytes of a file are not synced. That its name outlasts a loss of power, no clause asks for."""
    del enums
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if _called(node.value) == "os.fsync":
            return ast.Pass()
    return None


def _drop_exclusive_create(node: ast.AST, enums: Enums) -> ast.AST | None:
    del enums
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and ast.unparse(node.right) == "os.O_EXCL":
        return node.left
    return None


def _write_in_place(node: ast.AST, enums: Enums) -> ast.AST | None:
    """``files.replace(path, data)`` becomes an open file that is truncated and written. An empty one cannot be torn."""
    del enums
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords and not _is_empty(node.args[1]):
        called = _called(node)
        if called.rpartition(".")[2] == "replace" and called.rpartition(".")[0].split(".")[-1] in ("files", "_files"):
            path, data = node.args
            opened = ast.Call(ast.Name("open", ast.Load()), [path, ast.Constant("wb")], [])
            return ast.Call(ast.Attribute(opened, "write", ast.Load()), [data], [])
    return None


def _is_empty(data: ast.expr) -> bool:
    return isinstance(data, ast.Constant) and not data.value


def _narrow_an_except(node: ast.AST, enums: Enums) -> ast.AST | None:
    del enums
    if isinstance(node, ast.ExceptHandler) and node.type is not None:
        narrower = _narrowed(node.type)
        return None if narrower is None else _with(node, type=narrower)
    if isinstance(node, ast.Call) and _called(node) == "contextlib.suppress" and node.args:
        if len(node.args) > 1:
            return _with(node, args=node.args[:1])
        narrower = _narrowed(node.args[0])
        return None if narrower is None else _with(node, args=[narrower])
    return None


def _narrowed(kind: ast.expr) -> ast.expr | None:
    if isinstance(kind, ast.Tuple) and len(kind.elts) > 1:
        return kind.elts[0]
    if isinstance(kind, ast.BinOp):
        return kind.left
    if isinstance(kind, ast.Name) and kind.id in _NARROWER:
        return ast.Name(_NARROWER[kind.id], ast.Load())
    return None


def _trust_a_type(node: ast.AST, enums: Enums) -> ast.AST | None:
    del enums
    return ast.Constant(True) if isinstance(node, ast.Call) and _called(node) == "isinstance" else None


def _one_more(node: ast.AST, enums: Enums) -> ast.AST | None:
    del enums
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _LOOSER:
        bound = node.comparators[0]
        if _is_threshold(bound):
            return _with(node, comparators=[ast.BinOp(bound, ast.Add(), ast.Constant(1))])
    return None


def _is_threshold(bound: ast.expr) -> bool:
    if isinstance(bound, ast.Constant):
        return isinstance(bound.value, int) and not isinstance(bound.value, bool) and bound.value > 0
    name = ast.unparse(bound) if isinstance(bound, ast.Name | ast.Attribute) else ""
    last = name.rpartition(".")[2]
    return last.isupper() or "tunables" in name.split(".")


def _strictness(node: ast.AST, enums: Enums) -> ast.AST | None:
    del enums
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _LOOSER:
        return _with(node, ops=[_LOOSER[type(node.ops[0])]()])
    return None


def _wall_clock_only(node: ast.AST, enums: Enums) -> ast.AST | None:
    """A bound on a time (never before the last one, never below zero) is forgotten."""
    del enums
    if isinstance(node, ast.Call) and _called(node) in _BOUNDS and len(node.args) == 2 and not node.keywords:
        timed = [each for each in node.args if _is_time(each)]
        return timed[0] if timed else None
    return None


def _is_time(value: ast.expr) -> bool:
    named = [each for each in ast.walk(value) if isinstance(each, ast.Name | ast.Attribute)]
    words = [each.id if isinstance(each, ast.Name) else each.attr for each in named]
    return any(word.endswith(("_s", "_us", "_ms")) or word == "now" for word in words)


def _swallow(node: ast.AST, enums: Enums) -> ast.AST | None:
    del enums
    return ast.Pass() if isinstance(node, ast.Raise) else None


def _wrong_enum(node: ast.AST, enums: Enums) -> ast.AST | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        kind = enums.get(node.value.id) if node.value.id not in _OF_LOGS else None
        names = list(kind.__members__) if kind is not None else []
        if node.attr in names and len(names) > 1:
            return _with(node, attr=names[(names.index(node.attr) + 1) % len(names)])
    return None


def _forgotten_condition(node: ast.AST, enums: Enums) -> ast.AST | None:
    """Of conditions that are joined, the last one is forgotten; what stands for a value that is missing is none."""
    del enums
    if (
        isinstance(node, ast.BoolOp)
        and not isinstance(node.values[-1], _DEFAULTS)
        and not _is_constant(node.values[-1])
    ):
        left = node.values[:-1]
        return left[0] if len(left) == 1 else _with(node, values=left)
    return None


def _is_constant(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id.isupper()


OPERATORS: tuple[Operator, ...] = (
    Operator("drop-a-sync", "what was written is not synced", _drop_a_sync, "L3", frozenset(("power",))),
    Operator(
        "drop-exclusive-create", "a file that is there is taken for a new one", _drop_exclusive_create, "L3", _ORDERS
    ),
    Operator("write-in-place", "a file is truncated and written, and not replaced", _write_in_place, "L3", _ENDS),
    Operator("narrow-an-except", "fewer errors are caught", _narrow_an_except, raises=True),
    Operator("trust-a-type", "a value's type is not looked at", _trust_a_type, raises=True),
    Operator("one-more", "a threshold is one higher", _one_more),
    Operator("strictness", "strict for non-strict, or the other way round", _strictness),
    Operator("wall-clock-only", "a time is not bounded", _wall_clock_only),
    Operator("swallow", "an error is not raised", _swallow),
    Operator("wrong-enum", "the next member of an enumeration", _wrong_enum),
    Operator("forgotten-condition", "the last of several conditions is not looked at", _forgotten_condition,
             is_general=True),
)  # fmt: skip


def is_general(site_id: str) -> bool:
    """Does a general operator make that one, and none of the domain?"""
    return any(operator.is_general and site_id.startswith(f"{operator.name}@") for operator in OPERATORS)


def sites(tree: ast.Module, module: str, enums: Enums) -> tuple[Site, ...]:
    """Every place of that module's source that an operator changes, in the order of the source."""
    return tuple(site for site, _, _ in _places(tree, module, enums))


def documented(tree: ast.Module) -> dict[str, str]:
    """The docstrings of the functions that have one, by scope."""
    return {
        node.name if scope == "module" else f"{scope}.{node.name}": ast.get_docstring(node) or ""
        for node, scope in nodes(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node)
    }


def named(said: str) -> frozenset[str]:
    """The clauses that a docstring names."""
    return frozenset(_CLAUSE.findall(said))


def changed(tree: ast.Module, module: str, enums: Enums, site_id: str) -> ast.Module | None:
    """The source with that place changed; None when it has no such place. The tree that is given stays as it is."""
    made = copy.deepcopy(tree)
    for site, node, new in _places(made, module, enums):
        if site.id == site_id:
            _Exchange(node, new).visit(made)
            return ast.fix_missing_locations(made)
    return None


class _Exchange(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else self.generic_visit(node)


def _places(tree: ast.Module, module: str, enums: Enums) -> Iterator[tuple[Site, ast.AST, ast.AST]]:
    counts: dict[tuple[str, str], int] = {}
    needed = {id(each) for each in _needed(tree)}
    for node, scope in nodes(tree):
        for operator in OPERATORS:
            new = operator.change(node, enums) if id(node) not in needed else None
            if new is not None:
                number = counts[operator.name, scope] = counts.get((operator.name, scope), 0) + 1
                yield Site(operator.name, module, scope, number, getattr(node, "lineno", 0)), node, new


def _needed(tree: ast.Module) -> Iterator[ast.Raise]:
    """The raises without which a name would have no value: what a ``try`` was to give it. That only crashes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_gives_a_name(each) for each in node.body):
            ends = (handler.body[-1] for handler in node.handlers)
            yield from (each for each in ends if isinstance(each, ast.Raise))


def _gives_a_name(statement: ast.stmt) -> bool:
    return any(isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) for each in ast.walk(statement))


def nodes(node: ast.AST, scope: str = "module") -> Iterator[tuple[ast.AST, str]]:
    """Every node below, but for annotations, with the dotted name of the function or class it stands in."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child, scope
                inner = scope
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    inner = child.name if scope == "module" else f"{scope}.{child.name}"
                yield from nodes(child, inner)


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    """A copy of the node with these fields, the others shared."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""
