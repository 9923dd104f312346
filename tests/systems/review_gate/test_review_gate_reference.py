"""The reference review gate: what begins, what is launched, and what is decided.

Source: issue 8 (review_gate); document 000, Common Issues and Red Flags.
"""

import errno
from itertools import permutations

import msgspec
import pytest
from review_gate_world import HIGH, LOW, NOW, ONE, THREE, TWO, Failing, World, codes

from harness.systems.review_gate.contract import (
    MODEL,
    REVIEWERS,
    TIME_LIMIT_S,
    Decision,
    Issue,
    Launch,
    LaunchKind,
)
from harness.systems.review_gate.reference import kept_state
from harness.systems.review_gate.reference.gate import STATIC_ANALYSIS

ANALYSIS = (Launch(LaunchKind.STATIC_ANALYSIS, STATIC_ANALYSIS),)
ALL = tuple(Launch(LaunchKind.REVIEWER, name, MODEL) for name in REVIEWERS)


@pytest.fixture
def world(home):
    return World(home)


def shape(result):
    return result.accepted, str(result.decision), result.round


class TestBeginning:
    def test_a_task_begins_when_the_one_before_was_reviewed_and_passed(self, world):
        assert world.begin("a").begun
        assert world.begin("a").begun
        refused = world.begin("b")
        assert (False, ["not_reviewed"]) == (refused.begun, codes(refused))
        world.review()
        assert world.begin("b").begun
        assert not world.begin("c").begun

    @pytest.mark.parametrize(("issues", "begun"), [((), True), ((LOW,), True), ((HIGH,), False), ((LOW, HIGH), False)])
    def test_it_does_not_when_findings_that_block_are_open(self, world, issues, begun):
        world.review(*issues)
        assert begun == world.begin("b").begun
        if not begun:
            world.again()
        assert world.begin("b").begun

    def test_a_task_that_is_begun_once_more_is_reviewed_once_more(self, world):
        world.review()
        world.review(task="b")
        assert world.begin("a").begun
        assert not world.begin("c").begun
        assert (False, "pending", 1) == shape(world.status())
        assert (True, "pending", 2) == shape(world.open())
        assert ["reported_late"] == codes(world.report(ONE))
        world.analyse(number=2)
        assert Decision.PASSED == world.rest(number=2).decision
        assert world.begin("c").begun


class TestLaunching:
    def test_a_review_begins_with_static_analysis(self, world):
        world.begin()
        found = world.open()
        assert ((True, "pending", 1), ANALYSIS, ()) == (shape(found), found.launch, found.log)
        again = world.open()
        assert ((False, "pending", 1), (), ["not_open"]) == (shape(again), again.launch, codes(again))

    def test_then_three_are_launched_at_once(self, world):
        found = world.launch()
        assert ((True, "pending", 1), ALL, ()) == (shape(found), found.launch, found.issues)
        again = world.analyse()
        assert ((False, "pending", 1), (), ["reported_late"]) == (shape(again), again.launch, codes(again))

    def test_only_the_task_that_was_begun_last_is_opened(self, world):
        assert ["not_open"] == codes(world.open())
        world.begin("a")
        assert (False, "pending", 0) == shape(world.open("b"))

    def test_after_a_fix_all_are_launched_again(self, world):
        world.review(HIGH)
        assert ((True, "pending", 2), ANALYSIS) == (shape(found := world.fix()), found.launch)
        assert ["reported_late"] == codes(world.analyse(number=1))
        assert ALL == world.analyse(number=2).launch

    def test_only_what_blocks_is_fixed(self, world):
        assert (False, "pending", 0) == shape(world.fix())
        world.launch()
        assert ["not_open"] == codes(world.fix())
        world.rest()
        assert ((False, "passed", 1), ["not_open"]) == (shape(found := world.fix()), codes(found))


class TestReturning:
    @pytest.mark.parametrize("order", list(permutations(REVIEWERS)))
    def test_nothing_is_decided_before_all_have_returned(self, world, order):
        world.launch()
        for name in order[:2]:
            found = world.report(name, HIGH)
            assert ((True, "pending", 1), ()) == (shape(found), found.issues)
            assert not world.begin("b").begun
        found = world.report(order[2], LOW)
        assert ((True, "blocked", 1), (HIGH, HIGH)) == (shape(found), found.issues)
        assert ((True, "blocked", 1), (HIGH, HIGH)) == (shape(found := world.status()), found.issues)

    @pytest.mark.parametrize("severity", ["critical", "High", "medium", "", "blocker", " low", "lowest"])
    def test_all_but_low_blocks(self, world, severity):
        assert (Issue(severity),) == world.review(Issue(severity)).issues

    @pytest.mark.parametrize("severity", ["low", "LOW"])
    def test_low_does_not(self, world, severity):
        assert (Decision.PASSED, ()) == ((found := world.review(Issue(severity))).decision, found.issues)

    def test_what_static_analysis_found_blocks_with_the_rest(self, world):
        world.launch(HIGH, LOW)
        assert ((True, "blocked", 1), (HIGH,)) == (shape(found := world.rest()), found.issues)
        assert Decision.PASSED == world.again().decision

    def test_who_is_not_awaited_does_not_count(self, world):
        assert ["not_open"] == codes(world.report(ONE))
        world.begin()
        world.open()
        assert ["reported_early"] == codes(world.report(ONE))
        world.analyse()
        assert ["reported_early"] == codes(world.report(ONE, number=2))
        assert ["reported_late"] == codes(world.report(ONE, number=0))
        assert ["reviewer_unknown"] == codes(world.report("reviewer-4", HIGH))
        world.report(ONE)
        found = world.report(ONE, HIGH)
        assert ((False, "pending", 1), ["reported_twice"]) == (shape(found), codes(found))
        world.report(TWO)
        assert Decision.PASSED == world.report(THREE).decision
        assert ["reported_twice"] == codes(world.report(ONE, HIGH))


