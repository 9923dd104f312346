"""How a turn and the work on a task begin: what is read first, and whatever stands in it."""

from collections.abc import Iterator, Mapping

from harness.core.scenario import FileSpec, Scenario
from harness.systems.session_recovery.contract import (
    CONTINUITY_PATH,
    IN_PROGRESS_PATH,
    ORCHESTRATOR_PATH,
    PENDING_PATH,
    SHOWN_CHARACTERS,
    SPECIFICATION_PATH,
)
from harness.systems.session_recovery.workload.session_steps import (
    FIRST,
    INTERFACE,
    SECOND,
    TREE,
    UNKNOWN,
    Story,
    as_json,
    calm,
    queue,
    scenario,
    task,
)

ABSENT = FileSpec(kind="absent")
CONTINUITIES: tuple[tuple[str, str, FileSpec], ...] = (
    ("missing", "is not there", ABSENT),
    ("empty", "is empty", FileSpec(text="")),
    ("unicode", "has every script", FileSpec(text="# e\u0301 \u6f22\n\u05d0\u05d1 \U0001f41b\r\n\u2028\n")),
    ("nul", "has NUL characters", FileSpec(text="a\x00b\n")),
    ("bom", "has a byte order mark", FileSpec(text="\ufeff# Continuity\n")),
    ("not-utf8", "is no UTF-8", FileSpec(base64=b"# Continuit\xe9\n\xff")),
    ("shown", f"has {SHOWN_CHARACTERS} characters", FileSpec(text="x" * SHOWN_CHARACTERS)),
    ("beyond-shown", "has one character more than is shown", FileSpec(text="y" * SHOWN_CHARACTERS + "z")),
    ("long", "has 100,000 characters", FileSpec(text="one more line\n" * 7_200)),
    ("wide", "has 5,000 characters of three bytes each", FileSpec(text="\u6f22" * 5_000)),
)
ORCHESTRATORS: tuple[tuple[str, str, FileSpec], ...] = (
    ("bootstrap", "says BOOTSTRAP", as_json({"phase": "BOOTSTRAP"})),
    ("qa", "says QA, among other fields", as_json({"a": [1], "phase": "QA", "currentPhase": "BOOTSTRAP"})),
    ("outside-the-tree", "has a phase that the tree lacks", as_json({"phase": "GROWTH"})),
    ("unicode", "has a phase in another script", as_json({"phase": "\u6f22 e\u0301"})),
    ("lower-case", "has a phase that the tree has in capitals", as_json({"phase": "qa"})),
    ("missing", "is not there", ABSENT),
    ("no-phase", "has no phase", as_json({"version": 1})),
    ("null-phase", "has null for the phase", as_json({"phase": None})),
    ("number-phase", "has a number for the phase", as_json({"phase": 3})),
    ("empty-phase", "has an empty phase", as_json({"phase": ""})),
    ("list", "is a list", as_json(["QA"])),
    ("truncated", "is torn", FileSpec(text='{"phase": "QA"')),
)
_TURN = ("GEN-01", "SYS-02")


def turn_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _turns()
    yield from _starts()
    yield from _interfaces()


def _turns() -> Iterator[Scenario]:
    for word, what, file in CONTINUITIES:
        yield scenario(f"turn-continuity-{word}", f"A turn begins, and CONTINUITY.md {what}.", (*_TURN, "RC-01"),
                       calm().turn().lose_context().turn(), files={CONTINUITY_PATH: file})  # fmt: skip
    for word, what, file in ORCHESTRATORS:
        yield scenario(f"turn-orchestrator-{word}", f"A turn begins, and orchestrator.json {what}.",
                       (*_TURN, "GEN-07", "RC-01"), calm().turn().lose_context().turn(),
                       files={ORCHESTRATOR_PATH: file})  # fmt: skip
    for word, what, file in (
        ("missing", "is not there", ABSENT), ("list", "is an empty list", as_json([])),
        ("beside", "has no tasks and other fields", as_json({"tasks": [], "metadata": {"x": 1}})),
    ):  # fmt: skip
        yield scenario(f"turn-in-progress-{word}", f"A turn begins, and in-progress.json {what}.", (*_TURN, "GEN-07"),
                       calm().turn().turn({}), files={IN_PROGRESS_PATH: file})  # fmt: skip
    story = calm().turn().turn({"DEVELOPMENT": "write code"}).turn({"QA": "x"}).turn({})
    yield scenario("turn-tree", "Turns begin with trees that have the phase, have it alone, and lack it.",
                   (*_TURN, "GEN-07"),
                   story.turn({"DEVELOPMENT": ""}).turn({**TREE, "DEVELOPMENT": "\u6f22\n"}))  # fmt: skip
    yield scenario("turn-claimed", "A turn begins while a task is in progress.", _TURN,
                   calm().claim().turn().lose_context().turn())  # fmt: skip
    story = calm().turn().claim().turn().complete(FIRST).complete(SECOND).turn(process=1).restart().turn()
    yield scenario("turn-after-turn", "Turns of several processes, with a task and without.", (*_TURN, "GEN-07"), story)


