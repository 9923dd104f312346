"""What the oracle says of hostile answers and files, of faults, and of whole days."""

import json

import pytest
from handmade_sessions import (
    CATALOGUE,
    HOME,
    NOON,
    OWN,
    PATHS,
    RESET,
    SAID,
    Day,
    failing,
    found,
    struck,
    task,
)

from harness.core.clause import Level
from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, History
from harness.core.scenario import Scenario, World
from harness.faults import catalogue
from harness.systems import file_faults
from harness.systems.session_recovery.contract import SESSION, STATE_DIRECTORY, SYSTEM
from harness.systems.session_recovery.oracle import permitted, rules, weather

STATE = STATE_DIRECTORY
PARALLEL = {"agents": 3, "implementing": True}


class TestHostileAnswers:
    DEEP = json.loads("[" * 900 + "]" * 900)
    ODD = (
        None,
        5,
        True,
        1.5,
        "x",
        "\ud800",
        [],
        {},
        [None],
        {"a": [1]},
        "y" * 10_000,
        DEEP,
        float("nan"),
        10**400,
        {"\ud800": "\udfff"},
    )

    @pytest.mark.parametrize("field", [
        "steps", "outcome", "continuity", "phase", "interrupted", "checkpoint", "state", "agents", "failure", "log", "action",
        "task", "started", "requirements", "specification", "recorded", "ledger", "task_ids", "stored", "path", "performed", "more",
    ])  # fmt: skip
    def test_nothing_makes_the_oracle_raise(self, field):
        for odd in self.ODD:
            day = Day(in_progress=[task("x")])
            for name, args in (
                ("turn", ()), ("lose", ("x",)), ("claim", ()), ("finish", ("x",)), ("ledger", ()), ("start", ("b", "i")),
                ("save", ()), ("begin", ("major",)), ("begin", ("spawn",)), ("limit", ()), ("fail", ()),
            ):  # fmt: skip
                getattr(day, name)(*args)
                answer = {**day.entries[-1].value, field: odd}
                day.entries[-1] = Entry(0, 0, EntryType.OK, day.entries[-1].op, answer, NOON, (), day.disk)
            assert CheckVerdict.HARNESS_ERROR not in {each.verdict for each in found(day).values()}

    @pytest.mark.parametrize("data", [
        b"", b"\xff", b"{", b"[" * 100_000, b'{"tasks": {"tasks": 3}}', b'{"tasks": [NaN]}', b'{"a":1,"a":2}', b"9" * 6_000, b"null",
        b'{"name": 5, "state": []}', b'["\\ud800"]', b'{"phase": "\\ud800", "tasks": [{"task_id": "\\udfff"}]}', b"\x00" * 99,
    ])  # fmt: skip
    def test_whatever_stands_in_the_files(self, data):
        for label in PATHS:
            day = Day().save().claim().finish().start("b", "i")
            day.files[label] = data
            day.turn().lose("x").claim("b").start("b").ledger("a").limit().begin(args={"breaker": "open"}).save(
                "c2"
            ).lose()
            assert CheckVerdict.HARNESS_ERROR not in {each.verdict for each in found(day).values()}


