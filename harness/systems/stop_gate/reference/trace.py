"""What a call logs: entries for the answer, lines for the log file. No input or output here."""

from harness.systems.stop_gate.contract import LogCode, LogEntry, LogLevel

STACK_LIMIT_CHARACTERS = 8_000  # of one stack trace in the log file: its end, where the cause stands
STACK_LIMIT_FRAMES = 40  # the innermost; an exhausted stack has a thousand, and formatting them takes 10 ms


class Trace:
    """The log of one call; errors carry the session and the transcript they are about (004, Monitoring)."""

    def __init__(self, session_id: str | None = None, transcript_path: str | None = None) -> None:
        self.session_id = session_id
        self.transcript_path = transcript_path
        self.entries: list[LogEntry] = []
        self.stacks: list[str] = []

    def debug(self, code: LogCode, message: str) -> None:
        """Notes what nobody needs to act on."""
        self.entries.append(LogEntry(LogLevel.DEBUG, code, message))

    def info(self, code: str, message: str) -> None:
        """Notes an ordinary outcome."""
        self.entries.append(LogEntry(LogLevel.INFO, code, message))

    def warning(
        self,
        code: LogCode,
        message: str,
        *,
        line: int | None = None,
        keys: tuple[str, ...] = (),
        checker: str | None = None,
    ) -> None:
        """Notes something wrong that was worked around."""
        self.entries.append(LogEntry(LogLevel.WARNING, code, message, line=line, keys=keys, checker=checker))

    def error(
        self, code: LogCode, message: str, *, error: BaseException | None = None, checker: str | None = None
    ) -> None:
        """Notes something broken; with ``error`` its stack trace goes to the log file (PS-MON-03)."""
        if error is not None:
            self.stacks.append(stack_of(error))
        self.entries.append(
            LogEntry(
                LogLevel.ERROR,
                code,
                message,
                checker=checker,
                traceback=error is not None,
                session_id=self.session_id,
                transcript_path=self.transcript_path,
            )
        )

    def text(self, now_s: float) -> str:
        """What the log file gets: one line an entry above debug, then the stack traces; empty when there is none."""
        lines = [
            f"{now_s:.3f} {entry.level.value} {entry.code} session={self.session_id!r} "
            f"transcript={self.transcript_path!r} {entry.message!r}"
            for entry in self.entries
            if entry.level is not LogLevel.DEBUG
        ]
        return "".join(f"{line}\n" for line in (*lines, *self.stacks))


def describe(error: BaseException) -> str:
    """The error's type and text; only its type when even its text raises."""
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except BaseException:  # __str__ of a foreign exception is foreign code  # noqa: BLE001
        return type(error).__name__


def stack_of(error: BaseException) -> str:
    """The stack trace of ``error``, its end when it is long."""
    import traceback  # 6 ms at the start of a hook that only an error costs  # noqa: PLC0415

    try:
        return "".join(traceback.format_exception(error, limit=-STACK_LIMIT_FRAMES))[-STACK_LIMIT_CHARACTERS:]
    except BaseException:  # see describe  # noqa: BLE001
        return f"(no stack trace of {type(error).__name__})"
