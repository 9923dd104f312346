"""Histories of a session written operation by operation, each of which finds the files that the ones before left."""

import copy
import hashlib
import json

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.session_recovery.contract import (
    CHECKPOINT_PATH,
    SESSION,
    SPECIFICATION_PATH,
    STATE_DIRECTORY,
    SYSTEM,
)
from harness.systems.session_recovery.oracle import judge
from harness.systems.session_recovery.oracle.weather import PLACES

CATALOGUE = registry.get(SYSTEM).catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
PATHS = {label: next(iter(paths)) for label, paths in PLACES.items()}
QUEUE, HOME = PATHS["pending"], "{home}/"
NOON = "2026-03-01T12:00:00Z"
TEXT = "# Continuity\nGoal: ship.\n"
TREE = {"DEVELOPMENT": "claim a task"}
SAID = [{"level": "error", "code": "queue_write_failed"}]
RESET = (Entry(0, 0, EntryType.INVOKE, "reset", {}, NOON), Entry(0, 0, EntryType.OK, "reset", {}, NOON))
READS = ("read_continuity", "read_orchestrator", "read_in_progress", "resume_from_checkpoint")
GONE = object()  # of a file: it is removed
OWN = {"checkpoint": ".loki/state/checkpoint.json", "ledger": ".loki/memory/ledgers/tasks.jsonl"}


def task(id_, **more):
    return {"task_id": id_, "title": f"T {id_}", "description": f"Do {id_}.", **more}


def breaker(state="OPEN", until="2026-03-01T12:03:20Z"):
    return {"state": state, "cooldown_until": until, "last_state_change": NOON, "failure_count": 3}


BREAKERS = {"closed": breaker("CLOSED", None), "open": breaker(), "half": breaker("HALF_OPEN", None)}


def step(action, **more):
    return {"action": action, **more}


def steps(*actions):
    return [step(each) if isinstance(each, str) else each for each in actions]


