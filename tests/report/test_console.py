"""What a person sees. Source: issue 2, CLI; CERTIFICATION.md, "A failure report says, in this order"."""

import io
import re
from pathlib import Path

import msgspec
import pytest
from event_stream import (
    ALL,
    CATALOGUE,
    HOSTILE,
    STREAMS,
    explored,
    failed,
    judged,
    passed,
    stream,
    third_level,
    unclear,
    variant,
)
from rich.console import Console

from harness.certify.events import Waiting
from harness.certify.explored import KindFacts
from harness.report.console import LINE_EVERY_S, WAITING_TOLD_S, ConsoleReport


def shown(events, *, terminal=False, width=100, clock=lambda: 0.0):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=width, color_system=None, legacy_windows=False)
    report = ConsoleReport(console, (CATALOGUE,), Path("out"), clock)
    for event in events:
        report.handle(event)
    report.close()
    return out.getvalue()


@pytest.mark.parametrize("name", [name for name in STREAMS if name != "hostile"])
def test_a_run_in_a_pipe_reads(name, snapshot):
    assert snapshot == shown(STREAMS[name]())


def test_a_failure_tells_clause_expected_observed_scenario_replay_and_the_others_in_this_order():
    out = shown(STREAMS["nonconformant"]())
    marks = [
        "T-01 MUST · 004 section 1.2", "expected: the session may end", "observed: it blocked",
        "smallest scenario: s-fault-0 - A damaged transcript",
        "replay: windtunnel replay ", "also in: ", " s-fault-1, ", " s-fault-4 and 2 more",
    ]  # fmt: skip
    assert sorted(out.index(mark) for mark in marks) == [out.index(mark) for mark in marks]


def test_scenarios_that_fail_alike_are_told_once_while_the_run_goes_on():
    assert 1 == shown(STREAMS["nonconformant"]()).count("FAIL T-01")


def test_a_pipe_gets_a_line_now_and_then_and_no_control_characters():
    times = iter([0.0, 0.0, LINE_EVERY_S - 1, LINE_EVERY_S, LINE_EVERY_S])
    out = shown(stream(*(judged(f"s-{n}", passed("T-01")) for n in range(3))), clock=lambda: next(times))
    assert [f"{n} of 3 scenarios judged, 0 failing; last: s-{n - 1}" for n in (1, 3)] == [
        line for line in out.splitlines() if "judged" in line
    ]
    assert "\x1b" not in out


def test_a_terminal_gets_one_live_line_which_is_gone_at_the_end():
    out = shown(STREAMS["nonconformant"](), terminal=True)
    assert "\x1b[" in out
    assert "judged, 0 failing; last:" not in out
    assert out.rstrip().endswith("report in out")
    assert "\x1b[?25h" in out  # the cursor is shown again


def test_a_run_that_breaks_off_gives_the_cursor_back():
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, color_system=None)
    report = ConsoleReport(console, (CATALOGUE,), Path("out"))
    report.handle(STREAMS["conformant"]()[0])
    assert "\x1b[?25h" not in out.getvalue()
    report.close()
    report.close()
    assert out.getvalue().count("\x1b[?25h") == 1


@pytest.mark.parametrize("terminal", [False, True])
def test_what_is_tested_cannot_write_markup_or_escapes_to_the_screen(terminal):
    out = shown(STREAMS["hostile"](), terminal=terminal, width=400)
    assert "[bold]red[/]" in out
    assert "\x1b[31m" not in out
    assert "\x00" not in out
    assert "\x07" not in out


@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_a_replay_command_is_never_broken_over_lines(width):
    out = shown(STREAMS["nonconformant"](), width=width)
    assert any(re.search(r"replay: windtunnel replay [0-9a-f]{6} --report out$", line) for line in out.splitlines())
    assert HOSTILE not in out


@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_screen_gets_lines_instead_of_tables_with_cut_headings(width):
    out = shown(STREAMS["second_level"](), width=width)
    assert "MUST: 2 CONFORMS, 0 DEVIATES, 0 NOT_ESTABLISHED, 0 NOT_APPLICABLE" in out.splitlines()
    assert "jsonl: 1 of 2 kinds, 1 fired, 6 witnessed, 0 failed, 0 of 190 fail-closed" in out.splitlines()
    assert "…" not in out


