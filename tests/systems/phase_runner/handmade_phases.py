"""Histories of runs written by hand: the files of one world, and what is done, as a test tells it."""

import hashlib
import json

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.phase_runner.contract import RUNNER, SYSTEM, inputs_of
from harness.systems.phase_runner.contract.words import (
    CONFIG_PATH,
    CONFLICT_OPTIONS,
    EXECUTION_LOG_PATH,
    FINAL,
    GUIDANCE,
    STATE_DIRECTORY,
    USER_ACTIONS,
    phase_path,
)
from harness.systems.phase_runner.oracle import judge

CATALOGUE = registry.System("phase_runner").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = "2026-03-01T12:00:00Z"
HEADER = "| Phase | Name | Depends On | Parallel With | Estimate | Status |\n|---|---|---|---|---|---|\n"


def plan(*rows):
    """A plan of rows "id", "id<dep,dep" or "id<dep//sibling"."""
    lines = []
    for row in rows:
        rest, _, beside = row.partition("//")
        id_, _, depends = rest.partition("<")
        lines.append(f"| {id_} | Name {id_} | {depends or '-'} | {beside or '-'} | 1h | pending |\n")
    return "# Plan\n\n" + HEADER + "".join(lines)


CHAIN = plan("0", "1<0", "2A<1")
PAIR = plan("2A//2B", "2B//2A", "3<2A,2B")
TRIO = plan("2A//2B,2C", "2B//2A,2C", "2C//2A,2B", "3<2A", "4<3")


def ok(total=1, **fields):
    return {"success": True, "tasks_total": total, "tasks_completed": total, "commit_subject": "feat: x", **fields}


def gate(*failures, exit_code=1, **fields):
    return {"exit_code": exit_code, "command": "make it", "output_summary": "bad", "failures": list(failures), **fields}


TEST_CASE = {"file": "src/a.test.ts", "name": "validateToken", "message": "it is null"}
LINT_CASE = {"file": "src/a.ts", "rule": "no-var", "line": 17}
TYPE_CASE = {"file": "src/a.ts", "line": 17, "expected": "string", "actual": "number"}
MISSING = {"package": "@types/jest", "required_by": "Type checking", "install": "npm install -D @types/jest"}


def bad(message="it went wrong", total=3, completed=3, **fields):
    return {"success": False, "tasks_total": total, "tasks_completed": completed, "message": message, **fields}


FAILURES = {
    "test_failure": bad(gates={"test": gate(TEST_CASE)}),
    "lint_error": bad(gates={"lint": gate(LINT_CASE)}),
    "typecheck_error": bad(gates={"typecheck": gate(TYPE_CASE)}),
    "format_error": bad(gates={"format": gate()}),
    "task_incomplete": bad(completed=1),
}
NAMED = {  # what a context has to name of each
    "test_failure": "1 of src/a.test.ts: validateToken, it is null",
    "lint_error": "1 of src/a.ts, no-var in line 17",
    "typecheck_error": "1 of src/a.ts in line 17: string, number",
    "timeout": "600 s; running tests",
    "verification_mismatch": "lint failed",
}


def guidance(type_):
    text = GUIDANCE.get(type_, "Do it better.")
    files = "src/a.test.ts" if type_ == "test_failure" else ""
    commands = {"{LINT_COMMAND}": "the linter", "{LINT_FIX_COMMAND}": "its fixes", "{TYPECHECK_COMMAND}": "the checker"}
    for place, name in {"{FILES}": files, **commands}.items():
        text = text.replace(place, name)
    return text


def context(type_="test_failure", message="it went wrong", **fields):
    said = FAILURES.get(type_, {})
    return {"previous_error_type": type_, "previous_error_message": message,
            "previous_error_details": NAMED.get(type_, ""),
            "tasks_completed": said.get("tasks_completed", 0), "tasks_total": said.get("tasks_total", 0),
            "retry_guidance": guidance(type_), **fields}  # fmt: skip


def phase(id_, attempt=1, **fields):
    return {"kind": "phase", "phase_id": id_, "attempt": attempt, **fields}


