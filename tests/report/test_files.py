"""What a run leaves in its report directory. Source: issue 2, "Results"."""

import hashlib
import json
import os
import re

import jsonschema
import msgspec
import pytest
import yaml
from event_stream import ALL, CATALOGUE, HOSTILE, STREAMS, failed, judged, outcomes, scenario, stream
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from harness.certify import events as stored
from harness.certify.events import Waiting
from harness.core.scenario import load
from harness.core.verdict import Outcome
from harness.errors import FileFormatError, UsageError
from harness.report.failures import short_ids
from harness.report.files import EventsFile, JUnitFile, ResultFile, ScenarioFiles, laid_out, prepare, read_events
from harness.report.markdown import MarkdownFile
from harness.report.result import Result, schema

NAMES = list(STREAMS)


def written(events, directory):
    prepare(directory)
    handlers = [
        EventsFile(directory), ScenarioFiles(directory), ResultFile(directory), JUnitFile(directory),
        MarkdownFile(directory, (CATALOGUE,)),
    ]  # fmt: skip
    for event in events:
        for handler in handlers:
            handler.handle(event)
    for handler in handlers:
        handler.close()
        handler.close()
    return directory


@pytest.fixture
def report(tmp_path):
    return tmp_path / "deep" / "report"


def result(directory):
    return json.loads((directory / "result.json").read_text())


def test_the_streams_of_these_tests_end_in_every_way_but_untestable():
    assert set(Outcome) - {Outcome.UNTESTABLE} == outcomes()


@pytest.mark.parametrize("name", NAMES)
def test_the_result_is_as_its_schema_says_and_reads_back(report, name):
    folder = written(STREAMS[name](), report)
    jsonschema.Draft202012Validator(schema()).validate(result(folder))
    read = msgspec.json.decode((folder / "result.json").read_bytes(), type=Result)
    assert result(folder) == json.loads(msgspec.json.encode(read))


def test_a_result_with_a_field_that_nobody_knows_is_not_as_its_schema_says(report):
    found = result(written(STREAMS["second_level"](), report))
    with pytest.raises(jsonschema.ValidationError, match="'more' was unexpected"):
        jsonschema.Draft202012Validator(schema()).validate({**found, "more": 1})


@pytest.mark.parametrize("name", NAMES)
def test_the_result_has_the_fields_of_the_issue(report, name):
    found = result(written(STREAMS[name](), report))
    assert {"outcome", "strict", "exit_code", "seed", "digest", "certificate", "systems"} <= set(found)
    assert found["outcome"] in {outcome.value for outcome in Outcome}
    assert (bool, int, int, str, str) == tuple(
        type(found[field]) for field in ("strict", "exit_code", "seed", "digest", "certificate")
    )
    system = found["systems"]["stop_gate"]
    assert system["level"] in (None, "L1", "L2", "L3", "L4")
    for clause in CATALOGUE:
        verdict = system["clauses"][clause.id]
        assert {"verdict", "reason", "witnesses", "reading", "scenario"} <= set(verdict)
        assert verdict["verdict"] in ("CONFORMS", "DEVIATES", "NOT_ESTABLISHED", "NOT_APPLICABLE")
        assert isinstance(verdict["witnesses"], int)


@pytest.mark.parametrize(
    ("name", "code"),
    [("conformant", 0), ("nonconformant", 1), ("harness_fault", 3), ("inconclusive", 5), ("interrupted", 130)],
)
def test_outcome_and_exit_code_belong_together(report, name, code):
    found = result(written(STREAMS[name](), report))
    assert (name, code) == (found["outcome"], found["exit_code"])


def test_the_result_of_a_failing_run_reads(report, snapshot):
    assert snapshot == (written(STREAMS["nonconformant"](), report) / "result.json").read_text()


def test_the_page_of_a_failing_run_reads(report, snapshot):
    assert snapshot == (written(STREAMS["nonconformant"](), report) / "report.md").read_text()


def cases(directory):
    document = JUnitXml.fromfile(str(directory / "junit.xml"))
    return {case.name: case.result for suite in document for case in suite}


@pytest.mark.parametrize("name", NAMES)
def test_the_junit_file_has_a_case_a_clause_and_nothing_open_is_skipped(report, name):
    events = STREAMS[name]()
    found = cases(written(events, report))
    kinds = {"CONFORMS": [], "DEVIATES": [Failure], "NOT_ESTABLISHED": [Error], "NOT_APPLICABLE": [Skipped]}
    for id_, clause in events[-1].systems["stop_gate"].clauses.items():
        assert kinds[clause.verdict.value] == [type(entry) for entry in found[id_]]


