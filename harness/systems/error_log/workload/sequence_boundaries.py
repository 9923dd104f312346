"""What one error does to what another left, many of them, long ones, and files that others keep too. Level L1."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METRIC_FAILURE,
    PLAN_PATH,
    SOURCE_PATH,
    ErrorType,
)
from harness.systems.error_log.workload.error_log_steps import (
    OTHER,
    PLAN,
    SESSION,
    SOURCE,
    Story,
    calm,
    scenario,
)
from harness.systems.error_log.workload.file_boundaries import old
from harness.systems.error_log.workload.legs import FAR
from harness.systems.error_log.workload.record_boundaries import RECORD, whole

HUNDREDS = 200
THERE, MORE = 150, 60  # records in the file, and those that follow
LONGEST = 65_536  # characters of a text that every log keeps as it is
_AT_PHASE_2 = ({"resume_at": "phase2"},)


def sequence_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _after_a_stop()
    yield from _reported()
    yield from _many()
    yield from _long()
    yield _contexts()
    yield from _plans()
    yield from _of_others()


def _after_a_stop() -> Iterator[Scenario]:
    """A phase failed, and something less follows: the task still goes on there, with all that was kept."""
    jq = {"command": """jq '.[] | select(.a != "x")' state.json""", "output": "jq: error: syntax error"}
    dates = {"todo_changed": "2026-02-28T09:00:00Z", "state_changed": "2026-02-28T10:00:00Z"}
    less: Mapping[str, Any] = {
        "a-medium-error": lambda story: story.handle(ErrorType.PARSE_ERROR, "medium", FAR),
        "a-low-error": lambda story: story.handle(ErrorType.PARSE_ERROR, "low", FAR),
        "a-commit-failure": lambda story: story.handle(ErrorType.GIT_COMMIT_FAILURE, "high", FAR),
        "a-metric-failure": lambda story: story.handle(METRIC_FAILURE, "low", FAR),
        "a-sync": lambda story: story.recover(ErrorType.STATUS_SYNC_FAILURE, FAR, dates),
        "a-jq-failure": lambda story: story.recover(ErrorType.JQ_PARSE_FAILURE, FAR, jq),
        "a-record": lambda story: story.log("timeout"),
    }
    for word, follows in less.items():
        story = follows(calm().handle(ErrorType.DELEGATION_HANG, "high", FAR).resume()).read()
        yield scenario(
            f"sequence-stop-then-{word}", f"A phase fails, then there is {word.replace('-', ' ')}.",
            ("ER-PRG-02", "ER-RES-01"), story.resume().restart().resume(), _AT_PHASE_2,
        )  # fmt: skip


def _reported() -> Iterator[Scenario]:
    twice = calm().handle(ErrorType.GIT_COMMIT_FAILURE, "low", FAR).handle(ErrorType.GIT_COMMIT_FAILURE, "low", FAR)
    twice.handle(METRIC_FAILURE, "low", FAR).handle(METRIC_FAILURE, "low", FAR).read(SESSION).finish().finish()
    yield scenario(
        "sequence-reported-twice", "What does not stop occurs twice of each kind: each is reported.",
        ("ER-NB-01", "ER-NB-02", "ER-NB-03"), twice.read(),
    )  # fmt: skip
    logged = calm().log(METRIC_FAILURE).log(METRIC_FAILURE).handle(METRIC_FAILURE, "low", FAR).finish().finish()
    yield scenario(
        "sequence-reported-logged", "What does not stop is only logged, then handled, too.", ("ER-NB-03",),
        logged.read(SESSION).read(),
    )  # fmt: skip


def _many() -> Iterator[Scenario]:
    story = calm()
    for number in range(HUNDREDS):
        story.log("timeout" if number % 2 else "parse_error", session=OTHER if number % 3 else SESSION)
    yield scenario(
        "sequence-hundreds", f"{HUNDREDS} errors are logged: all are kept.", ("ER-LOG-01", "ER-LOG-03", "ER-AGG-01"),
        story.read(SESSION).read(OTHER).patterns().restart().read(),
    )  # fmt: skip
    story = calm().read()
    for _ in range(MORE):
        story.log("build_error")
    yield scenario(
        "sequence-hundreds-there", f"{THERE} records are there, and {MORE} errors more are logged.",
        ("ER-LOG-01", "ER-AGG-01"), story.read(SESSION).patterns().read(),
        files={ERRORS_PATH: FileSpec(text=json.dumps({"errors": [old(number) for number in range(THERE)]}))},
    )  # fmt: skip


def _long() -> Iterator[Scenario]:
    for word, length in (("longest", LONGEST), ("nearly-longest", LONGEST - 1), ("longer", LONGEST + 1)):
        text = ("what happened, told at length; " * (length // 31 + 1))[: length - 1] + "."
        yield scenario(
            f"sequence-message-{word}", f"A message of {length} characters.", RECORD,
            calm().log("timeout", message=text).read(SESSION).log("parse_error").read(),
        )  # fmt: skip


def _contexts() -> Scenario:
    story = whole(calm()).log("timeout", session=None).log("timeout", session=None, context={})
    story.log("timeout", session=None, context={"session_id": OTHER}).read(SESSION).read(OTHER)
    return scenario(
        "sequence-contexts", "An error with its whole context is followed by some without.",
        ("ER-LOG-05", "ER-AGG-01"), story.patterns().read(),
    )  # fmt: skip


_PROSE = PLAN.replace(
    "- [ ] write the parser\n",
    "- [ ] write the parser, see [the notes](notes.md)\n\n"
    "It reads | and writes:\n\n| what | when |\n|---|---|\n| a | b |\n",
)
_BELOW = "# Plan\n\n" + "".join(
    f"### Phase {number}: {name}\n\n**Status**: [{mark}]\n\n- [ ] do it\n\n"
    for number, name, mark in (
        (1, "Research", "COMPLETED"), (2, "Implement", "IN PROGRESS"), (3, "Verify", "NOT STARTED"),
    )
)  # fmt: skip
_PLANS: tuple[tuple[str, str, FileSpec], ...] = (
    ("of-prose", "has prose, links and a table", FileSpec(text=_PROSE)),
    ("of-another-system", "has carriage returns, and a byte that is no UTF-8",
     FileSpec(base64=_PROSE.replace("\n", "\r\n").encode() + b"caf\xe9\r\n")),
    ("marked-below", "has its marks on lines of their own", FileSpec(text=_BELOW)),
)  # fmt: skip


def _plans() -> Iterator[Scenario]:
    for word, said, spec in _PLANS:
        clauses = ("ER-PRG-01",) if word == "marked-below" else ("ER-PRG-01", "ER-PRG-03")
        story = calm().read().handle(ErrorType.DELEGATION_HANG, "high", FAR).read().resume()
        yield scenario(f"sequence-plan-{word}", f"The plan {said}.", clauses, story.read(), files={PLAN_PATH: spec})


def _of_others() -> Iterator[Scenario]:
    theirs = [old(1, assignee="somebody", note={"a": [None]}), old(2, OTHER, assignee=None)]
    story: Story = calm().read().log("timeout", name="own").fix("own", "in_progress").read().fix("own")
    yield scenario(
        "sequence-fields-of-others", "Records of others have fields of their own, and own records change.",
        ("ER-LOG-01", "ER-LOG-09"), story.log("parse_error").restart().read(SESSION).read(),
        files={ERRORS_PATH: FileSpec(text=json.dumps({"errors": theirs}))},
    )  # fmt: skip
    output = "main.py:2: SyntaxError: invalid syntax\nlib.py:1: warning: unused\nmake: *** [all] Error 1\n"
    story = calm().read().recover(ErrorType.BUILD_ERROR, FAR, {"command": "make all", "output": output})
    yield scenario(
        "sequence-build-of-two-sources", "A build of two sources fails with several lines.", ("ER-BLD-01", "ER-LOG-01"),
        story.read(SESSION).read(), files={SOURCE_PATH.replace("main", "lib"): FileSpec(text=SOURCE)},
    )  # fmt: skip
    left = {"stage": "phase2", "details": {"lines": 40, "file": "parser.py"}}
    story = calm().recover(ErrorType.DELEGATION_INTERRUPTED, FAR, partial_progress=left).read(SESSION)
    yield scenario(
        "sequence-interruption-told", "Only the interrupted agent itself tells how far it was.", ("ER-DEL-01",),
        story.resume().read(),
    )  # fmt: skip
