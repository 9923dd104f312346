"""Text of what is under test stands on the line it was put on, and no CI takes it for a command."""

import io
from pathlib import Path

import msgspec
import pytest
from event_stream import CATALOGUE, STREAMS, failed, judged, stream
from rich.console import Console

from harness.certify.events import HarnessBroke
from harness.report.console import ConsoleReport
from harness.report.markdown import page
from harness.report.text import as_line, escape_line

EVIL = "evil\n::error::injected\r\n\x1b[31m"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("  two  blanks ", "  two  blanks "),
        ("  one\n  two\u2028\n\nthree", "  one two three"),
        (EVIL, "evil ::error::injected \\x1b[31m"),
        ("::error::x", "'::error::x'"),
        ("\n ::error::x", "'::error::x'"),
        (" ##vso[task.x]y", "' ##vso[task.x]y'"),
        ("## a heading", "## a heading"),
    ],
)
def test_a_text_is_one_line(text, line):
    assert line == as_line(text)


def test_on_the_screen_it_has_no_markup_either():
    assert "\\[red]x [/]" == escape_line("[red]x\n[/]").replace("\\[/]", "[/]")


@pytest.mark.parametrize("terminal", [False, True])
def test_no_line_of_the_console_is_the_targets_own(terminal):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=200, color_system=None)
    report = ConsoleReport(console, (CATALOGUE,), Path("out"))
    events = stream(
        judged("s", failed("T-01", EVIL), title=EVIL, said=EVIL),
        HarnessBroke(scenario="s", error=EVIL),
        target="::warning::x",
        uncontained=(EVIL,),
    )
    for event in events:
        report.handle(event)
    report.close()
    begins = [line.strip()[:2] for line in out.getvalue().splitlines()]
    assert [] == [each for each in begins if each == "::"]
    assert "\x1b[31m" not in out.getvalue()


def test_the_page_escapes_what_its_header_says():
    started, *_, finished = STREAMS["conformant"]()
    started = msgspec.structs.replace(started, windtunnel="1\n# <b>", level="`x`")
    text = page(started, finished, [], (CATALOGUE,))
    assert "\nwindtunnel 1 \\# \\<b\\> · profiles" in text
    assert "level asked \\`x\\` ·" in text
