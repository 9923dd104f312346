"""Histories of dead-letter queues written by hand: an honest implementation, each deed of which a test may spoil."""

import copy
import hashlib
import json
from datetime import datetime, timedelta

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.dead_letter.contract import DEAD_LETTER_PATH, ESCALATIONS_PATH, QUEUE, QUEUE_PATHS, SYSTEM
from harness.systems.dead_letter.oracle import judge
from harness.systems.queue_files import ABANDONED, BLOCKED, COMPLETED, DEAD_LETTER, IN_PROGRESS, PENDING

CATALOGUE = registry.get("dead_letter").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = "2026-03-01T12:00:00Z"
LONG_AGO = "2026-02-27T12:00:00Z"
APPROACHES, KINDS = ("direct", "cached"), ("test_failure", "timeout", "validation")
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet", "kilo", "lima")
LEFT = {"decision": "left", "reason": "nothing is known yet"}


def tried(count, kinds=KINDS, approaches=APPROACHES, messages=WORDS):
    """So many failed attempts, an hour apart."""
    first = datetime.fromisoformat("2026-02-20T09:00:00+00:00")
    return [
        {
            "attempt_number": n + 1, "timestamp": (first + timedelta(hours=n)).isoformat(),
            "approach": approaches[n % len(approaches)], "error_type": kinds[n % len(kinds)],
            "error_message": f"{messages[n % len(messages)]} does not hold", "agent_id": f"agent-{n % 2}",
        }
        for n in range(count)
    ]  # fmt: skip


def data(id_, **fields):
    return {"title": f"Part {id_}", "description": f"The part {id_}", "dependencies": [], "priority": "high", **fields}


def task(id_, failures=0, **fields):
    """A task at work; ``...`` leaves a field out."""
    made = {"task_id": id_, **data(id_), "failure_count": failures, "attempts": tried(failures), **fields}
    return {name: value for name, value in made.items() if value is not ...}


def dead(id_, failures=5, **fields):
    """A dead letter."""
    attempts = fields.pop("attempts", tried(failures))
    made = {
        "task_id": id_, "original_queue": "pending", "failure_count": failures,
        "first_failure": LONG_AGO, "last_failure": LONG_AGO, "error_summary": "it fails", "attempts": attempts, "recovery_strategy": "retry_with_simpler_approach",
        "task_data": data(id_, **fields.pop("within", {})), **fields,
    }  # fmt: skip
    return {name: value for name, value in made.items() if value is not ...}


def letters(*tasks, reviewed=LONG_AGO, **beside):
    return {
        "tasks": list(tasks),
        "metadata": {"last_reviewed": reviewed, "total_abandoned": 2, "total_recovered": 3},
        **beside,
    }


def escalation(letter, **changes):
    """The text of an escalation."""
    parts = {
        "title": letter["task_data"]["title"], "id": letter["task_id"], "count": letter["failure_count"],
        "trigger": "it touches auth", "summary": "it fails", "analysis": "All was tried",
        "log": "\n".join(f"- {each['approach']}: {each['error_message']}" for each in letter["attempts"]) or "none",
        "options": "1. Split it up: slower, but safe\n2. Give it up\n   and lose what was made",
        "awaiting": "Human decision on recovery path.", **changes,
    }  # fmt: skip
    return (
        "## Escalation: {title}\n\n**Task ID:** {id}\n**Failure Count:** {count}\n**Trigger:** {trigger}\n\n"
        "### Failure Summary\n{summary}\n\n### Attempts Log\n{log}\n\n### Agent Analysis\n{analysis}\n\n"
        "### Recommended Options\n{options}\n\n### Awaiting\n{awaiting}\n"
    ).format(**parts)


