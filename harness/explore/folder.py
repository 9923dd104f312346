"""A folder of scenario files that we write: whole files only, and nothing of the person's is overwritten."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from harness.core.scenario import Scenario, dump, load
from harness.errors import FileFormatError, UsageError

Format = Literal["yaml", "json"]
ENDINGS = (".yaml", ".json")
RED = "red"  # a folder below, for scenarios in which our own reference failed
MARK = "-found-"  # in the id of every scenario that was generated


def as_text(scenario: Scenario, kind: Format) -> str:
    """The scenario's file; JSON is YAML as well, so both are read alike."""
    if kind == "yaml":
        return dump(scenario)
    return msgspec.json.format(msgspec.json.encode(scenario), indent=2).decode() + "\n"


def require_ours(folder: Path, *, force: bool) -> tuple[Path, ...]:
    """The generated files that stand in ``folder`` already; UsageError when it holds anything else, unless ``force``.

    Makes the folder, so that a place that cannot be written to is told before the work.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        entries = sorted(folder.iterdir())
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}; choose another place with --out") from error
    entries = [path for path in entries if path.name != RED or not path.is_dir()]
    ours = tuple(path for path in entries if _is_ours(path))
    if len(ours) != len(entries) and not force:
        other = next(path.name for path in entries if path not in ours)
        raise UsageError(
            f"{folder} holds {other}, which is no generated scenario; choose an empty folder, or add --force to keep "
            "it and replace only what was generated"
        )
    return ours


def write(folder: Path, scenarios: Sequence[Scenario], kind: Format, old: Sequence[Path] = ()) -> list[Path]:
    """Writes each scenario to a file of its name, each seen whole or not at all, then removes those of ``old`` left."""
    written: list[Path] = []
    for scenario in scenarios:
        path = folder / f"{scenario.id}.{kind}"
        whole(path, as_text(scenario, kind))
        written.append(path)
    for path in old:
        if path not in written:
            path.unlink(missing_ok=True)
    return written


def whole(path: Path, text: str) -> None:
    """Writes ``text`` to ``path`` by way of a temporary file beside it, which never stays."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _is_ours(path: Path) -> bool:
    if path.suffix not in ENDINGS or not path.is_file():
        return False
    try:
        return MARK in load(path.read_bytes(), where=path.name).id
    except (FileFormatError, OSError):
        return False