@pytest.mark.parametrize("name", list(STREAMS))
def test_no_line_but_sentences_is_wider_than_a_screen_of_80_columns(name):
    lines = shown(STREAMS[name](), width=80).splitlines()
    assert [] == [line for line in lines if len(line) > 80 and ("┃" in line or "│" in line)]
    assert not any("…" in line for line in lines)


@pytest.mark.parametrize("name", ["interrupted", "cut", "harness_fault"])
def test_a_run_that_did_not_come_to_its_end_counts_no_clause_and_shows_no_level(name):
    out = shown(STREAMS[name]())
    assert "CONFORMS" not in out
    assert "reached" not in out
    assert "1 of 1 scenarios were judged, so no clause and no level is shown" in out


def test_only_the_clauses_that_were_asked_for_are_listed():
    out = shown(STREAMS["one_clause"]())
    assert "T-01 MUST CONFORMS · 2 witnesses" in out
    assert "T-02" not in out
    assert "T-03" not in out


def test_a_clause_that_fails_beside_the_one_that_was_asked_for_is_named():
    out = shown(stream(judged("s-calm", *ALL[:1], failed("T-02", "else")), only=("T-01",)))
    assert "only T-01 was asked for, so there is no level, and T-02 failed beside it" in out


def test_what_stops_the_level_that_was_asked_for_is_told_beside_the_one_that_was_reached():
    out = shown(STREAMS["stopped_by_a_deviation"]())
    assert "level L1 reached; L2 stopped by T-01" in out
    assert "exit 1" in out
    assert "level L1 reached; L2 stopped by T-02" in shown(STREAMS["stopped_by_what_is_open"]())


def advised(*reasons):
    findings = [unclear(f"T-0{n}", reason) for n, reason in enumerate(reasons, start=1)]
    return shown(stream(judged("s-1", *findings)))


def test_an_advice_that_several_reasons_end_with_is_said_once():
    out = advised("not met (name a sample)", "never asked (name a sample)", "nobody knows (why)")
    assert 1 == out.count("name a sample")
    assert "not established T-01: not met\n" in out
    assert "what would help: name a sample" in out
    assert "not established T-03: nobody knows (why)" in out


def waiting(seconds, what="s-slow", others=0):
    return Waiting(what=what, seconds=seconds, others=others)


def test_a_pipe_is_told_once_what_takes_long():
    events = [
        waiting(2.0),
        waiting(WAITING_TOLD_S, others=2),
        waiting(WAITING_TOLD_S + 1),
        waiting(WAITING_TOLD_S, "s-other"),
    ]
    out = shown(stream(*events, judged("s-1", *ALL)))
    assert ["waiting for s-slow, 10 s so far, and 2 more", "waiting for s-other, 10 s so far"] == [
        line for line in out.splitlines() if "waiting" in line
    ]


def test_a_terminal_shows_at_once_what_is_waited_for():
    report_events = stream(waiting(2.0, "hook-slow"), judged("s-1", *ALL))
    assert "waiting 2 s for hook-slow" in shown(report_events, terminal=True)


def test_the_counters_of_a_run_meet():
    """The header's number of scenarios, the last line of progress and the footer's are one number."""
    times = iter(range(0, 1000, 10))
    out = shown(STREAMS["second_level"](), clock=lambda: float(next(times)))
    assert "3 scenarios, then one search" in out
    assert "3 of 3 scenarios judged" in out
    assert "· 3 scenarios, 3 operations" in out


def test_a_bound_of_orders_is_told_where_the_level_is():
    bound = "at 200 orders depth-first, then 100 more at random (seed 0)"
    facts = msgspec.structs.replace(explored("hook-l3-together", schedule=KindFacts(300, 300)), bounded=bound)
    text = shown(third_level(variant("hook-l3-fresh-errno-1", *ALL), facts=[facts]), width=200)
    assert f"level L3 reached (orders cut: hook-l3-together: {bound})" in text
    assert f"orders in hook-l3-together cut: {bound}" in text
    assert "level L3 reached, orders cut" in text
    assert "exhaustive" not in text
