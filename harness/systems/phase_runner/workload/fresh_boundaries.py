"""Fresh starts, and state that is damaged, foreign, newer, or leads out of the tree. Level L1."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    HOME,
    LOGS_DIRECTORY,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
    Mode,
    Status,
    phase_path,
)
from harness.systems.phase_runner.workload.phase_steps import Story, calm, scenario
from harness.systems.phase_runner.workload.plans import CHAIN, EXAMPLE, ONE, PAIR
from harness.systems.phase_runner.workload.state_files import as_json, config, left_behind, record

OUTSIDE = "{outside}/precious"
LOOKED = ("STA-04", "STA-05")
BEGUN = (*LOOKED, "FRS-01")
_PENDING, _RUNNING, _COMPLETE, _FAILED, _BLOCKED = Status
_STANDING = {"0": _COMPLETE, "2": _PENDING}


def fresh_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _fresh()
    yield from _commits()
    yield from _both_modes()
    yield from _links()
    yield from _foreign()
    yield from _corrupt()
    yield from _odd()
    yield from _configs()


def _fresh() -> Iterator[Scenario]:
    for word, what, story in (
        ("nothing", "there is nothing", calm()),
        ("running", "a phase is running", calm().start(CHAIN)),
        ("halted", "the run halted", calm().start(CHAIN).complete("0").fail_twice("1")),
        ("complete", "the run is complete", calm().start(CHAIN).run(CHAIN)),
        ("retry", "a retry is running", calm().start(CHAIN).fail("0")),
        ("claim", "a claim is being verified", calm().start(CHAIN).claim("0")),
        ("restarted", "the process ended", calm().start(CHAIN).complete("0").restart()),
    ):
        clauses = LOOKED if word == "nothing" else BEGUN
        story.look(CHAIN).fresh(CHAIN).look(CHAIN).complete("0").look(CHAIN).complete("1").complete("2")
        yield scenario(f"fresh-{word}", f"A fresh start when {what}.", clauses, story.look(CHAIN))
    story = calm().start(EXAMPLE).complete("0").complete("1").fail("2a").complete("2b").fresh(PAIR).look(PAIR, "0", "3")
    yield scenario("fresh-other-plan", "A fresh start has another plan.", BEGUN,
                   story.complete("1a", "1b").complete("2").look(PAIR))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fresh(CHAIN).claim("1").verify("1").claim("0").verify("0")
    yield scenario("fresh-late-reports", "After a fresh start reports come of what ran before.", BEGUN,
                   story.look(CHAIN).complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0")
    for _ in range(3):
        story.fresh(CHAIN).look(CHAIN)
    yield scenario("fresh-again", "Three fresh starts, one after the other.", BEGUN, story.run(CHAIN).look(CHAIN))
    story = calm().start(CHAIN).complete("0").fresh(CHAIN, 1).look(CHAIN).resume(CHAIN).finish(CHAIN)
    yield scenario("fresh-elsewhere", "Another process starts fresh.", BEGUN, story.look(CHAIN))


def _commits() -> Iterator[Scenario]:
    for mode in ("auto", "message-only", "single"):
        story = calm().start(CHAIN, commit_mode=mode).run(CHAIN).look(CHAIN).fresh(CHAIN, commit_mode=mode).look(CHAIN)
        clauses = (*BEGUN, "FRS-02") if mode == "auto" else BEGUN
        yield scenario(f"fresh-commits-{mode}", f"A fresh start after a run whose commits were {mode}.", clauses,
                       story.run(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").fresh(CHAIN).look(CHAIN).fresh(CHAIN)
    yield scenario("fresh-commits-halted", "A fresh start after one commit and a halt.", (*BEGUN, "FRS-02"),
                   story.run(CHAIN).look(CHAIN))  # fmt: skip


def _both_modes() -> Iterator[Scenario]:
    for word, modes in (("both", (Mode.RESUME, Mode.FRESH)), ("both-reversed", (Mode.FRESH, Mode.RESUME))):
        story = calm().start(CHAIN).complete("0").fail_twice("1").start(CHAIN, *modes).look(CHAIN).finish(CHAIN, 1)
        yield scenario(f"modes-{word}", "A start says fresh and resume.", (*BEGUN, "FRS-03"),
                       story.fresh(CHAIN).complete("0").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN, Mode.FRESH, Mode.RESUME).look(CHAIN).finish(CHAIN, 1).look(CHAIN)
    yield scenario("modes-both-without-state", "A start says fresh and resume, and there is nothing.",
                   (*LOOKED, "FRS-03"), story.fresh(CHAIN).complete("0").look(CHAIN))  # fmt: skip
    for word, modes in (
        ("default-and-fresh", (Mode.DEFAULT, Mode.FRESH)), ("default-and-resume", (Mode.DEFAULT, Mode.RESUME)),
        ("fresh-twice", (Mode.FRESH, Mode.FRESH)),
    ):  # fmt: skip
        story = calm().start(CHAIN).complete("0").fail_twice("1").start(CHAIN, *modes).look(CHAIN).finish(CHAIN, 1)
        yield scenario(f"modes-{word}", f"A start says {' and '.join(modes)}.", BEGUN,
                       story.fresh(CHAIN).complete("0").look(CHAIN))  # fmt: skip


_PRECIOUS: Mapping[str, FileSpec] = {
    f"{OUTSIDE}/thesis.txt": FileSpec(text="ten years of work\n"),
    f"{OUTSIDE}/phases/notes.txt": FileSpec(text="more of it\n"),
}


def _linked(place: str, target: str, **files: FileSpec) -> Mapping[str, FileSpec]:
    return {**_PRECIOUS, **files, place: FileSpec(kind="symlink", target=target)}


def _links() -> Iterator[Scenario]:
    """A fresh start must not follow what leads out of the tree."""
    for word, what, target in (
        ("outside", "leads out of the tree", OUTSIDE), ("inside", "leads elsewhere in the tree", f"{HOME}/src"),
        ("nowhere", "leads nowhere", "{outside}/nothing"), ("itself", "leads to itself", STATE_DIRECTORY),
        ("file", "leads to a file", f"{OUTSIDE}/thesis.txt"),
    ):  # fmt: skip
        clauses = ("FRS-02",) if word == "outside" else ("NRT-05",)
        story = Story().control().fresh(CHAIN).look(CHAIN).finish(CHAIN, 1).start(CHAIN).look(CHAIN).fresh("")
        yield scenario(f"link-{word}", f"The directory of the state is a link that {what}.", clauses,
                       story.fresh(CHAIN).look(CHAIN), files=_linked(STATE_DIRECTORY, target))  # fmt: skip
    for word, what, place, target in (
        ("phases", "of the records", PHASES_DIRECTORY, f"{OUTSIDE}/phases"),
        ("logs", "of the logs", LOGS_DIRECTORY, OUTSIDE),
        ("within", "of somebody else within the state", f"{STATE_DIRECTORY}/mine", OUTSIDE),
    ):  # fmt: skip
        story = Story().control().fresh(CHAIN).look(CHAIN).finish(CHAIN, 1).fresh(CHAIN).look(CHAIN).fresh("")
        yield scenario(f"link-{word}", f"The directory {what} leads out of the tree.", ("FRS-02", "NRT-05"),
                       story.look(), files=_linked(place, target))  # fmt: skip
    for word, path in (("config", CONFIG_PATH), ("record", phase_path("1")), ("log", EXECUTION_LOG_PATH)):
        files = {**left_behind(CHAIN, {"0": _COMPLETE, "1": _COMPLETE, "2": _PENDING}), **_PRECIOUS}
        files[path] = FileSpec(kind="symlink", target=f"{OUTSIDE}/thesis.txt")
        story = calm().resume(CHAIN).look(CHAIN).fresh(CHAIN).look(CHAIN).run(CHAIN)
        yield scenario(f"link-{word}-file", f"The {word} is a link to a file out of the tree.", BEGUN,
                       story.look(CHAIN), files=files)  # fmt: skip


def _foreign() -> Iterator[Scenario]:
    """What others put into the directory of the state goes with it; what stands beside it stays."""
    files = {
        **left_behind(CHAIN, {"0": _COMPLETE, "1": _FAILED, "2": _BLOCKED}),
        f"{STATE_DIRECTORY}/notes.txt": FileSpec(text="remember\n"),
        f"{STATE_DIRECTORY}/deep/er/still.txt": FileSpec(text="x"),
        f"{PHASES_DIRECTORY}/phase-99.json": as_json({"phase_id": "99"}),
        f"{PHASES_DIRECTORY}/readme.txt": FileSpec(text="not a record"),
        f"{HOME}/.autobuild-backup/config.json": FileSpec(text="{}"),
    }
    story = calm().fresh(CHAIN).look(CHAIN, "99").run(CHAIN).look(CHAIN)
    yield scenario("foreign-fresh", "A fresh start finds files of others in the state, and beside it.", BEGUN, story,
                   files=files)  # fmt: skip
    files = {**left_behind(CHAIN, {"0": _COMPLETE, "1": _PENDING, "2": _PENDING}),
             f"{STATE_DIRECTORY}/notes.txt": FileSpec(text="remember\n"),
             f"{PHASES_DIRECTORY}/phase-1.json.bak": FileSpec(text="{")}  # fmt: skip
    yield scenario("foreign-resume", "A resume finds files of others in the state.", LOOKED,
                   calm().resume(CHAIN).look(CHAIN).run(CHAIN, done=("0",)).look(CHAIN), files=files)  # fmt: skip
    for word, what, spec in (
        ("file", "a file", FileSpec(text="not a directory\n")), ("fifo", "a pipe", FileSpec(kind="fifo")),
        ("empty", "an empty directory", FileSpec(kind="directory")),
    ):  # fmt: skip
        story = Story().control().start(CHAIN).look(CHAIN).finish(CHAIN, 1).fresh(CHAIN).look(CHAIN).fresh("")
        yield scenario(f"foreign-{word}", f"In the place of the state stands {what}.", ("NRT-05",),
                       story.look(CHAIN), files={STATE_DIRECTORY: spec})  # fmt: skip


def _text(**fields: Any) -> str:
    """The record of the phase in the middle, which says that it is complete."""
    return json.dumps(record(CHAIN, "1", _COMPLETE, **fields))


def _without(field: str) -> str:
    return json.dumps({name: value for name, value in record(CHAIN, "1", _COMPLETE).items() if name != field})


CORRUPT: tuple[tuple[str, str, str], ...] = (
    ("truncated", "is torn", _text()[:200]),
    ("empty", "is empty", ""),
    ("blank", "is white space", "\n"),
    ("prose", "is prose", "status: complete\n"),
    ("list", "is a list", f"[{_text()}]"),
    ("null", "is null", "null"),
    ("trailing", "has more after its end", _text() + "}"),
    ("twice", "stands there twice", _text() * 2),
    ("unknown-status", "has a status that nobody knows", _text(status="done")),
    ("retry-status", "has the status retry", _text(status="retry")),
    ("null-status", "has null for its status", _text(status=None)),
    ("number-status", "has a number for its status", _text(status=3)),
    *(
        (f"no-{field.replace('_', '-')}", f"lacks {field}", _without(field))
        for field in ("phase_id", "phase_name", "status", "attempt", "max_attempts")
    ),
)


def _corrupt() -> Iterator[Scenario]:
    for word, what, text in CORRUPT:
        story = calm().resume(CHAIN).look(CHAIN).complete("2").look(CHAIN).start(CHAIN).fresh(CHAIN).look(CHAIN)
        yield scenario(f"corrupt-{word}", f"A record {what}; then it is started fresh.", (*BEGUN, "COR-01"),
                       story.run(CHAIN).look(CHAIN),
                       files=left_behind(CHAIN, _STANDING, _1=FileSpec(text=text)))  # fmt: skip
    files = left_behind(CHAIN, _STANDING, _1=FileSpec(base64=b'{"phase_id": "1\xff"}'))
    story = calm().resume(CHAIN).look(CHAIN).complete("2").fresh(CHAIN).run(CHAIN)
    yield scenario("corrupt-not-utf8", "A record is no UTF-8; then it is started fresh.", (*BEGUN, "COR-01"),
                   story.look(CHAIN), files=files)  # fmt: skip
    files = left_behind(CHAIN, {}, **{f"_{each}": FileSpec(text="{") for each in CHAIN.ids})
    yield scenario("corrupt-all", "Every record is torn.", (*BEGUN, "COR-01"),
                   calm().start(CHAIN).look(CHAIN).fresh(CHAIN).run(CHAIN).look(CHAIN), files=files)  # fmt: skip
    story = calm().start(PAIR).complete("1a").look(PAIR).fault("json_document.truncated", phase_path("1a")).restart()
    story.resume(PAIR).look(PAIR).complete("1b").complete("2").look(PAIR).fresh(PAIR).complete("1a", "1b")
    yield scenario("corrupt-while-running", "A record is torn while its sibling is running.", (*BEGUN, "COR-01"),
                   story.complete("2").look(PAIR))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").fault("json_document.truncated", phase_path("1"))
    story.resume(CHAIN).look(CHAIN).fault("filesystem.missing", phase_path("1")).resume(CHAIN).look(CHAIN)
    yield scenario("corrupt-then-removed", "A record is torn, and then deleted by hand.", (*LOOKED, "COR-01"),
                   story.complete("1").complete("2").look(CHAIN))  # fmt: skip


ODD: tuple[tuple[str, str, str], ...] = (
    ("capital-status", "has its status in capitals", _text(status="COMPLETE")),
    ("text-for-attempt", "has a text for its attempt", _text(attempt="1")),
    ("negative-attempt", "has a negative attempt", _text(attempt=-1)),
    ("third-attempt", "has a third attempt", _text(status="failed", attempt=3)),
    ("more-attempts", "permits five attempts", _text(status="failed", attempt=2, max_attempts=5)),
    ("other-id", "says that it is another phase", _text(phase_id="0")),
    ("number-for-id", "has a number for its id", _text(phase_id=1)),
    ("null-name", "has null for its name", _text(phase_name=None)),
    ("bom", "begins with a byte order mark", "\ufeff" + _text()),
    ("status-twice", "has its status twice", _text().replace("{", '{"status": "pending", ', 1)),
    ("list-for-error", "has a list for its error", _text(error=["x"])),
    ("text-for-timestamps", "has a text for its timestamps", _text(timestamps="yesterday")),
    ("complete-without-proof", "is complete, and nothing says that it was verified", _text(verification=None)),
    ("claimed-only", "is complete, and was claimed only",
     _text(verification={"subagent_claimed": True, "fresh_verification": False, "verified_at": None})),
)  # fmt: skip


def _odd() -> Iterator[Scenario]:
    """What one reader takes for damaged and another does not; the fresh start is no matter of taste."""
    for word, what, text in ODD:
        story = calm().resume(CHAIN).look(CHAIN).finish(CHAIN, 1).look(CHAIN).fresh(CHAIN).look(CHAIN).run(CHAIN)
        yield scenario(f"odd-record-{word}", f"A record {what}.", BEGUN, story.look(CHAIN),
                       files=left_behind(CHAIN, _STANDING, _1=FileSpec(text=text)))  # fmt: skip


def _configs() -> Iterator[Scenario]:
    statuses = {"0": _COMPLETE, "1": _PENDING, "2": _PENDING}
    for word, what, spec in (
        ("newer", "is of a newer version", config(CHAIN, statuses, version="99.0")),
        ("newer-minor", "is of a version a little newer", config(CHAIN, statuses, version="1.1")),
        ("older", "is of an older version", config(CHAIN, statuses, version="0.9")),
        ("number", "has a number for its version", config(CHAIN, statuses, version=1)),
        ("truncated", "is torn", FileSpec(text='{"version": "1.0", "plan_')),
        ("empty", "is empty", FileSpec(text="")),
        ("list", "is a list", FileSpec(text="[]")),
        (
            "wrong-counts",
            "counts wrongly",
            config(CHAIN, statuses, phases={"total": 99, "completed": 98, "failed": 0, "pending": 1}),
        ),
        ("no-counts", "does not count", config(CHAIN, statuses, phases=None)),
        ("missing", "is not there", FileSpec(kind="absent")),
    ):
        story = calm().resume(CHAIN).look(CHAIN).finish(CHAIN, 1).look(CHAIN).fresh(CHAIN).look(CHAIN).run(CHAIN)
        yield scenario(f"config-{word}", f"The config.json of an earlier run {what}.", BEGUN, story.look(CHAIN),
                       files={**left_behind(CHAIN, statuses), CONFIG_PATH: spec})  # fmt: skip
    for word, path in (("log", EXECUTION_LOG_PATH), ("commits", COMMITS_PATH)):
        files = {**left_behind(CHAIN, statuses), path: FileSpec(base64=b"half a line \xff")}
        story = calm().resume(CHAIN, commit_mode="message-only").look(CHAIN).run(CHAIN, done=("0",))
        yield scenario(f"torn-{word}", f"An earlier run left a file of {word} that ends in the middle of a line.",
                       (*LOOKED, "RES-02"), story.look(CHAIN), files=files)  # fmt: skip
    story = calm().fresh(ONE).look(ONE).fresh("").look(ONE)
    yield scenario("fresh-no-plan", "A fresh start with what is no plan.", ("CLS-02", "NRT-05", "STA-05"),
                   story.fresh(ONE).complete("0").look(ONE))  # fmt: skip
