"""What a qualification comes to, and how people are told."""

import json

import jsonschema
import msgspec
import pytest

from harness.certify import corpus
from harness.cli.qualified import shown, told
from harness.qualify import materialise
from harness.qualify.degenerates import Refuted
from harness.qualify.harness_mutants import NONE, Heard
from harness.qualify.matrix import matrix
from harness.qualify.mutants import Killed
from harness.qualify.page import page
from harness.qualify.qualification import Layered, qualification
from harness.qualify.subjects import blind, written
from harness.systems import registry

SYSTEM = registry.get("rate_limit")


@pytest.fixture(autouse=True)
def no_equivalents(monkeypatch):
    """Those of the project are about its own mutants."""
    monkeypatch.setattr("harness.qualify.qualification.equivalents", dict)


def fate(name="m", kind="written", killed=True, **more):
    fields = {
        "name": name, "system": "rate_limit", "kind": kind, "clause": "LK-RL-06", "profile": "backoff", "level": "L1",
        "killed": killed, "killed_by": "LK-RL-06" if killed else "", "layer": "scenario" if killed else "",
        "scenario": "backoff-calm" if killed else None, "examples": 3, "seconds": 0.5,
        "killed_at": "L1" if killed else None,
    }  # fmt: skip
    return Killed(**{**fields, **more})


def came(fates=(), matrix=None, missing=None, degenerates=(), heard=(), of_kind=None):
    return qualification((SYSTEM,), "suite", "", fates, matrix or {}, missing or {}, degenerates, heard, of_kind or {})


def degenerate(*passed):
    return Refuted("rate_limit", "always-no", 0, 5, passed, 3, 0.4)


def test_a_harness_that_notices_everything_is_qualified():
    found = came(
        [fate(), fate("b", "blind"), fate("g", "generated")],
        degenerates=[degenerate()],
        heard=[Heard(NONE, caught=False), Heard("nothing-binds", caught=True, canary="reference-conforms", says="x")],
        of_kind={"generated": 20},
    )
    assert () == found.unqualified
    assert {"written", "blind", "generated"} == found.rates.keys()
    assert "1 of 1 killed: at least 5.000 % at 95 % confidence" == found.rates["blind"].says
    assert 0.5 == found.median_seconds
    msgspec.json.decode(msgspec.json.encode(found), type=type(found))


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ({"fates": [fate(killed=False)]}, "rate_limit/m survived"),
        ({"fates": [fate(level="L2")]}, "rate_limit/m is said to need L2, and dies at L1"),
        ({"fates": [fate(kind="blind", killed=False)]}, "of the blind mutants 0 of 1 were killed, fewer than 95%"),
        ({"fates": [fate(kind="generated", killed=False)], "of_kind": {"generated": 1}},
         "of the generated mutants 0 of 1 were killed, fewer than 95%"),
        ({}, "nothing was run"),
        ({"missing": {"LK-RL-01": "untested: no mutant breaks it"}}, "LK-RL-01 untested: no mutant breaks it"),
        ({"degenerates": [degenerate("LK-RL-01")]}, "always-no (seed 0) passes LK-RL-01 of rate_limit"),
        ({"heard": [Heard(NONE, caught=True, canary="faults-kill", says="it lives")]},
         "the canary faults-kill complains of the harness as it is: it lives"),
        ({"heard": [Heard(NONE, caught=False, broke="faults-kill: E")]}, "a canary broke: faults-kill: E"),
        ({"heard": [Heard("nothing-binds", caught=False)]}, "no canary notices nothing-binds"),
        ({"heard": [Heard("nothing-binds", caught=False, broke="c: E")]}, "no canary notices nothing-binds (c: E)"),
    ],
)  # fmt: skip
def test_what_goes_unnoticed_keeps_from_qualifying(what, why):
    assert (why,) == came(**what).unqualified


