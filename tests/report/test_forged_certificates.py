"""Whoever changes the events, and makes footer and certificate fit, is found out by what follows from the histories."""

import sys

import msgspec
import pytest
from certified_runs import finished_as, resealed, steps, without

from harness.certify.explored import Explored, KindFacts
from harness.certify.flaky import FLAKY
from harness.certify.ledger import FailOpen
from harness.core.finding import CheckVerdict
from harness.core.verdict import Outcome
from harness.report.verifying import STEPS


def test_a_verdict_that_was_written_over_a_failure_is_noticed_by_the_checks(report):
    lines = (report / "events.jsonl").read_bytes().splitlines()
    place = next(
        n for n, line in enumerate(lines) if b'"scenario_judged"' in line and b'"LK-RL-01","verdict":"PASS"' in line
    )
    lines[place] = lines[place].replace(b'"LK-RL-01","verdict":"PASS"', b'"LK-RL-01","verdict":"FAIL"', 1)
    resealed(report, lines)
    assert False in steps(report).values()
    assert list(steps(report))[-1] in ("counts", "verdicts")


def test_a_history_that_was_changed_is_noticed_when_it_is_judged_again(report):
    lines = (report / "events.jsonl").read_bytes().splitlines()
    place, old = next(
        (n, line) for n, line in enumerate(lines) if b'"scenario_judged"' in line and b'"delay_s":5.0' in line
    )
    lines[place] = old.replace(b'"delay_s":5.0', b'"delay_s":999.0')
    resealed(report, lines)
    assert ("judged again", False) == list(steps(report).items())[-1]


def facts(calls=0, **kinds):
    return Explored("backoff-l3-status", "backoff", "classify", ("LK-RL-01",), calls, kinds=kinds)


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        ("verdicts", {"outcome": Outcome.INCONCLUSIVE, "exit_code": 5, "strict": False}),
        ("verdicts", {"strict": False}),
        ("verdicts", {"exit_code": 1}),
        ("verdicts", {"fail_open": FailOpen(10**6, 0, 1.0, 0.95, "0 fail-closed in 1,000,000 trials")}),
        ("header", {"certificate": "refused(a check was flaky)"}),
        ("counts", {"counts": {}}),
        ("counts", {"explored": (facts(errno=KindFacts(5, 5)),)}),
    ],
)
def test_a_footer_that_does_not_follow_from_the_checks_is_refuted(report, step, changes):
    finished_as(report, **changes)
    assert (step, False) == list(steps(report).items())[-1]


@pytest.mark.parametrize("verdict", [CheckVerdict.PASS, CheckVerdict.INCONCLUSIVE])
def test_no_check_is_excused_by_calling_it_flaky(report, verdict):
    def change(event):
        if getattr(event, "origin", "") != "plan" or event.scenario.id != "backoff-status-around-429":
            return event
        flaky = [msgspec.structs.replace(each, verdict=verdict, reason=FLAKY) for each in event.findings]
        return msgspec.structs.replace(event, findings=tuple(flaky))

    lines, _ = without((report / "events.jsonl").read_bytes().splitlines(), change)
    resealed(report, lines)
    finished_as(report)
    assert False in steps(report).values()
    finished_as(report, certificate="issued")
    assert list(steps(report))[-1] in ("verdicts", "judged again")
    assert False in steps(report).values()


@pytest.mark.parametrize("issued", ["L2"], indirect=True)
def test_what_struck_is_seen_in_the_histories(report):
    def change(event):
        if getattr(event, "origin", "") != "plan" or not event.weather.faults:
            return event
        return msgspec.structs.replace(
            event,
            history=tuple(msgspec.structs.replace(entry, faults=()) for entry in event.history),
        )

    lines, _ = without((report / "events.jsonl").read_bytes().splitlines(), change)
    resealed(report, lines)
    finished_as(report)
    assert ("judged again", False) == list(steps(report).items())[-1]


@pytest.mark.parametrize(
    ("cheat", "step"), [("leaves it out", "plan"), ("plays another", "plan"), ("blanks it", "judged again")]
)
def test_what_is_cut_out_or_blanked_is_missed_though_everything_else_fits(report, cheat, step):
    def change(event):
        if (
            not hasattr(event, "scenario")
            or getattr(event, "origin", "") != "plan"
            or "another-day" in event.scenario.id
        ):
            return event
        if event.scenario.id != "backoff-status-around-429":
            return event
        if cheat == "leaves it out":
            return None
        if cheat == "blanks it":
            return msgspec.structs.replace(event, history=())
        return msgspec.structs.replace(event, scenario=msgspec.structs.replace(event.scenario, title="Another."))

    lines, _ = without((report / "events.jsonl").read_bytes().splitlines(), change)
    resealed(report, lines)
    finished_as(report)
    assert (step, False) == list(steps(report).items())[-1]


@pytest.mark.parametrize("words", ["", "whatever"])
def test_nothing_struck_but_what_the_history_shows(report, words):
    def change(event):
        if getattr(event, "origin", "") != "plan" or event.scenario.id != "backoff-status-around-429":
            return event
        told = tuple(msgspec.structs.replace(each, observed=words or each.observed) for each in event.findings)
        struck = msgspec.structs.replace(event.weather, struck=("LK-RL-01",))
        return msgspec.structs.replace(event, findings=told, weather=struck)

    lines, _ = without((report / "events.jsonl").read_bytes().splitlines(), change)
    resealed(report, lines)
    finished_as(report)
    assert ("judged again", False) == list(steps(report).items())[-1]


def test_a_certificate_of_who_failed_before_anything_was_explored_holds(tmp_path, qualified_harness, windtunnel):
    mutant = ("--stdio", "--", sys.executable, "-m", "harness.targets.served", "rate_limit", "one-retry-more")
    words = ("--system", "rate_limit", "--level", "L3", "--cases", "0", "--report", tmp_path)
    assert 1 == windtunnel("certify", *words, *mutant).code
    assert dict.fromkeys(STEPS, True) == steps(tmp_path)
