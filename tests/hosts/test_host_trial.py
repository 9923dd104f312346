"""A hook through the stories of a host of our own, and such a host beside its table."""

from datetime import date

import fake_host
import needs
import pytest
import yaml

from harness.core.process import ProcessEnd
from harness.errors import MachineError
from harness.hosts import check as checking
from harness.hosts import trial as trying
from harness.hosts.check import CheckedHost, as_file, check, summary
from harness.hosts.facts import STORY
from harness.hosts.kind import STOP, HookSetting
from harness.hosts.probes import PROBES
from harness.hosts.several import QUESTIONS
from harness.hosts.stories import INTERRUPTED, PLAIN, TODO_AFTER_BLOCK, TOOLS, calls_between_stops
from harness.hosts.trial import AT_THE_HOOK, AT_THE_MODEL, CALM, EPHEMERAL, TriedHook, trial
from harness.systems.stop_gate import hosts, process

ON = date(2026, 3, 1)
PROBE = {probe.rule: probe for probe in PROBES}
SILENT = ("true",)
NO_TRANSCRIPT_BLOCKS = ("sh", "-c", '[ -s "$HOME/transcript.jsonl" ] || exit 2')
LEAVES = ("sh", "-c", "setsid sleep 300 </dev/null >/dev/null 2>&1 &")


@pytest.fixture
def table(monkeypatch):
    """``table(cap=2, exit_2="ends")``: what is known of the fake host."""

    def known(cap=None, **does):
        monkeypatch.setattr(hosts, "hosts", lambda: (fake_host.facts_of(cap, **does),))

    return known


@pytest.fixture
def tried(tmp_path, table, monkeypatch):
    """``tried(words, ...)``: the stories of that hook, told by two of the stories."""

    def run(words, *does, cap=None, stated_cap=None, max_blocks=3, ephemeral=True, stories=(PLAIN, TOOLS), **rules):
        monkeypatch.setattr(trying, "_STORIES", stories)
        table(stated_cap, **rules)
        with fake_host.rig_of(tmp_path / "host", *does, cap=cap, ephemeral=ephemeral) as rig:
            return list(trial(rig, TriedHook(words, 5.0, max_blocks), process, hosts))

    return run


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """``checked("hangs", rules=("block",))``: such a host, asked only those."""

    def run(*does, rules=("block", "silence"), cap=1):
        monkeypatch.setattr(checking, "PROBES", tuple(PROBE[rule] for rule in rules))
        monkeypatch.setattr(
            checking.several,
            "QUESTIONS",
            tuple(q for q in QUESTIONS if q.rule in ("same_command_twice", "subagent_id")),
        )
        with fake_host.rig_of(tmp_path / "host", *does, cap=cap) as rig:
            return check(rig, process, hosts, ON)

    return run


@needs.namespaces
def test_a_silent_hook_is_tried_with_each_story_and_without_a_transcript(tried):
    stories = tried(SILENT)
    assert [
        ("plain", CALM, True),
        ("tools", CALM, True),
        ("plain", EPHEMERAL, False),
        ("held", AT_THE_MODEL, False),
        ("plain", AT_THE_HOOK, False),
    ] == [(story.story, story.condition, story.calm) for story in stories]
    told = stories[:3]
    assert all(story.as_predicted and story.end == "exited" and len(story.stops) == 1 for story in told)
    assert [True, True, False] == [story.stops[0].transcript for story in told]


@needs.namespaces
def test_of_a_session_that_is_interrupted_the_last_stop_is_not_decided(tried):
    *_, at_the_model, at_the_hook = tried(("sleep", "60"), ephemeral=False)
    assert [("interrupted", ()), ("interrupted", ())] == [
        (story.end, story.stops) for story in (at_the_model, at_the_hook)
    ]


@needs.namespaces
def test_a_hook_that_cannot_be_started_is_not_tried(tried):
    with pytest.raises(MachineError, match=r"^the hook cannot be started as a host would: /no/such/hook: ENOENT$"):
        tried(("/no/such/hook",))


@needs.namespaces
@pytest.mark.parametrize(("story", "is_a_host"), [(INTERRUPTED, True), (PLAIN, False)])
def test_only_after_what_broke_a_host_may_come_to_no_stop(tried, monkeypatch, story, is_a_host):
    monkeypatch.setattr(trying, "_checked", lambda rig: rig.play(STORY, {}))
    if is_a_host:
        assert () == tried(SILENT, "calls no hook", ephemeral=False, stories=(story,))[0].stops
    else:
        with pytest.raises(MachineError, match=r"called no Stop hook"):
            tried(SILENT, "calls no hook", ephemeral=False, stories=(story,))


