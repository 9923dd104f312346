"""Claiming and finishing tasks: every shape of the queues, every number of workers, one after the other and at once."""

from collections.abc import Iterator, Mapping

from harness.core.scenario import FileSpec, Scenario
from harness.systems.session_recovery.contract import IN_PROGRESS_PATH, LEDGER_PATH, PENDING_PATH
from harness.systems.session_recovery.workload.session_steps import (
    FIRST,
    SECOND,
    UNKNOWN,
    Story,
    as_json,
    calm,
    claimed,
    completed,
    path_of,
    queue,
    scenario,
    task,
)

ONCE = ("GEN-02", "SYS-02")
RACED = (*ONCE, "SYS-03")
ODD_IDS: tuple[tuple[str, str, str], ...] = (
    ("separators", "separators and dots", "../../etc/task"),
    ("quoted", "quotes, braces and a backslash", '{"task_id": "\\"}'),
    ("odd-text", "line breaks, separators of lines and other scripts", "a\nb\u2028 e\u0301 \u05d0 \U0001f41b"),
    ("long", "5,000 characters", "t" * 5_000),
)
_TWO = [task(FIRST), task(SECOND)]
# what pending.json may hold: two tasks can be claimed
_SOUND: tuple[tuple[str, str, FileSpec], ...] = (
    ("list", "a bare list of tasks", as_json(_TWO)),
    ("indented", "an indented object", as_json({"tasks": _TWO}, indent=2)),
    ("beside", "other fields beside the tasks", as_json({"version": 7, "tasks": _TWO, "meta": {"x": [None]}})),
    ("few-fields", "tasks with an id and nothing else", queue({"task_id": FIRST}, {"task_id": SECOND})),
    ("foreign-fields", "tasks with fields of their own", queue(task(FIRST, x={"y": [1.5, None]}), task(SECOND, z=""))),
    ("without-id", "an entry that has no id", queue({"title": "no id"}, *_TWO)),
    ("odd-ids", "entries whose ids are a number, empty and null", queue(task(7), task(""), task(None), *_TWO)),
    ("odd-entries", "entries that are no tasks", queue(None, 3, "text", [], *_TWO)),
    ("claimed-before", "tasks that say somebody has claimed them", queue(task(FIRST, claimed_by="w9"), task(SECOND))),
    ("huge-number", "a number that no float holds",
     FileSpec(text=str(queue(task(FIRST, cost="?"), task(SECOND, x=[1])).text).replace('"?"', "1e400"))),
    ("same-twice", "a task twice", queue(task(FIRST), task(FIRST), task(SECOND))),
)  # fmt: skip
# what it may hold and is no queue, or none with a task
_EMPTY: tuple[tuple[str, str, FileSpec], ...] = (
    ("empty", "no tasks", queue()),
    ("empty-list", "an empty list", as_json([])),
    ("missing", "nothing, since it is not there", FileSpec(kind="absent")),
    ("nothing", "no bytes", FileSpec(text="")),
    ("truncated", "half of an object", FileSpec(text=str(as_json({"tasks": _TWO}).text)[:120])),
    ("not-json", "no JSON", FileSpec(text="tasks: [task-001]")),
    ("not-utf8", "bytes that are no UTF-8", FileSpec(base64=b'{"tasks": [{"task_id": "\xff"}]}')),
    ("null", "null", FileSpec(text="null")),
    ("tasks-object", "an object for the tasks", as_json({"tasks": {FIRST: task(FIRST)}})),
    ("deep", "a deep nesting", FileSpec(text="[" * 3_000 + "]" * 3_000)),
)
_ELSEWHERE = ("in-progress", "completed", "blocked", "dead-letter", "abandoned")


def queue_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _shapes()
    yield from _elsewhere()
    yield from _in_progress()
    yield from _numbers()
    yield from _at_once()
    yield from _finished()
    yield from _ledgers()


def _claims(
    name: str, title: str, story: Story, files: Mapping[str, FileSpec], clauses: tuple[str, ...] = ONCE
) -> Scenario:
    return scenario(f"claim-{name}", title, clauses, story, files=files)


def three() -> Story:
    """Three workers want a task."""
    return calm().claim("w1").claim("w2").claim("w3")


