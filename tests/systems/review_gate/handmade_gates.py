"""Histories of review gates written by hand: what was asked, what came, and what the oracle says of it."""

from harness.core.fault import Fault, Injection
from harness.core.history import Entry, EntryType, History, InputFact
from harness.core.scenario import Scenario, World
from harness.ports.clock import to_seconds, to_text
from harness.systems import registry
from harness.systems.review_gate.contract import GATE_PATH, REVIEWERS

SYSTEM = registry.get("review_gate")
NOON = to_seconds("2026-03-01T12:00:00Z")
ONE, TWO, THREE = REVIEWERS
ANALYSIS = {"kind": "static_analysis", "name": "lint"}
SAID = [{"level": "error", "code": "state_write_failed", "message": "it is full"}]
MISSING = InputFact("missing")
HIGH, LOW = {"severity": "high", "message": "It leaks"}, {"severity": "low", "message": "A typo"}
LETTERS = {
    "BETWEEN": "LK-REV-01", "TOGETHER": "LK-REV-02", "MODELS": "LK-REV-03", "AGGREGATED": "LK-REV-04",
    "AGAIN": "LK-REV-05", "ANALYSED": "LK-GEN-03", "STOPPED": "LK-GEN-04",
}  # fmt: skip
WORDS = {clause: word for word, clause in LETTERS.items()}


def reviewer(name, model="sonnet"):
    return {"kind": "reviewer", "name": name, **({} if model is None else {"model": model})}


ALL = [reviewer(name) for name in REVIEWERS]


def struck(name, path=GATE_PATH, armed=True, proof="met", **params):
    return Injection(Fault(name, path, params), armed=armed, proof=proof)


class Day:
    """A day at a gate. An answer is what a sound gate gives, but for the fields that are said."""

    def __init__(self, state=None):
        self.fact = MISSING if state is None else state if isinstance(state, InputFact) else InputFact("file", 1, state)
        self.faults = ()
        self.at = NOON
        self.entries = []
        self.beside = None  # while operations are begun together: their ends

    def op(self, op, args, answer, *, process=0, ended=EntryType.OK, faults=None, keeps=False):
        """One operation; the file is another one after it, unless it ``keeps`` what it was."""
        now, standing = to_text(self.at), tuple(self.faults if faults is None else faults)
        begin = Entry(0, process, EntryType.INVOKE, op, args, now, standing, {}, {"gate": self.fact})
        kind = EntryType.INFO if answer is None else ended
        end = Entry(0, process, kind, op, answer or {}, now)
        done = answer is None or answer.get("accepted") or answer.get("begun")
        if done and not keeps:
            self.fact = InputFact("file", len(self.entries), str(len(self.entries)).encode())
        if self.beside is None:
            self.entries += [begin, end]
        else:
            self.entries.append(begin)
            self.beside.append(end)
        return self

    def together(self, *tell):
        """What these tell is asked at once, each by a process of its own."""
        self.beside = []
        for process, each in enumerate(tell, start=1):
            before = len(self.entries), len(self.beside)
            each(self)
            self.entries[before[0]] = self._by(self.entries[before[0]], process)
            self.beside[before[1]] = self._by(self.beside[before[1]], process)
        self.entries += self.beside
        self.beside = None
        return self

    @staticmethod
    def _by(entry, process):
        return Entry(0, process, *(getattr(entry, name) for name in entry.__struct_fields__[2:]))

    def fault(self, name, path=GATE_PATH, fact=None, **params):
        """It strikes, and leaves this of the file."""
        self.faults = (*self.faults, struck(name, path, **params))
        self.fact = self.fact if fact is None else fact
        return self

    def later(self, seconds):
        self.at += seconds
        return self

    def reset(self):
        self.faults, self.fact, self.at = (), MISSING, NOON
        return self.op("reset", {}, {}, keeps=True)

    # -- operations

    def begin(self, task="a", begun=True, log=(), **how):
        said = {"begun": begun, **({"log": list(log)} if log else {})}
        return self.op("begin_task", {"task": task}, how.pop("instead", said), **how)

    def _review(self, op, args, said, how):
        answer = {"accepted": True, "decision": "pending", "round": args.get("round", 1), **said}
        for field in ("accepted", "decision", "launch", "issues", "log"):
            if field in how:
                answer[field] = how.pop(field)
        answer["round"] = how.pop("told_round", answer["round"])
        return self.op(op, args, how.pop("instead", answer), **how)

    def open(self, task="a", number=1, **how):
        return self._review("open", {"task": task}, {"launch": [ANALYSIS], "round": number}, how)

    def fix(self, task="a", number=2, **how):
        return self._review("fixed", {"task": task}, {"launch": [ANALYSIS], "round": number}, how)

    def analyse(self, *issues, task="a", number=1, **how):
        args = {"task": task, "round": number, "issues": list(issues)}
        return self._review("analysed", args, {"launch": ALL}, how)

    def report(self, name, *issues, task="a", number=1, **how):
        args = {"task": task, "round": number, "reviewer": name, "issues": list(issues)}
        return self._review("report", args, {}, how)

    def status(self, task="a", number=1, **how):
        return self._review("status", {"task": task}, {"round": number}, how)

    def stray(self, op, *issues, task="a", number=1, stands=1, **how):
        """What is told when it cannot be, and refused."""
        args = {"task": task}
        if op in ("analysed", "report"):
            args |= {"round": number, "issues": list(issues)}
        if op == "report":
            args["reviewer"] = how.pop("name", ONE)
        return self._review(op, args, {"accepted": False, "round": stands}, how)

    # -- stories

    def launch(self, task="a", number=1):
        return self.begin(task).open(task, number).analyse(task=task, number=number)

    def rest(self, *issues, task="a", number=1, told=None):
        """All return, the last one with these findings."""
        told = list(issues) if told is None else told
        self.report(ONE, task=task, number=number).report(TWO, task=task, number=number)
        decision = "blocked" if told else "passed"
        return self.report(THREE, *issues, task=task, number=number, decision=decision, issues=told)

    def review(self, *issues, task="a", told=None):
        return self.launch(task).rest(*issues, task=task, told=told)

    @property
    def history(self):
        return History(tuple(
            Entry(number, *(getattr(entry, name) for name in entry.__struct_fields__[1:]))
            for number, entry in enumerate(self.entries)
        ))  # fmt: skip


def findings(day, *meant):
    clauses = tuple(LETTERS[word] for word in meant)
    scenario = Scenario(1, "x", "x", "review_gate", "gate", clauses, World(to_text(NOON)), ())
    return {WORDS[each.clause]: each for each in SYSTEM.judge(scenario, day.history, SYSTEM.catalogue)}


def failing(day):
    found = findings(day).items()
    assert all(each.verdict.value != "HARNESS_ERROR" for _, each in found), found
    return {word for word, each in found if each.verdict.value == "FAIL"}


def witnessed(day):
    """The clauses that show; nothing may be broken."""
    assert set() == failing(day), findings(day)
    return set(findings(day))


def readings(day):
    """The readings of LK-REV-04 that are left; nothing may be broken."""
    assert set() == failing(day), findings(day)
    return set(findings(day)["AGGREGATED"].readings)
