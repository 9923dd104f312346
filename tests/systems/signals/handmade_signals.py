"""Histories of signals written by hand: the files of one world, and what is done, as a test tells it."""

import hashlib
import json

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.signals.contract import SIGNALS, SIGNALS_DIRECTORY, SYSTEM, inputs_of
from harness.systems.signals.oracle import judge

CATALOGUE = registry.get("signals").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = "2026-03-01T12:00:00Z"
IMMEDIATE = ("stop", "log", "reason", "reread")
GOAL = "Add a login endpoint"


def task(id_="t-1", **fields):
    return {"task_id": id_, "title": f"What {id_} is about", "priority": "medium", **fields}


def report(of="t-1", severity="medium", distance=2, **fields):
    return {"task_id": of, "planned_action": "plan", "detected_drift": "drift", "severity": severity, "agent": "eng",
            "drift_distance": distance, **fields}  # fmt: skip


def request(of="t-1", **fields):
    return {"task_id": of, "reason": "security_decision", "context": "keys", "severity": "critical", "blocking": True,
            **fields}  # fmt: skip


def asked(of="t-1", at=NOON, **fields):
    return {"timestamp": at, **request(of, **fields)}


def friction(**fields):
    return {"friction_id": "f-1", "location": "src/a.py:3", "behavior": "sleeps", "agent": "eng", **fields}


def steps(*actions, **details):
    """Steps by their words; ``details`` are those of a word, False says that it is not ok."""
    found = [{"action": each} for each in actions]
    for each in found:
        detail = details.get(each["action"])
        if detail is False:
            each["ok"] = False
        elif detail is not None:
            each["detail"] = detail
    return found


class Day:
    """What happens in one world: files by the label or path they have, operations with their answers."""

    def __init__(self, **files):
        self.disk = {}
        self.now = NOON
        self.faults = ()
        self.entries = []
        self.put(current_task={"task_id": "t-1", "goal": GOAL}, continuity="# Continuity\n", **files)

    def put(self, **files):
        """Files, by label or by the name of a signal; None takes one away."""
        for label, content in files.items():
            path = inputs_of("", {}).get(label.replace("_json", "").replace("in_progress", "in-progress").replace(
                "dead_letter", "dead-letter"), f"{SIGNALS_DIRECTORY}/{label}")  # fmt: skip
            self.put_at(path, content)
        return self

    def put_at(self, path, content):
        if content is None:
            self.disk.pop(path, None)
        else:
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            self.disk[path] = text.encode() if isinstance(text, str) else text
        return self

    def seen(self):
        return {path: FileFact("file", len(data), hashlib.sha256(data).hexdigest()) for path, data in self.disk.items()}

    def facts(self, op, args):
        return {
            label: InputFact("file", len(self.disk[path]), self.disk[path])
            if path in self.disk
            else InputFact("missing")
            for label, path in inputs_of(op, args).items()
        }

    def begin(self, op, args=None, process=0):
        args = args or {}
        self.add(process, EntryType.INVOKE, op, args, files=self.seen(), inputs=self.facts(op, args))
        return self

    def end(self, op, answer, process=0, kind=EntryType.OK):
        self.add(process, kind, op, answer, files=self.seen())
        return self

    def do(self, op, args, answer, process=0, kind=EntryType.OK, **files):
        """One operation: what was asked, what was answered, and the files that it left."""
        self.begin(op, args, process)
        self.put(**files)
        return self.end(op, answer, process, kind)

    def look(self):
        """Shows what was left."""
        return self.do("assess", {}, {"review": False})

    def add(self, process, kind, op, value, **more):
        self.entries.append(Entry(len(self.entries), process, kind, op, value, self.now, faults=self.faults, **more))

    def under(self, name, path=None, proof="met", **params):
        self.faults = (Injection(Fault(name, path, params), True, proof),)
        return self

    # -- what is often done

    def drift(self, args=None, record=None, tail=None, took=(*IMMEDIATE, "warn", "continue"), stored=True, **files):
        args = args or report()
        made = {"timestamp": self.now, **args, "original_goal": GOAL}
        made.pop("working_memory", None)
        made = made if record is None else record
        held = self.disk.get(f"{SIGNALS_DIRECTORY}/DRIFT_DETECTED", b"").decode()
        tail = json.dumps(made) + "\n" if tail is None else tail
        answer = {"record": made, "stored": stored, "steps": took if isinstance(took, list) else steps(*took)}
        return self.do("report_drift", args, answer, drift=held + tail, **files)

    def review(self, args=None, *, changes=(), **files):
        args = args or request()
        answer = {
            "record": {"timestamp": self.now, **args}, "stored": True, "blocked": True,
            "steps": steps("stop", "log", "block"), **dict(changes),
        }  # fmt: skip
        return self.do("request_review", args, answer, **files)

    # -- what is found

    def findings(self):
        scenario = Scenario(format=1, id="signals-handmade", title="A title", system=SYSTEM, profile=SIGNALS, level="L1",
                            clauses=(), world=World(NOON), steps=())  # fmt: skip
        return {found.clause: found for found in judge(scenario, History(tuple(self.entries)), CATALOGUE)}

    def verdict(self, clause):
        found = self.findings().get(clause)
        return None if found is None else found.verdict

    def readings(self, clause):
        return self.findings()[clause].readings

    def broken(self):
        return {clause for clause, found in self.findings().items() if found.verdict is not PASS}
