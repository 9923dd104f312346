"""A certificate says what its run found, and whoever changes one byte of it is found out, by the step that says so."""

import json
import os
import sys

import jsonschema
import msgspec
import pytest
from certified_runs import changed, ours, resealed, steps

from harness.certify import closing, corpus, qualified
from harness.certify.qualified import Qualified
from harness.report import verifying
from harness.report.certificate import Certificate, schema
from harness.report.verifying import STEPS, verified


def test_a_good_certificate_holds_in_every_step(report):
    assert dict.fromkeys(STEPS, True) == steps(report)


@pytest.mark.parametrize("issued", ["L3"], indirect=True)
def test_a_good_certificate_of_l3_holds_too_and_no_variant_can_be_left_out(report):
    assert dict.fromkeys(STEPS, True) == steps(report)
    lines = (report / "events.jsonl").read_bytes().splitlines()
    place = next(n for n, line in enumerate(lines) if b'"origin":"explored"' in line)
    resealed(report, [*lines[:place], *lines[place + 1 :]])
    assert ("counts", False) == list(steps(report).items())[-1]


def test_it_is_an_in_toto_statement_about_the_implementation(report):
    content = json.loads((report / "certificate.json").read_text())
    jsonschema.validate(content, schema())
    assert ("https://in-toto.io/Statement/v1", "https://in-toto.io/attestation/test-result/v0.1") == (
        content["_type"], content["predicateType"],
    )  # fmt: skip
    (subject,) = content["subject"]
    assert ("reference", ours(content)["implementation_digest"]) == (subject["name"], subject["digest"]["sha256"])
    assert "PASSED" == content["predicate"]["result"]
    assert {"LK-RL-01", "LK-RL-06"} <= set(content["predicate"]["passedTests"])
    assert [] == content["predicate"]["failedTests"]
    assert "/tmp" not in (report / "certificate.json").read_text()
    msgspec.json.decode((report / "certificate.json").read_bytes(), type=Certificate)


def test_the_same_run_gives_the_same_certificate_but_for_its_evidence(report, tmp_path, windtunnel, monkeypatch):
    monkeypatch.setattr(closing, "why_not", lambda names: "")
    windtunnel(
        "certify", "reference", "--system", "rate_limit", "--level", "L1", "--cases", "3", "--report", tmp_path / "b"
    )

    def without(place):
        content = json.loads((place / "certificate.json").read_text())
        content["predicate"].pop("configuration")
        ours(content).pop("evidence")
        return content

    assert without(report) == without(tmp_path / "b")


TAMPERED = [
    ("form", lambda c: ours(c).update(format=2)),
    ("form", lambda c: ours(c).pop("seed")),
    ("form", lambda c: ours(c).update(extra=1)),
    ("statement", lambda c: c["subject"][0].update(name="somebody")),
    ("statement", lambda c: c.update(predicateType="x")),
    ("statement", lambda c: c["predicate"].update(result="WARNED")),
    ("statement", lambda c: c["predicate"]["passedTests"].pop()),
    ("evidence", lambda c: (ours(c)["evidence"].update(sha256="0" * 64), c["predicate"]["configuration"][1]["digest"].update(sha256="0" * 64))),
    ("header", lambda c: (ours(c).update(target="mine"), c["subject"][0].update(name="mine"))),
    ("header", lambda c: ours(c).update(level="L2")),
    ("header", lambda c: ours(c).update(seed=7)),
    ("header", lambda c: ours(c).update(fail_open="always")),
    ("header", lambda c: ours(c)["not_checked"].clear()),
    ("counts", lambda c: ours(c)["counts"].update(scenarios=10_000)),
    ("verdicts", lambda c: ours(c)["systems"]["rate_limit"].update(level="L4")),
    ("verdicts", lambda c: ours(c)["systems"]["rate_limit"]["clauses"]["LK-RL-01"].update(reading="other")),
    ("verdicts", lambda c: ours(c)["systems"]["rate_limit"]["clauses"]["LK-RL-01"].update(witnesses=10**6)),
    ("header", lambda c: ours(c)["documents"].update(rate_limit="0" * 64)),
    ("header", lambda c: ours(c)["met"][0].update(name="mine", version="7")),
    ("header", lambda c: ours(c).update(windtunnel="99.0")),
    ("header", lambda c: ours(c).update(cases=10**6)),
    ("verdicts", lambda c: ours(c)["systems"]["rate_limit"].update(qualified={"suite_digest": "0" * 64, "judging_digest": "0" * 64, "killed": 10**6, "mutants": 10**6})),
    ("verdicts", lambda c: ours(c)["systems"]["rate_limit"]["clauses"]["LK-RL-01"].update(reason="audited")),
]  # fmt: skip


