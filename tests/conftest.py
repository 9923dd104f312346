"""What every test folder shares: one full run of the reference, begun early, and command lines in this process."""

import functools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NamedTuple

import campaigns
import needs
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from harness.certify import corpus
from harness.cli import main
from harness.core import scenario

# one text is one scenario: the whole corpus is read from YAML once a process, not once a command line
corpus.load = functools.cache(scenario.load)  # type: ignore[assignment]

# whether a property holds does not hang on how fast the machine is
settings.register_profile("any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_machine")

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started these tests may ignore it

pytest.register_assert_rewrite("scenario_checks", "mutant_checks", "crash_checks")

ROOT = Path(__file__).parent.parent
_SHARED_RUN = "reference_report"


class Ran(NamedTuple):
    """How a command line ended."""

    code: int
    out: str
    err: str


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which part of the campaign tests is taken."""
    campaigns.add_options(parser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where skips fail, a skipped test is a failed one."""
    return needs.judged((yield))


@pytest.fixture
def windtunnel(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """``windtunnel("list", "faults")`` runs a command line in this process, 100 columns wide and without colours."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*words: object) -> Ran:
        capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


def _report(config: pytest.Config) -> Path:
    """The folder of the one full run; shared by the workers of xdist."""
    base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    return (base.parent if hasattr(config, "workerinput") else base) / _SHARED_RUN


def _run_once(report: Path) -> int:
    """Certifies the reference in a process of its own, unless that was done, and gives the exit code."""
    code = report.with_suffix(".code")
    with FileLock(report.with_suffix(".lock")):
        if not code.exists():
            words = [
                sys.executable,
                "-m",
                "harness.cli",
                "certify",
                "reference",
                "--system",
                "stop_gate",
                "--level",
                "L2",
            ]
            with report.with_suffix(".out").open("wb") as out:
                done = subprocess.run([*words, "--cases", "0", "--report", report], stdout=out, stderr=out, check=False)
            code.write_text(str(done.returncode))
    return int(code.read_text())


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before -m looks at the marks, and after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    """Puts the tests that read the full run last, and begins it at once in the background: it mostly waits."""
    campaigns.mark_long(config, items)
    campaigns.of_the_slice(config, items)
    yield
    readers = [item for item in items if "reference_run" in getattr(item, "fixturenames", ())]
    if not readers:
        return
    items[:] = [item for item in items if item not in readers] + readers
    if (
        os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0"
        and not config.option.collectonly
        and not hasattr(config, "_dsession")
    ):
        threading.Thread(target=_run_once, args=[_report(config)], name="reference run").start()


@pytest.fixture(scope="session")
def reference_run(pytestconfig: pytest.Config) -> tuple[int, Path]:
    """The exit code and the report folder of ``windtunnel certify reference --cases 0``, run once a test session."""
    report = _report(pytestconfig)
    return _run_once(report), report
