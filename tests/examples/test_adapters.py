"""Libraries behind the protocol: each adapter is thin and answers, and the matrix is what a run gives. Source: issue 5, 5."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml
from filelock import FileLock

from harness.core.fault import Fault
from harness.core.scenario import ClockStep, FileSpec, Operation, Scenario, Schedule, Step, World
from harness.systems import registry
from harness.targets.messages import InitializeResult

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "examples" / "adapters"
STORED = json.loads((ROOT / "reports" / "libraries.json").read_text())["libraries"]
TARGETS = {f"{path.parent.name}/{path.name}" for path in ADAPTERS.glob("*/*.yaml")}
LINES = 60
SLICE = ("circuitbreaker", "opossum", "tenacity", "p-retry")  # of `nox -s libraries`, which takes minutes
NOW = "2026-03-01T12:00:00Z"
named = pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in STORED])


def load_matrix():
    spec = importlib.util.spec_from_file_location("adapters_matrix", ADAPTERS / "matrix.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


matrix = load_matrix()
ENTRIES = {entry.name: entry for entry in matrix.entries()}


def about(row):
    return json.loads((ADAPTERS / row["target"]).with_name("about.json").read_text())


def test_every_target_stands_in_the_matrix_once_and_each_kind_of_library_is_there():
    assert sorted(TARGETS) == sorted(row["target"] for row in STORED)
    assert [*ENTRIES] == [row["name"] for row in STORED]
    libraries = {"circuit_breaker": {"pybreaker", "circuitbreaker", "opossum", "cockatiel"}}
    libraries["rate_limit"] = {"tenacity", "p-retry"}
    found = {system: {row["library"] for row in STORED if row["system"] == system} for system in libraries}
    assert libraries == found


def test_what_python_leaves_beside_the_adapters_is_not_installed(tmp_path):
    shutil.copy(ADAPTERS / "install", tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "opossum").mkdir()
    (tmp_path / "opossum" / "package-lock.json").write_text("{}")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text('#!/bin/sh\nmkdir -p "$3/node_modules"\n')  # npm ci --prefix FOLDER
    npm.chmod(0o755)
    ran = subprocess.run(
        [tmp_path / "install"],
        env={"PATH": f"{npm.parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout == "opossum: installed\n"


@pytest.mark.parametrize(
    "path", [*ADAPTERS.glob("*/*.py"), *ADAPTERS.glob("*/*.mjs")], ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_an_adapter_has_at_most_60_lines_of_at_most_120_characters(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= LINES
    assert [] == [line for line in lines if len(line) > 120]


@named
def test_one_version_is_stated_and_pinned(row):
    folder = (ADAPTERS / row["target"]).parent
    known = about(row)["implementation"]
    target = yaml.safe_load((ADAPTERS / row["target"]).read_text())
    assert (row["name"], known["version"], "stdio") == (target["name"], target["version"], target["carrier"])
    assert (known["name"], known["version"]) == (row["library"], row["version"])
    if known["language"] == "python":
        pinned = (folder / "requirements.txt").read_text().splitlines()
        assert all("==" in line for line in pinned)
        assert f"{known['name']}=={known['version']}" in pinned
    else:
        packages = json.loads((folder / "package-lock.json").read_text())["packages"]
        wanted = json.loads((folder / "package.json").read_text())["dependencies"]
        assert known["version"] == wanted[known["name"]] == packages[f"node_modules/{known['name']}"]["version"]
        assert all("integrity" in package for place, package in packages.items() if place)


@named
def test_the_matrix_has_every_clause_and_says_why_of_each_that_is_not_met(row):
    catalogue = {clause.id for clause in registry.get(row["system"]).catalogue}
    assert catalogue == set(row["clauses"])
    declared = {clause: cell["why"] for clause, cell in row["clauses"].items() if cell["verdict"] == "DECLARED"}
    assert about(row)["systems"][row["system"]]["not_implemented"] == declared
    assert [] == matrix.unexplained(ENTRIES[row["name"]], row)
    assert all(cell["why"] for cell in row["clauses"].values() if cell["verdict"] != "CONFORMS")


def test_the_page_is_what_the_file_beside_it_says_and_says_whose_specification_it_is():
    page = (ROOT / "reports" / "libraries.md").read_text()
    assert matrix.page(STORED) == page
    assert "**None of them was written to the specification windtunnel tests**" in page


def test_a_deviation_without_an_explanation_is_told_and_so_is_an_explanation_of_what_conforms():
    verdicts = {"LK-RL-01": "DEVIATES", "LK-RL-04": "CONFORMS", "LK-RL-05": "NOT_ESTABLISHED", "LK-RL-06": "DEVIATES"}
    found = {"clauses": {clause: {"verdict": verdict} for clause, verdict in verdicts.items()}}
    expected = ["tenacity: LK-RL-01 deviates, and nothing says why", "tenacity: LK-RL-04 is explained, and is CONFORMS"]
    explained = dict.fromkeys(("LK-RL-04", "LK-RL-05", "LK-RL-06"), "why")
    entry = msgspec.structs.replace(ENTRIES["tenacity"], explained=explained)
    assert expected == matrix.unexplained(entry, found)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, False),
        ({"world": World(NOW, {"{home}/state.json": FileSpec()})}, True),
        ({"steps": (Step(op=Operation("acquire"), process=1),)}, True),
        ({"steps": (Step(schedule=Schedule((Operation("acquire"), Operation("acquire")))),)}, True),
        ({"steps": (Step(fault=Fault("process.restarted")),)}, True),
        ({"steps": (Step(clock=ClockStep(60)),)}, False),
    ],
)
def test_what_rests_on_a_file_or_on_a_second_process_outlives_a_process(changes, expected):
    plain = {"world": World(NOW), "steps": (Step(op=Operation("acquire")),)}
    scenario = Scenario(1, "s", "s.", "circuit_breaker", "breaker", ("LK-CB-09",), **{**plain, **changes})
    assert expected is matrix.outlives_a_process(scenario)


def test_a_verdict_that_is_another_one_than_the_stored_is_told_with_its_reason_and_another_count_is_not():
    row = next(row for row in STORED if row["name"] == "opossum")
    cell = row["clauses"]["LK-CB-13"]
    recounted = {**row, "clauses": {**row["clauses"], "LK-CB-13": {**cell, "failing": 1}}}
    other = {**row, "clauses": {**row["clauses"], "LK-CB-13": {"verdict": "CONFORMS", "reading": "kept"}}}
    told = "opossum: LK-CB-13 is {'verdict': 'CONFORMS', 'reading': 'kept'}, stored {'verdict': 'DEVIATES'}"
    assert [] == matrix.differences([row, recounted], STORED)
    assert [told] == matrix.differences([other], STORED)
    opened = {"verdict": "NOT_ESTABLISHED", "scenarios": 1, "why": "flaky"}
    told = "opossum: LK-CB-13 is {'verdict': 'NOT_ESTABLISHED'}, stored {'verdict': 'DEVIATES'}: flaky"
    assert [told] == matrix.differences([{**row, "clauses": {"LK-CB-13": opened}}], STORED)


class Asked:
    """An adapter over a plain pipe; each result has the type that the contract gives it."""

    def __init__(self, target):
        command = yaml.safe_load(target.read_text())["command"]
        self.process = subprocess.Popen(
            command, cwd=target.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.calls = 0
        self.contract = None

    def __call__(self, method, **params):
        self.calls += 1
        self.process.stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}) + "\n"
        )
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert self.calls == answer["id"]
        return answer["result"]

    def operate(self, system, operation, **params):
        kind = registry.get(system).contract.OPERATIONS[operation][1]
        return msgspec.convert(self(f"{system}/{operation}", now=params.pop("now", NOW), **params), kind)

    def end(self):
        assert {} == self("shutdown")
        self.process.stdin.close()
        return self.process.wait(10)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The libraries, installed once beside their adapters; where they cannot be, these tests fail."""
    with FileLock(tmp_path_factory.getbasetemp().parent / "adapters.lock"):
        subprocess.run([ADAPTERS / "install"], check=True, capture_output=True, text=True)


