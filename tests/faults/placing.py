"""Faults put into a sandbox by name, and what a program then tells of its surroundings."""

from harness.core.fault import Fault, Injection
from harness.faults.catalogue import inject
from harness.sandbox import Sandbox, Surroundings, base_environment
from harness.sandbox.plan import Ended


def placed(sandbox: Sandbox, fault: str, path: str | None = None, /, **params: object) -> Injection:
    """That fault in that sandbox."""
    return inject(Fault(fault, path, params), sandbox, 7)


def run(sandbox: Sandbox, script: str, *, env: dict[str, str] | None = None, timeout_s: float = 20.0) -> Ended:
    """How a shell script ends in the surroundings that stand."""
    environment = {**base_environment(sandbox.roots), **(env or {})}
    return sandbox.run(("sh", "-c", script), env=environment, cwd="{home}", timeout_s=timeout_s, surrounded=True)


def told(sandbox: Sandbox, script: str) -> str:
    """What it prints, both streams."""
    ended = run(sandbox, script)
    return (ended.stdout + ended.stderr).decode(errors="replace").strip()


def is_calm(sandbox: Sandbox) -> bool:
    """Does nothing stand any more, after ``fresh``?"""
    sandbox.fresh()
    return sandbox.surroundings == Surroundings() and sandbox.read("{tools}/bin", 1).kind == "missing"
