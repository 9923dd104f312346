"""events.jsonl: the source of truth of a run. Source: issue 2, "Results"."""

import msgspec
import pytest
from scripted_run import Scripted, plan, says, scenario

from harness.certify import events
from harness.certify.engine import Engine
from harness.certify.events import HarnessBroke, Notice, RunFinished, RunStarted, ScenarioJudged, SearchFinished


@pytest.fixture(scope="module")
def run():
    failing = scenario("s-2", title="Ein Titel, ∞ \u2028 and a tail")
    return list(Engine(plan(Scripted(says(A_01="FAIL")), (scenario("s-1"), failing))).run())


def test_each_event_is_one_line_and_comes_back_equal(run):
    more = [
        SearchFinished(profile="gate", shard=1, cases=3),
        Notice(text="so\nit is"),
        HarnessBroke(scenario="s", error="e\n"),
    ]
    for event in [*run, *more]:
        line = events.encode(event)
        assert line.endswith(b"\n")
        assert 1 == line.count(b"\n")
        assert event == events.decode(line)


def test_a_run_begins_with_its_header_and_ends_with_its_footer(run):
    assert isinstance(run[0], RunStarted)
    assert isinstance(run[-1], RunFinished)
    assert [] == [event for event in run[1:-1] if isinstance(event, RunStarted | RunFinished)]


def test_the_header_says_who_is_certified_against_what(run):
    header = run[0]
    assert (events.FORMAT, "scripted", ("stdio",), ("stop_gate",), {"gate": ()}) == (
        header.format, header.target, header.carriers, header.systems, header.profiles,
    )  # fmt: skip
    assert 64 == len(header.suite_digest) == len(header.implementation_digest)


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"null", b'{"event":"run_ended"}', b'{"event":"notice"}', b'{"event":"notice","text":"t","extra":1}'],
)
def test_what_is_no_event_is_refused(line):
    with pytest.raises(msgspec.DecodeError):
        events.decode(line)


def test_a_judged_scenario_holds_all_that_is_needed_to_judge_it_again(run):
    from scripted_run import CATALOGUE, judge

    from harness.core.history import History

    judged = [event for event in run if isinstance(event, ScenarioJudged)]
    assert 2 == len(judged)
    for event in judged:
        again = events.decode(events.encode(event))
        assert event.findings == judge(again.scenario, History(again.history), CATALOGUE)