@pytest.mark.parametrize(("step", "change"), TAMPERED)
def test_what_was_changed_is_refuted_by_its_step(report, step, change):
    changed(report, change)
    found = steps(report)
    assert (step, False) == list(found.items())[-1]
    assert {True} >= {ok for name, ok in found.items() if name != step}


def test_a_byte_of_the_events_is_missed(report):
    path = report / "events.jsonl"
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"seed":0', b'"seed":1', 1))
    assert ("evidence", False) == list(steps(report).items())[-1]


@pytest.mark.parametrize("is_folder", [False, True])
def test_events_that_cannot_be_read_refute_nothing(report, windtunnel, is_folder):
    path = report / "events.jsonl"
    path.unlink()
    if is_folder:
        path.mkdir()
    place = path / path.name if is_folder else path
    ran = windtunnel("verify", report)
    assert 2 == ran.code
    assert (
        f"cannot read the events of the run {place}: No such file or directory; name them with --evidence [WT-U09]"
        in ran.err
    )
    assert "refuted" not in ran.out


def test_evidence_that_never_ends_is_refused(report, windtunnel):
    for place in ("/dev/zero", report / "fifo"):
        if place != "/dev/zero":
            os.mkfifo(place)
        ran = windtunnel("verify", report, "--evidence", place)
        assert 2 == ran.code
        assert f"cannot read the events of the run {place}: it is no regular file" in ran.err


def test_a_certificate_behind_a_link_holds(report, windtunnel, tmp_path):
    (tmp_path / "link.json").symlink_to(report / "certificate.json")
    (tmp_path / "link.jsonl").symlink_to(report / "events.jsonl")
    assert 0 == windtunnel("verify", tmp_path / "link.json", "--evidence", tmp_path / "link.jsonl").code


def test_one_made_with_another_suite_is_not_judged_again_and_not_called_good(report, monkeypatch):
    monkeypatch.setattr(verifying.corpus, "digest", lambda names: "0" * 64)
    found = steps(report)
    assert (None, None) == (found["suite"], found["judged again"])


def test_the_command_tells_each_step_and_its_exit_code(report, windtunnel):
    ran = windtunnel("verify", report)
    assert 0 == ran.code, ran.out
    assert "holds judged again" in ran.out
    assert 0 == windtunnel("verify", report / "certificate.json", "--evidence", report).code
    changed(report, lambda content: ours(content).update(level="L2"))
    ran = windtunnel("verify", report)
    assert 1 == ran.code
    assert "refuted header: level: not as in the events" in ran.out


def test_the_steps_are_told_as_json_too(report, windtunnel):
    ran = windtunnel("verify", report, "--json")
    told = msgspec.json.decode(ran.out)
    assert (0, 0, True) == (ran.code, told["exit_code"], all(step["holds"] for step in told["steps"]))
    assert [step.name for step in verified(report / "certificate.json", None)] == [
        step["step"] for step in told["steps"]
    ]
    changed(report, lambda content: ours(content).update(level="L2"))
    ran = windtunnel("verify", report, "--json")
    told = msgspec.json.decode(ran.out)
    assert (1, 1) == (ran.code, told["exit_code"])
    assert {"step": "header", "holds": False, "says": "level: not as in the events"} == told["steps"][-1]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"predicate": 1}', "\x00", '{"predicate": {"windtunnel": {"format": 9}}}']
)
def test_what_is_no_certificate_is_refuted_in_a_sentence(tmp_path, windtunnel, text):
    (tmp_path / "certificate.json").write_text(text)
    ran = windtunnel("verify", tmp_path / "certificate.json")
    assert 1 == ran.code
    assert "refuted form" in ran.out


