"""What the rules look at: calls and lives, files between two looks, the weather, and values that are alike."""

import pytest
from handmade_diagnosis import CATALOGUE, INCONCLUSIVE, PASS, SECOND, Story, a_context, a_failure, fault

from harness.core.clause import Level
from harness.core.fault import Injection
from harness.core.history import Entry, EntryType, History, InputFact
from harness.faults import catalogue as faults
from harness.systems.diagnosis.oracle import files, judge, weather
from harness.systems.diagnosis.oracle.asking import Ended, calls
from harness.systems.diagnosis.oracle.failure import is_plain
from harness.systems.diagnosis.oracle.files import SESSION, grown, objects, spans
from harness.systems.diagnosis.oracle.view import Learned, View
from harness.systems.diagnosis.oracle.wording import is_alike

PATH = files.PATHS[SESSION]


def view(story):
    return View(story.scenario, story.history)


def test_every_ambiguous_clause_has_readings_and_one_of_them_is_ours():
    assert [] == [clause.id for clause in CATALOGUE if clause.is_loose]
    ours = {clause.id: sum(each.ours for each in clause.readings.values()) for clause in CATALOGUE if clause.readings}
    assert {1} == set(ours.values())


def test_the_one_clause_that_no_operation_shows_is_no_must():
    assert [("DR-MET-01", Level.SHOULD)] == [(each.id, each.level) for each in CATALOGUE if not each.profiles]


def test_a_history_without_operations_shows_nothing():
    story = Story(("DR-TRG-01",))
    assert [("DR-TRG-01", INCONCLUSIVE)] == [
        (each.clause, each.verdict) for each in judge(story.scenario, History(), CATALOGUE)
    ]
    assert () == spans(())


@pytest.mark.parametrize(
    ("answer", "ended", "struck", "expected"),
    [
        ({"reflection": "none"}, EntryType.OK, (), Ended.ANSWERED),
        ({"error": "x"}, EntryType.FAIL, (), Ended.REFUSED),
        (None, EntryType.INFO, (), Ended.SILENT),
        (None, EntryType.INFO, ("process.killed",), Ended.EXCUSED),
        (None, EntryType.INFO, ("environment.no_path",), Ended.EXCUSED),
        (None, EntryType.INFO, ("syscall.torn",), Ended.EXCUSED),
        (None, EntryType.INFO, ("syscall.delayed",), Ended.SILENT),
        (None, EntryType.INFO, ("filesystem.full",), Ended.SILENT),
        ({"blame": "harness"}, EntryType.INFO, (), Ended.EXCUSED),
    ],
)
def test_how_a_call_ended(answer, ended, struck, expected):
    story = Story().success(answer=answer or {}, ended=ended, faults=[fault(name) for name in struck])
    assert [expected] == [each.ended for each in view(story).calls]


def test_a_call_without_an_end_says_nothing():
    story = Story()
    story.begin("observe", {"call": "a", "tool": "t", "args": {}, "success": True})
    found = view(story)
    assert ([Ended.EXCUSED], [False], []) == (
        [each.ended for each in found.calls],
        [each.binds for each in found.calls],
        found.observed,
    )


def test_a_call_in_another_form_than_the_contract_binds_nobody():
    story = Story().call("observe", {"call": 3, "tool": "t"}, {}).call("unheard_of", {}, {})
    assert ([False], []) == ([each.binds for each in view(story).calls], view(story).observed)


def test_a_life_ends_with_its_process():
    restarted = fault("process.restarted")
    story = Story().success("a").success("b").success("c", faults=[restarted]).success("d", faults=[restarted])
    story.success("e", answer={}, ended=EntryType.INFO, faults=[restarted]).success("f", faults=[restarted])
    story.success("g", process=1).success("h", process=1)
    assert [0, 0, 1, 1, 1, 2, 0, 0] == [each.life for each in calls(story.history)]
    assert (1, 1, 0) == calls(story.history)[-1].who


def test_a_fault_at_a_call_counts_when_it_was_met():
    met, missed = Injection(fault("syscall.errno", PATH), True, "EIO"), Injection(fault("syscall.errno", PATH), True)
    standing, refused = Injection(fault("filesystem.full", PATH), False), Injection(fault("clock.back"), False)
    assert (met.fault, standing.fault) == weather.struck([met, missed, standing, refused])


@pytest.mark.parametrize(
    ("name", "path", "shakes", "damages"),
    [
        ("filesystem.full", "{home}", True, False),
        ("filesystem.full", PATH, True, False),
        ("filesystem.full", "{project}", False, False),
        ("filesystem.unreadable", f"{PATH}.lock", True, False),
        ("filesystem.missing", PATH, False, True),
        ("filesystem.parent_missing", PATH, False, True),
        ("filesystem.aged", PATH, False, False),
        ("jsonl.torn_tail", PATH, False, True),
        ("jsonl.torn_tail", files.PATHS[files.EPISODIC], False, False),
        ("process.lock_held", None, True, False),
        ("environment.no_home", None, False, False),
        ("syscall.errno", "{tmp}/x", True, False),
        ("filesystem.full", None, False, False),
        ("another.fault", None, True, False),
    ],
)
def test_what_a_fault_takes_from_a_file(name, path, shakes, damages):
    found = fault(name, path)
    assert (shakes, damages) == (weather.shakes(found, PATH), weather.damages(found, PATH))


