"""Every seeded defect in every language, and every correct twin, by `explore`. Source: issue 4, "Shows"."""

import shlex

import pytest
from defects.programs import PROGRAMS
from explored import explored

LAYER_OF = {
    "errno": "errno",
    "kill": "kill",
    "crash": "kill",
    "crash twice": "kill",
    "power": "power",
    "power twice": "power",
    "schedule": "schedule",
}
LIMIT = 120  # of a layer: every call and every change of these, and of a long write some bytes
PORTABLE = "bash"  # the quickest to start; the others need a tool of the machine, or minutes


def marked(each):
    return pytest.param(each, marks=() if each.language == PORTABLE else pytest.mark.tools, id=str(each))


@pytest.mark.parametrize("seeded", [marked(each) for each in PROGRAMS])
def test_a_defect_is_found_by_the_layer_that_should_and_by_no_other(tmp_path, seeded):
    state = tmp_path / "state"
    state.mkdir()
    seeded.lay_out(state)
    commands = seeded.made(tmp_path).commands(state)
    found = explored(
        tmp_path,
        op=shlex.join(commands.op),
        check=shlex.join(commands.check),
        recover=shlex.join(commands.recover),
        rival=shlex.join(commands.beside) if commands.beside else None,
        limit=LIMIT,
        jobs=2,
    )
    assert () == found.finished.not_covered
    by = {LAYER_OF[layer.name] for layer in found.finished.layers if layer.failing}
    assert seeded.found_by <= by <= seeded.found_by | seeded.also
    assert {LAYER_OF[failing.layer] for failing in found.finished.smallest} == by
    assert (0 if seeded.sound else 1) == found.finished.exit_code or seeded.also & by
