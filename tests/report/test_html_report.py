"""The HTML report: one file that needs nothing else, and in which nothing runs but its own script."""

import json
import re
import sys
from html.parser import HTMLParser

import pytest
from event_stream import CATALOGUE, failed, judged, passed, stream
from html_runs import MARKUP, hostile, html_of, large

from harness.report.files import EventsFile
from harness.report.html.page import HtmlFile


class Parsed(HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def page():
    return html_of(hostile())


def test_the_same_run_gives_the_same_page(page):
    assert page == html_of(hostile())


def test_it_asks_nobody_for_anything(page):
    found = Parsed(page).elements
    assert [] == [each for each in found if each[0] in ("link", "iframe", "img", "object", "embed", "base", "form")]
    assert [] == [attrs for tag, attrs in found if "src" in attrs or "srcset" in attrs]
    assert {True} == {attrs["href"].startswith("#") for tag, attrs in found if "href" in attrs}
    assert [] == re.findall(r"url\((?!#)|@import|https?://(?!www\.w3\.org)", page)
    (policy,) = (attrs["content"] for tag, attrs in found if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in policy


def test_text_of_whoever_is_tested_is_text(page):
    assert MARKUP not in page
    assert MARKUP in " ".join(Parsed(page).text)
    assert 1 == page.count("<script>")
    assert [] == [attrs for _, attrs in Parsed(page).elements if any(name.startswith("on") for name in attrs)]


def test_verdict_and_level_stand_on_top_then_the_clauses(page):
    text = " ".join(" ".join(Parsed(page).text).split())
    assert text.index("nonconformant") < text.index("L1 stopped by T-01") < text.index("T-02")
    for title in ("Failures", "Breaker states over time", "Faults", "Schedules and crash states explored",
                  "What was not checked, and why", "The run"):  # fmt: skip
        assert title in text


def test_a_failure_has_its_history_its_replay_and_the_states_of_its_breakers(page):
    found = Parsed(page)
    text = " ".join(" ".join(found.text).split())
    assert "expected the session may end" in text
    assert re.search(r"windtunnel replay [0-9a-f]{6}", text)
    assert "History: 4 operations" in text
    assert "filesystem.full {home}/state.json: statvfs" in text
    assert "{home}/state.json changed, 2 bytes" in text
    assert page.count("HALF_OPEN</text>") >= 1


def test_every_picture_has_words_beside_it_and_names_of_its_own(page):
    found = Parsed(page).elements
    assert 4 <= sum(tag == "svg" for tag, _ in found) == sum(tag == "figcaption" for tag, _ in found)
    ids = [attrs["id"] for _, attrs in found if "id" in attrs]
    assert sorted(set(ids)) == sorted(ids)


def test_what_is_not_checked_says_why(page):
    text = " ".join(" ".join(Parsed(page).text).split())
    assert "not contained: <img" in text
    assert "did not fire" in text


def test_a_hundred_thousand_checks_make_a_small_page():
    assert len(html_of(list(large()))) < 10_000_000


def test_a_calm_run_has_no_failures_and_no_empty_sections():
    text = "".join(Parsed(html_of(stream(judged("one", passed("T-01"), passed("T-02"), passed("T-03"))))).text)
    assert "Failures" not in text
    assert "Explored" not in text


@pytest.fixture
def run(tmp_path):
    """A stored run."""
    file = EventsFile(tmp_path)
    for event in stream(judged("one", failed("T-01"))):
        file.handle(event)
    file.close()
    return tmp_path


def test_reports_are_made_from_the_events_alone(windtunnel, tmp_path):
    report = tmp_path / "run"
    ran = windtunnel(
        "certify", "reference", "--system", "rate_limit", "--level", "L1", "--cases", "0", "--report", report
    )
    before = {name: (report / name).read_text() for name in ("result.json", "junit.xml", "report.md")}
    for name in before:
        (report / name).unlink()
    ran = windtunnel("report", report, "--format", "html,junit,markdown,json")
    assert 0 == ran.code, ran.err
    assert [str(report / name) for name in ("report.html", "junit.xml", "report.md", "result.json")] == ran.out.split()
    assert before == {name: (report / name).read_text() for name in before}
    assert "LK-RL-06" in (report / "report.html").read_text()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda lines: lines[:-1], "cut short"),
        (lambda lines: [*lines[:-1], lines[-1][:40]], "cut short or no run of windtunnel"),
        (lambda lines: ["{}"], "cut short or no run of windtunnel"),
        (lambda lines: [], "cut short"),
        (lambda lines: [json.dumps({**json.loads(lines[0]), "format": 9}), *lines[1:]], "has format 9; this version reads format 2"),
        (lambda lines: [lines[0].replace('"level"', '"levels"'), *lines[1:]], "no run of windtunnel"),
    ],
)  # fmt: skip
def test_what_is_no_run_of_this_version_is_told(run, windtunnel, change, why):
    path = run / "events.jsonl"
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
    ran = windtunnel("report", run)
    assert ran.code != 0
    assert why in ran.err
    assert not (run / "report.html").exists()


def test_a_format_or_a_run_that_is_not_there_is_a_usage_error(run, windtunnel):
    assert (
        "there is no format 'pdf'; there are html, junit, markdown, json"
        in windtunnel("report", run, "--format", "pdf").err
    )
    assert 2 == windtunnel("report", run / "none").code


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_without_the_extra_it_says_what_to_install(run, windtunnel, monkeypatch, missing):
    for name in [each for each in sys.modules if each.startswith(("harness.report.html", missing))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    ran = windtunnel("report", run)
    assert 2 == ran.code
    assert "pip install 'windtunnel[report]'" in ran.err


def test_as_json_the_files_are_named(run, windtunnel):
    ran = windtunnel("report", run, "--format", "junit,json", "--json")
    paths = [run / "junit.xml", run / "result.json"]
    assert (0, "", [True, True]) == (ran.code, ran.err, [path.is_file() for path in paths])
    assert {"run": str(run), "files": [str(path) for path in paths]} == json.loads(ran.out)


def test_the_file_has_what_the_events_say_with_their_histories(tmp_path):
    events = hostile()
    page = HtmlFile(tmp_path, (CATALOGUE,))
    for event in events:
        page.handle(event)
    assert html_of(events) + "\n" == (tmp_path / "report.html").read_text("utf-8")