def _shapes() -> Iterator[Scenario]:
    for word, what, file in _SOUND:
        yield _claims(f"pending-{word}", f"pending.json holds {what}.", three().ledger(), {PENDING_PATH: file})
    for word, what, file in _EMPTY:
        story = calm().claim("w1").lose_context().claim("w2").ledger()
        yield _claims(f"pending-{word}", f"pending.json holds {what}: there is none to claim.", story,
                      {PENDING_PATH: file}, ("RC-01", "SYS-02"))  # fmt: skip
    for word, what, id_ in ODD_IDS:
        story = calm().claim("w1").claim("w2").start(id_).lose_context().complete(id_).ledger().claim("w3").ledger()
        yield _claims(f"id-{word}", f"A task's id has {what}.", story, {PENDING_PATH: queue(task(id_), task(SECOND))},
                      (*ONCE, "GEN-05", "GEN-08", "RC-01"))  # fmt: skip


def _elsewhere() -> Iterator[Scenario]:
    for name in _ELSEWHERE:
        files = {PENDING_PATH: queue(task(FIRST), task(SECOND)), path_of(name): queue(task(FIRST))}
        yield _claims(f"also-{name}", f"A task is pending, and in {name}.json as well.", three().ledger(), files)
    files = {PENDING_PATH: queue(task(SECOND)), path_of("completed"): queue(task(FIRST)), LEDGER_PATH: _ledger(FIRST)}
    yield _claims("finished-before", "Another task was finished before.", three().ledger(), files)


def _in_progress() -> Iterator[Scenario]:
    shapes: tuple[tuple[str, str, FileSpec], ...] = (
        ("missing", "is not there", FileSpec(kind="absent")),
        ("list", "is a bare list", as_json([task("task-100")])),
        ("others", "has tasks of others", queue(task("task-100"), task("task-101", x=[None]))),
        ("beside", "has other fields", as_json({"tasks": [task("task-100")], "workers": {"w7": "task-100"}})),
        ("odd-entries", "has entries that are no tasks", queue(None, {"title": "no id"}, task("task-100"))),
    )
    for word, what, file in shapes:
        yield _claims(f"in-progress-{word}", f"in-progress.json {what}.", three().lose_context().ledger(),
                      {IN_PROGRESS_PATH: file}, (*ONCE, "RC-01"))  # fmt: skip
    for word, what, file in _EMPTY[3:]:
        if word in ("truncated", "not-utf8", "tasks-object"):
            yield _claims(f"in-progress-{word}", f"in-progress.json holds {what}.",
                          calm().claim("w1").claim("w2").checkpoint().lose_context().ledger(),
                          {IN_PROGRESS_PATH: file}, ("RC-01", "SYS-02"))  # fmt: skip


def _many(count: int) -> Mapping[str, FileSpec]:
    return {PENDING_PATH: queue(*(task(f"task-{number:03}") for number in range(1, count + 1)))}


def _numbers() -> Iterator[Scenario]:
    for tasks, workers in ((1, 2), (2, 2), (10, 11)):
        story = calm()
        for number in range(workers):
            story.claim(f"w{number + 1}")
        yield _claims(f"{tasks}-of-{workers}", f"{workers} claims of {tasks} tasks, one by one.", story.ledger(),
                      _many(tasks))  # fmt: skip
    yield _claims("same-worker", "One worker claims twice: two tasks.", calm().claim().claim().claim().ledger(), {})
    story = calm().claim("w1", 0).claim("w2", 1).claim("w3", 2).ledger(1)
    yield _claims("processes", "Three processes claim, one by one.", story, {})
    story = calm().claim("w1").restart().claim("w2").restart().claim("w3").ledger()
    yield _claims("restarts", "The process ends after each claim.", story, {})
    story = calm()
    for worker in ("", "../w", "\u6f22\u05d0\x00", "w" * 5_000):
        story.claim(worker)
    yield _claims("odd-workers", "The workers' names are empty, long, and in other scripts.", story.ledger(), _many(4))


def _at_once() -> Iterator[Scenario]:
    for tasks, workers in ((1, 2), (2, 2), (2, 3), (3, 8), (8, 8)):
        story = calm().together(*(claimed(f"w{number + 1}") for number in range(workers)))
        yield _claims(f"at-once-{tasks}-of-{workers}", f"{workers} processes claim {tasks} tasks at once.",
                      story.claim("late").lose_context().ledger(), _many(tasks), (*RACED, "RC-01"))  # fmt: skip
    story = calm().together(claimed("w1"), claimed("w2")).together(completed(FIRST), completed(FIRST, "w2")).ledger()
    yield _claims("at-once-finish-same", "Two processes finish one task at once: one of them did.",
                  story.lose_context().ledger(), {}, (*RACED, "GEN-05", "RC-01"))  # fmt: skip
    story = calm().claim().claim().together(completed(FIRST), completed(SECOND)).ledger().lose_context()
    yield _claims("at-once-finish-both", "Two tasks are finished at once: the ledger has both.", story.ledger(), {},
                  (*RACED, "GEN-05", "RC-01"))  # fmt: skip
    files = {IN_PROGRESS_PATH: queue(task("task-100"))}
    story = calm().together(claimed("w1"), completed("task-100"), claimed("w2")).ledger().lose_context().ledger()
    yield _claims("at-once-both", "Tasks are claimed while another is finished.", story, files,
                  (*RACED, "GEN-05", "RC-01"))  # fmt: skip


