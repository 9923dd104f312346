"""What a person sees. Source: issue 2, CLI; CERTIFICATION.md, "A failure report says, in this order"."""

import io
from pathlib import Path

import pytest
from event_stream import CATALOGUE, HOSTILE, STREAMS, judged, passed, stream
from rich.console import Console

from harness.report.console import LINE_EVERY_S, ConsoleReport


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
        "replay: windtunnel replay out/scenarios/s-fault-0.yaml", "also in: s-fault-1, s-fault-2, s-fault-3, s-fault-4 and 2 more",
    ]  # fmt: skip
    assert sorted(out.index(mark) for mark in marks) == [out.index(mark) for mark in marks]


def test_scenarios_that_fail_alike_are_told_once_while_the_run_goes_on():
    assert 1 == shown(STREAMS["nonconformant"]()).count("FAIL T-01")


def test_a_pipe_gets_a_line_now_and_then_and_no_control_characters():
    times = iter([0.0, 0.0, LINE_EVERY_S - 1, LINE_EVERY_S, LINE_EVERY_S])
    out = shown(stream(*(judged(f"s-{n}", passed("T-01")) for n in range(3))), clock=lambda: next(times))
    assert [f"{n} judged, 0 failing; last: s-{n - 1}" for n in (1, 3)] == [
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
    assert any("replay: windtunnel replay out/scenarios/s-fault-0.yaml" in line for line in out.splitlines())
    assert HOSTILE not in out