def check(id_, attempt=1):
    return {"kind": "verification", "phase_id": id_, "attempt": attempt}


def retry(id_, type_="test_failure", **fields):
    return phase(id_, 2, context=context(type_, **fields))


def named(ids):
    return [{"phase_id": each, "name": f"Name {each.upper()}"} for each in ids]


def summary(completed=(), failed=(), blocked=(), pending=(), files=None, **fields):
    """``failed`` are (id, attempts, type), ``blocked`` (id, what blocks it), ``completed`` ids with subject or without."""
    done = [each if isinstance(each, tuple) else (each, "feat: x") for each in completed]
    count = len(done) + len(failed) + len(blocked) + len(pending)
    return {
        "reason": "It failed: " + ", ".join(f"Phase {each[0].upper()}" for each in failed),
        "completed": [{**named([id_])[0], "commit": subject} for id_, subject in done],
        "failed": [
            {**named([id_])[0], "attempts": attempts, "error_type": type_, "details": "it went wrong",
             "user_actions": list(USER_ACTIONS.get(type_, ()))}
            for id_, attempts, type_ in failed
        ],
        "blocked": [{**named([id_])[0], "blocked_by": list(by)} for id_, by in blocked],
        "pending": list(pending),
        "state_directory": ".autobuild/", "state_files": count if files is None else files,
        "log_directory": ".autobuild/logs/",
        "resume_command": "/autobuild docs/feature-plan.md --commit=auto --resume",
        "fresh_command": "/autobuild docs/feature-plan.md --commit=auto --fresh",
        "resume_steps": ["Fix it", "Resume"], "text": "All of it.", **fields,
    }  # fmt: skip


def conflict(file, **sides):
    return {"file": file, "sides": [{"phase_id": each.removeprefix("p"), "lines": lines} for each, lines in
            sides.items()], "options": list(CONFLICT_OPTIONS)}  # fmt: skip


def lines(first, last):
    return {"first": first, "last": last}


def error(type_="test_failure", message="it went wrong"):
    return {"type": type_, "message": message, "details": ""}


def record(id_, status="pending", attempt=0, error=None, **fields):
    return {"phase_id": id_, "phase_name": f"Name {id_.upper()}", "status": status, "attempt": attempt,
            "max_attempts": 2, "error": error, **fields}  # fmt: skip


def both(first="test_failure", second="test_failure"):
    return {"attempt_1": error(first), "attempt_2": error(second), "final": FINAL}


RESOLVED = {"attempt_1": error(), "resolved_on_retry": True}


