"""Level L2: storage that fails for a while. What could not be kept meanwhile is, once it can be, by the same process.

A fault of storage stands until the next reset; a second one beside it takes away what was in the way: what fills a disk
is removed, what stands in the place of a file, or the mode that keeps everybody from reading it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Scenario, Step
from harness.systems.error_log.contract import ERRORS_PATH, METADATA_PATH, PLAN_PATH, STATE_PATH, TODO_PATH, ErrorType
from harness.systems.error_log.workload.error_log_steps import (
    OTHER,
    OTHER_TASK,
    PHASES,
    SESSION,
    SPECS,
    TODO,
    Story,
    calm,
    progress,
    scenario,
)
from harness.systems.error_log.workload.legs import FAR

PAGE_BYTES = 4096
ROOM = {TODO_PATH: FileSpec(text=TODO + "\n<!-- what was done long ago -->\n" * (4 * PAGE_BYTES // 32))}
"""A TODO.md whose removal makes room for each of the files that are written, and for its new version beside it."""


class Spell(NamedTuple):
    """What goes wrong, and what takes it away again; ``name`` is part of the scenario's."""

    name: str
    begins: Fault
    ends: tuple[Fault, ...]


_FREED = (Fault("filesystem.missing", TODO_PATH), Fault("filesystem.missing", STATE_PATH))
_FULL = Spell("full", Fault("filesystem.full", SPECS, {"free_bytes": 0}), _FREED)


def _instead(kind: str, path: str, word: str) -> Spell:
    """Something else stands where the file was; then nothing does."""
    return Spell(f"{word}-{kind.replace('_', '-')}", Fault(f"filesystem.{kind}", path), (
        Fault("filesystem.missing", path),
    ))  # fmt: skip


def _hidden(path: str, word: str) -> Spell:
    """Nobody may read the file; then everybody may, and a new version may take its place."""
    return Spell(f"{word}-unreadable", Fault("filesystem.unreadable", path), (Fault("filesystem.not_writable", path),))


_ERRORS = (
    _FULL,
    _hidden(ERRORS_PATH, "errors"),
    *(_instead(kind, ERRORS_PATH, "errors") for kind in ("directory", "fifo", "symlink_loop")),
)
_METADATA = (_FULL, _hidden(METADATA_PATH, "metadata"))
_PLAN = (_FULL, _hidden(PLAN_PATH, "plan"))
_LOGGED = ("ER-LOG-01", "ER-LOG-02", "ER-LOG-03", "ER-LOG-05", "ER-LOG-08", "ER-LOG-09")


def passing() -> Iterator[Scenario]:
    """The enumerated scenarios, in a fixed order."""
    for spell in _ERRORS:
        yield from _logged(spell)
    for spell in _METADATA:
        yield from _kept(spell)
    for spell in _PLAN:
        yield _marked(spell)


def _scenario(name: str, title: str, clauses: tuple[str, ...], story: Story) -> Scenario:
    return scenario(f"l2-passing-{name}", title, clauses, story, files=ROOM, level="L2")


def _begun(spell: Spell) -> Story:
    """An error is logged in calm weather, then that fault stands."""
    return calm().log("parse_error", severity="high").read(SESSION).take(Step(fault=spell.begins))


def _over(story: Story, spell: Spell) -> Story:
    return story.take(*(Step(fault=each) for each in spell.ends))


def _logged(spell: Spell) -> Iterator[Scenario]:
    """Errors that could only be kept are in the file with the next that is written, in order, once."""
    story = _over(_begun(spell).log("timeout", severity="high"), spell)
    yield _scenario(
        f"{spell.name}-once", f"One error is logged, {_words(spell)}; it is written with the next.", _LOGGED,
        story.log("build_error").read().log("timeout", session=OTHER).read(SESSION).read(),
    )  # fmt: skip
    story = _begun(spell).log("timeout").log("build_error", session=OTHER).log("parse_error").read()
    yield _scenario(
        f"{spell.name}-several", f"Three errors are logged, {_words(spell)}; all are written with the next.", _LOGGED,
        _over(story, spell).log("build_error").read(SESSION).log("timeout").read(OTHER).patterns().read(),
    )  # fmt: skip
    story = _begun(spell).handle(ErrorType.DELEGATION_HANG, "critical", FAR).recover(ErrorType.TIMEOUT, FAR)
    yield _scenario(
        f"{spell.name}-handled", f"An error is handled, another recovered from, {_words(spell)}.", ("ER-LOG-01",),
        _over(story, spell).log("build_error").read().log("timeout").read(SESSION).read(),
    )  # fmt: skip


def _kept(spell: Spell) -> Iterator[Scenario]:
    """Progress that could only be kept in memory is what the task goes on with."""
    second = progress(PHASES[:2], PHASES[2], partial={"lines": 7})
    elsewhere = progress(PHASES[:1], PHASES[1], task=OTHER_TASK)
    clauses = ("ER-PRG-02", "ER-RES-01")
    story = calm().handle(ErrorType.DELEGATION_HANG, "high", FAR).resume().take(Step(fault=spell.begins))
    story = _over(story.handle(ErrorType.VALIDATION_FAILED, "high", second), spell)
    yield _scenario(
        f"{spell.name}-progress", f"A task fails, {_words(spell)}; it goes on where it failed.", clauses,
        story.handle(ErrorType.DELEGATION_HANG, "high", elsewhere).resume().resume(OTHER_TASK).resume().read(),
    )  # fmt: skip
    story = calm().handle(ErrorType.DELEGATION_HANG, "high", FAR).resume().take(Step(fault=spell.begins))
    story = _over(story.recover(ErrorType.TIMEOUT, second), spell)
    yield _scenario(
        f"{spell.name}-timeout", f"A task times out, {_words(spell)}; it goes on where it did.", clauses,
        story.handle(ErrorType.DELEGATION_HANG, "high", elsewhere).resume().resume(OTHER_TASK).resume().read(),
    )  # fmt: skip


def _marked(spell: Spell) -> Scenario:
    """A phase that could not be marked is, once the plan can be written."""
    story = calm().log("parse_error").read().take(Step(fault=spell.begins))
    story = _over(story.handle(ErrorType.DELEGATION_HANG, "high", FAR), spell)
    return _scenario(
        f"{spell.name}-mark", f"A phase is interrupted, {_words(spell)}; it is marked with the next.", ("ER-PRG-03",),
        story.handle(ErrorType.DELEGATION_HANG, "high", progress(PHASES[:1], PHASES[2])).read().resume().read(),
    )  # fmt: skip


def _words(spell: Spell) -> str:
    return f"{spell.name.replace('-', ' ')} for a while"
