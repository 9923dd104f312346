"""The coverage of the suite: what scenarios aim at, what was met, and why the rest is blank.

Source: CERTIFICATION.md, "Coverage of the suite". When the first tests are red because scenarios changed:
``python -m harness.certify.reached``, or ``--system NAME`` for one system, and look at the difference.
"""

import functools
from types import SimpleNamespace

import msgspec
import needs
import pytest

from harness.certify import aims, corpus, reached
from harness.certify.aims import CALM, FAULTS, LEVELS, Cell
from harness.certify.blanks import Blanks, Why
from harness.certify.matrix import matrix
from harness.certify.reached import BLANK, BY_THE_WAY, MARKS, MET, NEVER, NO_CALL, NOT_RUN, SHARED, Met
from harness.certify.weather import TOGETHER
from harness.core.fault import Fault
from harness.core.scenario import Explore, Operation, Repeat, Scenario, Schedule, Step, World
from harness.errors import HarnessFault
from harness.systems import registry

SYSTEMS = registry.NAMES
SMALL = ("rate_limit", "fallback")  # a fresh run of these takes seconds

suite = functools.cache(corpus.enumerated)
FILE = reached.stored()


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_pair_that_a_scenario_aims_at_is_met_by_the_reference(name):
    """A clause that is named under a fault and never met there looks tested, and is not."""
    planned = set(aims.aimed(registry.get(name), suite(name)))
    assert [] == sorted(planned - FILE.marked(name, MET, SHARED, NO_CALL, NOT_RUN))


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_file_holds_nothing_that_no_scenario_aims_at_any_more(name):
    system = registry.get(name)
    planned = set(aims.aimed(system, suite(name)))
    assert [] == sorted(FILE.marked(name, *MARKS) - set(aims.cells(system)))
    assert [] == sorted(FILE.marked(name, MET, NEVER, SHARED, NO_CALL, NOT_RUN) - planned)
    assert [] == sorted(FILE.marked(name, BY_THE_WAY) & planned)


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_shared_or_was_not_run_is_so_still(name):
    met = FILE.marked(name, MET, BY_THE_WAY)
    assert FILE.marked(name, SHARED) == reached.shared_in(registry.get(name), suite(name), met)
    assert {cell.level for cell in FILE.marked(name, NOT_RUN)} <= set(LEVELS) - set(FILE.systems[name].levels)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_blank_is_explained_by_a_rule(name):
    facts = matrix(registry.get(name), suite(name), FILE)
    assert [] == [fact.cell for fact in facts if fact.is_blank and fact.blank is None]
    assert {fact.cell for fact in facts} == set(aims.cells(registry.get(name)))


@pytest.mark.parametrize("name", SYSTEMS)
def test_under_what_is_unsure_nothing_is_met(name):
    for profile in registry.get(name).contract.PROFILES:
        unsure = aims.unsure_under(registry.get(name), profile)
        assert unsure <= set(FAULTS)
        met = FILE.marked(name, MET, BY_THE_WAY)
        assert set() == unsure & {cell.fault for cell in met if (cell.profile, cell.level) == (profile, "L2")}


def test_the_file_is_of_all_systems_and_of_these_faults_and_both_levels_were_run():
    assert (FAULTS, SYSTEMS) == (FILE.faults, tuple(FILE.systems))
    assert (reached.FORMAT, MARKS) == (FILE.format, FILE.means)
    assert {("L1", "L2")} == {of.levels[:2] for of in FILE.systems.values()}


@needs.namespaces
@pytest.mark.parametrize("name", SMALL)
def test_a_fresh_run_meets_what_the_file_says(name):
    """What was met by the way may hang on a race; what is aimed at may not."""
    fresh = reached.met_by(registry.get(name), corpus.scenarios(name), ("L1", "L2"), jobs=2)
    planned = {cell for cell in aims.aimed(registry.get(name), suite(name)) if cell.level < "L3"}
    assert {cell for cell in FILE.marked(name, MET) if cell.level < "L3"} == fresh.cells & planned


@pytest.mark.parametrize("name", SMALL)
def test_the_enumeration_made_anew_is_what_the_files_hold(name):
    assert corpus.read(name) == corpus.scenarios(name) == corpus.enumerated(name)


# -- what a scenario aims at

NOW = "2026-03-01T12:00:00Z"
ASKED = Operation("next", {"current": "opus"})


def scenario(*steps, clauses=("LK-FB-01",), level="L2", **fields):
    return Scenario(1, "s", "t", "fallback", "ladder", clauses, World(NOW), steps, level=level, **fields)


def fault(name, **params):
    return Step(fault=Fault(name, None, params))


class Toy:
    """A system whose operation ``raises`` scripts a collaborator."""

    name = "toy"
    workload = SimpleNamespace(NOTHING_SURE={"ladder": frozenset({"filesystem.growing"})})

    def scripted_faults(self, invoke):
        return ("collaborator.raises",) if invoke.op == "raises" else ()


