"""Where document 001 puts things, its numbers, and its words. Pure."""

from collections.abc import Mapping
from enum import StrEnum

# The document names the files, not their directory; of the ContextLog it names neither.
SESSION_MEMORY_PATH = "{home}/.session_memory.jsonl"
EPISODIC_MEMORY_PATH = "{home}/.episodic_memory.jsonl"
CONTEXT_LOG_PATH = "{home}/.context_log.jsonl"

WHYS = ("why1", "why2", "why3", "why4", "why5")
NOT_ASKED = "not asked"  # how the text of a why beyond the configured depth begins, in any case of letters
PREVIOUS_ACTIONS = 3  # Input Context, L94


class ErrorType(StrEnum):
    """The ten primary categories, and what is said when none fits (readings.md, DR-CLS-01)."""

    TOOL_NOT_FOUND = "tool_not_found"
    COMMAND_NOT_FOUND = "command_not_found"
    PERMISSION_DENIED = "permission_denied"
    INVALID_ARGUMENTS = "invalid_arguments"
    TIMEOUT = "timeout"
    OUTPUT_TOO_LARGE = "output_too_large"
    RATE_LIMITED = "rate_limited"
    NETWORK_ERROR = "network_error"
    SYNTAX_ERROR = "syntax_error"
    ENVIRONMENT_MISSING = "environment_missing"
    UNKNOWN = "unknown"


class Severity(StrEnum):
    """Severity Levels."""

    RECOVERABLE = "recoverable"
    USER_ACTION_REQUIRED = "user_action_required"
    FATAL = "fatal"


class Approach(StrEnum):
    """What a strategy does, in the words of the four templates and the four kinds of the Recovery Planner.

    An alternative may say so in a field ``approach`` beside those of the document; without it the order of a template
    cannot be seen, and its clause is not established. ``corrected_retry``: the same tool with corrected parameters.
    ``another_tool``: another tool for the same goal, where no template has a narrower word for it.
    """

    EQUIVALENT_BINARY = "equivalent_binary"  # missing_binary 1: curl for wget, tar for unzip
    DOWNLOAD_AND_EXTRACT = "download_and_extract"  # missing_binary 2
    SANDBOX_BOUNDS = "sandbox_bounds"  # permission_denied 1: look at TOOLS_FS_ROOT
    ALLOWED_DIRECTORY = "allowed_directory"  # permission_denied 2
    REDUCED_SCOPE = "reduced_scope"  # timeout 1; Recovery Planner 3
    STREAMING = "streaming"  # timeout 2: streaming or chunks
    RAISED_LIMIT = "raised_limit"  # timeout 3
    SIMILAR_TOOL = "similar_tool"  # tool_not_found 1
    BUILT_IN = "built_in"  # tool_not_found 2: run_bash, read_file ...
    CORRECTED_RETRY = "corrected_retry"  # Recovery Planner 1
    ANOTHER_TOOL = "another_tool"  # Recovery Planner 2
    ASK_USER = "ask_user"  # the last of each; names no tool


class Tool(StrEnum):
    """The tools whose arguments the harness knows; ``availableTools`` may name others.

    run_bash and shell take ``command``, a line for a POSIX shell. read_file, read_dir and write_file take ``path``
    (write_file also ``content``), http_fetch takes ``url``, search takes ``pattern`` and ``path``. All take
    ``timeout_s``.
    """

    RUN_BASH = "run_bash"
    SHELL = "shell"
    READ_FILE = "read_file"
    READ_DIR = "read_dir"
    WRITE_FILE = "write_file"
    HTTP_FETCH = "http_fetch"
    SEARCH = "search"


SHELLS = frozenset({Tool.RUN_BASH, Tool.SHELL})
BUILT_IN_TOOLS = (Tool.RUN_BASH, Tool.READ_FILE, Tool.READ_DIR, Tool.WRITE_FILE)


class Flag(StrEnum):
    """Configuration Flags, as the environment variables of the document."""

    ENABLED = "AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED"
    WHY_DEPTH = "AUTONOMOUS_DIAGNOSTIC_WHY_DEPTH"
    TEMPERATURE = "AUTONOMOUS_DIAGNOSTIC_TEMP"
    MAX_TOKENS = "AUTONOMOUS_DIAGNOSTIC_MAX_TOKENS"
    MAX_RECOVERY_ATTEMPTS = "AUTONOMOUS_MAX_RECOVERY_ATTEMPTS"
    FAST_RECOVERY = "AUTONOMOUS_FAST_RECOVERY_ENABLED"
    STORE_FULL = "AUTONOMOUS_STORE_FULL_DIAGNOSTICS"


FLAG_DEFAULTS: Mapping[Flag, str] = {
    Flag.ENABLED: "1",
    Flag.WHY_DEPTH: "5",
    Flag.TEMPERATURE: "0.2",
    Flag.MAX_TOKENS: "1024",
    Flag.MAX_RECOVERY_ATTEMPTS: "2",
    Flag.FAST_RECOVERY: "1",
    Flag.STORE_FULL: "1",
}


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    FLAG_INVALID = "flag_invalid"  # its default is taken
    INPUT_INVALID = "input_invalid"  # a field of the failure or its context is missing or of another type
    MODEL_FAILED = "model_failed"
    MODEL_TIMED_OUT = "model_timed_out"
    MODEL_ANSWER_INVALID = "model_answer_invalid"
    MEMORY_INVALID = "memory_invalid"  # a line of a memory is none of ours, or torn
    MEMORY_UNREADABLE = "memory_unreadable"
    MEMORY_WRITE_FAILED = "memory_write_failed"
    CONTEXT_LOG_WRITE_FAILED = "context_log_write_failed"
    CALL_UNKNOWN = "call_unknown"  # of an outcome, prompt or report


class ModelBehaviour(StrEnum):
    """What the scripted model does when it is asked. ``slow`` answers after ``delay_s``, ``hangs`` never."""

    ANSWERS = "answers"
    SLOW = "slow"
    HANGS = "hangs"
    RAISES = "raises"


class Reflection(StrEnum):
    """How much was done: nothing, the fast path of a learned pattern, or the whole of it."""

    NONE = "none"
    FAST = "fast"
    FULL = "full"