class Day:
    """What happens in one world; files are what the next operation finds, None for those that are not there."""

    def __init__(self, **files):
        given = {
            "continuity": TEXT, "orchestrator": {"phase": "DEVELOPMENT"}, "breakers": BREAKERS,
            "pending": {"tasks": [task("a"), task("b")]}, "in-progress": {"tasks": []},
        }  # fmt: skip
        self.files = {**dict.fromkeys(PATHS), **given, **{name.replace("_", "-"): each for name, each in files.items()}}
        self.others = {}  # by path: what lies beside
        self.kept = {}  # by label: what is in files that cannot be read
        self.faults = ()
        self.looks = True
        self.entries = []
        self.made = 0

    @property
    def inputs(self):
        found = {label: fact(content) for label, content in self.files.items()}
        return {label: each for label, each in found.items() if each is not None}

    @property
    def disk(self):
        if not self.looks:
            return {}
        there = {label: each for label, each in self.inputs.items() if each.kind != "missing"}
        there |= {label: fact(self.kept[label]) for label, each in there.items() if each.kind == "unreadable"
                  and label in self.kept}  # fmt: skip
        found = {PATHS[label]: each for label, each in there.items()}
        found |= {path: fact(content) for path, content in self.others.items()}
        seen = {path: FileFact(each.kind, each.size, hashlib.sha256(each.data or b"").hexdigest())
                for path, each in found.items()}  # fmt: skip
        below = any(path.startswith(STATE_DIRECTORY) for path in seen)
        return {
            **seen,
            HOME + ".loki": FileFact("directory"),
            **({STATE_DIRECTORY: FileFact("directory")} if below else {}),
        }

    def op(self, op, args, answer, *, process=0, faults=None, now=NOON, ended=EntryType.OK, **changes):
        """One operation from its beginning to its end; ``changes`` are the files that it leaves."""
        standing = tuple(self.faults if faults is None else faults)
        begin = Entry(0, process, EntryType.INVOKE, op, args, now, standing, self.disk, self.inputs)
        self.files = {**self.files, **{name.replace("_", "-"): None if each is GONE else each
                                       for name, each in changes.items()}}  # fmt: skip
        kind = EntryType.INFO if answer is None else ended
        self.entries += [begin, Entry(0, process, kind, op, answer or {}, now, (), self.disk)]
        return self

    def unreadable(self, label, path=None):
        """That file cannot be read from here on, for a fault there or at ``path``."""
        self.kept[label] = self.files[label]
        self.files[label] = InputFact("unreadable")
        self.faults = (struck("filesystem.unreadable", path or PATHS[label]),)
        return self

    def queue(self, name):
        return copy.deepcopy(self.files[name])

    def turn(self, taken=None, *, text=TEXT, phase="DEVELOPMENT", action="claim a task", tree=None, **more):
        more, answer = parted(more)
        taken = (
            steps("read_continuity", "read_orchestrator", step("decide", detail=action or ""))
            if taken is None
            else taken
        )
        said = {"steps": taken, "continuity": text, "phase": phase, "action": action, **answer}
        return self.op("begin_turn", {"tree": TREE if tree is None else tree}, more.pop("instead", said), **more)

    def lose(self, *interrupted, taken=READS, text=TEXT, phase="DEVELOPMENT", checkpoint=None, state=None, **more):
        more, answer = parted(more)
        said = {"steps": steps(*taken), "outcome": "recovered", "continuity": text, "phase": phase,
                "interrupted": list(interrupted), "checkpoint": checkpoint, "state": state, **answer}  # fmt: skip
        return self.op("resume", {"reason": "context_loss"}, more.pop("instead", said), **more)

    def claim(self, id_="a", worker="w1", told=None, moved=True, **more):
        """A worker is handed that task, which is moved."""
        more, answer = parted(more)
        found = next((each for each in entries(self.files["pending"]) if named(each) == id_), task(id_))
        said = {"outcome": "claimed", "task": found if told is None else told, **answer}
        if moved:
            left = [each for each in entries(self.files["pending"]) if named(each) != id_]
            more = {"pending": queue(self.files["pending"], left), **more}
            work = [*entries(self.files["in-progress"]), found]
            more = {"in_progress": queue(self.files["in-progress"], work), **more}
        return self.op("claim", {"worker": worker}, more.pop("instead", said), **more)

    def none(self, outcome="none", **more):
        more, answer = parted(more)
        return self.op("claim", {"worker": "w"}, {"outcome": outcome, **answer}, **more)

    def finish(
        self, id_="a", worker="w1", outcome="completed", recorded=True, ledger=OWN["ledger"], moved=True, **more
    ):
        """A worker has finished that task, which is recorded."""
        more, answer = parted(more)
        said = {"outcome": outcome, "recorded": recorded, "ledger": ledger, **answer}
        if moved and outcome == "completed":
            left = [each for each in entries(self.files["in-progress"]) if named(each) != id_]
            lines = (self.files["ledger"] or "") + json.dumps({"task_id": id_}) + "\n"
            more = {"in_progress": queue(self.files["in-progress"], left), "ledger": lines, **more}
        return self.op("complete", {"worker": worker, "task_id": id_}, more.pop("instead", said), **more)

    def ledger(self, *ids, **more):
        more, answer = parted(more)
        return self.op("ledger", {}, more.pop("instead", {"task_ids": list(ids), **answer}), **more)

    def start(self, id_="a", interface=None, taken=None, requirements=None, named=..., started=True, **more):
        more, answer = parted(more)
        whole = ("read_requirements", *(("specify",) if interface else ()), "implement")
        named = (".loki/specs/interfaces.jsonl" if interface else None) if named is ... else named
        said = {"steps": steps(*whole) if taken is None else taken, "started": started, "specification": named,
                "requirements": f"Do {id_}." if requirements is None else requirements, **answer}  # fmt: skip
        if interface and named and HOME + named == SPECIFICATION_PATH:
            lines = (self.files["specification"] or "") + json.dumps({"task_id": id_, "interface": interface}) + "\n"
            more = {"specification": lines, **more}
        args = {"task_id": id_, **({"interface": interface} if interface else {})}
        return self.op("start_task", args, more.pop("instead", said), **more)

    def save(self, name="c1", state=None, stored=True, path=OWN["checkpoint"], **more):
        """The state is checkpointed, in the file that is named."""
        more, answer = parted(more)
        state = {"at": name} if state is None else state
        said = {"stored": stored, "path": path, **answer}
        if stored and path and HOME + path == CHECKPOINT_PATH:
            more = {"checkpoint": {"name": name, "state": state}, **more}
        return self.op("checkpoint", {"name": name, "state": state}, more.pop("instead", said), **more)

    def begin(self, kind="minor", taken=None, *, name="o1", performed=True, saved=None, args=None, **more):
        more, answer = parted(more)
        args = {"name": name, "kind": kind, "state": {"of": name}, **(args or {})}
        needs = kind != "minor" and performed
        saved = needs if saved is None else saved
        act = step("spawn", count=args.get("agents", 1)) if kind == "spawn" else step("perform")
        checks = [step("check_breaker", detail=BREAKERS[args["breaker"]]["state"])] if "breaker" in args else []
        whole = [*checks, *([step("checkpoint", detail=name)] if saved else []), *([act] if performed else [])]
        said = {"steps": whole if taken is None else taken, "performed": performed,
                "checkpoint": OWN["checkpoint"] if saved else None, **answer}  # fmt: skip
        if saved:
            more = {"checkpoint": {"name": name, "state": {"of": name}}, **more}
        return self.op("begin_operation", args, more.pop("instead", said), **more)

    def limit(self, *tries, wait=200.0, agents=2, outcome="recovered", facts=None, taken=None, state="OPEN", **more):
        """A session is resumed after a rate limit; a try is its delay and whether it passed."""
        more, answer = parted(more)
        tries = tries or ((5.0, True),)
        given = {"breaker": "open", **(facts or {})}
        whole = [step("check_breaker", detail=state), *([step("wait", wait_s=wait)] if wait is not None else []),
                 step("reduce_agents", count=agents), *(step("retry", wait_s=delay, ok=ok) for delay, ok in tries),
                 *([step("give_up")] if outcome == "failed" else [])]  # fmt: skip
        said = {"steps": whole if taken is None else taken, "outcome": outcome, "agents": agents, **answer}
        return self.op("resume", {"reason": "rate_limit", "facts": given}, more.pop("instead", said), **more)

    def fail(self, *taken, facts=None, failure="real", outcome="recovered", **more):
        """A session is resumed after a test failure."""
        more, answer = parted(more)
        given = {"output": "FAILED x", **(facts or {})}
        whole = taken or (step("read_output", detail="FAILED x"), step("classify", detail=failure), "fix", "rerun_all")
        said = {"steps": steps(*whole), "outcome": outcome, "failure": failure, **answer}
        return self.op("resume", {"reason": "test_failure", "facts": given}, more.pop("instead", said), **more)

    def together(self, count):
        """The last ``count`` operations overlapped, each by a process of its own; all found what the first one did."""
        head, last = self.entries[: -2 * count], self.entries[-2 * count :]
        moved = [msgspec.structs.replace(each, process=1 + place // 2) for place, each in enumerate(last)]
        first = moved[0]
        begins = [msgspec.structs.replace(each, inputs=first.inputs, files=first.files) for each in moved[::2]]
        self.entries = [*head, *begins, *moved[1::2]]
        return self


def named(entry):
    return entry.get("task_id") if isinstance(entry, dict) else None


def entries(content):
    found = content["tasks"] if isinstance(content, dict) else content
    return copy.deepcopy(found) if isinstance(found, list) else []


def queue(before, tasks):
    return tasks if isinstance(before, list) else {**(before if isinstance(before, dict) else {}), "tasks": tasks}


def parted(more):
    """What goes to the operation, and what to the answer."""
    known = {"process", "faults", "now", "ended", "instead", *(name.replace("-", "_") for name in PATHS)}
    own = {"checkpoint", "ledger", "specification"}
    left = {name: each for name, each in more.items() if name in known - own or name.startswith("file_")}
    answer = {name: each for name, each in more.items() if name not in left}
    return {name.removeprefix("file_"): each for name, each in left.items()}, answer


def fact(content):
    """What an operation finds: a JSON document, a text, bytes, a fact, nothing, or (...) what nobody is told."""
    if content is None:
        return InputFact("missing")
    if content is ... or isinstance(content, InputFact):
        return None if content is ... else content
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    data = text if isinstance(text, bytes) else text.encode()
    return InputFact("file", len(data), data)


def found(*days, clauses=()):
    """What the oracle finds, by clause."""
    everything = [each for day in days for each in (day.entries if isinstance(day, Day) else day)]
    numbered = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(everything))
    scenario = Scenario(
        1, "handmade", "handmade", SYSTEM, SESSION, tuple(clauses), World(NOON, {}, {"home": "{home}"}), ()
    )
    return {finding.clause: finding for finding in judge(scenario, History(numbered), CATALOGUE)}


def failing(*days):
    """The clauses, without their LK-, that fail."""
    return {clause[3:] for clause, finding in found(*days).items() if finding.verdict is not PASS}


def readings(clause, *days):
    """The readings of a clause that the history leaves; None when it is not witnessed; it passes."""
    finding = found(*days).get(f"LK-{clause}")
    if finding is None:
        return None
    assert (PASS, finding.observed) == (finding.verdict, finding.observed)
    return set(finding.readings or ())


def struck(name, path=QUEUE, proof="met", armed=True, **params):
    """A fault that the harness has put in place."""
    return Injection(Fault(name, path, params), armed=armed, proof=proof)