RAISES = Step(op=Operation("raises"))
LATER = Step(clock={"by_s": 60.0})


@pytest.mark.parametrize(
    ("steps", "level", "faults"),
    [
        ((Step(op=ASKED),), "L1", (CALM,)),
        ((fault("clock.back"), fault("jsonl.bom"), Step(op=ASKED)), "L2", ("jsonl.bom", "clock.back")),
        ((fault("jsonl.bom", deleted=True), Step(op=ASKED)), "L2", (CALM,)),
        ((Step(repeat=Repeat(2, {}, (fault("jsonl.bom"), Step(op=ASKED)))),), "L2", ("jsonl.bom",)),
        ((Step(schedule=Schedule((ASKED, ASKED))),), "L2", (TOGETHER,)),
        ((Step(schedule=Schedule((ASKED,))),), "L2", (CALM,)),
        ((Step(explore=Explore(("errno", "torn", "power"))), Step(op=ASKED)), "L3", ("syscall.errno", "syscall.torn")),
        ((Step(explore=Explore(("schedule",))), Step(schedule=Schedule((ASKED, ASKED)))), "L3", (TOGETHER,)),
        ((RAISES,), "L2", ("collaborator.raises",)),
        ((fault("jsonl.bom"), RAISES), "L2", ("jsonl.bom",)),
        ((LATER, RAISES), "L1", ("collaborator.raises",)),
        ((LATER, RAISES), "L2", (CALM,)),
        ((fault("filesystem.growing"), Step(op=ASKED)), "L2", ()),
    ],
)  # fmt: skip
def test_a_scenario_aims_at_its_clauses_under_what_strikes_in_it(steps, level, faults):
    steps = tuple(msgspec.convert(msgspec.to_builtins(step), Step) for step in steps)
    assert faults == aims.faults_of(Toy(), scenario(*steps, level=level))


def test_scenarios_are_counted_by_cell():
    both = scenario(fault("jsonl.bom"), Step(op=ASKED), clauses=("A", "B"))
    found = aims.aimed(Toy(), (both, scenario(fault("jsonl.bom"), Step(op=ASKED), clauses=("A",))))
    assert {Cell("ladder", "A", "L2", "jsonl.bom"): 2, Cell("ladder", "B", "L2", "jsonl.bom"): 1} == found


# -- marks

LADDER = registry.get("fallback")
BACK, BOM = Cell("ladder", "LK-FB-01", "L2", "clock.back"), Cell("ladder", "LK-FB-01", "L2", "jsonl.bom")
TWICE = scenario(fault("clock.back"), fault("jsonl.bom"), Step(op=ASKED))
ONCE = scenario(fault("jsonl.bom"), Step(op=ASKED))


def marks(scenarios, levels=("L1", "L2"), met=(), no_call=(), cells=(BACK, BOM)):
    of = reached.lines_of(LADDER, Met(levels, frozenset(met), frozenset(no_call)), scenarios)
    file = reached.written(None, {"fallback": of})
    return "".join(file.mark("fallback", cell) for cell in cells)


def test_a_cell_is_marked_by_what_aims_at_it_and_what_met_it():
    assert MET + NEVER == marks((TWICE, ONCE), met=(BACK,))
    assert BLANK + BY_THE_WAY == marks((), met=(BOM,))
    assert NOT_RUN + NOT_RUN == marks((TWICE,), levels=("L1",))
    assert NO_CALL + NEVER == marks((TWICE,), no_call=(BACK,))


def test_a_scenario_of_several_faults_is_meant_to_show_its_clause_under_one_of_them():
    assert MET + SHARED == marks((TWICE,), met=(BACK,))
    assert NEVER + NEVER == marks((TWICE,))


def test_a_level_that_is_run_anew_leaves_what_is_known_of_the_others(tmp_path, monkeypatch):
    old = reached.written(None, {"fallback": reached.lines_of(LADDER, Met(("L1", "L2"), frozenset({BOM}), frozenset()), (ONCE,))})  # fmt: skip
    monkeypatch.setattr(reached, "path", lambda: tmp_path / "coverage.json")
    (tmp_path / "coverage.json").write_bytes(msgspec.json.encode(old))
    assert old == reached.stored()
    assert (("L1", "L2"), {BOM}, set()) == reached._known(old, "fallback", ("L3",))
    assert ((), set(), set()) == reached._known(old, "fallback", ("L1", "L2"))


def test_a_cell_that_the_file_does_not_know_is_blank():
    file = reached.written(None, {})
    assert BLANK == file.mark("fallback", BOM)


def test_a_run_in_which_the_reference_fails_shows_nothing(monkeypatch):
    broken = SimpleNamespace(run=lambda: iter(()))
    monkeypatch.setattr(reached, "Engine", lambda plan: broken)
    with pytest.raises(HarnessFault, match="fallback, ladder: the run ended without a word"):
        reached.met_by(LADDER, (ONCE,), ("L1", "L2"), jobs=1)


# -- why a cell is blank


