"""How a process begins to be asked: it introduces itself and is placed on a working directory, or it fails to.

One that fails is given up for, and another started for whoever asks next: whatever struck it costs one operation. When
several in a row fail alike, the implementation cannot be tested, and that is told once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from harness import __version__
from harness.errors import AdapterError, UntestableError
from harness.targets.answers import RefusedError, Results
from harness.targets.defects import RESTARTED
from harness.targets.messages import PROTOCOL_VERSION, InitializeParams, InitializeResult, Nothing
from harness.targets.stdio_process import NoAnswerError, StdioProcess

FAILURES_IN_A_ROW = 3  # of one message: nothing else is tried after that
START_TIMEOUT_S = 30.0  # an interpreter with a cold cache on a busy machine takes seconds
_RESULTS = Results({"initialize": InitializeResult, "reset": Nothing, "open": Nothing})


class NotBegunError(Exception):
    """A process did not come so far that it could be asked; the next one may. ``code`` is one of ``defects``."""

    def __init__(self, code: str, stage: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.stage = stage


class OtherSystemsError(UntestableError):
    """The implementation serves others than the system it was to be asked for."""


class Beginnings:
    """Those of one session's processes. ``met`` is what the implementation says of itself; None before it has."""

    def __init__(self, command: Sequence[str], system: str, timeout_scale: float) -> None:
        self._command = " ".join(command)
        self._system = system
        self._scale = timeout_scale
        self._failed: Counter[str] = Counter()
        self._placed = False
        self.met: InitializeResult | None = None

    def introduce(self, process: StdioProcess, *, calm: bool) -> None:
        """Has it say what it is. NotBegunError when it did not; UntestableError when it is nothing we can ask.

        What happens when it is not ``calm`` around it says nothing of how it will be next time.
        """
        params = msgspec.to_builtins(InitializeParams((PROTOCOL_VERSION,), f"windtunnel {__version__}"))
        try:
            answer = process.request("initialize", params, START_TIMEOUT_S * self._scale)
            met = msgspec.convert(_RESULTS.read("initialize", answer), InitializeResult)
            if self.met is not None and met != self.met:
                raise AdapterError("inconsistent", f"a new process says of itself {met}, an earlier one {self.met}")
        except RefusedError as error:
            raise UntestableError(f"{self._command} does not speak our protocol: {error}") from error
        except (NoAnswerError, AdapterError) as error:
            self._give_up("initialize", error, f"{self._command} does not speak our protocol", calm=calm)
        if met.protocolVersion != PROTOCOL_VERSION:
            raise UntestableError(f"it chose protocol {met.protocolVersion}; we speak {PROTOCOL_VERSION}")
        if self._system not in met.systems:
            raise OtherSystemsError(f"it does not implement {self._system}: it names {list(met.systems)}")
        self.met = met
        self._failed["initialize"] = 0

    def place(
        self, process: StdioProcess, method: str, params: Mapping[str, Any], timeout_s: float, *, calm: bool
    ) -> None:
        """``reset`` or ``open``. NotBegunError, UntestableError as above; RefusedError when it refuses to begin."""
        try:
            _RESULTS.read(method, process.request(method, params, timeout_s))
        except (NoAnswerError, AdapterError) as error:
            self._give_up(method, error, f"the implementation does not accept {method}", calm=calm)
        self._placed = True
        self._failed[method] = 0

    def _give_up(self, stage: str, error: NoAnswerError | AdapterError, what: str, *, calm: bool) -> NoReturn:
        if calm:
            self._failed[stage] += 1
            times = self._failed[stage]
            # what never was placed and does not even end is not waited for again
            if times >= FAILURES_IN_A_ROW or not (self._placed or error.code in RESTARTED):
                again = f" (so did {times - 1} before it in a row)" if times > 1 else ""
                raise UntestableError(f"{what}: {error}{again}") from error
        raise NotBegunError(error.code, stage, f"{stage}: {error}") from error
