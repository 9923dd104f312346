"""A run's threads find every type ready; see harness.core.struct_types."""

import subprocess
import sys
import textwrap

import needs
import pytest

# the commands as they are run, with a look at which types are built when the first worker starts, and which there are
# in the end
WATCHED = """
    import sys, threading
    import msgspec
    from harness.core import struct_types

    def every(kind):
        return {each for below in kind.__subclasses__() for each in (below, *every(below))}

    known = []
    start = threading.Thread.start

    def noting(thread):
        if thread.name.startswith(("worker-", "ThreadPool", "explore")) and not known:
            known.append(set(struct_types._BUILT))
        start(thread)

    threading.Thread.start = noting
    from harness.cli import main
    code = main(sys.argv[1:])
    late = sorted(f"{each.__module__}.{each.__qualname__}" for each in every(msgspec.Struct) - known[0])
    print("late", code, late, file=sys.stderr)
"""


def late_types(tmp_path, *words):
    command = [sys.executable, "-c", textwrap.dedent(WATCHED), *words, "--report", str(tmp_path / "report")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    return ran.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "reference", "--system", "fallback", "--level", "L1", "--cases", "4"),
        ("qualify", "--system", "stop_gate", "--mutant", "skip-ignored"),
        pytest.param(
            ("qualify", "--system", "stop_gate", "--mutant", "counters-without-a-lock"), marks=needs.namespaces
        ),
    ],
    ids=" ".join,
)
def test_every_type_is_built_before_the_threads_are_started(tmp_path, words):
    assert "late 0 []" == late_types(tmp_path, *words)
