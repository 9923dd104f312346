"""What errors say, a table a type: words as tools print them, and not words that only look like them. Pure.

An indication is a phrase that stands in the text word for word, or a needle with the pattern that decides; the needle
only spares the pattern. Case says nothing, but where a pattern asks for it. ``TEXTS`` is in the order in which it is
asked: the most specific first. Source: document 001, Primary Categories; the words are those of the tools.
"""

from collections.abc import Mapping

from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.reference import program_indications as programs
from harness.systems.diagnosis.reference import service_indications as services
from harness.systems.diagnosis.reference.error_names import Indication

CODES: Mapping[int, ErrorType] = {
    429: ErrorType.RATE_LIMITED,
    401: ErrorType.PERMISSION_DENIED,
    403: ErrorType.PERMISSION_DENIED,
    407: ErrorType.PERMISSION_DENIED,
    408: ErrorType.TIMEOUT,
    504: ErrorType.TIMEOUT,
    502: ErrorType.NETWORK_ERROR,
    -32601: ErrorType.TOOL_NOT_FOUND,
    -32700: ErrorType.SYNTAX_ERROR,
    -32001: ErrorType.TIMEOUT,
}
"""HTTP statuses and codes of JSON-RPC; exit codes are asked for elsewhere."""

VAGUE_CODES: Mapping[int, ErrorType] = {
    400: ErrorType.INVALID_ARGUMENTS,
    413: ErrorType.OUTPUT_TOO_LARGE,
    422: ErrorType.INVALID_ARGUMENTS,
    503: ErrorType.NETWORK_ERROR,
    -32602: ErrorType.INVALID_ARGUMENTS,
}
"""Codes that servers give for much; what the text says goes before them."""

_WORDS: Mapping[ErrorType, str] = {
    ErrorType.PERMISSION_DENIED: "EACCES EPERM EROFS",
    ErrorType.TIMEOUT: "ETIMEDOUT ETIME ESOCKETTIMEDOUT ERR_TIMEOUT UND_ERR_CONNECT_TIMEOUT",
    ErrorType.NETWORK_ERROR: "ENOTFOUND EAI_AGAIN EAI_NONAME ECONNREFUSED ECONNRESET ECONNABORTED EHOSTUNREACH "
    "EHOSTDOWN ENETUNREACH ENETDOWN UND_ERR_SOCKET",
    ErrorType.INVALID_ARGUMENTS: "EINVAL E2BIG ENAMETOOLONG ERR_INVALID_ARG_TYPE ERR_INVALID_ARG_VALUE ERR_INVALID_URL "
    "INVALID_ARGUMENT INVALID_ARGUMENTS INVALID_PARAMS",
    ErrorType.ENVIRONMENT_MISSING: "MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND",
    ErrorType.OUTPUT_TOO_LARGE: "ENOBUFS ERR_CHILD_PROCESS_STDIO_MAXBUFFER",
    ErrorType.RATE_LIMITED: "RATE_LIMITED RATE_LIMIT_EXCEEDED TOO_MANY_REQUESTS",
    ErrorType.TOOL_NOT_FOUND: "TOOL_NOT_FOUND",
}
WORDS: Mapping[str, ErrorType] = {word: kind for kind, words in _WORDS.items() for word in words.split()}
"""Codes that are words."""

TEXTS: Mapping[ErrorType, tuple[Indication, ...]] = {
    ErrorType.OUTPUT_TOO_LARGE: services.OUTPUT,
    ErrorType.RATE_LIMITED: services.RATE,
    ErrorType.TOOL_NOT_FOUND: services.TOOL,
    ErrorType.COMMAND_NOT_FOUND: programs.COMMAND,
    ErrorType.ENVIRONMENT_MISSING: programs.ENVIRONMENT,
    ErrorType.PERMISSION_DENIED: services.PERMISSION,
    ErrorType.TIMEOUT: services.TIMEOUT,
    ErrorType.NETWORK_ERROR: services.NETWORK,
    ErrorType.SYNTAX_ERROR: programs.SYNTAX,
    ErrorType.INVALID_ARGUMENTS: programs.ARGUMENTS,
}
