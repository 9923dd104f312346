"""What was not explored never passes for sound. Source: issue 4, item 7: a green result that is no proof says so."""

import json
import time

from explored import ATOMIC, explored, folder_with, made

from harness.explore.program.crashing import crashes
from harness.explore.program.crew import Crew
from harness.explore.program.operation import learn
from harness.explore.program.result import encoded
from harness.explore.program.telling import lines

CRASHES = ("crash", "power")


def test_with_the_budget_used_up_no_layer_passes_for_explored(tmp_path):
    found = explored(folder_with(tmp_path, ATOMIC), only=["crash", "power", "power twice"], deadline=time.monotonic())
    cuts = {name: layer.cut for name, layer in found.layers.items()}
    told = "the budget was used up before it began"
    assert {"crash": told, "power": told, "power twice": ""} == cuts
    assert not any(layer.exhausted for layer in found.layers.values())
    assert 5 == found.finished.exit_code


def test_an_enumeration_is_broken_off_when_it_is_told_to_end(tmp_path):
    program = made(folder_with(tmp_path, ATOMIC))
    with Crew(program, 1, 20.0, None) as crew:
        states = crashes(crew.alone(learn).record, "power")
    counted = iter((False, False, True))
    assert 2 == states.chosen(1000, 0, lambda: next(counted)).enumerated
    assert states.chosen(1000, 0).enumerated > 2


def test_an_op_that_makes_no_file_call_in_the_directory_is_not_sound(tmp_path):
    found = explored(folder_with(tmp_path, ATOMIC), op="true")
    assert 5 == found.finished.exit_code
    assert ("everything: op makes no file call below --dir that is watched: is its state there?",) == (
        found.finished.not_covered
    )


def test_a_name_that_is_no_utf_8_is_told_and_written(tmp_path):
    folder = folder_with(tmp_path, "case $1 in op) printf 8 > state/$(printf '\\377') ;; esac")
    found = explored(folder, only=["errno", *CRASHES])
    assert 5 == found.finished.exit_code
    assert "names that are no UTF-8 are not followed" in found.observed.whole
    assert [json.loads(encoded(event)) for event in found.events]
    told = "crash, power could not be explored, elsewhere no failing state was found: inconclusive (see --only)"
    assert told == list(lines(found.events[-1], ""))[-1]


def test_who_asks_only_for_what_can_be_explored_gets_an_answer(tmp_path):
    folder = folder_with(tmp_path, "case $1 in op) printf 8 > state/$(printf '\\377') ;; esac")
    assert 0 == explored(folder, only=["errno", "kill"]).finished.exit_code
