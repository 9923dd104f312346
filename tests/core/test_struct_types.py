"""Threads may convert to the same Struct at once."""

import subprocess
import sys
import textwrap

import msgspec

from harness.core import struct_types

TOGETHER = """
    import sys, threading, types
    import msgspec
    from harness.core import struct_types

    sys.setswitchinterval(1e-6)  # without the types built before, a thread in three rounds meets half a type

    def new_types():
        source = "import msgspec\\nfrom collections.abc import Mapping\\n"
        for n in range(20):
            source += f"class C{n}(msgspec.Struct):\\n    a: 'int | None' = None\\n    b: 'Mapping[str, int]' = {{}}\\n"
            source += f"    inner: 'C{max(n - 1, 0)} | None' = None\\n"
        module = types.ModuleType("new_types")
        sys.modules["new_types"] = module
        exec(source, module.__dict__)
        return module.C19

    def convert():
        gate.wait()
        found.append(msgspec.convert({"inner": {"inner": {"a": 3}}}, kind).inner.inner.a)

    found = []
    for _ in range(30):
        kind = new_types()
        struct_types.build()
        gate = threading.Barrier(6)
        threads = [threading.Thread(target=convert) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(sum(found))
"""


def test_threads_convert_at_once_to_types_that_were_built_before():
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(TOGETHER)], capture_output=True, text=True, check=False)
    assert (0, "540\n", "") == (ran.returncode, ran.stdout, ran.stderr)


def test_what_nothing_can_be_converted_to_is_passed_over():
    class Undecodable(msgspec.Struct):
        one: "Undecodable | NoSuchName"  # noqa: F821 - nobody has said what it is

    struct_types.build()
    assert Undecodable(3).one == 3
