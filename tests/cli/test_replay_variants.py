"""``windtunnel replay`` of a scenario of L3: every variant is played too. Source: CERTIFICATION.md, Levels; issue 4, 8."""

import json
import shutil

import msgspec
import needs
import pytest

from harness.cli import variants
from harness.core.scenario import Explore, FileSpec, Operation, Scenario, Schedule, Step, World, dump
from harness.explore import sweep
from harness.targets.file_calls import FileCalls

pytestmark = needs.namespaces

COUNT = "{home}/.cache/count"
DONE = "{home}/.claude/projects/demo/done.jsonl"
STOP = Step(op=Operation("stop", {"session_id": "s-1", "transcript_path": DONE, "deserves": "approve"}))
CONTROL = Step(op=Operation("stop", {**STOP.op.args, "role": "control"}))
RESET = Step(op=Operation("reset"))
# counts in place; who finds no count holds the session
HOLDS_WITHOUT_A_COUNT = """read n < ~/.cache/count || { echo '{"decision":"block","reason":"the count is lost"}'; exit 0; }
echo $((n + 1)) > ~/.cache/count
"""
COUNTS_ANEW = "read n < ~/.cache/count; echo $((n + 1)) > ~/.cache/count; true\n"


def scenario(*steps, clauses=("SH-01",)):
    files = {COUNT: FileSpec(text="41\n"), DONE: FileSpec(sample="approve")}
    world = World("2026-03-01T12:00:00Z", files)
    return Scenario(1, "tour", "A stop is struck", "stop_gate", "stop_hook", clauses, world, steps, "L3")


