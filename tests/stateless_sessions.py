"""What the tests of systems that keep nothing share: implementations called in this process, and histories by hand."""

import msgspec
from played import Served, reference

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, History
from harness.core.scenario import FORMAT, Scenario, World
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.player import play
from harness.targets.session import Reply

CLOCK = "2026-03-01T12:00:00Z"


class Refusing(DirectSession):
    """A session that takes what an implementation raises for a refusal, as one over stdio does."""

    def _call(self, process, operation):
        try:
            return super()._call(process, operation)
        except Exception as error:  # noqa: BLE001 - whatever it raises is an answer
            return Reply(EntryType.FAIL, {"error": str(error), "code": -32000})


def opened(system, mutant=None):
    """A session of the reference of that system, or of one of its mutants."""

    def create(config):
        if mutant is None:
            return Served(system, reference(system, config))
        configuration = msgspec.convert(config, system.contract.Configuration)
        return Served(system, system.mutants.create_mutant(mutant, configuration))

    return Refusing(system.contract.PROFILES[0], create)


def judged(system, scenario, session):
    history = play(scenario, session, system.inputs_of)
    return history, system.judge(scenario, history, system.catalogue)


def failing(findings):
    return {finding.clause for finding in findings if finding.verdict is CheckVerdict.FAIL}


def passing(findings):
    return {finding.clause for finding in findings if finding.verdict is CheckVerdict.PASS}


class Told:
    """A history by hand, judged: ``told.ok(op, args, result)`` and so on, then ``told.findings()``."""

    def __init__(self, name, tunables=None):
        self.system = registry.get(name)
        self.config = {"tunables": tunables} if tunables else {}
        self.entries = []
        self.standing = ()

    def under(self, name, path=None, proof="met", armed=True, **params):
        """From now on that fault stands."""
        self.standing = (*self.standing, Injection(Fault(name, path, params), armed, proof))
        return self

    def ok(self, op, args, result, process=0):
        return self._done(op, args, EntryType.OK, result, process)

    def fail(self, op, args, process=0):
        return self._done(op, args, EntryType.FAIL, {"error": "no", "code": -32602}, process)

    def info(self, op, args, process=0):
        return self._done(op, args, EntryType.INFO, {"reason": "died"}, process)

    def lost(self, op, args, process=0):
        """It began, and the run ended before it did."""
        self._add(process, EntryType.INVOKE, op, args, self.standing)
        return self

    def reset(self):
        self.standing = ()
        return self._done("reset", {}, EntryType.OK, {}, 0)

    def _done(self, op, args, kind, result, process):
        self._add(process, EntryType.INVOKE, op, args, self.standing)
        self._add(process, kind, op, result, ())
        return self

    def _add(self, process, kind, op, value, faults):
        self.entries.append(Entry(len(self.entries), process, kind, op, value, CLOCK, faults))

    def scenario(self, *clauses):
        profile = self.system.contract.PROFILES[0]
        return Scenario(FORMAT, "told", "Told", self.system.name, profile, clauses, World(CLOCK, {}, self.config), ())

    def history(self):
        return History(tuple(self.entries))

    def findings(self, *clauses):
        return self.system.judge(self.scenario(*clauses), self.history(), self.system.catalogue)

    def permitted(self, *alternatives):
        return self.system.permitted(self.scenario(), self.history(), self.system.catalogue, alternatives)

    def verdict(self, clause):
        """PASS, FAIL or INCONCLUSIVE; None when the clause was not witnessed."""
        return next((each.verdict.value for each in self.findings() if each.clause == clause), None)

    def readings(self, clause):
        return next(each.readings for each in self.findings() if each.clause == clause)
