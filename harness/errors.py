"""Every exception of windtunnel. The type says whose fault it is, and so which exit code ends the run.

A requirement that is not met is a Finding, never an exception: exceptions are for runs that broke.
"""


class WindtunnelError(Exception):
    """Base of all our exceptions; ``str()`` is one sentence that says what, where and what to do."""

    exit_code = 3


class UsageError(WindtunnelError):
    """The person asked for something that does not exist or cannot be combined (exit 2)."""

    exit_code = 2


class FileFormatError(UsageError):
    """A file the person wrote or named is not in its published format (exit 2)."""


class HarnessFault(WindtunnelError):  # noqa: N818 - a fault is what it is, see the glossary
    """Windtunnel itself broke: a defect of ours (exit 3)."""


class MachineError(WindtunnelError):
    """This machine lacks or refuses what the run needs: a tool, a namespace, a mount (exit 4)."""

    exit_code = 4


class UntestableError(WindtunnelError):
    """The implementation cannot be tested: it does not start or does not speak its carrier's protocol (exit 4)."""

    exit_code = 4


class AdapterError(UntestableError):
    """The shim between us and the implementation broke the protocol; ``code`` names how (exit 4)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NothingRanError(WindtunnelError):
    """A filter matched nothing, or no check was executed (exit 5)."""

    exit_code = 5