@pytest.fixture
def adapter(installed, tmp_path, request):
    def start(row):
        asked = Asked(ADAPTERS / row["target"])
        request.addfinalizer(asked.process.kill)
        introduced = msgspec.convert(asked("initialize", protocolVersions=[1], harness="test"), InitializeResult)
        assert [row["system"]] == list(introduced.systems)
        assert {} == asked("reset", workdir=str(tmp_path), config={"home": str(tmp_path)}, now=NOW)
        return asked

    return start


@pytest.mark.tools
@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["name"]) for row in STORED if row["system"] == "circuit_breaker"]
)
def test_a_breaker_opens_on_three_failures_refuses_and_lets_a_probe_through_after_300_s(adapter, row):
    ask = adapter(row)
    for call in "abc":
        assert ask.operate("circuit_breaker", "acquire", name="n", call=call).permitted
        said = ask.operate("circuit_breaker", "record", name="n", call=call, outcome="failure", error="boom")
    assert "OPEN" == said.state
    refused = ask.operate("circuit_breaker", "acquire", name="n", call="d", now="2026-03-01T12:04:59.999Z")
    assert (False, "OPEN", "refused") == (refused.permitted, refused.state, refused.held)
    assert ask.operate("circuit_breaker", "acquire", name="other", call="a").permitted
    probe = ask.operate("circuit_breaker", "acquire", name="n", call="e", now="2026-03-01T12:05:00Z")
    assert (True, "HALF_OPEN") == (probe.permitted, probe.state)
    assert "HALF_OPEN" == ask.operate("circuit_breaker", "inspect", name="n", now="2026-03-01T12:05:00Z").state
    assert 0 == ask.end()


@pytest.mark.tools
@pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in STORED if row["system"] == "rate_limit"])
def test_delays_are_the_librarys_own_and_a_million_retries_are_asked_for_in_one_call(adapter, row, tmp_path):
    ask = adapter(row)
    delays = [ask.operate("rate_limit", "next_delay", retry=retry).delay_s for retry in range(1, 7)]
    assert [5, 10, 20, 40, 80, None] == delays
    tuned = ask.operate("rate_limit", "configure", tunables={"max_retries": 1_000_000})
    assert (True, 1_000_000) == (tuned.accepted, tuned.tunables.max_retries)
    assert 300 == ask.operate("rate_limit", "next_delay", retry=1_000_000).delay_s
    assert 0 == ask.end()


@pytest.mark.tools
@pytest.mark.parametrize("name", SLICE)
def test_a_run_gives_what_is_stored(installed, name):
    words = [sys.executable, ADAPTERS / "matrix.py", "--check", name]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (0, "") == (ran.returncode, ran.stdout), ran.stderr
