"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

The operations are those that write: a record, the whole pattern, a procedure, a delegation's metadata, a status. What
was acknowledged before is there afterwards, and what is logged after is, too.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, Operation, Scenario
from harness.systems.error_log.contract import ERRORS_PATH, ErrorType
from harness.systems.error_log.workload.error_log_steps import (
    ANY,
    OTHER,
    PHASES,
    SESSION,
    Allowed,
    Story,
    calm,
    context,
    given,
    progress,
    scenario,
)
from harness.systems.error_log.workload.legs import FAR, RECORD_CLAUSES, WHOLE
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
LOGGED = (*RECORD_CLAUSES, "ER-AGG-01", "ER-LOG-10")
_WRITERS = ("ER-LOG-01", "ER-LOG-02", "ER-LOG-03", "ER-LOG-10", "ER-AGG-01")


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _logging()
    yield from _handling()
    yield from _recovering()
    yield from _others()
    yield _everything()
    yield from _orders()


def _calls(name: str, title: str, clauses: Sequence[str], story: Story, allowed: Allowed = ANY) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, allowed, level="L3")


def _whole(story: Story) -> Story:
    return story.log(
        "build_error", trajectory={"delegation_path": ["a", "b"], "failed_at_depth": 1},
        recovery={"suggested_action": "Build again", "auto_recoverable": False},
    )  # fmt: skip


def _logging() -> Iterator[Scenario]:
    first = calm().explore(*STATES).log("timeout", name="struck").read()
    yield _calls(
        "first", "The first record ever is struck at every call; another follows.", LOGGED,
        _whole(first).read(SESSION).read(),
    )  # fmt: skip
    third = _whole(calm()).log("parse_error", session=OTHER).explore(*STATES).log("timeout", name="struck").read()
    yield _calls(
        "third", "The third record is struck; the two before it stay.", LOGGED,
        _whole(third).read(OTHER).read(SESSION).read(),
    )  # fmt: skip
    bad = calm().log("parse_error").fault("json_document.truncated", ERRORS_PATH).explore(*CALLS)
    bad.log("timeout", name="struck").read()
    yield _calls(
        "beside-bad-file", "A record is struck that comes after errors.json was torn.",
        ("ER-LOG-01", "ER-LOG-02", "ER-LOG-10"), _whole(bad).read(SESSION).read(),
    )  # fmt: skip


def _handling() -> Iterator[Scenario]:
    kinds: tuple[tuple[str, tuple[ExploreKind, ...]], ...] = (("critical", STATES), ("high", ("killed", "power")))
    for severity, explored in kinds:
        story = calm().log("parse_error").handle(ErrorType.BUILD_ERROR, "high", progress(PHASES[:1], PHASES[1]))
        far = progress(PHASES[:2], PHASES[2], partial="half")
        story.resume().explore(*explored).handle(ErrorType.DELEGATION_HANG, severity, far, name="struck").read()
        yield _calls(
            f"handle-{severity}", f"The whole pattern is struck, for an error that is {severity}: nothing is lost.",
            ("ER-LOG-01", "ER-LOG-10", "ER-PRG-02", "ER-RES-01"),
            story.resume().log("timeout").read(SESSION).read(),
        )  # fmt: skip
    lesser = calm().log("parse_error").explore("killed").handle("metric_failure", "critical", name="struck")
    yield _calls(
        "handle-non-blocking", "An error that must not stop is struck while it is handled.",
        ("ER-LOG-01", "ER-NB-02", "ER-NB-03"), lesser.handle("metric_failure", "low").finish().log("timeout").read(),
    )  # fmt: skip


def _recovering() -> Iterator[Scenario]:
    timed = calm().log("parse_error").handle(ErrorType.BUILD_ERROR, "high").explore("errno", "killed")
    timed.recover(ErrorType.TIMEOUT, progress(PHASES[:2], PHASES[2]), name="struck").read().resume()
    yield _calls(
        "recover-timeout", "The recovery from a timeout is struck; the task goes on where it was, or there.",
        ("ER-LOG-10", "ER-PRG-02", "ER-TMO-01"), timed.recover(ErrorType.TIMEOUT, FAR).read(SESSION).resume().read(),
    )  # fmt: skip
    sync = calm().log("parse_error").explore("killed", "torn").recover(
        ErrorType.STATUS_SYNC_FAILURE, FAR,
        {"todo_changed": "2026-02-28T09:00:00Z", "state_changed": "2026-02-28T10:00:00Z"}, name="struck",
    )  # fmt: skip
    yield _calls("recover-sync", "The sync of TODO.md and state.json is struck.", ("ER-LOG-01", "ER-LOG-10"),
                 sync.read().log("timeout").read(SESSION).read())  # fmt: skip
    aborted = calm().log("parse_error").explore("killed").recover(
        ErrorType.MCP_ABORT_ERROR, FAR, {"command": "search", "retry_succeeds": False}, name="struck"
    )  # fmt: skip
    yield _calls("recover-mcp", "The recovery from an MCP abort is struck.", ("ER-LOG-01", "ER-LOG-10"),
                 aborted.read().resume().log("timeout").read(SESSION).read())  # fmt: skip
    broken = calm().log("parse_error").begin().explore("killed").recover(
        ErrorType.DELEGATION_INTERRUPTED, FAR, partial_progress={"stage": "phase2"}, name="struck"
    )  # fmt: skip
    yield _calls("recover-interrupted", "The recovery of an interrupted delegation is struck.",
                 ("ER-LOG-01", "ER-LOG-10", "ER-DEL-03"),
                 broken.read().resume().begin().log("timeout").read(SESSION).read())  # fmt: skip