@pytest.mark.parametrize(
    ("cell", "known", "why", "by"),
    [
        (("L1", "jsonl.bom"), (), Why.SIMPLEST, ""),
        (("L1", CALM), (("L1", "process.killed"),), Why.OWN_AT_L1, "process.killed"),
        (("L2", CALM), (), Why.CALM, ""),
        (("L2", "syscall.errno"), (), Why.CALLS, ""),
        (("L3", "syscall.delayed"), (("L2", "process.slow_disk"),), Why.DELAYS, "process.slow_disk"),
        (("L3", "clock.back"), (), Why.WHOLE, ""),
        (("L2", "environment.stdin_closed"), (), Why.HOOKS, ""),
        (("L2", "jsonl.bom"), (), Why.FAMILY, "jsonl"),
        (("L2", "filesystem.empty"), (("L2", "filesystem.missing"),), Why.NO_PLACE, "filesystem.missing"),
        (("L2", TOGETHER), (("L3", TOGETHER),), Why.INPUT, ""),
        (("L2", "identifier.null"), (("L2", "identifier.wrong_type"),), Why.SAME_ENTRY, "identifier.wrong_type"),
        (("L2", "clock.back"), (("L1", "process.killed"),), Why.OWN_FAULT, "process.killed"),
        (("L2", "clock.back"), (("L2", "clock.frozen"),), Why.SAME_ROW, "clock.frozen"),
        (("L2", "identifier.nul"), (("L2", "clock.back"),), Why.ARGUMENT, "current"),
        (("L3", "syscall.torn"), (("L3", "syscall.errno"), ("L2", "syscall.torn")), Why.OTHER_CALLS, "syscall.errno"),
        (("L3", TOGETHER), (("L2", TOGETHER),), Why.UNEXPLORED, ""),
        (("L1", CALM), (("L2", "process.killed"),), Why.LATER, "process.killed"),
        (("L2", "clock.back"), (("L2", "filesystem.missing"),), Why.OWN_FILES, "filesystem.missing"),
    ],
)  # fmt: skip
def test_a_blank_is_explained(cell, known, why, by):
    known = [Cell("ladder", "LK-FB-01", *each) for each in known]
    found = Blanks(LADDER, known, {"identifier.nul": frozenset({"current"})}).explain(Cell("ladder", "LK-FB-01", *cell))
    assert (why, by) == found
    assert "{" not in found.text


@pytest.mark.parametrize("cell", [("L1", CALM), ("L2", "clock.back"), ("L2", "identifier.nul")])
def test_what_no_rule_explains_is_not_explained(cell):
    assert None is Blanks(LADDER, (), {}).explain(Cell("ladder", "LK-FB-01", *cell))


def test_a_clause_that_shows_nowhere_and_one_that_is_no_must_are_explained():
    diagnosis = registry.get("diagnosis")
    assert Why.NOWHERE is Blanks(diagnosis, (), {}).explain(Cell("reflection", "DR-MET-01", "L1", CALM)).why
    assert Why.OPTIONAL is Blanks(registry.get("rate_limit"), (), {}).explain(Cell("backoff", may(), "L2", "clock.back")).why  # fmt: skip


def may():
    return next(clause.id for clause in registry.get("rate_limit").catalogue if clause.level.value == "MAY")


def test_a_clause_of_an_optional_group_is_met_under_few_faults():
    known = [Cell("stop_hook", "PS-SES-02", "L2", "clock.time_zone")]
    found = Blanks(registry.get("stop_gate"), known, {}).explain(Cell("stop_hook", "PS-SES-02", "L2", "jsonl.bom"))
    assert (Why.GROUP, "power_steering") == found


def test_where_the_oracle_excuses_another_answer_that_explains_a_blank():
    known = [Cell("stop_hook", "SH-08", "L2", "clock.time_zone"), Cell("stop_hook", "SH-08", "L1", CALM)]
    found = Blanks(registry.get("stop_gate"), known, {}).explain(Cell("stop_hook", "SH-08", "L2", "process.paused"))
    assert (Why.EXCUSED, "a limit of time may be over before the session is read") == found


def test_a_fault_that_only_operations_script_is_met_where_they_do():
    diagnosis, cell = registry.get("diagnosis"), Cell("reflection", "DR-CLS-03", "L2", "collaborator.hangs")
    known = [cell._replace(fault="clock.back"), cell._replace(clause="DR-LLM-01")]
    assert Why.SCRIPTED is Blanks(diagnosis, known, {}, {"collaborator.hangs"}).explain(cell).why
    assert None is Blanks(diagnosis, known, {}).explain(cell)


def test_what_operations_script_is_found_in_a_suite():
    assert {"collaborator.raises"} == aims.scripted_in(Toy(), (scenario(RAISES), scenario(fault("jsonl.bom"))))


def test_where_the_workload_is_sure_of_nothing_that_explains_a_blank():
    gate = registry.get("review_gate")
    assert Why.UNSURE is Blanks(gate, (), {}).explain(Cell("gate", "LK-GEN-04", "L2", "filesystem.growing")).why
