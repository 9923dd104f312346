"""Finds the scenarios that a word on the command line means: a file, a folder, a short id, or one of ours by its id."""

import json
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from harness.certify import corpus
from harness.certify.events import RunStarted, decode
from harness.core.scenario import Scenario, load
from harness.errors import FileFormatError, UsageError
from harness.ports.files import RealFiles
from harness.report.files import EVENTS, SCENARIOS

FILE_LIMIT_BYTES = 64 * 1024 * 1024  # a scenario has some thousand; a FIFO or a device is refused unread
INDEX = "index.json"
ENDINGS = (".yaml", ".json")
NEAR = 3  # ids shown for one that is not known


class Named(NamedTuple):
    """The scenarios that were meant, whether by a folder, and the target of the run they failed in ("" without one)."""

    scenarios: tuple[Scenario, ...]
    is_folder: bool
    target: str = ""


def named(what: str, report: Path) -> Named:
    """The scenarios that ``what`` means; a short id is looked up in the run stored at ``report``.

    UsageError when nothing has that name, FileFormatError when a file is no scenario.
    """
    path = Path(what)
    if path.is_dir():
        return _folder(path)
    if path.exists() or path.suffix in ENDINGS or len(path.parts) != 1:
        return Named((_file(path),), is_folder=False)
    return _by_id(what, report)


def _file(path: Path) -> Scenario:
    try:
        text = RealFiles().read(str(path), FILE_LIMIT_BYTES)
    except OSError as error:
        raise UsageError(
            f"cannot read the scenario file {path}: {error.strerror or 'it is no regular file'}"
        ) from error
    return load(text, where=str(path))


def _folder(folder: Path) -> Named:
    try:
        paths = sorted(path for ending in ENDINGS for path in folder.rglob(f"*{ending}") if path.name != INDEX)
    except OSError as error:
        raise UsageError(f"cannot read the folder {folder}: {error.strerror}") from error
    if not paths:
        raise UsageError(f"{folder} holds no scenario file: there is no *.yaml or *.json below it")
    return Named(tuple(_file(path) for path in paths), is_folder=True)


def _by_id(word: str, report: Path) -> Named:
    index = _index(report)
    name = index.get(word) or next((name for name in index.values() if name == f"{word}.yaml"), None)
    if name is not None:
        return Named((_file(report / SCENARIOS / name),), is_folder=False, target=_target(report))
    ours = corpus.paths()
    if word in ours:
        return Named((_file(ours[word]),), is_folder=False)
    near = get_close_matches(word, [*index, *ours], n=NEAR)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the failures stored in {report}: {_listed(index)}"
    raise UsageError(f"{word!r} is no file, and no scenario has that id; {hint}")


def _listed(index: dict[str, str]) -> str:
    return ", ".join(list(index)[:10]) or "none"


def _index(report: Path) -> dict[str, str]:
    """File names by the short ids that were printed with failures."""
    path = report / SCENARIOS / INDEX
    try:
        found = json.loads(RealFiles().read(str(path), FILE_LIMIT_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path} is no list of failures: {error}; run `windtunnel certify` again") from error
    if not isinstance(found, dict) or not all(isinstance(name, str) and "/" not in name for name in found.values()):
        raise FileFormatError(f"{path} is no list of failures; run `windtunnel certify` again")
    return found


def _target(report: Path) -> str:
    """The words that name the target of the run stored at ``report``; "" when it does not say."""
    try:
        with (report / EVENTS).open("rb") as file:
            first = decode(file.readline())
    except (OSError, ValueError):
        return ""
    return first.replay if isinstance(first, RunStarted) else ""