def test_a_certificate_that_is_not_there_is_a_usage_error(tmp_path, windtunnel):
    ran = windtunnel("verify", tmp_path / "none.json")
    assert 2 == ran.code
    assert "cannot read the certificate" in ran.err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--clause", "LK-RL-01"), "only LK-RL-01 was asked for"),
        (("--budget", "60s"), "a budget was set"),
    ],
)
def test_part_of_a_run_is_no_ground_for_one(tmp_path, windtunnel, monkeypatch, more, why):
    monkeypatch.setattr(closing, "why_not", lambda names: "")
    windtunnel(
        "certify", "reference", "--system", "rate_limit", "--level", "L1", "--cases", "0", *more, "--report", tmp_path
    )
    assert f"refused({why})" == json.loads((tmp_path / "result.json").read_text())["certificate"]
    assert not (tmp_path / "certificate.json").exists()


def test_a_harness_certifies_only_the_suite_it_was_qualified_for(monkeypatch):
    known = {
        "rate_limit": Qualified(corpus.digest(("rate_limit",)), qualified.judging_digest("rate_limit"), 3, 3),
        "fallback": Qualified("old", "x", 3, 3),
    }
    monkeypatch.setattr(qualified, "known", lambda: known)
    assert "" == qualified.why_not(["rate_limit"])
    known["signals"] = Qualified(corpus.digest(("signals",)), "another oracle", 3, 3)
    assert "what judges signals has changed since the harness was qualified" == qualified.why_not(["signals"])
    assert "the suite of fallback has changed since the harness was qualified" == qualified.why_not(
        ["rate_limit", "fallback"]
    )
    assert "the harness is not qualified for diagnosis" == qualified.why_not(["rate_limit", "diagnosis"])


def test_what_was_lost_and_gained_is_told(report, issued, windtunnel):
    assert 0 == windtunnel("diff", issued, report).code

    def change(content):
        ours(content)["systems"]["rate_limit"].update(level=None)
        ours(content)["systems"]["rate_limit"]["clauses"]["LK-RL-01"].update(verdict="DEVIATES")
        ours(content).update(implementation_digest="0" * 64, windtunnel="9")
        ours(content)["documents"].update(rate_limit="1" * 64)

    changed(report, change)
    ran = windtunnel("diff", issued, report)
    assert 1 == ran.code
    assert "lost LK-RL-01: CONFORMS, then DEVIATES" in ran.out
    assert "lost rate_limit level: L1, then no level" in ran.out
    assert "the implementation has changed" in ran.out
    assert "what is read out of the documents has changed: rate_limit" in ran.out
    told = msgspec.json.decode(windtunnel("diff", issued, report, "--json").out)
    assert {"name": "LK-RL-01", "was": "CONFORMS", "is": "DEVIATES"} in told["lost"]
    assert (["lost", "gained", "other", "moved"], []) == (list(told), told["gained"])
    assert 0 == windtunnel("diff", report, issued).code


@pytest.mark.parametrize(
    ("text", "why"), [("{", "is cut short"), ("{}", "neither a certificate nor a result"), ("[1]", "neither")]
)
def test_what_cannot_be_compared_is_told(tmp_path, report, windtunnel, text, why):
    (tmp_path / "x.json").write_text(text)
    ran = windtunnel("diff", tmp_path / "x.json", report)
    assert ran.code in (2, 3, 4)
    assert why in ran.err


def test_a_report_of_a_run_that_was_not_certified_is_compared_by_its_result(report, issued, windtunnel):
    (report / "certificate.json").unlink()
    assert 0 == windtunnel("diff", report, issued).code
    (report / "result.json").unlink()
    assert 2 == windtunnel("diff", report, issued).code


def test_it_can_be_run_again_and_comes_out_the_same(report, windtunnel):
    ran = windtunnel("verify", report, "--rerun")
    assert "holds run again: every clause and the digest" in ran.out
    assert 0 == ran.code


def test_another_implementation_is_not_called_the_certified_one(report, windtunnel):
    lines = (report / "events.jsonl").read_bytes().splitlines()
    mutant = f'"replay":"--stdio -- {sys.executable} -m harness.targets.served rate_limit one-retry-more"'
    resealed(report, [lines[0].replace(b'"replay":"reference"', mutant.encode(), 1), *lines[1:]])
    ran = windtunnel("verify", report, "--rerun")
    assert "not known run again: what that names here is another implementation" in ran.out
    assert 5 == ran.code


def test_a_name_in_a_certificate_has_no_line_of_its_own(report, issued, windtunnel):
    changed(report, lambda content: ours(content).update(target="evil\n::error::injected\x1b[31m"))
    said = "the target is another: reference, then evil ::error::injected\\x1b[31m\n"
    assert said in windtunnel("diff", issued, report).out
