"""What a machine must have for some tests, each in one place with its reason.

Elsewhere these tests are skipped, and the summary says so. In CI, which installs what they need first, a skip is a
failure: see ``SKIPS_FAIL``.
"""

import os
import shutil

import pytest

from harness.faults import clock
from harness.sandbox import probe

SKIPS_FAIL = "WINDTUNNEL_SKIPS_FAIL"  # set by .ci/run
SYSTEM_PYTHON = "/usr/bin/python3"


def _unless(here: bool, reason: str) -> pytest.MarkDecorator:
    # reason: a kernel, a privilege or a program that a stranger's machine may lack; .ci/run makes the skip a failure
    return pytest.mark.skipif(not here, reason=reason)


namespaces = _unless(bool(probe().namespaces), "this machine refuses namespaces")
libfaketime = _unless(
    bool(probe().namespaces) and clock.library() is not None, "this machine refuses namespaces or has no libfaketime"
)
strace = _unless(shutil.which("strace") is not None, "this machine has no strace")
system_python = _unless(os.path.exists(SYSTEM_PYTHON), f"this machine has no {SYSTEM_PYTHON}")
root = _unless(os.geteuid() == 0, "only root can change the files of others")


def require_namespaces() -> None:
    """For fixtures, where marks have no effect."""
    if not probe().namespaces:
        pytest.skip("this machine refuses namespaces")  # reason: as for the mark of that name


def judged(report: pytest.TestReport) -> pytest.TestReport:
    """The report as it is, or, of a skipped test where skips fail, a failure that says why it was skipped."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get(SKIPS_FAIL):
        report.outcome = "failed"
        report.longrepr = f"skipped, which {SKIPS_FAIL} forbids: {report.longrepr}"
    return report
