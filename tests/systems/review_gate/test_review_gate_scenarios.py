"""The scenarios of review gates: every clause, operation and boundary is there, and other sound gates agree.

Source: issue 8 (review_gate); document 000, Common Issues and Red Flags.
"""

import itertools
from random import Random

import msgspec
import pytest
from campaigns import sliced
from played import Served, served
from scenario_checks import asked_in, faults_of, is_allowed, operations

from harness.core.finding import CheckVerdict
from harness.faults import catalogue
from harness.ports.files import RealFiles
from harness.systems import registry
from harness.systems.review_gate.contract import (
    REVIEWERS,
    TIME_LIMIT_S,
    BeginTaskResult,
    Configuration,
    Issue,
    Severity,
)
from harness.systems.review_gate.reference.gate import ReviewGate
from harness.systems.review_gate.reference.kept_state import DamagedStateError
from harness.systems.review_gate.reference.state import DECIDED, VERSION, Memory, Round
from harness.systems.review_gate.workload import boundaries, candidates
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("review_gate")
SCENARIOS = boundaries()
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}
UNSERVED = tuple(f"review-l2-reviewer-{kind}" for kind in ("absent", "null", "wrong-type"))  # nothing refuses them here
UNKNOWN = Issue("critical", "Nobody knows what was found")


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_clause_is_named_on_every_level(level):
    named = {clause for scenario in OF_LEVEL[level] for clause in scenario.clauses}
    assert {clause.id for clause in SYSTEM.catalogue} == named


def test_every_scenario_ends_in_an_operation():
    assert [] == [scenario.id for scenario in SCENARIOS if not asked_in(scenario.steps[-1])]


def found_by(name):
    asked = operations(OF_LEVEL["L1"], name)
    return [(each, issue["severity"]) for each in asked for issue in each.args.get("issues", ())]


def test_every_severity_is_found_by_a_reviewer_and_by_static_analysis_and_others_are():
    severities = {severity.value for severity in Severity}
    assert severities <= {severity for _, severity in found_by("analysed")}
    assert severities < {severity for _, severity in found_by("report")}
    blocking = {each.args["reviewer"] for each, severity in found_by("report") if severity == "high"}
    assert set(REVIEWERS) < blocking


def test_reviewers_return_in_every_order():
    orders = set()
    for scenario in OF_LEVEL["L1"]:
        names = [each.args["reviewer"] for each in operations([scenario], "report")][3:6]
        orders.add(tuple(names))
    assert set(itertools.permutations(REVIEWERS)) <= orders


def test_time_passes_to_just_before_at_and_just_after_the_limit():
    moves = {step.clock.by_s for scenario in OF_LEVEL["L1"] for step in scenario.steps if step.clock is not None}
    assert {TIME_LIMIT_S - 1e-6, TIME_LIMIT_S, TIME_LIMIT_S + 1e-6} <= moves


def test_the_controls_of_candidates_end_on_either_side():
    with DirectSession("gate", served(SYSTEM)) as session:
        for one in candidates.controls("gate"):
            assert is_allowed(one, play(one, session, SYSTEM.inputs_of).entries[-1].value)


def test_a_candidate_allows_what_may_end_it():
    names = [kind.name for kind in catalogue.EVERY]
    for candidate in itertools.islice(candidates.candidates("gate", Random(7), names, calm=True), 60):
        assert candidate.allowed == candidates.allowed(candidate, lambda _: ())
        assert len(faults_of(candidate)) == (candidate.level == "L2")


# -- other sound gates: what a clause leaves open is open


class BlocksAtOnce(ReviewGate):
    """What static analysis found blocks without any reviewer."""

    def analysis_ended(self, memory, arguments, now_s):
        issues = self.blocking(arguments.issues)
        if not issues:
            return super().analysis_ended(memory, arguments, now_s)
        found = Round(arguments.round, DECIDED, (), issues)
        return memory.with_round(arguments.task, found), self.told(found)


class NeverLaunchesAnew(ReviewGate):
    """Who is overdue is waited for."""

    def is_overdue(self, found, now_s):
        return False


class GivesUp(ReviewGate):
    """A round whose reviewer never returns is blocked."""

    def status(self, arguments, now_s):
        def looked(memory, trace):
            found = memory.round_of(arguments.task)
            if not found.is_open or not self.is_overdue(found, now_s):
                return memory, self.told(found) if found.is_open else self.refused(found)
            told = tuple(Issue("high", f"{name} is gone") for name in found.missing)
            given_up = msgspec.structs.replace(found, stage=DECIDED, missing=(), issues=(*found.issues, *told))
            return memory.with_round(arguments.task, given_up), self.told(given_up)

        return self.changed(looked, self.refused(Round()))


class GivesUpAtLast(GivesUp):
    """Who is overdue is launched anew once; then the round is blocked."""

    def status(self, arguments, now_s):
        known = vars(self).setdefault("anew", set())
        answer = ReviewGate.status(self, arguments, now_s) if arguments.task not in known else None
        if answer is None:
            return super().status(arguments, now_s)
        if answer.launch:
            known.add(arguments.task)
        return answer


class BeginsNothingTwice(ReviewGate):
    """A task that was begun earlier is not begun once more."""

    def begin_task(self, arguments, now_s):
        def looked(memory, trace):
            is_known = arguments.task in memory.rounds and memory.last != arguments.task
            return memory, BeginTaskResult(begun=is_known)

        known = self.changed(looked, BeginTaskResult(begun=False))
        return BeginTaskResult(begun=False) if known.begun else super().begin_task(arguments, now_s)


class ReviewsAgain(ReviewGate):
    """A review that passed may be done again."""

    def open(self, arguments, now_s):
        def opened(memory, trace):
            if not memory.round_of(arguments.task).has_passed:
                return memory, self.refused(memory.round_of(arguments.task))
            return self.opened(memory, arguments.task)

        found = super().open(arguments, now_s)
        return found if found.accepted else self.changed(opened, found)


class Forgets(ReviewGate):
    """What is damaged is begun afresh, and everything that was not reviewed since is held back."""

    class state_class(ReviewGate.state_class):  # noqa: N801 - it takes the place of an attribute
        def parsed(self, data):
            try:
                return super().parsed(data)
            except DamagedStateError:
                return Memory(VERSION, "nobody knows what", {"nobody knows what": Round(1, DECIDED, (), (UNKNOWN,))})


OTHERS = (BlocksAtOnce, NeverLaunchesAnew, GivesUp, GivesUpAtLast, BeginsNothingTwice, ReviewsAgain, Forgets)


@pytest.mark.parametrize("other", sliced(OTHERS))
def test_another_sound_gate_breaks_nothing_and_all_shows(other):
    def make(config):
        return Served(SYSTEM, other(msgspec.convert(config, Configuration), RealFiles()))

    shown = set()
    with DirectSession("gate", make) as session:
        for scenario in (*OF_LEVEL["L1"], *OF_LEVEL["L2"]):
            if scenario.id.startswith(UNSERVED):
                continue
            history = play(scenario, session, SYSTEM.inputs_of)
            findings = SYSTEM.judge(scenario, history, SYSTEM.catalogue)
            broken = [each for each in findings if each.verdict in (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR)]
            assert [] == broken, scenario.id
            shown |= {each.clause for each in findings if each.verdict is CheckVerdict.PASS}
    assert {clause.id for clause in SYSTEM.catalogue} == shown
