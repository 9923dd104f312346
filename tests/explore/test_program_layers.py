"""How cases are counted, confirmed, chosen and told. Source: issue 4, item 7 and "Replay identity"."""

import contextlib
import itertools
import time

import pytest
from explored import CHECK, COUNTED, TRUNCATING, explored, folder_with, made

from harness.errors import MachineError, NothingRanError
from harness.explore.program import racing as program_racing
from harness.explore.program.cases import LAYERS, Memory, Outcome, StateCase
from harness.explore.program.crashing import sample
from harness.explore.program.crew import Crew
from harness.explore.program.exploration import Bounds, Exploration
from harness.explore.program.names import Names
from harness.explore.program.place import Judgement, Place, how, said
from harness.explore.program.racing import OutOfTimeError, RaceCase, choices_of, id_of, race
from harness.explore.program.telling import lines
from harness.explore.races import Race, RaceReport, RaceStep
from harness.explore.schedules import replay
from harness.sandbox import Ended

FAILED = Outcome(judgement=Judgement(False, "check", "no"))
PASSED = Outcome()
RACING = """case $1 in
op) [ -e state/lock ] || { : > state/lock; : > state/$2; } ;;
check) if [ -e state/a ] && [ -e state/b ]; then echo "Both have it."; exit 1; fi ;;
esac"""
BOTH = {"op": "sh app.sh op a", "rival": "sh app.sh op b"}


class Scripted:
    """A case that comes out as it was told, in turn."""

    layer = "errno"

    def __init__(self, id_, *outcomes):
        self.id = id_
        self.label = f"case {id_}"
        self._outcomes = iter(outcomes)

    def play(self, place, memory):
        return next(self._outcomes)


class Alone:
    """A crew of nobody: everything is done at once, and nothing is interrupted."""

    interrupted = out_of_time = ended = limited = False
    uncontained = ()

    def alone(self, do):
        return do(None)

    def each(self, do, tasks):
        return ((task, do(None, task)) for task in tasks)


def counted(*cases):
    exploration = Exploration(None, Alone(), Bounds(0, 10, frozenset(LAYERS)), 1)
    list(exploration._layer("errno", len(cases), cases, ""))
    return exploration, exploration._finished()


def test_a_failure_counts_when_it_fails_again():
    exploration, finished = counted(Scripted("E1", FAILED, FAILED))
    assert (1, ("E1",)) == (finished.exit_code, tuple(failing.id for failing in finished.smallest))
    assert {"E1"} == exploration.failing.keys()


def test_a_failure_that_passes_when_played_again_is_no_verdict():
    _, finished = counted(Scripted("E1", FAILED, PASSED), Scripted("E2", PASSED))
    assert (5, ()) == (finished.exit_code, finished.smallest)
    assert ("E1 failed once and passed when played again",) == finished.not_covered


def test_of_unsteady_failures_the_next_one_is_tried():
    _, finished = counted(Scripted("E1", FAILED, PASSED), Scripted("E2", FAILED, FAILED))
    assert (1, "E2") == (finished.exit_code, finished.smallest[0].id)


def test_what_was_not_met_says_nothing_and_is_told():
    _, finished = counted(Scripted("E1", Outcome(met=False)))
    assert 5 == finished.exit_code
    assert ("errno: 1 of 1 cases were not met, because op made other calls then",) == finished.not_covered


def test_files_that_are_not_as_foretold_are_told():
    _, finished = counted(Scripted("E1", Outcome(foretold=False)))
    assert ("errno: after 1 real kills the files were not as the recording has them",) == finished.not_covered


def test_states_that_are_alike_count_once():
    alike = Outcome(state="same")
    exploration, _ = counted(Scripted("E1", alike), Scripted("E2", alike), Scripted("E3", PASSED))
    assert 2 == exploration._layers[0].distinct