@pytest.mark.parametrize("name", ["harness_fault", "interrupted", "cut"])
def test_the_junit_file_of_a_run_that_ended_early_is_not_all_green(report, name):
    document = JUnitXml.fromfile(str(written(STREAMS[name](), report) / "junit.xml"))
    assert 1 <= document.errors


def test_hostile_text_is_inert_in_junit(report):
    directory = written(STREAMS["hostile"](), report)
    text = (directory / "junit.xml").read_text("utf-8")
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "\\x00" in text
    assert isinstance(cases(directory)["T-02"][0], Error)


def test_hostile_text_is_inert_on_the_page(report):
    """No tag, table cell, code span, link or heading of its own: each mark of Markdown stands escaped."""
    page = (written(STREAMS["hostile"](), report) / "report.md").read_text("utf-8")
    assert "<script>" not in page.replace("\\<", "")
    assert "\x1b" not in page
    assert "\x00" not in page
    assert "\\[bold\\]red\\[/\\]" in page
    assert "\\*\\*loud\\*\\*" in page
    rows = [line for line in page.splitlines() if line.startswith("| T-")]
    assert {7} == {line.replace("\\|", "").count("|") for line in rows}
    assert [] == [line for line in page.splitlines() if line.lstrip().startswith("# no")]


def test_each_failing_scenario_is_a_file_that_loads_to_the_same_scenario(report):
    events = STREAMS["hostile"]()
    folder = written(events, report) / "scenarios"
    assert [events[1].scenario] == [load(path.read_bytes(), where=path.name) for path in folder.glob("*.yaml")]
    assert HOSTILE == yaml.safe_load((folder / "s-hostile.yaml").read_text("utf-8"))["title"]


def test_the_index_leads_from_a_short_id_to_its_file(report):
    directory = written(STREAMS["nonconformant"](), report) / "scenarios"
    index = json.loads((directory / "index.json").read_text())
    assert sorted(path.name for path in directory.glob("*.yaml")) == sorted(index.values())
    for short, name in index.items():
        assert hashlib.sha256((directory / name).read_bytes()).hexdigest().startswith(short)
        assert len(short) >= 6


def test_short_ids_are_as_long_as_it_takes_to_differ():
    many = [scenario(f"s-{n}") for n in range(5_000)]
    shorts = short_ids(many)
    assert len(many) == len(set(shorts.values()))
    assert {6} == {len(short) for short in short_ids(many[:2]).values()}
    assert 6 < len(shorts[many[0].id])  # of so many, two share six characters
    assert shorts[many[0].id].startswith(short_ids(many[:1])[many[0].id])


def test_a_later_run_does_not_keep_the_index_of_an_earlier_one(report):
    written(STREAMS["nonconformant"](), report)
    written(STREAMS["conformant"](), report)
    assert [] == list((report / "scenarios").iterdir())


def test_what_is_waited_for_is_no_part_of_a_stored_run(report):
    events = stream(judged("s-1", *ALL))
    heard = [events[0], Waiting(what="s-1", seconds=3.0, others=0), *events[1:]]
    assert events == read_events(written(heard, report))


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("second_level", [[], []]),
        ("stopped_by_a_deviation", [[], [Failure]]),
        ("stopped_by_what_is_open", [[], [Error]]),
        ("interrupted", [[Error]]),
        ("nonconformant", [[Failure]]),
    ],
)
def test_the_junit_file_has_a_case_a_level(report, name, kinds):
    found = cases(written(STREAMS[name](), report))
    levels = [results for case, results in found.items() if case.startswith("level ")]
    assert kinds == [[type(entry) for entry in results] for results in levels]


def test_a_failing_case_of_junit_says_how_to_replay_it(report):
    text = cases(written(STREAMS["nonconformant"](), report))["T-01"][0].text
    assert re.search(r"^scenario s-fault-0\nwindtunnel replay [0-9a-f]{6} --report ", text)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_did_not_come_to_its_end_establishes_nothing_in_any_file(report, name):
    events = STREAMS[name]()
    found = result(written(events, report))
    assert events[-1].complete == found["complete"]
    if not found["complete"]:
        assert {None} == {system["level"] for system in found["systems"].values()}
        assert "CONFORMS" not in json.dumps(found["systems"])
        assert "| CONFORMS" not in (report / "report.md").read_text()


