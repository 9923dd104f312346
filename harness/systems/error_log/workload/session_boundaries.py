"""Many records: of several sessions, in one tick, by several processes, with their statuses and patterns. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import Operation, Scenario
from harness.systems.error_log.contract import ErrorType
from harness.systems.error_log.workload.error_log_steps import (
    INSTANT_S,
    OTHER,
    SESSION,
    Story,
    calm,
    context,
    given,
    scenario,
)
from harness.systems.error_log.workload.record_boundaries import RECORD, whole

THIRD = "sess_1772366520_g7h8i9"
TOGETHER = (2, 3, 8)
MANY = 30
UNIQUE, STATUS, SESSIONS, WRITERS = ("ER-LOG-03",), ("ER-LOG-09",), ("ER-AGG-01",), ("ER-LOG-10",)


def session_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _ticks()
    yield from _sessions()
    yield from _patterns()
    yield from _statuses()
    yield from _processes()
    yield from _together()


def _found(name: str, title: str, clauses: tuple[str, ...], story: Story) -> Scenario:
    return scenario(name, title, clauses, story.read(SESSION).read())


def _ticks() -> Iterator[Scenario]:
    for word, by_s in (("same", 0.0), ("next", INSTANT_S), ("millisecond", 0.001), ("second", 1.0), ("back", -1.0)):
        story = calm()
        for _ in range(3):
            story.log("timeout").later(by_s)
        yield _found(
            f"tick-{word}", f"Three errors, each {by_s:g} s after the one before.", (*RECORD, *SESSIONS), story
        )
    again = calm().log("timeout").later(-3600).log("timeout").later(3600).log("timeout").restart().log("timeout")
    yield _found("tick-again", "An hour comes twice, and the process is another one then.", (*UNIQUE, *SESSIONS), again)
    story = calm()
    for number in range(MANY):
        story.log("timeout" if number % 2 else "parse_error", session=OTHER if number % 3 else SESSION)
    yield _found("tick-many", f"{MANY} errors in one tick.", (*UNIQUE, *SESSIONS), story.read(OTHER).patterns())


def _sessions() -> Iterator[Scenario]:
    story = calm()
    for session in (SESSION, OTHER, SESSION, THIRD, OTHER, SESSION):
        story.log("timeout", session=session).later(0.5)
    story.read(OTHER).read(THIRD).read("sess_1772366999_nobody")
    yield _found("sessions-interleaved", "Three operations log in turns.", SESSIONS, story)
    none = calm().log("timeout", session=None).log("timeout").log("parse_error", session=None, context=context(None))
    yield _found("sessions-none", "Two of three errors belong to no operation.", SESSIONS, none)
    alike = calm().log("timeout", session=SESSION).log("timeout", session=SESSION + "x").log("timeout", session="sess")
    yield _found("sessions-alike", "One session's name begins as another's.", SESSIONS, alike.read("sess"))
    first = calm().read(OTHER).patterns().log("timeout")
    yield _found("sessions-empty", "Nothing was logged yet.", ("ER-LOG-01",), first.read())
    linked = (
        calm()
        .begin()
        .handle(ErrorType.BUILD_ERROR, "high")
        .later(5)
        .recover(ErrorType.TIMEOUT, facts={"commit_succeeds": False})
    )
    yield _found(
        "sessions-linked", "One operation begins, fails twice, and cannot commit.", (*SESSIONS, "ER-NB-01"), linked
    )


def _patterns() -> Iterator[Scenario]:
    none = calm().log("timeout").log("parse_error", session=OTHER).patterns()
    yield scenario("patterns-none", "No type occurs twice.", SESSIONS, none, ({"patterns": []},))
    one = calm().log("timeout").log("timeout", session=OTHER).log("parse_error").patterns()
    expected = {"type": "timeout", "count": 2, "sessions": 2}
    yield scenario(
        "patterns-two-sessions", "A type occurs in two sessions.", SESSIONS, one, ({"patterns": [expected]},)
    )
    same = calm().log("timeout").log("timeout").patterns()
    expected = {"type": "timeout", "count": 2, "sessions": 1}
    yield scenario("patterns-one-session", "A type occurs twice in one.", SESSIONS, same, ({"patterns": [expected]},))
    unnamed = calm().log("timeout", session=None).log("timeout", session=None).patterns()
    yield scenario("patterns-without-session", "A type occurs twice in none.", SESSIONS, unnamed)
    several = calm()
    for session in (SESSION, OTHER, THIRD, SESSION):
        several.log("timeout", session=session).log("parse_error", session=session)
    several.log("build_error").log("disk_full").log("disk_full", session=OTHER).restart().patterns()
    yield scenario("patterns-several", "Three types recur, one does not, and the process is another one.", SESSIONS,
                   several)  # fmt: skip


def _statuses() -> Iterator[Scenario]:
    steps = calm().log("timeout", name="a").log("timeout", name="b").fix("a", "in_progress").read(SESSION).fix("a")
    yield _found("status-in-turn", "One of two errors is worked on, then fixed.", STATUS, steps)
    at_once = calm().log("timeout", name="a").log("parse_error", name="b").fix("b")
    yield _found("status-at-once", "The second of two errors is fixed at once.", STATUS, at_once)
    unknown = calm().log("timeout", name="a").fix("nobody")
    yield _found("status-of-nothing", "The status of an error is set that nobody logged.", STATUS, unknown)
    other = calm().log("timeout", name="a").log("timeout", name="b").restart().fix("a").fix("b", "in_progress")
    yield _found("status-restarted", "Another process sets the statuses.", STATUS, other)
    back = calm().log("timeout", name="a").fix("a").fix("a", "in_progress").log("timeout", name="b")
    yield _found("status-back", "A fixed error is worked on again, and another one occurs.", STATUS, back)
    odd = calm().log("timeout", name="a").fix("a", "done").fix("a", "")
    yield _found("status-odd", "The status is no word there is.", STATUS, odd)


def _processes() -> Iterator[Scenario]:
    turns = calm()
    for process in (0, 1, 2, 1, 0):
        turns.log("timeout", process=process)
    yield _found(
        "processes-in-turns", "Three processes log in turns.", (*RECORD, *SESSIONS), turns.fix("e1", process=2)
    )
    restarted = whole(calm()).restart().log("timeout").restart()
    yield _found("processes-one-after-the-other", "Each error is logged by a process of its own.",
                 (*RECORD, *SESSIONS), restarted)  # fmt: skip


def _logs(story: Story, count: int) -> list[Operation]:
    return [
        story.logged(given("timeout", context=context(OTHER if number % 2 else SESSION))) for number in range(count)
    ]


def _together() -> Iterator[Scenario]:
    for count in TOGETHER:
        story = calm().log("parse_error")
        story.together(*_logs(story, count)).read(OTHER).log("build_error")
        yield _found(
            f"writers-{count}", f"{count} processes log at once; what was there stays.",
            (*RECORD, *SESSIONS, *WRITERS), story,
        )  # fmt: skip
    story = calm()
    story.together(*_logs(story, 3)).together(*_logs(story, 3))
    yield _found("writers-first", "Three processes log at once, the first there are, twice.",
                 (*RECORD, *SESSIONS, *WRITERS), story)  # fmt: skip
    story = calm().log("timeout", name="a").log("parse_error", name="b")
    fixed = [Operation("set_fix_status", {"name": name, "status": "fixed"}) for name in ("a", "b")]
    story.together(*fixed, *_logs(story, 1))
    yield _found("writers-of-statuses", "Two statuses are set while another process logs.", (*STATUS, *WRITERS), story)