class Day:
    """What happens in one world: files by path, operations with their answers, records as a sound runner keeps them."""

    def __init__(self, **records):
        self.disk = {}
        self.now = NOON
        self.faults = ()
        self.entries = []
        self.kinds = {}
        self.args = {}
        for id_, each in records.items():
            self.put(id_.removeprefix("p"), each)

    # -- files

    def put(self, id_, value):
        """A record: a status, (status, attempt), (status, attempt, error), a whole record, text; None takes it away."""
        if isinstance(value, str) and value in ("pending", "running", "complete", "failed", "blocked"):
            value = (value,)
        if isinstance(value, tuple):
            status, attempt, *rest = (*value, 0 if value[0] in ("pending", "blocked") else 1)[: max(len(value), 2)]
            value = record(id_, status, attempt, *rest)
        return self.put_at(phase_path(id_), value)

    def put_at(self, path, content):
        if content is None:
            self.disk.pop(path, None)
        else:
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            self.disk[path] = text.encode() if isinstance(text, str) else text
        return self

    def seen(self):
        directories = {STATE_DIRECTORY: FileFact("directory")} if self.disk else {}
        files = {path: FileFact("file", len(data), hashlib.sha256(data).hexdigest()) for path, data in
                 self.disk.items()}  # fmt: skip
        return {"{home}": FileFact("directory"), **directories, **files, **self.kinds}

    def facts(self, op, args):
        found = {}
        for label, path in inputs_of(op, args).items():
            if path in self.kinds:
                found[label] = InputFact(self.kinds[path].kind)
            elif path in self.disk:
                found[label] = InputFact("file", len(self.disk[path]), self.disk[path])
            else:
                found[label] = InputFact("missing")
        return found

    # -- operations

    def begin(self, op, args=None, process=0):
        args = args or {}
        self.add(process, EntryType.INVOKE, op, args, files=self.seen(), inputs=self.facts(op, args))
        return self

    def end(self, op, answer, process=0, kind=EntryType.OK):
        self.add(process, kind, op, answer, files=self.seen())
        return self

    def do(self, op, args, answer, process=0, kind=EntryType.OK, **records):
        """One operation: what was asked, what was answered, and the records that it left."""
        self.begin(op, args, process)
        for launch in answer.get("launch", ()):
            if launch["kind"] == "phase":
                self.running(launch["phase_id"], launch["attempt"])
        if answer.get("halted"):
            self.log("HALT")
        for id_, each in records.items():
            self.put(id_.removeprefix("p"), each)
        return self.end(op, answer, process, kind)

    def running(self, id_, attempt):
        self.put(id_, ("running", attempt, {"attempt_1": error()} if attempt == 2 else None))

    def log(self, event):
        self.disk[EXECUTION_LOG_PATH] = self.disk.get(EXECUTION_LOG_PATH, b"") + f"{self.now} {event}\n".encode()

    def start(self, text=PAIR, launch=(), modes=(), ids=(), **answer):
        """A run begins; records of ``ids``, pending, are put beside those of what is launched."""
        args = {"plan": text, "modes": list(modes), **self.args}
        shown = {
            "accepted": True,
            "launch": [phase(each) if isinstance(each, str) else each for each in launch],
            **answer,
        }
        records = {f"p{each}": "pending" for each in ids if phase_path(each) not in self.disk or "fresh" in modes}
        launched = {each if isinstance(each, str) else each["phase_id"] for each in launch}
        return self.do(
            "start", args, shown, **{each: value for each, value in records.items() if each[1:] not in launched}
        )

    def report(self, id_, said, attempt=1, launch=(), records=(), **answer):
        """A sub-agent has ended; ``said`` is a result, a text, or None for no answer."""
        text = said if said is None or isinstance(said, str) else json.dumps(said)
        args = {"phase_id": id_, "attempt": attempt, "said": text}
        if said is None:
            args |= {"elapsed_s": 600.0, "last_activity": "running tests"}
        return self.do("report", args, {"accepted": True, "launch": list(launch), **answer},
                       **{f"p{each}": value for each, value in dict(records).items()})  # fmt: skip

    def verified(self, id_, attempt=1, gates=None, launch=(), records=(), **answer):
        gates = {"test": gate(exit_code=0)} if gates is None else gates
        args = {"phase_id": id_, "attempt": attempt, "gates": gates}
        return self.do("verified", args, {"accepted": True, "launch": list(launch), **answer},
                       **{f"p{each}": value for each, value in dict(records).items()})  # fmt: skip

    def succeed(self, id_, attempt=1, said=None, launch=(), records=(), **answer):
        """It claims success, is verified, and complete."""
        error_ = RESOLVED if attempt == 2 else None
        self.report(id_, said or ok(), attempt, [check(id_, attempt)])
        commits = [{"phases": [id_], "subject": "feat: x"}]
        return self.verified(id_, attempt, None, launch, {id_: ("complete", attempt, error_), **dict(records)},
                             **{"commits": commits, **answer})  # fmt: skip

    def status(self, *of, told=(), **answer):
        """``told`` are (id, status), or with attempt and type of error."""
        names = ("phase_id", "status", "attempt", "error_type")
        phases = [dict(zip(names, each, strict=False)) for each in told]
        return self.do("status", {"of": list(of)}, {"phases": phases, **answer})

    def look(self, *of):
        """Shows the records of these; the answer is never judged."""
        self.begin("status", {"of": list(of)})
        self.add(0, EntryType.INFO, "status", {"blame": "harness"}, files=self.seen())
        return self

    def cut_off(self, op, args, **records):
        """An operation that is killed, and what it left."""
        old, self.faults = self.faults, (Injection(Fault("syscall.killed", CONFIG_PATH), True, "killed"),)
        self.do(op, args, {}, kind=EntryType.INFO, **records)
        self.faults = old
        return self.restarted()

    def add(self, process, kind, op, value, **more):
        self.entries.append(Entry(len(self.entries), process, kind, op, value, self.now, faults=self.faults, **more))

    def under(self, name, path=None, proof="met", **params):
        self.faults = (*self.faults, Injection(Fault(name, path, params), True, proof))
        return self

    def restarted(self):
        return self.under("process.restarted")

    # -- what is found

    def findings(self, clauses=()):
        scenario = Scenario(format=1, id="phases-handmade", title="A title", system=SYSTEM, profile=RUNNER, level="L1",
                            clauses=clauses, world=World(NOON), steps=())  # fmt: skip
        return {found.clause: found for found in judge(scenario, History(tuple(self.entries)), CATALOGUE)}

    def verdict(self, clause):
        found = self.findings().get(clause)
        return None if found is None else found.verdict

    def readings(self, clause):
        return self.findings()[clause].readings

    def broken(self):
        return {clause for clause, found in self.findings().items() if found.verdict is not PASS}

    def passed(self):
        return {clause for clause, found in self.findings().items() if found.verdict is PASS}