def test_the_result_holds_plan_levels_fail_open_rate_and_ledger(report):
    found = result(written(STREAMS["second_level"](), report))
    assert {"files": 264, "sha256": "p" * 64} == found["plan"]
    levels = found["systems"]["stop_gate"]["levels"]
    assert {"L1": True, "L2": True} == {name: level["reached"] for name, level in levels.items()}
    assert (202, 0) == (found["fail_open"]["trials"], found["fail_open"]["failed"])
    assert {"fired": 1, "witnessed": 2, "verdict": "PASS"} == found["ledger"]["clauses"]["T-01"]["jsonl.bom"]
    assert "mounts are refused" == found["ledger"]["faults"]["filesystem.busy"]["why_not"]
    assert ["transcript", "config", "calls"] == [row["row"] for row in found["ledger"]["rows"]]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)


@given(values)
def test_a_result_is_laid_out_without_changing_it(value):
    assert value == json.loads(laid_out(value))


def test_a_run_without_failures_leaves_no_scenarios(report):
    assert not (written(STREAMS["conformant"](), report) / "scenarios").exists()


@pytest.mark.parametrize("name", NAMES)
def test_stored_events_come_back_equal(report, name):
    events = STREAMS[name]()
    assert events == read_events(written(events, report))
    assert events == read_events(report / "events.jsonl")


def test_each_event_is_on_disk_before_the_next_comes(report):
    prepare(report)
    handler = EventsFile(report)
    for n, event in enumerate(STREAMS["conformant"](), start=1):
        handler.handle(event)
        assert n == len((report / "events.jsonl").read_bytes().splitlines())
    handler.close()


def lines(report):
    return (written(STREAMS["conformant"](), report) / "events.jsonl").read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        pytest.param(lambda found: found[:-1], "cut short", id="no footer"),
        pytest.param(lambda found: [*found[:-1], found[-1][:40]], "cut short", id="half a footer"),
        pytest.param(lambda found: found[1:], "cut short", id="no header"),
        pytest.param(lambda found: found[:1], "cut short", id="header alone"),
        pytest.param(lambda found: [], "cut short", id="empty"),
        pytest.param(
            lambda found: [found[0], b"{}\n", found[-1]], "no run of windtunnel", id="a line that is no event"
        ),
        pytest.param(lambda found: [b"\xff\xfe\n"], "no run of windtunnel", id="no text"),
        pytest.param(
            lambda found: [found[0].replace(b'"format":2', b'"format":9'), *found[1:]],
            "has format 9",
            id="other format",
        ),
    ],
)
def test_a_run_that_is_not_whole_is_refused(report, damage, sentence):
    found = lines(report)
    (report / "events.jsonl").write_bytes(b"".join(damage(found)))
    with pytest.raises(FileFormatError, match=sentence):
        read_events(report)


def test_a_run_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read the run .*: No such file or directory"):
        read_events(tmp_path)


def test_an_earlier_run_is_taken_out_of_the_report_and_the_rest_left(report):
    written(STREAMS["hostile"](), report)
    (report / "mine.txt").write_text("mine")
    prepare(report)
    assert {"mine.txt", "events.jsonl", "scenarios"} >= {path.name for path in report.iterdir()}
    assert [] == list((report / "scenarios").glob("*"))
    assert "mine" == (report / "mine.txt").read_text()


@pytest.mark.parametrize("kind", ["a file", "below a file", "a directory in the way"])
def test_a_report_that_cannot_be_written_is_a_usage_error(tmp_path, kind):
    place = tmp_path / "report"
    if kind == "a directory in the way":
        (place / "result.json").mkdir(parents=True)
    else:
        place.write_text("")
        place = place if kind == "a file" else place / "below"
    with pytest.raises(UsageError, match=r"cannot write the report to .*; choose another with --report"):
        prepare(place)


def test_a_scenario_of_a_hostile_id_stays_in_the_report(report):
    """Ids come from our own files, or from a file given to replay; none may leave the folder."""
    event = judged("s-1", failed("T-01"))
    written(stream(event), report)
    assert ["index.json", "s-1.yaml"] == sorted(os.listdir(report / "scenarios"))
    assert scenario("s-1") == event.scenario


def test_every_line_of_the_events_decodes_by_itself(report):
    written(stream(judged("s-1", *ALL)), report)
    for line in (report / "events.jsonl").read_bytes().splitlines():
        assert line == stored.encode(stored.decode(line)).rstrip(b"\n")
