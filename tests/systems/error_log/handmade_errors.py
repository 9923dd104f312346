"""Histories of an error log written operation by operation, each of which finds the files that the ones before left."""

import copy
import json

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.error_log.contract import ERRORS_PATH, LOG, SYSTEM
from harness.systems.error_log.oracle import judge

CATALOGUE = registry.get("error_log").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = "2026-03-01T12:00:00Z"
NOON_MS = 1772366400000
SESSION, OTHER = "sess_1772366400_a1b2c3", "sess_1772366460_d4e5f6"
PLAN = (
    "# Plan\n### Phase 1: Research [COMPLETED]\n### Phase 2: Build [IN PROGRESS]\n### Phase 3: Verify [NOT STARTED]\n"
)
CONTEXT = {"session_id": SESSION, "command": "/implement", "task": 259, "phase": 2, "checkpoint": "GATE_OUT"}
TRAJECTORY = {"delegation_path": ["orchestrator", "implement", "skill"], "failed_at_depth": 1}
RECOVERY = {"suggested_action": "Run it again", "auto_recoverable": True}
SAID = {"level": "warning", "code": "errors_write_failed"}
NOTHING = {"log": []}
PHASES = ["phase1", "phase2", "phase3"]
RESET = (Entry(0, 0, EntryType.INVOKE, "reset", {}, NOON), Entry(0, 0, EntryType.OK, "reset", {}, NOON))


def error(kind="timeout", message="it took too long", severity="high", **more):
    """An error as it is given."""
    given = {"type": kind, "message": message, "severity": severity, "context": CONTEXT, **more}
    return {name: value for name, value in given.items() if value is not ...}


def record(number, given, **changes):
    """The record of an error; ``...`` leaves a field out."""
    made = {
        "id": f"err_{NOON_MS}_{number:06d}", "timestamp": "2026-03-01T12:00:00.000Z", "type": given.get("type"),
        "severity": given.get("severity") or "medium", "message": given.get("message"),
        "context": {**dict.fromkeys(CONTEXT), **_mapping(given.get("context"))},
        "trajectory": given.get("trajectory"), "recovery": given.get("recovery"), "fix_status": "unfixed",
    }  # fmt: skip
    return {name: value for name, value in {**made, **changes}.items() if value is not ...}


def _mapping(value):
    return value if isinstance(value, dict) else {}


def step(action, **more):
    return {"action": action, **more}


def steps(*actions):
    return [step(each) if isinstance(each, str) else each for each in actions]


def progress(**more):
    given = {"task": 259, "phases": PHASES, "completed": ["phase1"], "failed_at": "phase2", "partial": {"lines": 40}}
    return {name: value for name, value in {**given, **more}.items() if value is not ...}


def returned(given, status="partial", completed=("phase1",), failed_at="phase2", **more):
    told = {"type": given.get("type"), "message": given.get("message"), "recovery": "Run it again", **more}
    return {
        "status": status, "error": told, "progress": {"completed": list(completed), "failed_at": failed_at},
    }  # fmt: skip


