"""L3 of a small hook in a sandbox: what is enumerated is real. Source: issue 4, items 1 to 4 and 8."""

from hashlib import sha256

import msgspec
import needs
import pytest

from harness.certify.reach import from_spec
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType
from harness.core.scenario import Explore, FileSpec, Operation, Scenario, Schedule, Step, World
from harness.explore import playing
from harness.explore.enumerated import enumerated
from harness.explore.learning import learned
from harness.explore.operation_orders import explored_orders, in_order
from harness.explore.playing import head_of, play
from harness.explore.power_variants import power_variants, watched
from harness.explore.sweep import swept
from harness.systems import registry
from harness.targets.slots import Slots
from harness.targets.target_file import TargetFile, TargetSpec

pytestmark = needs.namespaces

SYSTEM = registry.get("stop_gate")
COUNT = "{home}/.cache/count"
STOP = Step(op=Operation("stop", {"session_id": "s-1"}))
# every stop is counted; the old count is lost while the new one is written
IN_PLACE = "read n < ~/.cache/count; echo $((n + 1)) > ~/.cache/count\n"
BESIDE = 'read n < ~/.cache/count; echo $((n + 1)) > ~/.cache/.tmp-$$-$(od -An -N4 -tx1 /dev/urandom | tr -d " ")\nmv ~/.cache/.tmp-* ~/.cache/count\n'
LOCKED = f"exec 9> ~/.cache/lock; flock 9\n{IN_PLACE}"


def tour(*kinds):
    steps = (STOP, Step(op=Operation("reset")), Step(explore=Explore(kinds)), STOP, STOP)
    world = World("2026-03-01T12:00:00Z", {COUNT: FileSpec(text="41\n")})
    return Scenario(1, "tour", "A stop is struck", "stop_gate", "stop_hook", ("SH-01",), world, steps, "L3")


def together():
    steps = (Step(explore=Explore(("schedule",))), Step(schedule=Schedule((STOP.op, STOP.op))))
    return msgspec.structs.replace(tour("errno"), steps=steps)


@pytest.fixture
def session(tmp_path, request):
    (tmp_path / "hook.sh").write_text(request.param)
    spec = TargetSpec(TargetFile(name="mine", carrier="hook", command=("bash", "hook.sh")), str(tmp_path))
    slots = Slots(1)
    with slots.held(), from_spec(spec, SYSTEM, timeout_scale=1.0).open(slots) as opened:
        yield opened


def count(session):
    return session.input(COUNT).data


def variants(session, *kinds):
    known = learned(tour(*kinds), session, SYSTEM.inputs_of)
    return known, enumerated(tour(*kinds), 2, known.recordings[0])


def injections(history):
    return [each for entry in history.entries if entry.type is not EntryType.INVOKE for each in entry.faults]


@pytest.mark.parametrize("session", [IN_PLACE], indirect=True)
def test_every_variant_meets_its_fault_and_leaves_what_it_should(session):
    known, found = variants(session, "errno", "killed", "torn")
    left = {}
    for variant in found.variants:
        # without the second stop, to see what the first one left
        struck = msgspec.structs.replace(variant.scenario, steps=variant.scenario.steps[:-1])
        (met,) = injections(play(struck, session, SYSTEM.inputs_of, head_of(struck, 2, known.histories[0])))
        assert (variant.fault, True, True) == (met.fault, met.armed, met.proof != ""), variant.scenario.title
        left.setdefault(variant.kind, set()).add(count(session))
    assert {b"4", b"42"} == left["torn"]
    assert {b"41\n", b""} == left["killed"]  # after the write bash makes no call on the file any more
    assert b"" in left["errno"]  # no room for the new count, and the old one is gone
    assert "" == found.cut


@pytest.mark.parametrize("session", [IN_PLACE], indirect=True)
def test_the_hook_itself_is_not_struck(session):
    _, found = variants(session, "errno")
    assert {COUNT} == {variant.fault.path for variant in found.variants}


@pytest.mark.parametrize("session", ["read n < state; echo $((n + 1)) > state\n"], indirect=True)
def test_state_that_lies_beside_the_hook_is_struck_once_it_is_written(session, tmp_path):
    (tmp_path / "state").write_text("41\n")
    _, found = variants(session, "errno")
    assert {"{project}/state"} == {variant.fault.path for variant in found.variants}
    assert "openat" in {variant.fault.params["call"] for variant in found.variants}


@pytest.mark.parametrize("session", ["mkdir ~/.cache/$'\\377'; rmdir ~/.cache/$'\\377'\n"], indirect=True)
def test_a_name_that_is_no_utf_8_is_a_cut(session):
    _, found = variants(session, "errno")
    assert "calls are on names that are no UTF-8, and cannot be named here" in found.cut
    scenario = tour("power")
    lost = power_variants(scenario, 2, watched(scenario, 2, session, SYSTEM.inputs_of), session.hide, 100)
    assert ((), "loss of power is not covered: a name is no UTF-8") == (lost.variants, lost.cut)


