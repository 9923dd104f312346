"""The places of a reference that the operators change: its own sources, and what of the ports it writes with.

A mutant that is generated is a source with one place changed, imported in the place of the real one.
"""

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import EnumMeta
from functools import cache
from importlib import import_module, resources
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.resources.abc import Traversable
from types import ModuleType

from harness.core.clause import Level
from harness.errors import UsageError
from harness.qualify.operators import OPERATORS, Operator, Site, changed, documented, named, nodes, sites
from harness.systems import registry

PORTS = "harness.ports.files"
WRITERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "drop-a-sync": {"replace": ("RealFiles.replace",)},
    "drop-exclusive-create": {"create": ("RealFiles.create",)},
}
"""By operator, and by the method of Files that a reference calls, what of the ports writes for it.

Not the name beside a file that is replaced: it is taken under the lock of that file. Not the sync of what is created:
an empty file, or a copy kept aside, which no clause wants to outlast a loss of power.
"""
WHERE_BOUND = ("create",)
"""What counts only where a function calls it that implements a clause: copies of damaged files are kept for people."""
ANYWHERE = ("write-in-place",)
"""Operators whose places count in every function: whatever replaces a file keeps state."""
OURS = re.compile(r"\bour reading\b|\breading ``")


class Places:
    """The places of one system's reference, by their ids, in the order of its modules and of each source.

    These are the places in functions whose docstrings say which MUST clause they implement, unless they say that they
    follow our reading of one: then a change may be another that is permitted. And what of the ports writes for the
    reference. With ``everywhere`` those in all functions.
    """

    def __init__(self, system: str, *, everywhere: bool = False) -> None:
        binding = frozenset(clause.id for clause in registry.get(system).catalogue if clause.level is Level.MUST)
        self._modules = _modules(system)
        self.sites: dict[str, Site] = {}
        """By id."""
        used: set[str] = set()
        for module in self._modules:
            tree = _tree(module)
            said = {scope: text for scope, text in documented(tree).items() if not OURS.search(text)}
            bound = [scope for scope, text in said.items() if named(text) & binding]
            for site in sites(tree, _short(system, module), _enums(tree)):
                binds = site.operator in ANYWHERE or any(f"{site.scope}.".startswith(f"{scope}.") for scope in bound)
                if everywhere or binds:
                    self.sites[site.id] = site
            used |= _used(tree, bound)
        self.sites |= {site.id: site for site in _of_ports(used)}

    def operator_of(self, site_id: str) -> Operator:
        """The operator that changes that place."""
        wanted = self.sites[site_id].operator
        return next(operator for operator in OPERATORS if operator.name == wanted)


def _used(tree: ast.Module, bound: Sequence[str]) -> set[str]:
    """The methods of Files that a source calls; those of ``WHERE_BOUND`` only where a clause is implemented."""
    found = set()
    for node, scope in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_files = ast.unparse(node.func.value).rpartition(".")[2] in ("files", "_files")
            if of_files and (node.func.attr not in WHERE_BOUND or scope in bound):
                found.add(node.func.attr)
    return found


def _of_ports(used: AbstractSet[str]) -> list[Site]:
    found = sites(_tree(PORTS), PORTS, {})
    return [site for site in found if any(site.scope in WRITERS.get(site.operator, {}).get(name, ()) for name in used)]


def install(system: str, site_id: str) -> None:
    """From now on the module of that place is imported with the place changed; UsageError when there is none."""
    module_name = site_id.partition("@")[2].partition(":")[0]
    module = PORTS if module_name == PORTS else f"harness.systems.{system}.{module_name}"
    if module in sys.modules:
        raise UsageError(f"{module} is imported already, so it cannot be changed")
    try:
        tree = _tree(module)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise UsageError(f"{system} has no place {site_id!r}") from error
    enums = {} if module == PORTS else _enums(tree)
    made = changed(tree, module_name, enums, site_id)
    if made is None:
        raise UsageError(f"{system} has no place {site_id!r}")
    sys.meta_path.insert(0, _Finder(module, made))


class _Finder(MetaPathFinder, Loader):
    def __init__(self, module: str, tree: ast.Module) -> None:
        self._module = module
        self._tree = tree

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """See MetaPathFinder."""
        del path, target
        if fullname != self._module:
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        """See Loader."""
        exec(compile(self._tree, f"<{self._module}, changed>", "exec"), module.__dict__)  # noqa: S102 - it is our own source


def _modules(system: str) -> tuple[str, ...]:
    """The modules of the reference that is served, and what they import of it; a hook beside it is none of them."""
    package = f"harness.systems.{system}.reference"
    folder = _source("harness.systems").joinpath(system, "reference")
    known = {f"{package}.{entry.name.removesuffix('.py')}" for entry in folder.iterdir() if entry.name.endswith(".py")}
    waiting = [node for node in ast.walk(_tree_of_package(package)) if isinstance(node, ast.ImportFrom)]
    found: set[str] = set()
    while waiting:
        module = waiting.pop().module or ""
        if module in known - found:
            found.add(module)
            waiting += [node for node in ast.walk(_tree(module)) if isinstance(node, ast.ImportFrom)]
    return tuple(sorted(found))


def _tree_of_package(package: str) -> ast.Module:
    return ast.parse(_source(package).joinpath("__init__.py").read_text(encoding="utf-8"))


def _short(system: str, module: str) -> str:
    return module.removeprefix(f"harness.systems.{system}.")


@cache
def _tree(module: str) -> ast.Module:
    package, _, name = module.rpartition(".")
    return ast.parse(_source(package).joinpath(f"{name}.py").read_text(encoding="utf-8"))


def _source(package: str) -> Traversable:
    """The folder of a package, which is not imported for that: what it imports could not be changed any more."""
    return resources.files("harness").joinpath(*package.split(".")[1:])


def _enums(tree: ast.Module) -> dict[str, EnumMeta]:
    """The enumerations that the source imports from its contract or from core; nothing that could be changed itself."""
    found: dict[str, EnumMeta] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and ".reference" not in node.module:
            if not node.module.startswith(("harness.systems.", "harness.core.")):
                continue
            module = import_module(node.module)
            for each in node.names:
                kind = getattr(module, each.name, None)
                if isinstance(kind, EnumMeta):
                    found[each.asname or each.name] = kind
    return found
