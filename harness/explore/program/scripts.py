"""Stand-alone scripts: a failing case as one file of plain Python that shows it without this harness."""

import base64
import errno
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Final

from harness.errors import HarnessFault
from harness.explore.program.cases import Case, StateCase, StruckCase
from harness.explore.program.commands import Program
from harness.explore.program.place import OP_EXIT
from harness.explore.program.racing import RaceCase
from harness.explore.races import RaceStep
from harness.explore.writes import DIRECTORY, Contents, SymbolicLink
from harness.faults.syscalls import SIGNATURES, Fail, Kill, Kind, Torn
from harness.faults.syscalls.filters import numbers

_TEMPLATE: Final = "standalone_script.py"
_SUPERVISOR: Final = "standalone_supervisor.py"
_RACE: Final = "standalone_race.py"
_SCENARIO: Final = "standalone_scenario.py"
_STRUCK: Final = "standalone_struck.py"
_TOGETHER: Final = "standalone_together.py"
_CLOCK: Final = "standalone_clock.py"
_CUT: Final = "\n# --- cut here"
_FIRST: Final = "from __future__ import annotations\n\n"
_IMPORT: Final = re.compile(r"(import|from) (?!__future__|harness)")
_MAIN: Final = "\n\ndef main() -> int:"
_HOLE: Final = 'r"""{}"""'
_RINGS: Final = (425, 426, 427)  # io_uring_setup, io_uring_enter, io_uring_register, on every architecture
_SLEEPS: Final = frozenset(name for name, signature in SIGNATURES.items() if signature.kind is Kind.SLEEP)
_COPIES: Final = {"copy_file_range": errno.EXDEV, "sendfile": errno.EINVAL, "splice": errno.EINVAL}


def script(program: Program, case: Case, env: Mapping[str, str], timeout_s: float) -> str:
    """The text of a script that shows ``case``; ``env`` is what its commands found in their environment."""
    content: dict[str, Any] = {
        "id": case.id,
        "label": case.label,
        "directory": program.directory,
        "folder": program.folder,
        "project": program.project,
        "op": program.op,
        "rival": program.rival,
        "recover": program.recover,
        "check": program.check,
        "env": dict(env),
        "op_exit_name": OP_EXIT,
        "timeout_s": timeout_s,
        "stable": [],
        "patterns": [],
    }
    if isinstance(case, StateCase):
        return _filled(content | _of_state(case))
    if isinstance(case, StruckCase):
        return _filled(content | _of_strike(case), _SUPERVISOR)
    if isinstance(case, RaceCase):
        return _filled(content | _of_race(case), _SUPERVISOR, _RACE)
    raise HarnessFault(f"no stand-alone script shows a {type(case).__name__}")


def scenario_script_of(content: Mapping[str, Any], strikes: frozenset[str], order: Sequence[RaceStep] = ()) -> str:
    """The script of a scenario, which can supervise the calls named in ``strikes`` and repeat the steps of ``order``.

    It holds what those need only: a script of a few calls is to be read by people.
    """
    parts = [_CLOCK] if "libraries" in content else []
    if strikes or order:
        parts = [_SUPERVISOR, _STRUCK, *parts]
        content = {**content, **_supervision(strikes | _ordered_names(order))}
    if order:
        parts += [_RACE, _TOGETHER]
        content = {**content, "sleeps": sorted(_SLEEPS)}
    return _filled(content, *parts, template=_SCENARIO)


def in_order(steps: Sequence[RaceStep], name: Callable[[str], str] = str) -> list[dict[str, Any]]:
    """The steps of a race as a script repeats them; ``name`` says how it names paths."""
    return [
        {"run": step.run, "call": step.name, "paths": [name(path) for path in step.paths]}
        for step in steps
        if SIGNATURES[step.name].kind is not Kind.MAP
    ]


def _filled(content: Mapping[str, Any], *parts: str, template: str = _TEMPLATE) -> str:
    """The template with ``content`` and, before its main function, the parts; their imports come first."""
    text = _read(template).replace(_HOLE, f'r"""{json.dumps(content, indent=1)}"""', 1)
    imports: dict[str, None] = {}
    bodies = ""
    for part in parts:
        head, _, body = _read(part).partition(_CUT)
        imports |= dict.fromkeys(line for line in head.splitlines() if _IMPORT.match(line) and line not in text)
        bodies += "\n\n" + body.partition("\n")[2].strip() + "\n"
    first, _, rest = text.partition(_FIRST)
    first += _FIRST + "".join(f"{line}\n" for line in imports)
    body, main, end = rest.partition(_MAIN)
    return first + body + bodies + main + end


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _of_state(case: StateCase) -> dict[str, Any]:
    changed = {path: held for path, held in case.state.files.items() if case.before.get(path) != held}
    replaced = [
        path
        for path, held in changed.items()
        if path in case.before and not (isinstance(held, bytes) and isinstance(case.before[path], bytes))
    ]
    return {
        "kind": "files",
        "op_exit": case.op_exit,
        "files": {path: _written(held) for path, held in sorted(changed.items())},
        "modes": {path: case.modes[path] for path in sorted(changed) if path in case.modes},
        "removed": sorted({*(case.before.keys() - case.state.files.keys()), *replaced}, reverse=True),
    }


def _written(held: Contents) -> dict[str, Any]:
    if held is DIRECTORY:
        return {"directory": True}
    if isinstance(held, SymbolicLink):
        return {"link": held.target}
    assert isinstance(held, bytes)  # noqa: S101 - the only kind left
    try:
        return {"text": held.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(held).decode()}


def _of_strike(case: StruckCase) -> dict[str, Any]:
    fails = case.answer if isinstance(case.answer, Fail) else None
    return {
        "kind": "strike",
        **_supervision(frozenset({case.site.call})),
        "stable": sorted(case.names.stable),
        "patterns": case.names.patterns,
        "strike": {
            "paths": case.site.paths,
            "nth": case.site.nth,
            "errno": getattr(errno, fails.errno) if fails else 0,
            "short": case.short_first,
            "torn": case.answer.size if isinstance(case.answer, Torn) else 0,
            "kill": isinstance(case.answer, Kill | Torn),
        },
    }


def _of_race(case: RaceCase) -> dict[str, Any]:
    return {
        "kind": "order",
        **_supervision(_ordered_names(case.steps)),
        "stable": sorted(case.names.stable),
        "patterns": case.names.patterns,
        "sleeps": sorted(_SLEEPS),
        "order": in_order(case.steps),
    }


def _ordered_names(steps: Sequence[RaceStep]) -> frozenset[str]:
    """The calls that are held to repeat these steps."""
    return frozenset({step["call"] for step in in_order(steps)} | _SLEEPS) if steps else frozenset()


def _supervision(names: frozenset[str]) -> dict[str, Any]:
    """What the script's supervisor has to know of the calls ``names``."""
    known = numbers()
    here = sorted(name for name in names if name in known and name not in _COPIES)
    fields = ("paths", "fd", "buffer", "length", "offset", "vector")
    return {
        "machine": os.uname().machine,
        "numbers": {name: known[name] for name in here},
        "signatures": {name: {field: getattr(SIGNATURES[name], field) for field in fields} for name in here},
        "refused": [
            *((known[copy], code) for copy, code in _COPIES.items() if copy in known),
            *((number, errno.ENOSYS) for number in _RINGS),
        ],
    }