@pytest.mark.parametrize("session", [BESIDE], indirect=True)
def test_a_temporary_file_that_is_called_otherwise_in_every_run_is_met(session):
    scenario = tour("errno")
    known = learned(scenario, session, SYSTEM.inputs_of)
    found = enumerated(scenario, 2, known.recordings[0])
    renames = [each for each in found.variants if "rename" in str(each.fault.params["call"])]
    assert {("{home}/.cache/.tmp-*", COUNT)} == {(each.fault.path, each.fault.params["to"]) for each in renames}
    for variant in renames:
        history = play(variant.scenario, session, SYSTEM.inputs_of, head_of(variant.scenario, 2, known.histories[0]))
        assert [variant.fault.params["errno"]] == [each.proof for each in injections(history)]


@pytest.mark.parametrize("session", [IN_PLACE], indirect=True)
def test_a_head_that_was_played_gives_the_history_of_the_whole(session):
    known, found = variants(session, "killed")
    scenario = found.variants[0].scenario
    head = head_of(scenario, 2, known.histories[0])

    def told(history):
        return [(entry.n, entry.process, entry.type, entry.op, entry.faults) for entry in history.entries]

    whole = play(scenario, session, SYSTEM.inputs_of)
    assert 2 == head.steps
    assert told(whole) == told(play(scenario, session, SYSTEM.inputs_of, head))


@pytest.mark.parametrize("session", [IN_PLACE], indirect=True)
def test_what_a_loss_of_power_leaves_is_put_in_place_and_the_operation_has_no_answer(session):
    scenario = tour("power")
    found = power_variants(scenario, 2, watched(scenario, 2, session, SYSTEM.inputs_of), session.hide, 100)
    assert "" == found.cut
    left = set()
    for variant in found.variants:
        history = play(msgspec.structs.replace(variant, steps=variant.steps[:-1]), session, SYSTEM.inputs_of)
        assert ["power lost"] == [each.proof for each in injections(history)]
        assert 9 == history.entries[-1].value["signal"]
        left.add(count(session))
    assert {b"41\n", b"", b"42\n"} <= left


def lost(history):
    """What is wrong when two stops are counted as one."""
    return "" if history.entries[-1].files[COUNT].sha256 == sha256(b"43\n").hexdigest() else "a stop is lost"


@pytest.mark.parametrize(("session", "failing"), [(IN_PLACE, True), (LOCKED, False)], indirect=["session"])
def test_every_order_of_two_stops_finds_the_race_and_passes_the_lock(session, failing):
    scenario = together()
    head = head_of(scenario, 0, play(in_order(scenario, 0, ()), session, SYSTEM.inputs_of))
    report = explored_orders(scenario, 0, session, SYSTEM.inputs_of, lost, head=head, limit=500, seed=0)
    assert (True, failing) == (report.exhausted, report.failing > 0)
    for failure in report.failures:
        again = play(in_order(scenario, 0, failure.choices), session, SYSTEM.inputs_of)
        assert failure.verdict == lost(again)


@pytest.mark.parametrize("session", [IN_PLACE], indirect=True)
def test_an_order_that_cannot_be_made_shows_nothing_and_is_tried_three_times(session, monkeypatch):
    tried = []
    monkeypatch.setattr(playing, "ordered", lambda *asked, made=playing.ordered: tried.append(asked) or made(*asked))
    impossible = in_order(together(), 0, (0, 0, 7))
    history = play(impossible, session, SYSTEM.inputs_of)
    why = "a run did not repeat what it had done before, after 2 steps"
    ends = [(end.type, end.value["blame"], end.value["message"]) for end in history.entries[2:]]
    assert (3, why, [(EntryType.INFO, "harness", why)] * 2) == (len(tried), history.given_up, ends)
    said = Finding("SH-01", CheckVerdict.INCONCLUSIVE, reason=f"the harness gave this run up: {why}")
    assert (said,) == SYSTEM.judge(impossible, history, SYSTEM.catalogue)


@pytest.mark.parametrize("session", [IN_PLACE], indirect=True)
def test_a_sweep_plays_what_it_is_asked_for_first(session):
    def nothing(scenario, history):
        return ()

    kinds = []
    for each in swept(tour("errno", "torn", "power"), session, SYSTEM.inputs_of, nothing, first=("syscall.torn",)):
        kinds.append(each.scenario.id.removeprefix("tour").split("-")[1:2])
    assert [[], ["torn"], ["torn"]] == kinds[:3]
    assert {"errno", "torn", "power"} == {kind for found in kinds for kind in found}