class Day:
    """What happens in one world. Each operation is done as it should be, then ``spoil`` changes what it left."""

    def __init__(self, *dead_letters, pending=(), running=(), blocked=(), reviewed=LONG_AGO, **queues):
        self.queues = {PENDING: {"tasks": list(pending)}, IN_PROGRESS: {"tasks": list(running)}, BLOCKED: None,
                       COMPLETED: None, ABANDONED: None, DEAD_LETTER: letters(*dead_letters, reviewed=reviewed)}  # fmt: skip
        if blocked:
            self.queues[BLOCKED] = {"tasks": list(blocked)}
        self.queues |= {name.replace("_", "-"): content for name, content in queues.items()}
        self.texts = {}
        self.others = {}
        self.now = NOON
        self.faults = ()
        self.entries = []
        self.serial = 0

    @property
    def inputs(self):
        found = {queue: fact(content) for queue, content in self.queues.items()}
        return {queue: each for queue, each in found.items() if each is not None}

    @property
    def files(self):
        seen = {QUEUE_PATHS[queue]: digest(each.data) for queue, each in self.inputs.items() if each.data is not None}
        seen |= {f"{ESCALATIONS_PATH}/{name}": digest(text.encode()) for name, text in self.texts.items()}
        return {**seen, **self.others}

    def at(self, queue, id_):
        """The task as it stands there."""
        return next((each for each in self.tasks(queue) if isinstance(each, dict) and each.get("task_id") == id_), None)

    def tasks(self, queue):
        """What stands in that file; nothing where it is none."""
        content = self.queues[queue]
        return content["tasks"] if isinstance(content, dict) else content if isinstance(content, list) else []

    def put(self, queue, made):
        """The task goes into that file, which is made when there is none."""
        if self.queues[queue] is None:
            self.queues[queue] = {"tasks": []}
        self.tasks(queue).append(made)

    def move(self, id_, source, target, made=None):
        """The task goes there, as ``made`` or as it is."""
        found = self.at(source, id_)
        self.tasks(source).remove(found)
        self.put(target, found if made is None else made)

    @property
    def metadata(self):
        return self.queues[DEAD_LETTER]["metadata"]

    def later(self, seconds):
        self.now = (datetime.fromisoformat(self.now) + timedelta(seconds=seconds)).isoformat()
        return self

    def op(self, op, args, answer, deed=None, *, spoil=None, process=0, ended=EntryType.OK, faults=None, blind=False):
        """One operation: what it finds, what it does, what it leaves."""
        standing = tuple(self.faults if faults is None else faults)
        seen = {} if blind else self.files
        self.entries.append(Entry(0, process, EntryType.INVOKE, op, args, self.now, standing, seen, self.inputs))
        self.queues = copy.deepcopy(self.queues)
        for each in (deed, spoil):
            if each is not None:
                each(self)
        kind = EntryType.INFO if answer is None else ended
        seen = {} if blind else self.files
        self.entries.append(Entry(0, process, kind, op, answer or {}, self.now, (), seen))
        return self

    def fail(self, id_, kind="timeout", approach="direct", message="no answer", agent="agent-7", answer=None, fields=None,
             **more):  # fmt: skip
        """An attempt failed. ``answer`` changes what is answered, ``fields`` what a dead letter has."""
        queue = next((queue for queue in (PENDING, IN_PROGRESS, BLOCKED) if self.at(queue, id_)), None)
        given = {"approach": approach, "error_type": kind, "error_message": message, "agent_id": agent}
        args = {"task_id": id_, "attempt": given}
        if queue is None:
            said = {"recorded": False, "moved": False, "failure_count": None, **(answer or {})}
            return self.op("record_failure", args, said, **more)
        found = self.at(queue, id_)
        count = found.get("failure_count", 0) + 1
        number = len(found.get("attempts", [])) + 1
        closed = kind if kind in (*KINDS, "dependency") else "validation"
        attempt = {"attempt_number": number, "timestamp": self.now, **given, "error_type": closed}

        def deed(day):
            own = day.at(queue, id_)
            attempts = [*own.get("attempts", []), attempt]
            own |= {"failure_count": count, "attempts": attempts}
            if count > 4:
                letter = {
                    **own, "original_queue": queue if queue != BLOCKED else PENDING, "error_summary": "it fails",
                    "first_failure": attempts[0]["timestamp"], "last_failure": self.now,
                    "recovery_strategy": "retry_with_simpler_approach",
                    "task_data": {**own.get("task_data", {}), **{name: own[name] for name in data(id_) if name in own}}, **(fields or {}),
                }  # fmt: skip
                letter = {name: value for name, value in letter.items() if value is not ...}
                day.move(id_, queue, DEAD_LETTER, letter)

        said = {"recorded": True, "moved": count > 4, "failure_count": count, **(answer or {})}
        return self.op("record_failure", args, said, more.pop("deed", deed), **more)

    def review(self, facts=None, op="review", done=None, answer=None, **more):
        """A review: ``done`` has what is decided by id; others are left."""
        facts, done = facts or {}, done or {}
        ids = [each["task_id"] for each in self.tasks(DEAD_LETTER) if isinstance(each, dict) and each.get("task_id")]
        kinds = {id_: done.get(id_, "left") for id_ in ids}
        decisions = [self._decision(id_, kind, facts.get(id_, {})) for id_, kind in kinds.items()]
        notified = [id_ for id_, kind in kinds.items() if kind == "human" and not self._waits(id_)]
        order = ["review", *["decided"] * len(ids), "last_reviewed", *(["work"] if op == "start_session" else [])]
        said = {"reviewed": True, "decisions": decisions, "order": order, "notified": notified, **(answer or {})}

        def deed(day):
            for decision in decisions:
                day.carry_out(decision, facts.get(decision["task_id"], {}))
            day.metadata["last_reviewed"] = day.now

        return self.op(op, {"facts": facts}, more.pop("instead", said), more.pop("deed", deed), **more)

    def session(self, facts=None, **more):
        return self.review(facts, "start_session", **more)

    def idle(self, **more):
        """A session begins without a review."""
        said = {"reviewed": False, "decisions": [], "order": ["work"], "notified": [], **more.pop("answer", {})}
        return self.op("start_session", more.pop("args", {}), said, **more)

    def _waits(self, id_):
        return self.at(DEAD_LETTER, id_)["recovery_strategy"] == "requires_human_review" and any(
            name.endswith(f"-{id_}.md") for name in self.texts
        )

    def _decision(self, id_, kind, facts):
        made = {"task_id": id_, "decision": kind, "reason": f"it is {kind}"}
        if kind == "retried" and "simpler_scope" in facts and len(facts) == 1:
            made["created"] = f"{id_}-simpler"
        return made

    def carry_out(self, decision, facts):
        """What follows from a decision."""
        id_, kind = decision["task_id"], decision["decision"]
        found = self.at(DEAD_LETTER, id_)
        if kind == "retried" and "created" in decision:
            self.put(PENDING, {"task_id": decision["created"], **facts["simpler_scope"], "linked_to": id_})
            found["split_into"] = decision["created"]
        elif kind == "retried":
            found["recovery_reason"] = "it may work now"
            if facts.get("dependency_available"):
                found["recovery_strategy"] = "dependency_resolved"
            if "new_approach" in facts:
                plan = {"attempt_number": len(found["attempts"]) + 1, "timestamp": self.now,
                        "approach": facts["new_approach"], "error_type": None, "error_message": None,
                        "agent_id": None}  # fmt: skip
                found |= {"failure_count": 0, "attempts": [*found["attempts"], plan]}
            if "fixed_by" in facts:
                found["fix_commit"] = facts["fixed_by"]
            self.move(id_, DEAD_LETTER, PENDING)
            self.metadata["total_recovered"] += 1
        elif kind == "abandoned":
            found |= {"abandon_reason": "it is hopeless", "recovery_strategy": "permanent_abandon"}
            self.move(id_, DEAD_LETTER, ABANDONED)
            self.metadata["total_abandoned"] += 1
        elif kind == "human":
            if not self._waits(id_):
                self.escalate(found)
            found["recovery_strategy"] = "requires_human_review"

    def escalate(self, letter, name=None, **changes):
        """An escalation file is made."""
        self.serial += 1
        stamp = datetime.fromisoformat(self.now).strftime("%Y%m%dT%H%M%SZ")
        self.texts = {**self.texts, name or f"{stamp}-{letter['task_id']}.md": escalation(letter, **changes)}

    def abandon(self, id_, reason="dropped by us", answer=True, **more):
        def deed(day):
            found = day.at(DEAD_LETTER, id_)
            if found is not None:
                found |= {"abandon_reason": f"bob: {reason}", "recovery_strategy": "permanent_abandon"}
                day.move(id_, DEAD_LETTER, ABANDONED)
                day.metadata["total_abandoned"] += 1

        args = {"task_id": id_, "by": "bob", "reason": reason}
        return self.op("abandon", args, {"abandoned": answer}, more.pop("deed", deed), **more)

    def list(self, queue=DEAD_LETTER, tasks=..., **more):
        found = [each for each in self.tasks(queue) if isinstance(each, dict)] if tasks is ... else tasks
        return self.op("list", {"queue": queue}, {"tasks": found}, **more)

    def look(self, files=..., **more):
        """The escalations are asked for."""
        found = [{"name": name, "text": text} for name, text in self.texts.items()] if files is ... else files
        return self.op("escalations", {}, {"files": found}, **more)

    def together(self, count):
        """The last ``count`` operations overlapped, each by a process of its own."""
        head, last = self.entries[: -2 * count], self.entries[-2 * count :]
        moved = [msgspec.structs.replace(each, process=1 + place // 2) for place, each in enumerate(last)]
        begins = [msgspec.structs.replace(each, inputs=moved[0].inputs, files=moved[0].files) for each in moved[::2]]
        self.entries = [*head, *begins, *moved[1::2]]
        return self

    def reset(self):
        self.entries += [Entry(0, 0, EntryType.INVOKE, "reset", {}, NOON), Entry(0, 0, EntryType.OK, "reset", {}, NOON)]
        return self


def digest(content):
    return FileFact("file", len(content), hashlib.sha256(content).hexdigest())


def fact(content):
    """What an operation finds: a JSON document, bytes, a fact, none, or nothing that is told."""
    if content is None:
        return InputFact("missing")
    if content is ... or isinstance(content, InputFact):
        return None if content is ... else content
    found = content if isinstance(content, bytes) else json.dumps(content).encode()
    return InputFact("file", len(found), found)


def change(queue, id_, **fields):
    """Spoils a task in that queue: sets fields, or removes them where they are ``...``."""

    def spoil(day):
        found = day.at(queue, id_)
        found |= fields
        for name in [name for name, value in fields.items() if value is ...]:
            del found[name]

    return spoil


def drop(queue, id_):
    """Loses a task."""
    return lambda day: day.tasks(queue).remove(day.at(queue, id_))


def found(day, clauses=()):
    """What the oracle finds, by clause."""
    numbered = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(day.entries))
    scenario = Scenario(
        1, "handmade", "handmade", SYSTEM, QUEUE, tuple(clauses), World(NOON, {}, {"home": "{home}"}), ()
    )
    findings = judge(scenario, History(numbered), CATALOGUE)
    assert [] == [each for each in findings if each.verdict is CheckVerdict.HARNESS_ERROR]
    return {finding.clause: finding for finding in findings}


def failing(day):
    """The clauses that fail."""
    return {clause for clause, finding in found(day).items() if finding.verdict is FAIL}


def passing(day):
    """The clauses that were seen and pass; none may fail."""
    every = found(day)
    assert {} == {clause: finding.observed for clause, finding in every.items() if finding.verdict is FAIL}
    return set(every)


def readings(clause, day):
    """The readings of a clause that the history leaves; no clause fails."""
    assert clause in passing(day)
    return set(found(day)[clause].readings or ())


def struck(name, path=DEAD_LETTER_PATH, proof="met", armed=True, **params):
    """A fault that the harness has put in place."""
    return Injection(Fault(name, path, params), armed=armed, proof=proof)
