"""Histories of a watch over rationalisations by hand: what is asked, answered, and in the files, as a test tells it."""

import hashlib

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.rationalization.contract import ATTEMPTS_PATH, FLAGS, SYSTEM, TABLE, WATCH
from harness.systems.rationalization.oracle import judge, permitted

CATALOGUE = registry.get("rationalization").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = "2026-03-01T12:00:00Z"
LATER = "2026-03-01T12:00:10Z"
LOG = ".loki/memory/episodic/rationalizations.jsonl"
ROW_OF = {row.phrase: entry for entry, row in TABLE.items()}
FLAG_OF = {phrase: (kind, counter) for kind, family in FLAGS.items() for phrase, counter in family.items()}
EXCUSE, FLAG, HEDGE = "The tests are flaky", "I think", "probably"


def action_of(phrase):
    return TABLE[ROW_OF[phrase]].required_action if phrase in ROW_OF else FLAG_OF[phrase][1]


def kind_of(phrase):
    return "excuse" if phrase in ROW_OF else FLAG_OF[phrase][0].value


def finding(phrase, start, end=None, **fields):
    """What an honest implementation finds of that phrase."""
    found = {"phrase": phrase, "kind": kind_of(phrase), "required_action": action_of(phrase), "start": start,
             "end": start + len(phrase) if end is None else end}  # fmt: skip
    if phrase in ROW_OF:
        found["entry"] = ROW_OF[phrase].value
    return {**found, **fields}


def found_in(text, *phrases):
    """Findings of these phrases, each at its first place after the one before."""
    place, found = 0, []
    for phrase in phrases:
        place = text.lower().index(phrase.lower(), place)
        found.append(finding(phrase, place))
        place += len(phrase)
    return found


def step(action, detail="", ok=True):
    return {"action": action, "detail": detail, "ok": ok}


def countered(*phrases):
    """The steps that name and counter these phrases, one after the other."""
    named = (ROW_OF[each].value if each in ROW_OF else each for each in phrases)
    return [
        made
        for name, phrase in zip(named, phrases, strict=True)
        for made in (step("identify", name), step("counter", action_of(phrase)))
    ]


def protocol(*phrases, logged=True):
    return [step("stop"), *countered(*phrases), step("document", ok=logged)]


class Day:
    """What happens in one world, operation by operation."""

    def __init__(self, log=None):
        self.disk = {"{home}/README.md": b"# Project\n", **({} if log is None else {ATTEMPTS_PATH: log})}
        self.now = NOON
        self.faults = ()
        self.entries = []
        self.looks = True

    def seen(self):
        facts = {
            path: FileFact("file", len(data), hashlib.sha256(data).hexdigest()) for path, data in self.disk.items()
        }
        return facts if self.looks else {}

    def begin(self, op, args, process=0):
        data = self.disk.get(ATTEMPTS_PATH)
        fact = InputFact("missing") if data is None else InputFact("file", len(data), data)
        self.add(process, EntryType.INVOKE, op, args, files=self.seen(), inputs={"attempts": fact}, faults=self.faults)
        return self

    def end(self, op, answer, process=0, kind=EntryType.OK):
        self.add(process, kind, op, answer, files=self.seen())
        return self

    def do(self, op, args, answer, process=0, kind=EntryType.OK):
        return self.begin(op, args, process).end(op, answer, process, kind)

    def add(self, process, kind, op, value, **more):
        self.entries.append(Entry(len(self.entries), process, kind, op, value, self.now, **more))

    def under(self, name, path=ATTEMPTS_PATH, proof="met", **params):
        self.faults = (Injection(Fault(name, path, params), True, proof),)
        return self

    def calm(self):
        self.faults = ()
        return self

    def at(self, now):
        self.now = now
        return self

    def put(self, data, path=ATTEMPTS_PATH):
        if data is None:
            self.disk.pop(path, None)
        else:
            self.disk[path] = data
        return self

    # -- what is often done

    def scan(self, text, *found, has_output=False):
        return self.do("scan", {"text": text, "has_output": has_output}, {"findings": list(found)})

    def write(self, path=LOG):
        whole = "{home}/" + path
        return self.put(self.disk.get(whole, b"") + b"x\n", whole)

    def excuse(self, text, *phrases, action="merge", agent="eng", has_output=False, path=LOG, **changes):
        """An action is stopped for these phrases, and logged."""
        args = {"text": text, "action": action, "agent": agent, "has_output": has_output}
        answer = {"steps": protocol(*phrases), "proceeds": False, "logged": True, "path": path, **changes}
        self.begin("enforce", args)
        if answer["logged"]:
            self.write(path)
        return self.end("enforce", answer)

    def proceed(self, text, **changes):
        answer = {"steps": [step("proceed")], "proceeds": True, **changes}
        return self.do("enforce", {"text": text, "action": "merge"}, answer)

    def attempts(self, *told, log=(), process=0):
        return self.do("attempts", {}, {"attempts": list(told), "log": list(log)}, process)

    # -- what is found

    def scenario(self):
        return Scenario(format=1, id="watch-handmade", title="A title", system=SYSTEM, profile=WATCH, level="L1",
                        clauses=(), world=World(NOON), steps=())  # fmt: skip

    def findings(self):
        found = judge(self.scenario(), History(tuple(self.entries)), CATALOGUE)
        return {each.clause: each for each in found}

    def permitted(self, *alternatives):
        return permitted(self.scenario(), History(tuple(self.entries)), CATALOGUE, alternatives)

    def verdict(self, clause):
        found = self.findings().get(f"LK-RAT-{clause:02d}")
        return None if found is None else found.verdict

    def readings(self, clause):
        return self.findings()[f"LK-RAT-{clause:02d}"].readings

    def broken(self):
        return {clause for clause, found in self.findings().items() if found.verdict is not PASS}

    def shown(self):
        return set(self.findings())


def attempt(*phrases, action="merge", agent="eng", at=NOON):
    return {"timestamp": at, "agent": agent, "action": action, "phrases": list(phrases)}