def test_a_sample_holds_what_is_between_changes_first_and_is_the_same_for_a_seed():
    inside = [n % 4 != 0 for n in range(40)]
    chosen = sample(inside, 12, 7)
    assert {n for n in range(40) if n % 4 == 0} <= set(chosen)
    assert (12, sorted(chosen), chosen) == (len(chosen), chosen, sample(inside, 12, 7))
    assert all(n % 4 == 0 for n in sample(inside, 5, 7))


@pytest.mark.parametrize(
    ("ended", "words", "way"),
    [
        (Ended(exit_code=1, stdout=b"\n first \nsecond\n", stderr=b"x\n"), "first", "exit code 1"),
        (Ended(exit_code=1, stderr=b"Traceback\nValueError: x\n\n"), "ValueError: x", "exit code 1"),
        (Ended(signal=9), "ended by signal 9", "ended by signal 9"),
        (Ended(signal=9, timed_out=True), "did not end", "did not end"),
        (Ended(start_error="ENOENT"), "could not be started (ENOENT)", "could not be started (ENOENT)"),
    ],
)
def test_the_words_that_tell_most(ended, words, way):
    assert (words, way) == (said(ended), how(ended))


@pytest.mark.parametrize(
    ("choices", "id_"),
    [
        ((0, 0, 10**8), "S0x2-1x1"),
        ((10**8 + 2 * 10**4, 0), "S1.2x1-0x1"),
        ((3, 10**8 + 5), "S0.0.3x1-1.0.5x1"),
    ],
)
def test_an_order_has_an_id_that_repeats_it(choices, id_):
    assert id_ == id_of(choices)
    assert choices == choices_of(id_)


def test_a_process_that_op_started_is_told_apart():
    steps = (RaceStep(0, 0, "openat", ("a",)), RaceStep(1, 2, "rename", ("a", "b")))
    case = RaceCase(id="S", label="", choices=(), names=Names("/s"), steps=steps)
    assert steps == case.steps


def racing(folder, *, limit=100, out_of_time=None):
    place = Place(made(folder, **BOTH), 10)
    try:
        return race(place, Memory(), Names(place.below), limit, 0, out_of_time)
    finally:
        place.close()


def test_with_a_budget_what_an_earlier_stage_found_is_kept(tmp_path, monkeypatch):
    folder_with(tmp_path, RACING)
    everything = racing(tmp_path)
    monkeypatch.setattr(program_racing, "_STAGES", (1,))
    moments = itertools.chain([False] * 2, itertools.repeat(True))
    found = racing(tmp_path, limit=1000, out_of_time=lambda: next(moments))
    assert (1, "the budget was used up", False) == (found.report.schedules, found.report.cut, found.report.exhausted)
    monkeypatch.undo()
    assert everything.report.exhausted
    assert everything.report.schedules == racing(tmp_path, out_of_time=lambda: False).report.schedules


def test_a_budget_that_ends_before_the_first_order(tmp_path):
    found = racing(folder_with(tmp_path, RACING), out_of_time=lambda: True)
    assert ((), "the budget was used up") == (found.failing, found.report.cut)
    assert issubclass(OutOfTimeError, Exception)


def test_orders_that_are_not_begun_in_time_are_not_explored(tmp_path):
    found = explored(folder_with(tmp_path, RACING), deadline=time.monotonic(), only=["schedule"], **BOTH)
    layer = found.layers["schedule"]
    assert ("the budget was used up before it began", 0, False) == (layer.cut, layer.run, layer.exhausted)


def test_two_that_wait_for_each_other_for_ever_are_found(tmp_path):
    script = """case $1 in
op) exec 8> state/$2; flock 8; exec 9> state/$3; flock 9 ;;
esac"""
    commands = {"op": "sh app.sh op a b", "rival": "sh app.sh op b a"}
    found = explored(folder_with(tmp_path, script), only=["schedule"], **commands)
    failing = found.smallest["schedule"]
    assert ("schedule", "deadlock") == (failing.by, failing.said.partition(":")[0])


