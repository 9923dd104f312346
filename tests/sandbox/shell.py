"""One line of shell in a sandbox, the way most of these tests speak."""

from harness.sandbox import Ended, Run, Sandbox, base_environment


def shell_run(sandbox: Sandbox, script: str, *, timeout_s: float = 20.0, stdin: bytes | None = b"") -> Run:
    """The run of ``script`` by sh in the project."""
    environment = base_environment(sandbox.roots)
    return Run(argv=("sh", "-c", script), env=environment, cwd="{project}", timeout_s=timeout_s, stdin=stdin)


def shell(sandbox: Sandbox, script: str, *, timeout_s: float = 20.0, stdin: bytes | None = b"") -> Ended:
    """How ``script`` ended."""
    return sandbox.run_together([shell_run(sandbox, script, timeout_s=timeout_s, stdin=stdin)])[0]