class TestWeather:
    def test_every_fault_of_the_catalogue_has_a_row(self):
        assert set() == {kind.name for kind in catalogue.EVERY if file_faults.row(kind.name) is file_faults.UNKNOWN}
        assert file_faults.UNKNOWN is file_faults.row("no.such")

    @pytest.mark.parametrize(("fault", "labels"), [
        (Fault("filesystem.full", HOME + ".loki/queue"), weather.QUEUES),
        (Fault("syscall.errno", HOME + ".loki/queue/.lock"), weather.QUEUES),
        (Fault("syscall.errno", PATHS["ledger"] + ".tmp", {"to": PATHS["ledger"]}), {"ledger"}),
        (Fault("syscall.errno", STATE + "/checkpoints/1"), {"checkpoint", "orchestrator", "breakers"}),
        (Fault("filesystem.busy", PATHS["orchestrator"]), {"orchestrator", "checkpoint"}),
        (Fault("syscall.errno", HOME + ".loki/locks/x"), weather.EVERY), (Fault("syscall.errno", "{tmp}/x"), weather.EVERY),
        (Fault("syscall.errno"), weather.EVERY), (Fault("filesystem.full", "{tmp}/x"), set()), (Fault("clock.back"), set()),
        (Fault("environment.odd_umask"), weather.EVERY), (Fault("no.such"), weather.EVERY),
    ])  # fmt: skip
    def test_what_a_fault_shakes(self, fault, labels):
        assert labels == weather.shaken([fault], weather.PLACES)

    def test_without_its_directory_a_file_is_gone(self):
        gone = Fault("filesystem.parent_missing", PATHS["pending"])
        assert weather.QUEUES == weather.damaged([gone], weather.PLACES)

    @pytest.mark.parametrize(("name", "path", "clauses"), [
        ("syscall.errno", "{tmp}/x", set()), ("syscall.errno", PATHS["pending"], {"GEN-02", "SYS-03"}), ("process.killed", None, set()),
        ("syscall.killed", PATHS["pending"], set()), ("filesystem.full", PATHS["pending"], {"GEN-02", "SYS-03"}),
    ])  # fmt: skip
    def test_which_fault_excuses_silence(self, name, path, clauses):
        assert clauses == failing(Day().op("claim", {"worker": "w"}, None, faults=[struck(name, path)]))

    def test_a_fault_that_ended_hides_no_longer(self):
        day = Day().save().claim("a", faults=[struck("filesystem.unreadable", STATE)])
        assert set() == failing(day.lose("a").lose("a", checkpoint="c1", state={"at": "c1"}))
        twice = (struck("filesystem.missing", PATHS["ledger"]),) * 2
        assert set() == failing(Day().ledger(faults=twice[:1]).ledger(faults=twice))

    def test_an_end_that_is_lost_or_the_harness_fault_is_excused(self):
        day = Day()
        day.entries = [Entry(0, 0, EntryType.INVOKE, "claim", {"worker": "w"}, NOON)]
        assert set() == failing(day)
        assert set() == failing(Day().op("ledger", {}, {"blame": "harness"}, ended=EntryType.INFO))

    def test_what_could_not_be_proven_establishes_nothing(self):
        day = Day().turn(faults=[struck("process.killed", None, proof="")])
        assert CheckVerdict.INCONCLUSIVE is found(day, clauses=["LK-GEN-01"])["LK-GEN-01"].verdict
        unmet = Injection(Fault("syscall.errno", PATHS["pending"]), armed=True)
        assert {"GEN-02"} == failing(Day().none("failed", log=SAID, faults=[unmet]).ledger())


class TestTheWhole:
    def test_every_clause_has_a_rule(self):
        assert set(rules.CLAUSES) == {clause.id for clause in CATALOGUE} == set(rules.RULES.clauses)

    def test_of_nothing_nothing_is_found(self):
        assert {} == found()

    def test_a_day_on_which_everything_is_right(self):
        day = Day().turn().claim("a").claim("b").start("a", "GET /").save().finish("a").ledger("a").limit().fail()
        day.begin("spawn", args={**PARALLEL, "worktrees": 3}).begin(args={"breaker": "open"}, performed=False)
        day.lose("b", checkpoint="o1", state={"of": "o1"})
        race = Day().claim("a").claim("b").together(2).lose("a", "b")
        assert set() == failing(day, RESET, race)
        assert {clause.id for clause in CATALOGUE} == set(found(day, RESET, race))

    def test_who_answers_nothing_breaks_every_must_clause(self):
        day = Day(in_progress=[task("x")])
        for op, args in (
            ("begin_turn", {}), ("claim", {"worker": "w"}), ("complete", {"worker": "w", "task_id": "x"}), ("ledger", {}),
            ("start_task", {"task_id": "x", "interface": "i"}), ("checkpoint", {"name": "c", "state": {}}),
            ("begin_operation", {"name": "o", "kind": "spawn", **PARALLEL, "breaker": "closed"}),
            ("begin_operation", {"name": "p", "kind": "minor", "breaker": "closed"}),
            ("begin_operation", {"name": "q", "kind": "minor"}), *(("resume", {"reason": reason}) for reason in
            ("context_loss", "rate_limit", "test_failure")),
        ):  # fmt: skip
            day.op(op, args, None)
        musts = {clause.id[3:] for clause in CATALOGUE if clause.level is Level.MUST}
        assert musts - {"SYS-02"} <= failing(day)

    def test_of_the_ends_that_a_history_may_have_some_are_permitted(self):
        day = Day().claim("a").claim("b").lose("a", "b")
        entries = tuple(
            Entry(n, *(getattr(each, name) for name in Entry.__struct_fields__[1:]))
            for n, each in enumerate(day.entries)
        )
        scenario = Scenario(1, "h", "h", SYSTEM, SESSION, (), World(NOON, {}, {"home": "{home}"}), ())
        wrong = {"interrupted": ["a"]}
        assert ({},) == permitted(scenario, History(entries), CATALOGUE, ({}, wrong))
        assert OWN["checkpoint"] == PATHS["checkpoint"].removeprefix(HOME)