class TestAsking:
    def test_nothing_is_told_of_what_was_not_opened(self, world):
        assert (False, "pending", 0) == shape(world.status())
        world.begin()
        assert (False, "pending", 0) == shape(world.status())

    @pytest.mark.parametrize(
        ("wait_s", "anew"), [(0, False), (TIME_LIMIT_S, False), (TIME_LIMIT_S + 1, True), (-9e9, False)]
    )
    def test_who_is_overdue_is_launched_anew(self, world, wait_s, anew):
        world.launch()
        world.report(TWO)
        found = world.status(at=wait_s)
        assert (True, "pending", 1) == shape(found)
        assert ((ALL[0], ALL[2]) if anew else ()) == found.launch
        assert (["reviewer_overdue"] if anew else []) == codes(found)

    @pytest.mark.parametrize("offset_s", [0.000001, 0.1, 0.333333, 0.999999])
    def test_the_limit_is_met_to_the_microsecond(self, world, offset_s):
        world.launch()
        world.put(world.text().replace(str(NOW).encode(), str(NOW + offset_s).encode()))
        assert () == world.status(at=TIME_LIMIT_S + offset_s).launch
        assert ALL == world.status(at=TIME_LIMIT_S + offset_s + 0.000001).launch

    def test_once_for_each_time_limit(self, world):
        world.launch()
        assert ALL == world.status(at=601).launch
        assert () == world.status(at=1201).launch
        assert ALL == world.status(at=1202).launch
        world.rest()
        assert () == world.status(at=9999).launch


class TestState:
    def test_another_process_goes_on(self, world):
        for step in (World.begin, World.open, World.analyse):
            step(world.opened())
        for name in REVIEWERS:
            found = world.opened().report(name)
        assert Decision.PASSED == found.decision
        assert world.opened().begin("b").begun

    @pytest.mark.parametrize("data", [
        b"", b"{", b"null", b"[]", b"{}", b"42", b'{"version":1}', b'{"version":2,"last":null,"rounds":{}}',
        b'{"version":1,"last":null,"rounds":{},"more":1}', b'{"version":1,"last":7,"rounds":{}}',
        b'{"version":1,"last":"a","rounds":{"a":{"number":-1}}}', b'{"version":1,"last":"a","rounds":{"a":{"stage":"x"}}}',
        b'{"version":1,"last":"\xff","rounds":{}}', b"\xef\xbb\xbf" + b'{"version":1,"last":null,"rounds":{}}',
        b"[" * 100_000,
    ])  # fmt: skip
    def test_nothing_passes_by_a_damaged_state_which_stays(self, world, data):
        world.put(data)
        assert (False, ["state_invalid"]) == ((found := world.begin()).begun, codes(found))
        for found in (world.open(), world.analyse(), world.report(ONE), world.fix(), world.status()):
            assert ((False, "pending", 0), ["state_invalid"]) == (shape(found), codes(found))
        assert data == world.text()

    def test_a_state_that_is_too_long_is_damaged_and_none_is_written(self, world, monkeypatch):
        monkeypatch.setattr(kept_state, "LIMIT_BYTES", 300)
        world.launch()
        assert ["state_write_failed"] == codes(world.report(ONE, Issue("high", "x" * 300)))
        assert world.report(ONE).accepted
        world.put(world.text() + b" " * 300)
        assert ["state_invalid"] == codes(world.begin())

    @pytest.mark.parametrize(("method", "code"), [
        ("read", "state_unreadable"), ("replace", "state_write_failed"), ("lock", "state_write_failed"),
    ])  # fmt: skip
    def test_what_cannot_be_read_or_stored_is_refused_and_changes_nothing(self, method, code):
        files = Failing()
        world = World(files=files)
        world.launch()
        before = world.text()
        files.broken[method] = OSError(errno.EIO, "broken")
        assert ((False, "pending", 0), [code]) == (shape(found := world.report(ONE)), codes(found))
        if method != "replace":
            assert (False, [code]) == ((found := world.begin("a")).begun, codes(found))
        files.broken.clear()
        assert before == world.text()
        assert world.report(ONE).accepted

    def test_a_lock_that_somebody_keeps_is_waited_for_shorter_each_time(self):
        files = Failing()
        world = World(files=files)
        world.launch()
        waits = []
        files.lock = lambda path, timeout_s: waits.append(timeout_s) or (_ for _ in ()).throw(TimeoutError(path))
        for _ in range(4):
            assert ((False, "pending", 0), ["state_write_failed"]) == (shape(found := world.report(ONE)), codes(found))
        assert [2.0, 0, 0.125, 0, 0.0078125, 0, 0] == waits
        del files.lock
        assert world.report(ONE).accepted
        assert world.gate.state.patience_s == kept_state.LOCK_S

    def test_the_state_is_json_that_says_what_it_is(self, world):
        world.launch(HIGH)
        world.report(TWO)
        round_ = {"number": 1, "stage": "reviewing", "missing": [ONE, THREE], "launched_at_s": NOW,
                  "issues": [msgspec.to_builtins(HIGH)]}  # fmt: skip
        assert {"version": 1, "last": "a", "rounds": {"a": round_}} == world.file()
