"""What a check is given: the session, the project's configuration and the transcript, each with its way to be wrong."""

from collections.abc import Sequence

from harness.ports.files import Files
from harness.systems.stop_gate.contract import (
    CONFIG_PATH,
    TRANSCRIPT_LIMIT_BYTES,
    CheckArguments,
    CheckResult,
    Decision,
    LogCode,
)
from harness.systems.stop_gate.reference import config, naming
from harness.systems.stop_gate.reference.state import OutsideRootError, Store
from harness.systems.stop_gate.reference.trace import Trace, describe
from harness.systems.stop_gate.reference.transcript import MalformedTranscriptError, Message


def approve(reason: str, summary: str | None = None) -> CheckResult:
    """An approval; there is never a prompt with one (PS-FO-03)."""
    return CheckResult(Decision.APPROVE, (reason,), None, summary)


class Case:
    """One check from its arguments to its answer."""

    def __init__(self, arguments: CheckArguments, now_s: float, store: Store, trace: Trace) -> None:
        self.arguments = arguments
        self.now_s = now_s
        self.trace = trace
        self.store = store
        self.config = config.Config(True, 0)
        self.session = naming.Session("", "", "")
        self.messages: Sequence[Message] = ()
        self.recorded = True  # false: this check leaves no trace on disk


class Inputs:
    """The steps that find out what there is to judge. Each failure is a method, and each of them approves."""

    config_class = config.ConfigReader

    def __init__(self, files: Files) -> None:
        self.files = files

    def config_path(self, case: Case) -> str:
        """PS-CFG-01."""
        return CONFIG_PATH.replace("{project}", case.arguments.project_root)

    def load_config(self, case: Case) -> config.Config:
        """The configuration, or the defaults with an entry that says why."""
        reader = self.config_class()
        path = self.config_path(case)
        try:
            if self.files.status(path) is None:
                case.trace.debug(LogCode.CONFIG_MISSING, "there is no configuration, defaults apply")
                return reader.without_file()
            resolved = self.files.resolve(path)
            if not case.store.is_within(resolved, self.files.resolve(case.arguments.project_root)):
                raise OutsideRootError("the configuration leads out of the project")
            data = self.files.read(resolved, config.LIMIT_BYTES + 1)
            if len(data) > config.LIMIT_BYTES:
                raise ValueError(f"it is larger than {config.LIMIT_BYTES} bytes")
        except OutsideRootError as error:
            case.store.refused(error)
            return reader.without_file()
        except (OSError, ValueError) as error:
            reader.unusable(describe(error), case.trace)
            return reader.without_file()
        return reader.read(data, case.trace)

    def identify(self, case: Case) -> naming.Session:
        """The session, with a generated id and a warning when it has none (PS-SES-01)."""
        session_id = case.arguments.session_id
        if session_id:
            name = naming.file_name(session_id)
            return naming.Session(session_id, name, name)
        fallback = naming.fallback_id()
        case.trace.session_id = fallback
        case.trace.warning(LogCode.SESSION_ID_MISSING, f"there is no session id, {fallback} is used")
        return naming.Session(fallback, fallback, naming.file_name(f"transcript {case.arguments.transcript_path}"))

    def load(self, case: Case) -> bytes | CheckResult:
        """The transcript's bytes, or the answer when there are none to be had. Nothing here waits for a writer."""
        path = case.arguments.transcript_path
        try:
            found = self.files.status(path)
            if found is None:
                return self.missing(case)
            if found.kind != "file":
                return self.unreadable(case, f"it is a {found.kind}")
            if self.is_too_large(found.size):
                return self.too_large(case, found.size)
            data = self.files.read(path, TRANSCRIPT_LIMIT_BYTES + 1)
        except (OSError, ValueError) as error:
            return self.unreadable(case, describe(error))
        return self.too_large(case, len(data)) if self.is_too_large(len(data)) else data

    def is_too_large(self, size: int) -> bool:
        """Larger than 10 MiB; exactly that is not (PS-TR-07)."""
        return size > TRANSCRIPT_LIMIT_BYTES

    def missing(self, case: Case) -> CheckResult:
        """PS-TR-01."""
        case.trace.warning(LogCode.TRANSCRIPT_MISSING, "there is no transcript")
        return approve("transcript_missing")

    def too_large(self, case: Case, size: int) -> CheckResult:
        """PS-TR-07."""
        case.trace.warning(LogCode.TRANSCRIPT_TOO_LARGE, f"the transcript has {size} bytes or more")
        return approve("transcript_too_large")

    def unreadable(self, case: Case, why: str) -> CheckResult:
        """PS-TR-09."""
        case.trace.warning(LogCode.TRANSCRIPT_UNREADABLE, f"the transcript cannot be read: {why}")
        return approve("transcript_unreadable")

    def malformed(self, case: Case, error: MalformedTranscriptError) -> CheckResult:
        """PS-TR-06."""
        case.trace.error(LogCode.TOO_MANY_INVALID_LINES, f"the transcript is given up: {error}", error=error)
        return approve("too_many_invalid_lines")

    def empty(self, case: Case) -> CheckResult:
        """PS-TR-02."""
        case.trace.info(LogCode.EMPTY_TRANSCRIPT, "the transcript holds no message")
        return approve("empty_transcript")