def test_too_many_equivalent_mutants_keep_from_qualifying(monkeypatch):
    monkeypatch.setattr(
        "harness.qualify.qualification.equivalents", lambda: {"rate_limit": {"a@m": "why", "b@m": "why", "c": "why"}}
    )
    found = came([fate(kind="generated")], of_kind={"generated": 3})
    assert ("2 of 3 generated mutants are equivalent, more than 5%",) == found.unqualified
    assert {"rate_limit/a@m": "why", "rate_limit/b@m": "why"} == found.equivalent
    found = came([fate(kind="blind")], of_kind={"blind": 20})
    assert ((), {"rate_limit/c": "why"}) == (found.unqualified, found.equivalent)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (fate(killed=False), "survived[/] rate_limit/m (LK-RL-06): nothing failed"),
        (fate(killed=False, killed_by="LK-RL-01"), "survived[/] rate_limit/m (LK-RL-06): only LK-RL-01 failed"),
        (fate(killed=False, error="it never starts"), "survived[/] rate_limit/m (LK-RL-06): it never starts"),
        (fate(killed=False, crashed=True), "survived[/] rate_limit/m (LK-RL-06): it only crashed"),
        (fate(killed=False, flaky="one"), "survived[/] rate_limit/m (LK-RL-06): one killed it once and not again"),
        (fate(killed=False, clause=""), "survived[/] rate_limit/m: nothing failed"),
    ],
)
def test_a_survivor_is_told_with_what_happened(one, expected):
    assert expected in told(one)


def everything():
    fates = [fate(f"m{number}") for number in range(70)]
    fates += [fate("b", "blind", killed=False), fate("g|x", "generated", killed=False, crashed=True)]
    return came(
        fates,
        missing={"LK-RL-01": "untested: no mutant breaks it"},
        degenerates=[degenerate(), degenerate("LK-RL-02")],
        heard=[Heard(NONE, caught=False), Heard("nothing-binds", caught=True, canary="reference-conforms", says="no")],
        of_kind={"generated": 2},
    )


def test_the_page_reads(snapshot):
    assert snapshot == page(everything())


def test_the_page_of_a_matrix_counts_each_layer():
    layers = {"rate_limit/m": {"scenario": Layered(True, "a", 1, 0.1), "clock": Layered(True, "b", 1, 0.1)}}
    text = page(came([fate()], matrix=layers))
    assert "Each mutant was run in every layer." in text
    assert "| rate_limit | 1 | 0 | 0 | 0 | 0 | 1 |" in text


def test_many_mutants_are_shown_system_by_system():
    lines = list(shown(everything()))
    assert ["system", "written", "blind", "generated", "logic", "median seconds to kill"] == [
        column.header for column in lines[0].columns
    ]
    rest = [line for line in lines[1:] if isinstance(line, str)]
    assert "1 MUST clauses passed by 2 runs of degenerate implementations, 20 of them of a random one a system" in rest
    assert "1 of 1 mutants of the harness caught" in rest
    bound = "of such mutants at least 95.810 % at 95 % confidence"
    assert f"70 of 70 mutants killed under the clause they break; {bound}" in rest
    assert any(line.startswith("0 of 1 blind mutants killed under the clause they break; ") for line in rest)


def test_a_mutant_is_played_in_every_layer():
    (subject,) = [each for each in written(SYSTEM) if each.name == "no-retries"]
    found = {layer: layered for _, layer, layered in matrix([subject], 1, 0)}
    assert {"scenario", "stateful", "sweep", "crash", "schedule", "clock"} == found.keys()
    assert found["scenario"].killed
    assert found["stateful"].killed


def test_every_system_has_blind_mutants_with_clauses_of_its_own():
    for system in registry.every():
        mine = blind(system)
        assert len(mine) >= 8
        for each in mine:
            assert each.profile in system.catalogue[each.clause].profiles, each.id
            assert each.name not in system.mutants.MUTANTS or each.clause, each.id


def test_the_published_schema_is_what_the_code_has():
    folder = corpus.directory().parent / materialise.PLACE
    assert materialise.schemas() == {name: (folder / name).read_text() for name in materialise.schemas()}


def test_what_is_written_fits_the_published_schema():
    found = came([fate(), fate("b", "blind", killed=False)], degenerates=[degenerate()], missing={"LK-RL-01": "why"})
    jsonschema.validate(
        json.loads(msgspec.json.encode(found)), json.loads(materialise.schemas()["qualify.schema.json"])
    )


def test_a_qualification_has_a_page_with_the_times_to_kill(windtunnel, tmp_path):
    found = came([fate(), fate("<b>x</b>", "blind", killed=False)])
    (tmp_path / "qualify.json").write_bytes(msgspec.json.encode(found))
    ran = windtunnel("report", tmp_path)
    assert (0, str(tmp_path / "qualification.html")) == (ran.code, ran.out.strip())
    text = (tmp_path / "qualification.html").read_text()
    assert "seconds to kill" in text
    assert "&lt;b&gt;x&lt;/b&gt;" in text
    assert "<b>" not in text
    assert "leave out --format" in windtunnel("report", tmp_path, "--format", "junit").err
    (tmp_path / "qualify.json").write_text("{}")
    assert "is no qualification of this version" in windtunnel("report", tmp_path).err
