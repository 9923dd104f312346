"""Attempts: every type of failure, once and twice, what a retry is told, and what the record keeps. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import GUIDANCE, RETRYABLE, USER_ACTIONS, FailureType, Gate
from harness.systems.phase_runner.workload.phase_steps import calm, scenario, verified
from harness.systems.phase_runner.workload.plans import CHAIN, ONE
from harness.systems.phase_runner.workload.results import (
    BROKEN,
    MISSING,
    NO_RESULT,
    TASKS,
    gates,
    said,
)

RETRIED = ("CLS-01", "RTY-02", "RTY-05", "STA-01", "STA-04")
RESOLVED = (*RETRIED, "STA-02")
ENDED = (*RETRIED, "HLT-03", "HLT-05", "RTY-01", "RTY-03", "STA-03")
OWN: Mapping[FailureType, str] = {
    FailureType.TEST_FAILURE: "ERR-01",
    FailureType.LINT_ERROR: "ERR-02",
    FailureType.TYPECHECK_ERROR: "ERR-03",
    FailureType.TIMEOUT: "ERR-04",
    FailureType.VERIFICATION_MISMATCH: "ERR-05",
    FailureType.TASK_INCOMPLETE: "ERR-07",
    FailureType.PARSE_ERROR: "ERR-07",
}
"""The clause of what is captured of a type."""


def retry_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _types()
    yield from _both()
    yield from _guidance()
    yield from _captured()
    yield from _timeouts()
    yield from _claims()
    yield from _order_of_gates()
    yield from _unfinished()
    yield from _no_results()
    yield from _none_of_the_twelve()


def _of(kind: FailureType) -> tuple[str, ...]:
    return (*([OWN[kind]] if kind in OWN else []), *(["RTY-06"] if kind in GUIDANCE else []))


def _types() -> Iterator[Scenario]:
    for kind in sorted(RETRYABLE):
        word = kind.replace("_", "-")
        story = calm().start(CHAIN).fail("0", kind).look(CHAIN).complete("0", attempt=2).look(CHAIN)
        yield scenario(f"retry-{word}", f"An attempt ends in {kind}; the retry succeeds, and the run goes on.",
                       (*RESOLVED, *_of(kind)), story.run(CHAIN, done=("0",)).look(CHAIN))  # fmt: skip
        more = ("ERR-06",) if kind in USER_ACTIONS else ()
        story = calm().start(CHAIN).complete("0").fail("1", kind).look(CHAIN).fail("1", kind, 2).look(CHAIN)
        yield scenario(f"twice-{word}", f"Both attempts end in {kind}: the run halts.",
                       (*ENDED, "HLT-04", *_of(kind), *more),
                       story.complete("1", attempt=3).complete("2").look(CHAIN))  # fmt: skip


def _both() -> Iterator[Scenario]:
    """The second attempt fails in another way than the first."""
    for first, second in (
        (FailureType.TEST_FAILURE, FailureType.LINT_ERROR), (FailureType.TIMEOUT, FailureType.TEST_FAILURE),
        (FailureType.PARSE_ERROR, FailureType.TIMEOUT), (FailureType.TASK_INCOMPLETE, FailureType.PARSE_ERROR),
        (FailureType.TYPECHECK_ERROR, FailureType.VERIFICATION_MISMATCH),
        (FailureType.VERIFICATION_MISMATCH, FailureType.FORMAT_ERROR),
    ):  # fmt: skip
        words = f"{first}-{second}".replace("_", "-")
        story = calm().start(ONE).fail("0", first).look(ONE).fail("0", second, 2).look(ONE)
        yield scenario(f"both-{words}", f"One attempt ends in {first}, the next in {second}.",
                       (*ENDED, *_of(first)), story.report("0", said(), 3).look(ONE))  # fmt: skip
    story = calm().start(ONE).complete("0").look(ONE).claim("0").claim("0", attempt=2).verify("0", attempt=2).look(ONE)
    yield scenario("at-once", "The first attempt succeeds: there is no other.", ("STA-04", "STA-05"), story)
    story = calm().start(CHAIN)
    for phase_id in CHAIN.ids:
        story.fail(phase_id).complete(phase_id, attempt=2).look(CHAIN)
    yield scenario("each-retried", "Every phase has one retry of its own.", RESOLVED, story)
    story = calm().start(ONE).fail("0", message="", details="").look(ONE).complete("0", attempt=2)
    yield scenario("nothing-said", "An attempt fails without a message.", RESOLVED, story.look(ONE))
    story = calm().start(ONE).report("0", said(success=False, gates=gates(Gate.TEST))).look(ONE)
    message_only = calm().start(ONE).fail("0", FailureType.TASK_INCOMPLETE, details="").look(ONE)
    message_only.complete("0", attempt=2)
    yield scenario("message-only", "An attempt fails, and has a message and no details.", RESOLVED,
                   message_only.look(ONE))  # fmt: skip
    yield scenario("no-details", "An attempt fails, and leaves out message and details.", RESOLVED,
                   story.complete("0", attempt=2).look(ONE))  # fmt: skip
    words = '\u6f22 e\u0301 \u05d0 "quoted" {braces} %s \\ \r\n\u2028 | a | b |'
    story = calm().start(ONE).fail("0", message=words, details=words * 50).look(ONE).complete("0", attempt=2)
    yield scenario("odd-texts", "Message and details have every script, quotes and braces.", RESOLVED, story.look(ONE))
    story = calm().start(ONE).fail("0", message="m" * 10_000, details="d\n" * 2_000).look(ONE)
    yield scenario("long-texts", "Message and details are long.", ENDED, story.fail("0", attempt=2).look(ONE))


_PARTLY = {"lint": "make lint", "test": "make test"}
_ROUTES = [{"file": "app/[id]/{slug}.test.ts", "name": "shows {id}", "message": "expected %s, got {}"}]


def _guidance() -> Iterator[Scenario]:
    for kind in sorted(GUIDANCE):
        word = kind.replace("_", "-")
        for which, what, commands in (
            ("no-commands", "no commands", {}), ("some-commands", "some commands", _PARTLY),
            ("odd-commands", "commands with quotes and marks",
             {"lint": "sh -c 'lint $1 \\\\' `id` <x>", "lint_fix": "", "typecheck": "tsc --noEmit \u6f22 $(x) \\1"}),
        ):  # fmt: skip
            story = calm().start(ONE, commands=commands).fail("0", kind).look(ONE).complete("0", attempt=2)
            yield scenario(f"guidance-{word}-{which}", f"A retry after {kind}, in a project with {what}.",
                           ("RTY-02", "RTY-05", "RTY-06", *_of(kind)), story.look(ONE))  # fmt: skip
    found = {"test": {**BROKEN[Gate.TEST], "failures": _ROUTES}}
    story = calm().start(ONE).fail("0", gates=gates(**found)).look(ONE).complete("0", attempt=2).look(ONE)
    yield scenario("guidance-braces", "Files that failed have braces in their names.",
                   ("ERR-01", "RTY-02", "RTY-05", "RTY-06"), story)  # fmt: skip
    many = [{"file": f"test/part_{number}.test.ts", "name": f"case {number}", "message": "no"} for number in range(120)]
    story = calm().start(ONE).fail("0", gates=gates(test={**BROKEN[Gate.TEST], "failures": many})).look(ONE)
    yield scenario("guidance-many-files", "A hundred and twenty files failed.",
                   ("ERR-01", "RTY-02", "RTY-05", "RTY-06"), story.complete("0", attempt=2).look(ONE))  # fmt: skip


_CASE = {"file": "a.test.ts", "name": "adds", "message": "3 is not 4"}
FOUND: tuple[tuple[str, str, Gate, Mapping[str, Any]], ...] = (
    ("tests-without-cases", "exit with 5, and no case is named", Gate.TEST, {"exit_code": 5}),
    ("tests-with-a-case", "have one case that fails", Gate.TEST, {"exit_code": 1, "failures": [_CASE]}),
    ("tests-in-spite-of-0", "exit with 0, and a case fails", Gate.TEST, {"exit_code": 0, "failures": [_CASE]}),
    ("tests-killed", "were killed by a signal", Gate.TEST, {"exit_code": -9}),
    ("tests-odd-cases", "have cases without names and messages", Gate.TEST,
     {"exit_code": 1, "failures": [{"file": ""}, {"file": "b.test.ts", "message": ""}, _CASE, _CASE]}),
    ("lint-without-cases", "found something, and do not say what", Gate.LINT, {"exit_code": 1}),
    ("lint-one", "found one line", Gate.LINT,
     {"exit_code": 1, "failures": [{"file": "a.ts", "rule": "semi", "line": 1, "message": "x"}]}),
    ("lint-no-line", "found a file as a whole", Gate.LINT,
     {"exit_code": 2, "failures": [{"file": "a.ts", "rule": "max-lines"}, {"file": "b.ts", "line": 7}]}),
    ("types-without-cases", "do not meet, nobody says where", Gate.TYPECHECK, {"exit_code": 2}),
    ("types-one", "do not meet in one line", Gate.TYPECHECK,
     {"exit_code": 1, "failures": [{"file": "a.ts", "line": 2, "expected": "string", "actual": "number | undefined"}]}),
    ("types-message-only", "do not meet, as a message says", Gate.TYPECHECK,
     {"exit_code": 1, "failures": [{"file": "a.ts", "message": "cannot find name x"}]}),
    ("format-without-cases", "are not formatted, nobody says which", Gate.FORMAT, {"exit_code": 1}),
)  # fmt: skip
_OF_GATE = {
    Gate.TEST: ("ERR-01", "RTY-06"),
    Gate.LINT: ("ERR-02", "RTY-06"),
    Gate.TYPECHECK: ("ERR-03", "RTY-06"),
    Gate.FORMAT: (),
}


def _captured() -> Iterator[Scenario]:
    for word, what, gate, found in FOUND:
        fields = {"success": False, "message": "it failed", "gates": gates(**{gate.value: found})}
        story = calm().start(ONE).report("0", said(**fields)).look(ONE).report("0", said(**fields), 2).look(ONE)
        yield scenario(f"found-{word}", f"{gate.value.capitalize()}: they {what}, twice.",
                       (*ENDED, *_OF_GATE[gate]), story)  # fmt: skip
        story = calm().start(ONE).report("0", said(**fields)).look(ONE).complete("0", attempt=2).look(ONE)
        yield scenario(f"found-{word}-once", f"{gate.value.capitalize()}: they {what}, once.",
                       (*RESOLVED, *_OF_GATE[gate]), story)  # fmt: skip
    text = "".join(f"line {number}\n" for number in range(1, 502))
    found = gates(test={**BROKEN[Gate.TEST], "output_summary": text})
    story = calm().start(ONE).fail("0", gates=found).look(ONE).complete("0", attempt=2)
    yield scenario("found-long-output", "The tests say 501 lines.", (*RESOLVED, "ERR-01"), story.look(ONE))


def _timeouts() -> Iterator[Scenario]:
    kind = FailureType.TIMEOUT
    for word, what, fields in (
        ("known", "did something last", {}), ("nothing-known", "did what nobody knows", {"last_activity": None}),
        ("no-time", "had nobody knows how long", {"elapsed_s": None}), ("instant", "had no time", {"elapsed_s": 0.0}),
        ("fraction", "had a fraction of a second more", {"elapsed_s": 600.25}),
        ("fifteen-minutes", "had fifteen minutes", {"elapsed_s": 900.0}),
        ("odd-activity", "did last what has every script", {"last_activity": '\u6f22 "x"\r\n(FILES)'}),
    ):  # fmt: skip
        story = calm().start(ONE).fail("0", kind, **fields).look(ONE).complete("0", attempt=2).look(ONE)
        yield scenario(f"timeout-{word}", f"A sub-agent that gave no answer {what}.", (*RESOLVED, "ERR-04", "RTY-06"),
                       story)  # fmt: skip
    story = calm().start(CHAIN).complete("0").later(900).fail_twice("1", kind).look(CHAIN).resume(CHAIN)
    yield scenario("timeout-then-resumed", "Nobody answers, twice; the run is resumed.",
                   (*ENDED, "ERR-04", "ERR-06", "RES-01", "RES-02"), story.complete("1").look(CHAIN))  # fmt: skip
    story = calm().start(ONE).fail("0", kind).claim("0").look(ONE).complete("0", attempt=2).look(ONE)
    yield scenario("timeout-then-an-answer", "The answer to the first attempt comes after its time.", RESOLVED, story)


def _claims() -> Iterator[Scenario]:
    for gate in Gate:
        story = calm().start(ONE).claim("0").look(ONE).mismatch("0", gate=gate).look(ONE).claim("0", attempt=2)
        yield scenario(f"claim-{gate}", f"A sub-agent claims success, and {gate} fails in a fresh verification.",
                       (*RESOLVED, "ERR-05", "RTY-06"), story.verify("0", attempt=2).look(ONE))  # fmt: skip
    story = calm().start(ONE).claim("0").look(ONE).verify("0").look(ONE)
    yield scenario("claim-verified", "A claim is verified.", ("STA-04", "STA-05"), story)
    story = calm().start(ONE).fail("0").claim("0", attempt=2).look(ONE).mismatch("0", 2).look(ONE)
    yield scenario("claim-of-the-retry", "What the retry claims is not found.", ENDED, story)
    story = calm().start(ONE).report("0", said(gates=gates(Gate.TEST))).look(ONE).mismatch("0").look(ONE)
    yield scenario("claim-beside-a-failure", "A sub-agent claims success beside tests of its own that failed.",
                   ("RTY-02", "RTY-05"), story.complete("0", attempt=2).look(ONE))  # fmt: skip
    story = calm().start(ONE).report("0", said(gates=gates())).look(ONE).do(verified("0", found=gates())).look(ONE)
    yield scenario("claim-with-all-gates", "A sub-agent claims success, and says that all four gates passed.",
                   ("STA-04", "STA-05"), story)  # fmt: skip
    story = calm().start(ONE).claim("0").do(verified("0", found={})).look(ONE).finish(ONE).look(ONE)
    yield scenario("claim-without-gates", "The fresh verification has no gates at all.", ("STA-04", "STA-05"), story)
    story = calm().start(ONE).report("0", said(tasks_total=0, tasks_completed=0)).look(ONE).verify("0").look(ONE)
    yield scenario("claim-without-tasks", "A sub-agent had no tasks, and claims success.", ("STA-04", "STA-05"), story)
    story = calm().start(ONE).report("0", said(agent="x", notes=[1, None])).look(ONE).verify("0").look(ONE)
    yield scenario("claim-with-more", "A claim has fields of its own.", ("STA-04", "STA-05"), story)


def _order_of_gates() -> Iterator[Scenario]:
    """Which type it is follows from the facts: what is missing, tasks, then gates in their order."""
    some = gates(Gate.LINT, Gate.TEST)
    for word, what, fields, clauses in (
        ("lint-and-tests", "lint and tests failed", {"gates": some}, (*RESOLVED, "ERR-02")),
        ("format-and-types", "format and types failed", {"gates": gates(Gate.FORMAT, Gate.TYPECHECK)}, RESOLVED),
        ("types-and-tests", "types and tests failed", {"gates": gates(Gate.TYPECHECK, Gate.TEST)},
         (*RESOLVED, "ERR-03")),
        ("all", "every gate failed", {"gates": gates(*Gate)}, (*RESOLVED, "ERR-02")),
        ("tasks-and-tests", "tasks are left, and tests failed", {"gates": some, "tasks_completed": 1},
         (*RESOLVED, "ERR-07")),
    ):  # fmt: skip
        story = calm().start(ONE).report("0", said(success=False, message="several things", **fields)).look(ONE)
        yield scenario(f"several-{word}", f"At the end of an attempt {what}.", clauses,
                       story.complete("0", attempt=2).look(ONE))  # fmt: skip
    both = said(success=False, message="m", missing=MISSING, tasks_completed=1, gates=some)
    yield scenario("several-missing-too", "A package is missing, tasks are left, and gates failed.",
                   ("CLS-02", "NRT-01", "RTY-04"),
                   calm().start(ONE).report("0", both).look(ONE).complete("0", attempt=2).look(ONE))  # fmt: skip


def _unfinished() -> Iterator[Scenario]:
    for word, what, done in (("none", "none", 0), ("one", "one", 1), ("all-but-one", "all but one", TASKS - 1)):
        for which, claims in (("said", False), ("claimed", True)):
            text = said(success=claims, tasks_completed=done, message="" if claims else "not all done")
            story = calm().start(ONE).report("0", text).look(ONE).complete("0", attempt=2).look(ONE)
            yield scenario(f"tasks-{word}-{which}", f"Of its tasks a sub-agent finished {what}; that is {which}.",
                           (*RESOLVED, "ERR-07"), story)  # fmt: skip
    story = calm().start(ONE).report("0", said(tasks_completed=TASKS + 1)).look(ONE).verify("0").look(ONE)
    yield scenario("tasks-too-many", "A sub-agent finished more tasks than it had.", ("STA-04", "STA-05"),
                   story.complete("0", attempt=2))  # fmt: skip


NO_RESULTS: tuple[tuple[str, str, str], ...] = (
    ("prose", "prose", NO_RESULT),
    ("empty", "no text", ""),
    ("blank", "white space", " \n"),
    ("truncated", "half of a result", said(message="and so on")[:60]),
    ("null", "null", "null"),
    ("number", "a number", "42"),
    ("text", "a result as a text in JSON", '"success"'),
    ("no-tasks", "a result without its tasks", '{"success": true}'),
    ("no-success", "a result that says not whether", '{"tasks_total": 1, "tasks_completed": 1}'),
    ("null-for-tasks", "null for tasks", said(tasks_completed=None)),
    ("deep", "lists nested 3,000 deep", "[" * 3_000 + "]" * 3_000),
    ("deep-field", "an object with lists nested 3,000 deep", '{"notes": ' + "[" * 3_000 + "]" * 3_000 + "}"),
    ("nul", "a NUL character", '{"success": true\x00}'),
    ("bom", "a byte order mark before prose", "\ufeffdone"),
)


def _no_results() -> Iterator[Scenario]:
    for word, what, text in NO_RESULTS:
        story = calm().start(ONE).report("0", text).look(ONE).report("0", text, 2).look(ONE)
        yield scenario(f"no-result-{word}", f"What a sub-agent says is {what}, twice.", (*ENDED, "ERR-07"), story)
    text = said(success=False, message="prose", gates={})
    story = calm().start(ONE).report("0", NO_RESULT).look(ONE).report("0", text, 2).look(ONE)
    yield scenario("no-result-then-a-failure", "A sub-agent says what is no result, then that it failed.",
                   ("ERR-07", "RTY-01", "RTY-02", "RTY-05"), story)  # fmt: skip
    for word, what, text in (
        ("list", "a list", f"[{said()}]"),
        ("text-for-success", "a text for success", said(success="yes")),
        ("text-for-tasks", "a text for tasks", said(tasks_total="4")),
        ("list-for-gates", "a list for gates", said(gates=[])),
        ("unknown-gate", "a gate that nobody knows", said(gates={"spelling": {"exit_code": 0}})),
        ("fenced", "a result in a block of code", f"```json\n{said()}\n```"),
        ("two", "two results", said() + "\n" + said()),
        ("nan", "not a number for tasks", said().replace('"tasks_total": 4', '"tasks_total": NaN')),
        ("fraction", "fractions of tasks", said(tasks_total=4.0, tasks_completed=4.0)),
        ("negative", "fewer than no tasks", said(tasks_total=-1, tasks_completed=-2)),
        ("huge", "a number of 400 digits", said().replace('"tasks_total": 4', f'"tasks_total": {"9" * 400}')),
        ("twice", "success twice, once either way", said().replace("{", '{"success": false, ', 1)),
    ):  # fmt: skip
        story = calm().start(ONE).report("0", text).look(ONE).report("0", text, 2).look(ONE).complete_either("0")
        story.look(ONE).fresh(ONE)
        yield scenario(f"odd-result-{word}", f"A sub-agent says {what}.", ("FRS-01", "STA-04", "STA-05"),
                       story.complete("0").look(ONE))  # fmt: skip


def _none_of_the_twelve() -> Iterator[Scenario]:
    for word, what, text in (
        ("all-passed", "although all is done and every gate passed", failed_otherwise()),
        ("no-gates", "and nothing is known of its gates", failed_otherwise(gates={})),
        ("no-words", "without a word", failed_otherwise(message="")),
    ):
        story = calm().start(CHAIN).report("0", text).look(CHAIN).report("0", text, 2).look(CHAIN)
        yield scenario(f"otherwise-{word}", f"A sub-agent fails {what}, twice.", ("CLS-03", "HLT-03", "HLT-05"),
                       story.complete("0", attempt=3).complete("1").look(CHAIN))  # fmt: skip
    story = calm().start(ONE).report("0", failed_otherwise()).look(ONE).complete("0", attempt=2).look(ONE)
    yield scenario("otherwise-once", "A sub-agent fails in a way that has no type; then it succeeds.", ("CLS-03",),
                   story.resume(ONE).complete_either("0").look(ONE))  # fmt: skip
    skipped = {"lint": {"exit_code": None, "command": "npm run lint"}}
    text = said(success=False, message="there is no linter", gates=gates(**skipped))
    story = calm().start(ONE).report("0", text).look(ONE).complete("0", attempt=2).look(ONE).fresh(ONE).look(ONE)
    yield scenario("gate-not-there", "The command of a gate is not there, and the attempt failed.",
                   ("FRS-01", "STA-04", "STA-05"), story)  # fmt: skip
    story = calm().start(ONE).report("0", said(gates=gates(**skipped))).look(ONE).verify("0").look(ONE)
    yield scenario("gate-not-there-claimed", "The command of a gate is not there, and success is claimed.",
                   ("FRS-01", "STA-04", "STA-05"), story.fresh(ONE).look(ONE))  # fmt: skip


def failed_otherwise(**fields: Any) -> str:
    """A failure of which no fact says the type."""
    return said(**{"success": False, "message": "I gave up", **fields})