def test_every_fault_of_the_table_has_a_row():
    assert [] == [name for name in (kind.name for kind in faults.EVERY) if weather.row(name) is weather.UNKNOWN]


@pytest.mark.parametrize(
    ("before", "after", "added", "lost", "glued"),
    [
        (b"", b"", (), (), False),
        (b"a\n", b"a\nb\n", (b"b",), (), False),
        (b"a", b"a\nb", (b"b",), (), False),
        (b"a", b"ab\n", (b"b",), (), True),
        (b"a\n", b"b\n", (b"b",), (b"a",), False),
        (b"a\na\n", b"a\n", (), (b"a",), False),
        (b"a\nb\n", b"b\nb\nc\n", (b"b", b"c"), (b"a",), False),
        (b"a\r\n", b"a\r\n\r\nb\r\n", (b"b",), (), False),
    ],
)
def test_what_became_of_a_file(before, after, added, lost, glued):
    found = grown(before, after)
    assert (added, lost, glued) == (found.added, found.lost, found.glued)


def test_lines_are_records_where_they_are_json():
    found = grown(b"", b'{"a": 1}\n[1]\nno\nnull\n')
    assert (({"a": 1}, [1]), ({"a": 1},)) == (found.records, found.objects)
    assert ({"a": 1},) == objects(b'{"a": 1}\n[1]\nno\n')
    assert None is files.parsed(b"[" * 100_000)


def test_calls_that_overlap_are_one_span():
    story = Story()
    args = {"call": "a", "tool": "t", "args": {}, "success": True}
    story.begin("observe", args, 1)
    story.begin("observe", {**args, "call": "b"}, 2)
    story.end("observe", {"reflection": "none"}, 1)
    story.end("observe", {"reflection": "none"}, 2)
    story.success("c")
    story.reset()
    found = view(story.success("d"))
    assert [[0, 1], [2], [3]] == [[found.calls.index(each) for each in span.calls] for span in found.spans]
    assert [found.calls[2], None, None] == [span.looks for span in found.spans]
    assert found.spans[0] is found.span(found.calls[1])
    assert [True, False] == [found.calls[0].overlaps(each) for each in found.calls[1:3]]


def test_a_file_that_was_put_in_order_again_is_not_compared():
    story = Story().success("a", faults=[fault("filesystem.unreadable", PATH)]).success("b")
    assert None is view(story).spans[0].growth(SESSION)


def test_a_file_that_is_not_whole_in_the_history_is_not_compared():
    assert None is files.content(InputFact("unreadable"))
    assert b"" == files.content(InputFact("missing"))
    assert None is files.content(None)


def test_what_was_learned_is_what_was_told_of_that_failure():
    story = Story()
    for n, success in enumerate((True, True, False)):
        story.failure(f"c{n}", context=a_context(n)).outcome(f"c{n}", success)
    story.failure("x", error=a_failure("Other")).failure("y")
    found = view(story)
    of = [found.learned(each) for each in found.failed]
    assert [Learned(0, 0), Learned(1, 0), Learned(2, 0), Learned(0, 0), Learned(2, 1)] == of


def test_a_fault_that_could_not_be_proven_withholds_what_it_was_for():
    story = Story(("DR-TRG-01",)).failure(faults=[Injection(fault("filesystem.full", PATH), True)])
    assert INCONCLUSIVE == story.verdict("DR-TRG-01")
    assert PASS == story.verdict("DR-TRG-03") or None is story.finding("DR-TRG-03")


@pytest.mark.parametrize(
    ("kept", "told", "alike"),
    [
        ("/tmp/x/home/a", "{home}/a", True),
        ("/tmp/x/b", "{home}/a", False),
        ("a /h b /p c", "a {home} b {project} c", True),
        ({"/h/k": [1]}, {"{home}/k": [1]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [1], False),
        ([1, "x"], [1, "x"], True),
        (1, 1.0, True),
        (None, "{home}", False),
    ],
)
def test_values_are_alike_whatever_the_world_is_called(kept, told, alike):
    assert alike == is_alike(kept, told)


def test_a_value_is_plain_when_it_is_neither_large_nor_deep():
    assert is_plain([{"a": ["b"]}])
    assert not is_plain(["a" * 70_000])
    assert not is_plain(2**70)
    assert not is_plain([[]] * 70_000)


def test_an_entry_of_no_form_at_all_is_no_call():
    begin = Entry(0, 0, EntryType.INVOKE, "observe", {}, "2026-03-01T12:00:00Z")
    assert [None] == [each.args for each in calls(History((begin,)))]


def test_what_is_judged_is_told_before_ids_and_times():
    story = Story().failure().outcome(success=False, more={"next_plan": SECOND})
    seen, tried = calls(story.history)
    assert "call 'c1', success False, tool 'shell'" in seen.said
    assert "reflection 'full', diagnosis (errorClassification {'type': 'command_not_found'" in seen.said
    assert seen.said.index("recoveryPlan") < seen.said.index("whyChain") < seen.said.index("id 'diag_")
    assert "strategy 'curl_download_and_extract', next_plan {" in tried.said
    assert len(tried.said) < len(seen.said) < 900