def test_one_that_does_not_end_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(program_racing, "BEYOND", 0)
    script = """case $1 in
op) if [ "$(cat state/n)" = "count 7" ]; then echo x > state/n; else while :; do :; done; fi ;;
esac"""
    found = explored(folder_with(tmp_path, script), only=["schedule"], limit=1, rival="sh app.sh op", timeout_s=2)
    assert "endless: 1 computes for 2 s without any file call" == found.smallest["schedule"].said


def test_a_replay_of_an_order_that_is_not_repeated_is_not_met(tmp_path):
    program = made(folder_with(tmp_path, RACING), **BOTH)
    with Crew(program, 1, 10, None) as crew:
        exploration = Exploration(program, crew, Bounds(0, 10, frozenset(LAYERS)), 1)
        with pytest.raises(NothingRanError, match="was not met"):
            exploration.replay("S1.7x1")


def test_every_case_ends_where_a_place_breaks(tmp_path, monkeypatch):
    def broken(self, place, memory):
        raise MachineError("the sandbox is gone")

    monkeypatch.setattr(StateCase, "play", broken)
    with pytest.raises(MachineError, match="the sandbox is gone"):
        explored(folder_with(tmp_path, TRUNCATING), only=["crash"])


def test_places_that_stand_are_closed_when_the_next_cannot_be_built(tmp_path, monkeypatch):
    closed = []
    build, close = Place.__init__, Place.close
    numbers = itertools.count()

    def failing(self, *args, **more):
        if next(numbers):
            raise MachineError("no more sandboxes")
        build(self, *args, **more)

    monkeypatch.setattr(Place, "__init__", failing)
    monkeypatch.setattr(Place, "close", lambda self: (closed.append(self), close(self)))
    with pytest.raises(MachineError, match="no more"):
        Crew(made(folder_with(tmp_path, TRUNCATING)), 2, 10, None)
    assert 1 == len(closed)


def test_orders_of_a_program_that_does_otherwise_each_time_say_nothing_and_that_is_told(tmp_path):
    script = f"""case $1 in
op) for n in 1 2 3; do if [ $((RANDOM % 2)) = 0 ]; then echo $n >> state/log; else [ -e state/other ]; fi; done; : ;;
{COUNTED}
esac
"""
    op = "bash app.sh op"
    found = explored(folder_with(tmp_path, script), op=op, rival=op, check=CHECK, only=["schedule"], limit=20)
    layer = found.layers["schedule"]
    told = "\n".join(lines(found.finished, "state"))
    assert (0, False) == (layer.failing, layer.exhausted)
    assert 0 < layer.inconclusive <= layer.enumerated - layer.run
    assert "say nothing: a run did not repeat what it had done before" in layer.cut
    assert f"{layer.inconclusive} of {layer.enumerated} cases of schedule say nothing" in told
    assert any("orders say nothing, one because" in text for text in found.finished.not_covered)
    assert "sound in everything" not in told


def test_orders_of_which_not_one_shows_anything_are_no_green_result(tmp_path, monkeypatch):
    said_nothing = RaceReport(schedules=3, untold=3, cut="3 of 3 schedules say nothing", inconclusive=("it hung",))
    monkeypatch.setattr(program_racing, "explore_races", lambda *args, **more: said_nothing)
    found = explored(folder_with(tmp_path, RACING), only=["schedule"], **BOTH)
    assert (5, ("schedule: 3 of 3 orders say nothing, one because it hung",)) == (
        found.finished.exit_code,
        found.finished.not_covered,
    )
    last = list(lines(found.finished, "state"))[-1]
    assert "nothing can be said of schedule: not one case came to an end that shows anything" == last


def test_a_program_that_its_time_limit_ends_while_we_hold_it_is_not_blamed(tmp_path):
    place = Place(made(folder_with(tmp_path, RACING), **BOTH), 20.0)
    ends = [Ended(exit_code=0), Ended(signal=9, timed_out=True)]
    with contextlib.closing(place):
        place.together = lambda commands, filter_for: ends
        held = Race(replay(()), below=(place.below,))
        attempt = program_racing._Attempt(place, Memory())
        assert ends == attempt.run(held)
    assert "with was ended by its time limit while it was held at its calls" == held.trouble
