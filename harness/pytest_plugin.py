"""For people who test their own hook with pytest: every clause a test item, and the fixture ``windtunnel_certify``.

``pytest --windtunnel-target target.yaml`` adds one item a clause, ``windtunnel::stop_gate::SH-04``, to the tests that
are there. ``windtunnel_certify("target.yaml")`` runs the materialised plan against the target and gives the run's last
event, with its outcome and the verdict of every clause.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    # loaded when they are used: every pytest run of every project imports this module
    from harness.certify.events import RunFinished

MARKER = "windtunnel"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of ``pytest --windtunnel-target``."""
    group = parser.getgroup("windtunnel", "failure handling of coding agents, clause by clause")
    group.addoption("--windtunnel-target", metavar="TARGET", help="A target file, or `reference`: a test a clause.")
    group.addoption("--windtunnel-system", metavar="NAME", default="stop_gate", help="Which system to certify.")
    group.addoption("--windtunnel-level", metavar="L1|L2", help="How far to go; as far as there is by default.")
    group.addoption("--windtunnel-seed", metavar="N", type=int, default=0, help="Where fresh search begins.")
    group.addoption("--windtunnel-cases", metavar="N", type=int, default=0, help="Cases of fresh search, a profile.")
    group.addoption(
        "--windtunnel-report", metavar="DIR", default="windtunnel-report", help="Where the run's results go."
    )
    group.addoption(
        "--windtunnel-unsafe", action="store_true", help="Go on where this machine cannot contain the target."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known, and refuses a target that is none before anything is collected."""
    config.addinivalue_line("markers", f"{MARKER}: a clause of windtunnel, added by --windtunnel-target")
    if config.getoption("windtunnel_target", None):
        from harness import pytest_clauses

        pytest_clauses.require(config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds the clauses, before others choose or order what was collected."""
    if config.getoption("windtunnel_target", None):
        from harness import pytest_clauses

        items += pytest_clauses.clause_items(session)


def certified(
    target: str | Path, *, system: str = "stop_gate", level: str | None = None, seed: int = 0, cases: int = 0
) -> "RunFinished":
    """The end of a run against the target file at ``target``; what cannot be tested is an outcome, not an error.

    Without ``level`` the run goes as far as there is.
    """
    from harness.certify.engine import Engine
    from harness.certify.engines.local import for_jobs
    from harness.certify.engines.processors import available
    from harness.certify.events import RunFinished
    from harness.errors import HarnessFault
    from harness.pytest_clauses import plan_for

    plan = plan_for(target, system=system, level=level, seed=seed, cases=cases, jobs=available())
    for event in Engine(plan, shards=for_jobs(plan.jobs)).run():
        if isinstance(event, RunFinished):
            return event
    raise HarnessFault("a run ended without its verdict")


@pytest.fixture
def windtunnel_certify() -> "Callable[..., RunFinished]":
    """``windtunnel_certify(target, level=None, seed=0, cases=0)``: see ``certified``."""
    return certified