STRUCK = scenario(CONTROL, RESET, Step(explore=Explore(("killed",))), STOP, STOP)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes the hook and the scenario, whose names are given back."""
    monkeypatch.chdir(tmp_path)

    def write(hook, played):
        (tmp_path / "hook.sh").write_text(hook)
        (tmp_path / "target.yaml").write_text(
            "name: counter\ncarrier: hook\ncommand: [bash, hook.sh]\npaths: {runtime: '{home}/.cache'}\n"
        )
        (tmp_path / "tour.yaml").write_bytes(dump(played).encode())
        return "tour.yaml", "target.yaml"

    return write


def test_a_variant_that_fails_is_exit_1_and_shown(windtunnel, files):
    ran = windtunnel("replay", *files(HOLDS_WITHOUT_A_COUNT, STRUCK))
    assert 1 == ran.code
    assert "variants: 2 played, 1 failing\nFAIL          PS-FO-01, PS-TST-01, SH-01  tour-killed-" in ran.out
    assert "A stop is struck; killed before close({home}/.cache/count), time 2\n" in ran.out
    assert "INCONCLUSIVE  SH-01" not in ran.out


def test_what_only_variants_meet_counts_as_met(windtunnel, files):
    ran = windtunnel("replay", *files(COUNTS_ANEW, STRUCK))
    assert (0, True) == (ran.code, ran.out.endswith("PASS          SH-07  \nvariants: 2 played, 0 failing\n"))


def test_a_clause_that_no_variant_meets_stays_inconclusive(windtunnel, files):
    unmet = msgspec.structs.replace(STRUCK, clauses=("SH-04",))
    ran = windtunnel("replay", *files(COUNTS_ANEW, unmet))
    assert (5, True) == (ran.code, "INCONCLUSIVE  SH-04" in ran.out)


def test_a_folder_names_what_fails_in_a_variant(windtunnel, files, tmp_path):
    name, target = files(HOLDS_WITHOUT_A_COUNT, STRUCK)
    (tmp_path / "all").mkdir()
    shutil.move(name, "all")
    ran = windtunnel("replay", "all", target)
    assert (1, "FAIL          tour  PS-FO-01, PS-TST-01, SH-01") == (ran.code, ran.out.splitlines()[1])


def test_orders_are_variants(windtunnel, files):
    steps = (Step(explore=Explore(("schedule",))), Step(schedule=Schedule((STOP.op, STOP.op))))
    ran = windtunnel("replay", *files(COUNTS_ANEW, scenario(*steps, clauses=("SH-07",))))
    assert (0, True) == (ran.code, ran.out.endswith("variants: 24 played, 0 failing\n"))


def test_where_no_call_can_be_supervised_nothing_is_shown(windtunnel, files, monkeypatch):
    monkeypatch.setattr(FileCalls, "refusal", lambda self: "the kernel refuses")
    ran = windtunnel("replay", *files(COUNTS_ANEW, STRUCK))
    assert (5, True) == (ran.code, ran.out.endswith("variants: none played: the kernel refuses\n"))


def test_only_the_first_failing_variants_are_shown(windtunnel, files, monkeypatch):
    monkeypatch.setattr(variants, "SHOWN", 0)
    ran = windtunnel("replay", *files(HOLDS_WITHOUT_A_COUNT, STRUCK))
    assert (1, True) == (ran.code, ran.out.endswith("variants: 2 played, 1 failing\nand 1 more\n"))


def test_an_order_that_cannot_be_made_is_inconclusive_and_no_failure_of_the_program(windtunnel, files):
    steps = (Step(schedule=Schedule((STOP.op, STOP.op), (0, 7))),)
    ran = windtunnel("replay", *files(COUNTS_ANEW, scenario(*steps, clauses=("SH-07",))))
    why = "the harness gave this run up: a run did not repeat what it had done before, after 1 steps"
    assert (5, f"INCONCLUSIVE  SH-07  {why}") == (ran.code, ran.out.splitlines()[-1])


def test_orders_that_say_nothing_are_told_and_leave_it_open(windtunnel, files, monkeypatch):
    explored = sweep.explored_orders
    monkeypatch.setattr(
        sweep,
        "explored_orders",
        lambda *args, **more: msgspec.structs.replace(
            explored(*args, **more), untold=2, inconclusive=("it took long",)
        ),
    )
    steps = (Step(explore=Explore(("schedule",))), Step(schedule=Schedule((STOP.op, STOP.op))))
    ran = windtunnel("replay", *files(COUNTS_ANEW, scenario(*steps, clauses=("SH-07",))))
    assert 5 == ran.code
    assert ran.out.endswith("failing\nINCONCLUSIVE  tour: 2 of 24 say nothing, one because it took long\n")


def test_a_variant_that_failed_once_and_not_again_leaves_it_open(windtunnel, files, monkeypatch):
    monkeypatch.setattr(variants, "confirmed", lambda first, again: ())
    ran = windtunnel("replay", *files(HOLDS_WITHOUT_A_COUNT, STRUCK))
    once = ran.out.splitlines()[-1]
    assert (5, "variants: 2 played, 0 failing") == (ran.code, ran.out.splitlines()[-2])
    assert (True, True) == (
        once.startswith("INCONCLUSIVE  tour-killed-"),
        once.endswith(": failed once and not again: PS-FO-01, PS-TST-01, SH-01"),
    )


def test_as_json_the_variants_are_counted_and_the_failing_ones_are_there(windtunnel, files):
    ran = windtunnel("replay", *files(HOLDS_WITHOUT_A_COUNT, STRUCK), "--json")
    (scenario,) = json.loads(ran.out)["scenarios"]
    (failing,) = scenario["variants"].pop("failing")
    assert (1, {"played": 2, "inconclusive": [], "refused": ""}) == (ran.code, scenario["variants"])
    assert "A stop is struck; killed before close({home}/.cache/count), time 2" == failing["title"]
    assert ["PS-FO-01", "PS-TST-01", "SH-01"] == [finding["clause"] for finding in failing["findings"]]
    assert [{"FAIL"}, True] == [
        {finding["verdict"] for finding in failing["findings"]},
        all(finding["expected"] and finding["observed"] for finding in failing["findings"]),
    ]