def _others() -> Iterator[Scenario]:
    begins = calm().log("parse_error").handle(ErrorType.BUILD_ERROR, "high").explore(*STATES).begin().read().resume()
    yield _calls(
        "begin", "A delegation's beginning is struck; the resume point stays.", ("ER-PRG-02", "ER-RES-01", "ER-DEL-03"),
        begins.begin().read().resume(), ({"resume_at": "phase2"},),
    )  # fmt: skip
    fixed = calm().log("parse_error", name="a").log("timeout", name="b").explore(*STATES).fix("a").read()
    yield _calls("set-fix-status", "The status of a record is struck while it is set; no record is lost.",
                 ("ER-LOG-01", "ER-LOG-09", "ER-LOG-10"),
                 fixed.fix("b").log("timeout").read(SESSION).read())  # fmt: skip
    reads = calm().log("parse_error").explore("errno", "killed").read(SESSION)
    yield _calls("read", "The question for records is struck.", ("ER-LOG-01", "ER-AGG-01"),
                 reads.log("timeout").read(SESSION).read())  # fmt: skip
    resumes = calm().handle(ErrorType.BUILD_ERROR, "high").explore("errno", "killed").resume()
    yield _calls("resume", "The question where to go on is struck.", ("ER-RES-01",), resumes.resume(),
                 ({"resume_at": "phase2"},))  # fmt: skip


def _everything() -> Scenario:
    """A record dies at each of its calls, and after that every clause is seen once more."""
    story = calm().log("parse_error").explore("killed").log("timeout", name="struck")
    clauses = told(story, WHOLE)
    return _calls(
        "everything-after", "A record is killed at each of its calls; then everything else is asked for.", clauses,
        story.read(),
    )  # fmt: skip


def _log(name: str, session: str = SESSION) -> Operation:
    error = given("timeout", f"what happened to {name}", context=context(session))
    return Operation("log", {"name": name, "error": error})


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order."""
    two = calm().log("parse_error").explore(*ORDERS).together(_log("one"), _log("other", OTHER))
    yield _calls("order-two", "Two processes log at once, in every order: nothing is lost.", _WRITERS,
                 two.read(OTHER).log("build_error").read(SESSION).read())  # fmt: skip
    first = calm().explore(*ORDERS).together(_log("one"), _log("other"))
    yield _calls("order-two-first", "Two processes log the first records there are, in every order.", _WRITERS,
                 first.read(SESSION).log("build_error").read())  # fmt: skip
    three = calm().log("parse_error").explore(*ORDERS).together(_log("one"), _log("other", OTHER), _log("third"))
    yield _calls("order-three", "Three processes log at once, in every order: nothing is lost.", _WRITERS,
                 three.read(OTHER).log("build_error").read(SESSION).read())  # fmt: skip
    fixed = calm().log("parse_error", name="a").explore(*ORDERS)
    fixed.together(Operation("set_fix_status", {"name": "a", "status": "fixed"}), _log("one"))
    yield _calls("order-status", "A status is set while another process logs, in every order.",
                 ("ER-LOG-01", "ER-LOG-09", "ER-LOG-10"), fixed.read(SESSION).log("build_error").read())  # fmt: skip
    begun = calm().handle(ErrorType.BUILD_ERROR, "high").explore(*ORDERS)
    begin = {"task": 260, "session_id": OTHER, "agent": "a", "delegation_path": ["a"], "status": "researching"}
    begun.together(Operation("begin", begin), _log("one"))
    yield _calls("order-begin", "A delegation begins while another process logs, in every order.",
                 ("ER-LOG-01", "ER-LOG-10", "ER-RES-01"), begun.read(SESSION).resume())  # fmt: skip
    left = calm().begin(task=260).explore(*ORDERS)
    error = given("timeout", "what happened to one", severity="high", context=context())
    handled = Operation("handle", {"name": "one", "error": error, "progress": progress()})
    left.together(Operation("begin", {**begin, "task": 261}), handled)
    yield _calls("order-progress", "A delegation begins while another process keeps how far its task is.",
                 ("ER-PRG-02", "ER-RES-01"), left.read().resume())  # fmt: skip