class Day:
    """What happens in one world; files are what the next operation finds, None for those that are not told."""

    def __init__(self, errors=None, **files):
        self.errors = errors
        given = {"metadata": None, "plan": PLAN, "todo": None, "state": None, "source": "def main(): ...\n"}
        self.files = {**given, **files}
        self.entries = []
        self.number = 0
        self.faults = ()

    @property
    def inputs(self):
        found = {label: fact(content) for label, content in {"errors": self.errors, **self.files}.items()}
        return {label: each for label, each in found.items() if each is not None}

    def write(self, made):
        """The record goes into errors.json."""
        if not isinstance(self.errors, dict | list):
            self.errors = {"errors": []}
        self.errors = copy.deepcopy(self.errors)
        (self.errors if isinstance(self.errors, list) else self.errors["errors"]).append(made)

    def op(self, op, args, answer, *, process=0, ended=EntryType.OK, faults=None, snapshot=None, now=NOON):
        """One operation from its beginning to its end."""
        standing = tuple(self.faults if faults is None else faults)
        begin = Entry(0, process, EntryType.INVOKE, op, args, now, standing, snapshot or {}, self.inputs)
        kind = EntryType.INFO if answer is None else ended
        self.entries += [begin, Entry(0, process, kind, op, answer or {}, now)]
        return self

    def log(self, given=None, *, name=None, stored=True, keep=True, answer=..., found=None, said=(), **more):
        """An error is logged; ``answer`` is the record as it is answered, ``found`` as it is written."""
        more, changes = _parted(more)
        given = error() if given is None else given
        self.number += 1
        made = record(self.number, given, **changes)
        shown = made if answer is ... else answer
        name = name or f"e{self.number}"
        self.op("log", {"name": name, "error": given}, {"record": shown, "stored": stored, "log": list(said)}, **more)
        if keep:
            self.write(made if found is None else found)
        return self

    def handle(
        self, given=None, taken=None, *, response="recover", continues=True, told=..., keep=True, at=None, **more
    ):
        """An error is handled."""
        more, changes = _parted(more)
        given = error("delegation_hang") if given is None else given
        self.number += 1
        at = progress() if at is None else at
        taken = steps("log", "preserve", "mark_partial", "enable_resume", "report") if taken is None else taken
        answer = {"steps": taken, "response": response, "continues": continues, "log": more.pop("said", [])}
        answer["returned"] = returned(given) if told is ... else told
        args = {"name": f"e{self.number}", "error": given, "progress": at}
        self.op("handle", args, more.pop("instead", answer), **more)
        if keep:
            self.write(record(self.number, given, **changes))
        return self

    def recover(
        self, kind, taken, outcome, *, facts=None, told=None, at=None, status=None, keep=True, given=None, **more
    ):
        """A procedure is carried out."""
        more, changes = _parted(more)
        given = error(kind) if given is None else given
        self.number += 1
        args = {"name": f"e{self.number}", "error": given, "progress": progress() if at is None else at}
        args |= {"facts": facts} if facts is not None else {}
        answer = {"steps": taken, "outcome": outcome, "task_status": status, "returned": told}
        answer["log"] = more.pop("said", [])
        self.op("recover", args, more.pop("instead", answer), **more)
        if keep:
            self.write(record(self.number, given, **changes))
        return self

    def read(self, session=None, records=..., **more):
        """Records are read: those in the file, unless told otherwise."""
        if records is ...:
            everything = self.errors["errors"] if isinstance(self.errors, dict) else self.errors or []
            everything = [each for each in everything if isinstance(each, dict)] if isinstance(everything, list) else []
            records = [each for each in everything if session in (None, (each.get("context") or {}).get("session_id"))]
        return self.op("read", {"session_id": session}, {"records": records, "log": more.pop("said", [])}, **more)

    def resume(self, point="phase2", completed=("phase1",), partial=..., task=259, **more):
        partial = {"lines": 40} if partial is ... else partial
        answer = {"resume_at": point, "completed": list(completed), "partial": partial, "log": more.pop("said", [])}
        return self.op("resume", {"task": task}, more.pop("instead", answer), **more)

    def begin(self, taken=None, status="implementing", task=259, wrote=True, **more):
        args = {"task": task, "session_id": SESSION, "agent": "a", "delegation_path": ["o", "a"], "status": status}
        answer = {"steps": steps("write_metadata", "work") if taken is None else taken, "log": more.pop("said", [])}
        self.op("begin", args, more.pop("instead", answer), **more)
        if wrote:
            self.files["metadata"] = {"status": "in_progress", "task": task, "task_status": status}
        return self

    def finish(self, *names, kind="git_commit_failure", message="it took too long", **more):
        told = [{"name": name, "type": kind, "message": message} for name in names]
        return self.op("finish", {}, more.pop("instead", {"reported": told}), **more)

    def status(self, name, word, made, stored=True, **more):
        answer = {"record": made, "stored": stored, "log": more.pop("said", [])}
        return self.op("set_fix_status", {"name": name, "status": word}, more.pop("instead", answer), **more)

    def patterns(self, *told, **more):
        answer = {"patterns": [{"type": kind, "count": count, "sessions": n} for kind, count, n in told]}
        return self.op("patterns", {}, more.pop("instead", answer), **more)

    def classify(self, found, source, **more):
        return self.op("classify", {"incident": {"source": source, **more}}, None if found is None else {"type": found})

    def together(self, count):
        """The last ``count`` operations overlapped, each by a process of its own."""
        head, last = self.entries[: -2 * count], self.entries[-2 * count :]
        moved = [msgspec.structs.replace(each, process=1 + place // 2) for place, each in enumerate(last)]
        found = moved[0].inputs
        begins = [msgspec.structs.replace(each, inputs=found) for each in moved[::2]]
        self.entries = [*head, *begins, *moved[1::2]]
        return self

    def mark(self, mark="[PARTIAL]"):
        """The phase in the middle gets that mark in the plan."""
        self.files["plan"] = PLAN.replace("[IN PROGRESS]", mark)
        return self


def _parted(more):
    """What goes to the operation, and what changes the record."""
    known = ("process", "ended", "faults", "snapshot", "now", "said", "instead")
    return {k: v for k, v in more.items() if k in known}, {k: v for k, v in more.items() if k not in known}


def fact(content):
    """What an operation finds: a JSON document, a text, bytes, a fact, or nothing that is told."""
    if content is None:
        return InputFact("missing")
    if content is ... or isinstance(content, InputFact):
        return None if content is ... else content
    data = (
        content
        if isinstance(content, bytes)
        else content.encode()
        if isinstance(content, str)
        else json.dumps(content).encode()
    )
    return InputFact("file", len(data), data)


def whole(digest):
    """A file with that digest, beside errors.json."""
    return {f"{ERRORS_PATH}.corrupt-1": FileFact("file", 1, digest)}


def found(day, clauses=()):
    """What the oracle finds, by clause."""
    entries = (
        day.entries
        if isinstance(day, Day)
        else [each for part in day for each in (part.entries if isinstance(part, Day) else part)]
    )
    numbered = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entries))
    scenario = Scenario(1, "handmade", "handmade", SYSTEM, LOG, tuple(clauses), World(NOON, {}, {"home": "{home}"}), ())
    return {finding.clause: finding for finding in judge(scenario, History(numbered), CATALOGUE)}


def failing(day):
    """The clauses that fail."""
    return {clause for clause, finding in found(day).items() if finding.verdict is not PASS}


def readings(clause, day):
    """The readings of a clause that the history leaves; it passes."""
    finding = found(day)[clause]
    assert (finding.verdict, finding.observed) == (PASS, finding.observed)
    return set(finding.readings or ())


def struck(name, path=ERRORS_PATH, proof="met", armed=True, **params):
    """A fault that the harness has put in place."""
    return Injection(Fault(name, path, params), armed=armed, proof=proof)
