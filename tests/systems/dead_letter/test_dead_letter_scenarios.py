"""The scenarios of dead-letter queues: every clause, operation and boundary is there, and the reference agrees.

Source: issue 7 (dead-letter queue: scenarios at every boundary, L1 to L3); document 000, Dead Letter Queue.
"""

import itertools
from random import Random

import msgspec
import pytest
from played import served
from scenario_checks import is_allowed, operations

from harness.faults import catalogue
from harness.systems import registry
from harness.systems.dead_letter.contract import (
    CONFIDENCE_AT_LEAST,
    DEAD_LETTER_PATH,
    WORK_QUEUES,
    ErrorType,
    TaskFacts,
    Touch,
)
from harness.systems.dead_letter.workload import boundaries, candidates
from harness.systems.dead_letter.workload.legs import FACTS, LETTERS
from harness.systems.queue_files import QUEUES
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("dead_letter")
SCENARIOS = boundaries()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
OF_LEVEL = {level: [each for each in SCENARIOS if each.level == level] for level in ("L1", "L2", "L3")}


def facts_in(level):
    asked = [each for name in ("review", "start_session") for each in operations(OF_LEVEL[level], name)]
    return [msgspec.convert(one, TaskFacts) for each in asked for one in each.args.get("facts", {}).values()]


@pytest.mark.parametrize("level", OF_LEVEL)
def test_every_condition_criterion_and_trigger_is_met_on_every_level(level):
    met = {name for one in facts_in(level) for name in one.__struct_fields__ if getattr(one, name)}
    assert set(TaskFacts.__struct_fields__) == met


def test_everything_that_a_task_touches_and_every_kind_of_failure_is_met():
    assert {touch.value for touch in Touch} == {touch for one in facts_in("L1") for touch in one.touches}
    kinds = {each.args["attempt"]["error_type"] for each in operations(OF_LEVEL["L1"], "record_failure")
             if isinstance(each.args["attempt"]["error_type"], str)}  # fmt: skip
    assert {kind.value for kind in ErrorType} < kinds


def test_confidence_is_below_at_and_above_its_limit():
    given = {one.confidence for one in facts_in("L1") if one.confidence is not None}
    assert CONFIDENCE_AT_LEAST in given
    assert min(given) < CONFIDENCE_AT_LEAST < max(given)


def test_every_queue_is_listed_and_tasks_fail_in_every_queue_of_work():
    assert set(QUEUES) < {each.args["queue"] for each in operations(OF_LEVEL["L1"], "list")}
    assert set(WORK_QUEUES) <= {id_.split("-count-")[1].rpartition("-")[0] for id_ in BY_ID if "-count-" in id_}


def test_dead_letter_begins_in_every_shape():
    specs = [each.world.files[DEAD_LETTER_PATH] for each in OF_LEVEL["L1"]]
    assert {"file", "absent"} == {spec.kind for spec in specs}  # directories and FIFOs come as faults, at level L2
    assert {"", "42"} <= {spec.text for spec in specs}


def test_the_letters_of_a_tour_have_names_of_their_own_and_facts_are_about_them():
    names = [letter["task_id"] for letter in LETTERS]
    assert len(names) == len(set(names))
    assert set() == set(FACTS) - set(names)


def test_a_candidate_allows_what_may_end_it():
    names = [kind.name for kind in catalogue.EVERY]
    for candidate in itertools.islice(candidates.candidates("queue", Random(7), names, calm=True), 60):
        assert candidate.allowed == candidates.allowed(candidate, lambda _: ())


def test_the_controls_of_candidates_end_on_either_side():
    with DirectSession("queue", served(SYSTEM)) as session:
        for one in candidates.controls("queue"):
            assert is_allowed(one, play(one, session, SYSTEM.inputs_of).entries[-1].value)