# a tree of four phases, of which one fails

TREE = plan("0", "2A<0", "3<2A", "5<0")
IDS = ("0", "2a", "3", "5")
FAILED = FAILURES["test_failure"]
AGAIN = {"tasks_completed": 3, "tasks_total": 3}
RECORDS = {"2a": ("failed", 2, both()), "3": ("blocked", 0, {"blocked_by": ["2a"]})}
COMMITS_REMAIN = [{"level": "warning", "code": "commits_remain", "message": "Commits remain."}]
CONFIG = {"version": "1.0", "plan_path": "docs/feature-plan.md", "commit_mode": "auto", "started_at": NOON,
          "last_updated": NOON, "phases": {"total": 4}}  # fmt: skip


def halted():
    """A tree of which 0 is complete, 2a failed twice, 3 is blocked and 5 pending."""
    day = Day().put_at(CONFIG_PATH, CONFIG).start(TREE, ["0"], ids=IDS).succeed("0", launch=[phase("2a")])
    day.report("2a", FAILED, launch=[retry("2a", "test_failure", **AGAIN)])
    found = summary(["0"], [("2a", 2, "test_failure")], [("3", ["2a"])], ["5"])
    return day.report("2a", FAILED, 2, halted=True, summary=found, records=RECORDS)


def resumed(*launch, modes=("resume",), day=None, **answer):
    return (day or halted()).start(TREE, launch, modes, **answer)


# one phase that fails in each way

ONE = plan("2A")
LATER = plan("2A", "3<2A")
CLAUSE_OF = {
    "test_failure": "AB-ERR-01", "lint_error": "AB-ERR-02", "typecheck_error": "AB-ERR-03", "timeout": "AB-ERR-04",
    "task_incomplete": "AB-ERR-07", "parse_error": "AB-ERR-07", "format_error": "AB-CLS-01",
    "verification_mismatch": "AB-ERR-05",
}  # fmt: skip


def failing(type_, **how):
    """A day on which the only phase fails with that type, and ``how`` the runner answers."""
    day = Day().start(how.pop("text", ONE), ["2a"])
    if type_ == "verification_mismatch":
        return day.report("2a", ok(), launch=[check("2a")]).verified("2a", gates={"lint": gate(LINT_CASE)}, **how)
    said = {"timeout": None, "parse_error": "I did it."}.get(type_, FAILURES.get(type_))
    return day.report("2a", said, **how)


def told(type_, **fields):
    message = "" if type_ in ("timeout", "parse_error", "verification_mismatch") else "it went wrong"
    done = {"tasks_completed": 1, "tasks_total": 1} if type_ == "verification_mismatch" else {}
    return retry("2a", type_, **{"message": message or "it failed", **done, **fields})