def _finish(name: str, title: str, story: Story, files: Mapping[str, FileSpec], *more: str) -> Scenario:
    return scenario(f"finish-{name}", title, ("SYS-02", *more), story, files=files)


def _finished() -> Iterator[Scenario]:
    one = {IN_PROGRESS_PATH: queue(task("task-100"), task("task-101"))}
    done = "task-100"
    yield _finish("one", "A task is finished: the ledger has it.", calm().complete(done).ledger(), one, "GEN-05")
    yield _finish("twice", "It is finished twice: it is recorded once.",
                  calm().complete(done).complete(done).ledger(), one, "GEN-05")  # fmt: skip
    yield _finish("both", "Two tasks are finished, in the other order.",
                  calm().complete("task-101").complete(done).ledger().lose_context(), one, "GEN-05",
                  "RC-01")  # fmt: skip
    yield _finish("unknown", "A task that nobody has is finished, then one that is.",
                  calm().complete(UNKNOWN).ledger().complete(done).ledger(), one, "GEN-05")  # fmt: skip
    yield _finish("pending", "A task that is only pending is finished: it is not in progress.",
                  calm().complete(FIRST).ledger().claim("w1").claim("w2").ledger(), {}, "GEN-02")  # fmt: skip
    yield _finish("claimed", "Tasks are claimed and finished, until there is none.",
                  calm().claim().claim().complete(FIRST).complete(SECOND).claim().ledger(), {}, "GEN-02",
                  "GEN-05")  # fmt: skip
    yield _finish("restart", "The process ends after a task was finished.",
                  calm().complete(done).restart().ledger().complete("task-101").restart().ledger(), one,
                  "GEN-05")  # fmt: skip
    yield _finish("other-process", "Another process asks for the ledger.",
                  calm().complete(done).ledger(1).complete("task-101", process=1).ledger(), one, "GEN-05")  # fmt: skip
    yield _finish("nobody", "The ledger of a session in which nothing was finished, then something.",
                  calm().ledger().complete(done).ledger(), one, "GEN-05")  # fmt: skip
    also = {**one, path_of("completed"): queue(task("task-050"))}
    yield _finish("beside-completed", "completed.json has another task.", calm().complete(done).ledger().ledger(), also,
                  "GEN-05")  # fmt: skip
    many = [f"task-{number:03}" for number in range(100, 112)]
    story = calm()
    for number, id_ in enumerate(many):
        story.complete(id_, process=number % 3)
    yield _finish("many", "Twelve tasks are finished, by three processes: the ledger has them in that order.",
                  story.ledger().restart().ledger(1), {IN_PROGRESS_PATH: queue(*map(task, many))},
                  "GEN-05")  # fmt: skip
    listed = {IN_PROGRESS_PATH: as_json([task(done), 3, task("task-101")])}
    yield _finish("list", "in-progress.json is a bare list.", calm().complete(done).lose_context().ledger(), listed,
                  "GEN-05", "RC-01")  # fmt: skip


def _ledger(*ids: str) -> FileSpec:
    return FileSpec(text="".join(f'{{"task_id": "{id_}", "worker": "w8"}}\n' for id_ in ids))


def _ledgers() -> Iterator[Scenario]:
    whole = str(_ledger("task-050").text)
    shapes: tuple[tuple[str, str, FileSpec], ...] = (
        ("lines", "a line", FileSpec(text=whole)),
        ("torn", "a line and half of another", FileSpec(text=whole + whole[:12])),
        ("without-end-of-line", "a line without its end", FileSpec(text=whole.rstrip())),
        ("odd-lines", "lines that are none", FileSpec(text=whole + "3\nnull\n[]\n{}\n\nno json\n")),
        ("empty", "no bytes", FileSpec(text="")),
        ("not-utf8", "bytes that are no UTF-8", FileSpec(base64=b"\xff\xfe\n" + whole.encode())),
    )
    for word, what, file in shapes:
        files = {LEDGER_PATH: file, IN_PROGRESS_PATH: queue(task("task-100"), task("task-101"))}
        story = calm().complete("task-100").ledger().complete("task-101").restart().ledger()
        yield _finish(f"ledger-{word}", f"The ledger holds {what}.", story, files, "GEN-05")
