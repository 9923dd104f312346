"""The words by which a failure is known for what it is, those that only hint at it, and look-alikes. Pure.

Regular expressions, in any case of letters. Source: 001 Primary Categories, and what the tools themselves say.
"""

from collections.abc import Mapping
from typing import Final

from harness.systems.diagnosis.contract import ErrorType

_T = ErrorType
# nobody takes these for another type
FIRM: Final[Mapping[ErrorType, tuple[str, ...]]] = {
    _T.TOOL_NOT_FOUND: (
        r"\b(?:unknown tool|tool not found|no such tool|tool (?:is )?not (?:available|in (?:the )?allowlist))\b",
        r"""\btool ['\"][\w.-]+['\"] (?:is )?not (?:found|available|in (?:the )?allowlist)\b""",
    ),
    _T.COMMAND_NOT_FOUND: (
        r"\bcommand not found\b",
        r"^(?:/bin/)?(?:da|a)?sh: (?:\d+: |line \d+: )?[\w./+-]+: not found$",
    ),
    _T.PERMISSION_DENIED: (
        r"\bEACCES\b",
        r"\bEPERM\b",
        r"\bpermission denied\b",
        r"\boperation not permitted\b",
    ),
    _T.INVALID_ARGUMENTS: (
        r"\bunexpected keyword argument\b",
        r"\b(?:missing|absent) required (?:parameter|argument|option)s?\b",
        r"\brequired parameter\b",
        r"\b(?:invalid|illegal|unrecognized|unknown) option\b",
        r"\bunrecognized arguments?:",
        r"\bthe following arguments are required:",
        r"\bERR_INVALID_ARG_TYPE\b",
    ),
    _T.TIMEOUT: (
        r"\bETIMEDOUT\b",
        r"\btimed out\b",
        r"\bTimeoutError\b",
        r"\bTimeoutExpired\b",
    ),
    _T.OUTPUT_TOO_LARGE: (
        r"\b(?:output|response|stdout)(?: was| is| has been)? truncated\b",
        r"\btruncated output\b",
        r"\boutput (?:is )?too large\b",
        r"\bstdout maxBuffer length exceeded\b",
        r"\bERR_CHILD_PROCESS_STDIO_MAXBUFFER\b",
    ),
    _T.RATE_LIMITED: (
        r"\b429 Too Many Requests\b",
        r"\btoo many requests\b",
        r"\bRateLimitError\b",
        r"\brate[ _-]limit exceeded\b",
        r"\brate_limit_exceeded\b",
        r"\b(?:HTTP(?:/[\d.]+)?|(?:HTTP )?status(?: code)?|error)[ :=]{1,2}429\b",
    ),
    _T.NETWORK_ERROR: (
        r"\bENOTFOUND\b",
        r"\bECONNREFUSED\b",
        r"\bECONNRESET\b",
        r"\bEAI_AGAIN\b",
        r"\bEHOSTUNREACH\b",
        r"\bENETUNREACH\b",
        r"\bcould not resolve host\b",
        r"\btemporary failure in name resolution\b",
        r"\bname or service not known\b",
        r"\bconnection refused\b",
        r"\bconnection reset by peer\b",
        r"\bnetwork is unreachable\b",
        r"\bno route to host\b",
    ),
    _T.SYNTAX_ERROR: (
        r"\bSyntaxError\b",
        r"\bIndentationError\b",
        r"\bsyntax error\b",
        r"\bunexpected EOF while looking for matching\b",
    ),
    _T.ENVIRONMENT_MISSING: (
        r"""\benvironment variable ['\"`]?\w+['\"`]? (?:is )?(?:not set|not defined|missing|unset|required)\b""",
        r"\b(?:missing|required) environment variable\b",
        r"\bModuleNotFoundError\b",
        r"\bno module named\b",
        r"\bcannot find module\b",
        r"\bMODULE_NOT_FOUND\b",
    ),
}
# what somebody may read a type out of
HINTS: Final[Mapping[ErrorType, tuple[str, ...]]] = {
    _T.TOOL_NOT_FOUND: (
        r"\btool\b.{0,60}\bnot\b",
        r"\ballow-?list",
        r"\bwhite-?list",
        r"\bnot allowed\b",
    ),
    _T.COMMAND_NOT_FOUND: (
        r"\bnot found\b",
        r"\bENOENT\b",
        r"\bno such file\b",
        r"\bnot recognized as\b",
        r"\bnot in PATH\b",
        r"\bnot installed\b",
    ),
    _T.PERMISSION_DENIED: (
        r"\bdenied\b",
        r"\bforbidden\b",
        r"\bunauthori[sz]ed\b",
        r"\bEROFS\b",
        r"\bread-only\b",
        r"\bnot permitted\b",
        r"\bsandbox",
        r"\bnot allowed\b",
        r"\bauthenti",
        r"\bcredential",
        r"\b40[13]\b",
    ),
    _T.INVALID_ARGUMENTS: (
        r"\binvalid (?:arg|param|opt|value|input)",
        r"\busage:",
        r"\bEINVAL\b",
        r"\bTypeError\b",
        r"\bValueError\b",
        r"\bin JSON\b",
        r"\bJSON\.parse\b",
        r"\bJSONDecodeError\b",
        r"\brequired (?:arg|param|opt)",
        r"\bbad request\b",
        r"\b4(?:00|22)\b",
        r"\bmalformed\b",
    ),
    _T.TIMEOUT: (
        r"time[ -]?d?[ -]?out",
        r"\bdeadline\b",
        r"\btime limit\b",
        r"\b(?:408|504)\b",
        r"\bSIGTERM\b",
        r"\bSIGKILL\b",
        r"\bkilled\b",
    ),
    _T.OUTPUT_TOO_LARGE: (
        r"\btruncat",
        r"\btoo (?:large|big|long|much)\b",
        r"\bmax_?buffer\b",
        r"\bE2BIG\b",
        r"\bEFBIG\b",
        r"\b413\b",
        r"\bENOBUFS\b",
    ),
    _T.RATE_LIMITED: (
        r"\b429\b",
        r"rate[ _-]?limit",
        r"\bquota\b",
        r"\bthrottl",
        r"\btoo many\b",
        r"\bretry-after\b",
    ),
    _T.NETWORK_ERROR: (
        r"\bE(?:CONN|HOST|NET|AI_|PIPE)",
        r"\bconnect",
        r"\bsocket\b",
        r"\bDNS\b",
        r"\bnetwork\b",
        r"\bgetaddrinfo\b",
        r"\bproxy\b",
        r"\bhost(?:name)?\b",
        r"\bunreachable\b",
        r"\bTLS\b",
        r"\bSSL\b",
        r"\bcertificate\b",
        r"\b50[023]\b",
    ),
    _T.SYNTAX_ERROR: (
        r"\bsyntax\b",
        r"\bparse(?:r|d)? ?error\b",
        r"\bunexpected (?:token|EOF|end|indent|character)\b",
        r"\bParseError\b",
        r"\bJSON\b",
        r"\bunterminated\b",
    ),
    _T.ENVIRONMENT_MISSING: (
        r"\benv(?:ironment)?\b",
        r"(?<!<)\bmodule\b",
        r"\bImportError\b",
        r"\bdependenc",
        r"\bnot set\b",
        r"\bunbound variable\b",
        r"\bshared librar",
        r"\bnot installed\b",
        r"\bpackage\b",
        r"\bcannot import\b",
    ),
}
# what looks like a type and is none, with the types it looks like
LOOKALIKES: Final[Mapping[str, tuple[ErrorType, ...]]] = {
    r"\b(?:4290\d*|\d+429\d*|429\d+)\b": (_T.RATE_LIMITED,),
    r"\b(?:line|lines|column|row|byte|position|port|pid|offset|char) 429\b": (_T.RATE_LIMITED,),
    r":429:": (_T.RATE_LIMITED,),
    r"\b429 (?:tests|files|lines|items|bytes)\b": (_T.RATE_LIMITED,),
    r"\b(?:127\d+|\d+127\d*)\b": (_T.COMMAND_NOT_FOUND,),
    r"\b404[: ]+not found\b": (
        _T.TOOL_NOT_FOUND,
        _T.COMMAND_NOT_FOUND,
    ),
    r"\brate[ _-]limit(?:er|ing)? (?:handling|handler|docs|documentation|tests?|module|middleware)\b": (
        _T.RATE_LIMITED,
    ),
}
# the same within the name of a file
IN_FILE_NAMES: Final[Mapping[ErrorType, tuple[str, ...]]] = {
    _T.TOOL_NOT_FOUND: (r"tool.?not.?found",),
    _T.COMMAND_NOT_FOUND: (
        r"command.?not.?found",
        r"127",
    ),
    _T.PERMISSION_DENIED: (
        r"permission",
        r"denied",
        r"eacces",
    ),
    _T.INVALID_ARGUMENTS: (
        r"invalid",
        r"argument",
    ),
    _T.TIMEOUT: (
        r"time.?out",
        r"etimedout",
    ),
    _T.OUTPUT_TOO_LARGE: (
        r"truncated",
        r"too.?large",
    ),
    _T.RATE_LIMITED: (
        r"rate.?limit",
        r"429",
    ),
    _T.NETWORK_ERROR: (
        r"network",
        r"enotfound",
        r"econnrefused",
        r"connect",
    ),
    _T.SYNTAX_ERROR: (r"syntax",),
    _T.ENVIRONMENT_MISSING: (
        r"environment",
        r"module",
    ),
}