@needs.namespaces
def test_a_host_that_always_keeps_transcripts_is_not_asked_for_none(tried):
    assert EPHEMERAL not in [story.condition for story in tried(SILENT, ephemeral=False)]


@needs.namespaces
def test_a_hook_that_blocks_for_want_of_a_transcript_does_so_as_predicted(tried):
    *calm, ephemeral = tried(NO_TRANSCRIPT_BLOCKS)[:3]
    assert [(False,), (False,)] == [tuple(stop.blocked for stop in story.stops) for story in calm]
    assert ephemeral.stops[0].blocked
    assert ephemeral.stops[0].exit_code == 2
    assert ephemeral.as_predicted


@needs.namespaces
def test_a_hook_that_never_lets_go_is_stopped_after_more_blocks_than_it_states(tried):
    (plain, *_) = tried(("sh", "-c", "echo more >&2; exit 2"), max_blocks=2, ephemeral=False)
    assert plain.end == "stopped"
    assert len(plain.stops) > 2
    assert all(stop.blocked and stop.predicted and stop.stderr == "more\n" for stop in plain.stops)


@needs.namespaces
@pytest.mark.parametrize(("stated_cap", "as_predicted"), [(2, True), (1, False), (None, False)])
def test_a_host_with_a_cap_ends_as_predicted_only_where_the_table_states_it(tried, stated_cap, as_predicted):
    (plain, *_) = tried(("sh", "-c", "exit 2"), cap=2, stated_cap=stated_cap, max_blocks=5, ephemeral=False)
    assert [True, True, False] == [stop.blocked for stop in plain.stops]
    assert as_predicted == plain.as_predicted


@needs.namespaces
def test_a_host_that_does_otherwise_than_its_table_is_not_as_predicted(tried):
    (plain, *_) = tried(("sh", "-c", "exit 2"), exit_2_silent="ends", max_blocks=1, ephemeral=False)
    assert not plain.as_predicted
    assert (True, False) == (plain.stops[0].blocked, plain.stops[0].predicted)


@needs.namespaces
def test_what_hangs_on_how_much_of_the_transcript_was_written_is_unsettled(tried, monkeypatch):
    monkeypatch.setattr(trying, "_checked", lambda rig: rig.play(STORY, {STOP: HookSetting(SILENT, 5.0)}))
    words = ("sh", "-c", '[ "$(wc -l < "$HOME/transcript.jsonl")" != 4 ] || exit 2')
    (plain, *_) = tried(words, "always goes on", ephemeral=False)
    assert [(True, False, True), (True, True, True), (False, False, False)] == [
        (stop.blocked, stop.predicted, stop.unsettled) for stop in plain.stops
    ]
    assert plain.as_predicted


class CountingHook:
    """A hook that a host may ask once more only after it has counted a block; by call: open items then, and later."""

    was_open = ((False, True), (True, False), (False, False))

    def shadow(self, words, timeout_s, calls, *, later, files):
        count, ends = 0, []
        for number in range(len(calls)):
            blocks = self.was_open[number][number in later] and (number == 0 or count > 0)
            count += blocks
            ends.append(ProcessEnd(exit_code=2 if blocks else 0))
        return tuple(ends)


def test_a_hook_that_counts_does_at_one_stop_what_hangs_on_the_transcript_at_the_one_before():
    room = trying._Room(None, False, lambda end: end.exit_code == 2, lambda end: "")
    rig, calls = CountingHook(), (None, None, None)
    shown = [
        [end.exit_code == 2 for end in rig.shadow((), 1.0, calls, later=each, files={})] for each in ((), (0, 1, 2))
    ]
    assert [[False, False, False], [True, False, False]] == shown
    assert [True, True, False] == trying._followed(
        rig, TriedHook((), 1.0, 3), TODO_AFTER_BLOCK, calls, (True, True, False), room
    )


@needs.namespaces
@pytest.mark.parametrize(("does", "left"), [((), ("sleep",)), (("leaves a child",), ("sleep",))])
def test_a_process_that_the_hook_leaves_is_named_and_not_the_hosts_own(tried, does, left):
    assert [left, left] == [story.children_left for story in tried(LEAVES, *does, ephemeral=False) if story.calm]
    for story in tried(SILENT, *does, ephemeral=False):
        assert () == story.children_left


@needs.namespaces
def test_lines_that_the_host_prints_for_every_hook_are_not_said_of_this_one(tried):
    assert {()} == {story.said for story in tried(SILENT, "talks about hooks") if story.end == "exited"}