def _started(name: str, title: str, story: Story, files: Mapping[str, FileSpec], *more: str) -> Scenario:
    return scenario(f"start-{name}", title, ("GEN-08", "SYS-02", *more), story, files=files)


def _starts() -> Iterator[Scenario]:
    claimed = {PENDING_PATH: queue(task(FIRST))}
    yield _started("claimed", "Work on a task begins after it was claimed.", calm().claim().start().ledger(), claimed)
    yield _started("unknown", "Work on a task begins that no queue has, then on one.",
                   calm().start(UNKNOWN).claim().start().start("").ledger(), claimed)  # fmt: skip
    yield _started("finished", "Work on a task begins again after a restart, and in another process.",
                   calm().claim().start().restart().start().start(process=1).ledger(), claimed)  # fmt: skip
    for word, what, text in (
        ("long", "100,000 characters", "do it. " * 14_300), ("shown", "the characters shown", "r" * SHOWN_CHARACTERS),
        ("wide", "5,000 characters of three bytes each", "\u6f22" * 5_000),
        ("odd-text", "every script, quotes and backslashes", '\u6f22\r\n\u05d0\u2028 e\u0301 "\\" {}'),
    ):  # fmt: skip
        files = {IN_PROGRESS_PATH: queue(task("task-100"), task(FIRST, description=text)), PENDING_PATH: queue()}
        yield _started(f"description-{word}", f"The description has {what}.", calm().start().ledger(), files)
    files = {
        IN_PROGRESS_PATH: queue(
            task("task-100", description=None), task("task-101", description=7), task("task-102", description=""),
            {"task_id": "task-103"}, task(FIRST),
        ),
    }  # fmt: skip
    odd = calm().start("task-100").start("task-101").start("task-102").start("task-103").start()
    yield _started("description-odd", "Descriptions are null, a number, empty, and not there.", odd.ledger(), files)
    files = {IN_PROGRESS_PATH: as_json([3, None, task(FIRST)]), PENDING_PATH: queue()}
    yield _started("list", "The queue is a bare list with entries that are no tasks.", calm().start().ledger(), files)


def _interfaces() -> Iterator[Scenario]:
    files = {IN_PROGRESS_PATH: queue(task(FIRST), task(SECOND)), PENDING_PATH: queue()}
    texts = (("plain", "one line", INTERFACE), ("odd-text", "every script, lines and quotes", '\u6f22\n"\u05d0"\r\n\\'),
             ("long", "50,000 characters", "GET /a -> A\n" * 4_200))  # fmt: skip
    for word, what, text in texts:
        yield _started(f"interface-{word}", f"A task changes an interface, whose text has {what}.",
                       calm().start(FIRST, text).ledger(), files, "GEN-06")  # fmt: skip
    story = calm().start(FIRST, INTERFACE).start(SECOND, "POST /orders -> Order").start(FIRST, "GET /v2").ledger()
    yield _started("interface-several", "Tasks change interfaces, one of them twice.", story, files, "GEN-06")
    story = calm().start(FIRST, INTERFACE).restart().start(SECOND, "POST /orders").start(FIRST).ledger()
    yield _started("interface-restart", "The process ends after an interface was specified.", story, files, "GEN-06")
    story = calm().start(UNKNOWN, INTERFACE).start(FIRST, INTERFACE, process=1).ledger()
    yield _started("interface-unknown", "A task that no queue has changes an interface.", story, files, "GEN-06")
    before = {**files, SPECIFICATION_PATH: FileSpec(text='{"task_id": "task-0", "interface": "x"}\n{"task_id": ')}
    yield _started("interface-torn", "The interfaces that were specified before end in a torn line.",
                   calm().start(FIRST, INTERFACE).start(SECOND, "POST /").ledger(), before, "GEN-06")  # fmt: skip