@needs.namespaces
@pytest.mark.parametrize("does", ["ignores blocks", "always goes on", "calls no hook", "fails at the start"])
def test_a_host_that_is_none_says_nothing_about_a_hook(tried, does):
    with pytest.raises(MachineError, match=r"the host fake-host "):
        tried(SILENT, does)


@pytest.mark.parametrize(
    ("decisions", "cap", "anew", "taken"),
    [
        ([True] * 3, None, (), [True] * 3),
        ([True] * 3, 2, (), [True, True, False]),
        ([True, False, True, True, True], 2, (), [True, False, True, True, False]),
        ([True, True, True, True], 1, (), [True, False, True, False]),
        ([True, True, True, True], 2, (0, 2), [True] * 4),
        ([True, True, True, True], 2, (1,), [True, True, True, False]),
        ([], 1, (), []),
    ],
)
def test_blocks_in_a_row_beyond_the_cap_are_not_taken(decisions, cap, anew, taken):
    assert taken == trying._capped(decisions, cap, [stop in anew for stop in range(len(decisions))])


@pytest.mark.parametrize(
    ("story", "worked"),
    [
        (PLAIN, [False, False, False]),
        (TOOLS, [True, False, False]),
        (calls_between_stops(2), [True, True, False]),
        (TODO_AFTER_BLOCK, [True, True, False]),
    ],
)
def test_a_story_knows_the_stops_that_come_after_a_tool_call(story, worked):
    assert worked == [story.works_before(stop) for stop in range(3)]


def test_a_cap_that_counts_otherwise_after_a_tool_call_is_a_difference():
    found = CheckedHost("a", "1", "2026-03-01", (), (), 3, 3, None, cap_resets=True)
    assert ("cap: after a tool call the host counts anew; the table says otherwise",) == found.differences


@needs.namespaces
def test_a_host_that_nobody_knows_differs_from_nothing_and_its_table_can_be_kept(checked):
    found = checked()
    assert ((), "fake-host", "1.0", "2026-03-01", 1) == (
        found.differences,
        found.host,
        found.version,
        found.on,
        found.cap,
    )
    assert {"not in the table"} == {question.source for question in found.questions}
    text = as_file(found)
    assert text.startswith("# Written by `windtunnel host check --write`")
    kept = yaml.safe_load(text)
    assert ("blocks", "ends") == (kept["rules"]["block"]["does"], kept["rules"]["silence"]["does"])
    assert {"same_command_twice": "twice", "subagent_id": "no such event"} == kept["several"]
    assert 1 == kept["conduct"]["cap"]


@needs.namespaces
def test_a_host_beside_its_own_table_has_no_differences(checked, monkeypatch):
    table = checked().facts
    monkeypatch.setattr(hosts, "hosts", lambda: (table,))
    again = checked()
    assert () == again.differences
    assert {"run here on 2026-03-01"} == {question.source for question in again.questions}
    assert "fake-host 1.0: 4 rules asked, all as the table says and as predicted" == summary([again])


@needs.namespaces
def test_each_difference_is_a_sentence(checked, table):
    table(cap=None, block="ends")
    found = checked(rules=("block", "silence", "child_with_stdout"))
    assert (
        "block: the host goes on; the table says that it ends (documented), and it was predicted that it ends",
        "child_with_stdout: the host goes on; the table says that it ends (by the contract), and it was predicted that "
        "it goes on",
        "same_command_twice (one command listed twice: how often it is run at a stop): the host answers 'twice'; "
        "the table says 'nothing'",
        "subagent_id (agent_id at SubagentStop): the host answers 'no such event'; the table says 'nothing'",
        "cap: the host takes 1 blocks in a row; the table says any number of blocks in a row",
    ) == found.differences  # fmt: skip
    assert found.questions[2].unpredicted
    assert "fake-host 1.0: 5 rules asked, 5 not as stated or predicted" == summary([found])


@needs.namespaces
def test_what_a_host_says_of_every_hook_is_not_said_of_a_probe_unless_it_names_it(checked):
    (block, _) = checked("talks about hooks").questions
    assert ("hook: it was called",) == block.said


@needs.namespaces
def test_a_host_that_calls_no_hook_is_not_checked(checked):
    with pytest.raises(MachineError, match=r"called no Stop hook"):
        checked("calls no hook")


def test_checks_of_no_host_are_a_sentence_too():
    assert ": 0 rules asked, all as the table says and as predicted" == summary([])
    empty = CheckedHost("a", "1", "2026-03-01", (), (), None, 3, None)
    assert ("cap: the host takes any number of blocks in a row; the table says 3 blocks in a row",) == empty.differences
