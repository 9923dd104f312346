"""A network that fails: what asks through a proxy, or at a model's own address, is sent to a server on the loopback."""

from collections.abc import Mapping

from harness.faults.kind import FaultKind
from harness.faults.probing import met, said
from harness.sandbox import Surroundings
from harness.sandbox.room import Room

CLOSED_PORT = 1  # nobody listens there
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
EXCEPTIONS = ("NO_PROXY", "no_proxy")
MODELS = {"ANTHROPIC_BASE_URL": "", "OPENAI_BASE_URL": "/v1"}

KINDS = (
    FaultKind("network.refused", "nothing listens where the network is asked"),
    FaultKind("network.timeout", "who is asked takes the question and never answers"),
    FaultKind("network.rate_limited", "the answer is 429"),
    FaultKind("network.rate_limited_retry_after", "the answer is 429, with a Retry-After of an hour"),
    FaultKind("network.server_error", "the answer is 503"),
    FaultKind("network.garbage", "the answer is no HTTP"),
)


def _answer(status: str, *headers: str) -> str:
    body = '{"type": "error", "error": {"type": "api_error", "message": "not now"}}'
    lines = (
        f"HTTP/1.1 {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    return "\r\n".join((*lines, *headers, "", body))


# what the server says, "" for one that says nothing; and what of it a program has to meet
_ANSWERS: Mapping[str, tuple[str, str]] = {
    "timeout": ("", ""),
    "rate_limited": (_answer("429 Too Many Requests"), "429"),
    "rate_limited_retry_after": (_answer("429 Too Many Requests", "Retry-After: 3600"), "429"),
    "server_error": (_answer("503 Service Unavailable"), "503"),
    "garbage": ("\x07\x1b[31m<<< not what you asked for >>>\r\n\r\n", "<<<"),
}
_ASK = """
exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 7
printf 'GET http://a.test/ HTTP/1.0' >&3
read -r -t "$2" -u 3 line; ended=$?
[ $ended -gt 128 ] && echo silent
printf '%s' "$line"
"""
_ANSWERED_S, _SILENT_S = "2", "0.005"


def place(room: Room, kind: str) -> str:
    """Puts that fault behind every variable that says where the network is, and gives the proof.

    MachineError when this machine refuses it. The proof is got by bash; without bash there is none.
    """
    answer, shows = _ANSWERS.get(kind, ("", ""))
    serving = ("@serving", answer) if answer else ("@serving",)
    port = str(CLOSED_PORT) if kind == "refused" else room.meddle(serving)
    here = f"http://127.0.0.1:{port}"
    room.surround(
        Surroundings(
            environment={
                **dict.fromkeys(PROXIES, here),
                **dict.fromkeys(EXCEPTIONS, None),
                **{name: here + path for name, path in MODELS.items()},
            }
        )
    )
    ended = met(room, _ASK, port, _ANSWERED_S if shows else _SILENT_S, by="bash")
    if kind == "refused":
        return "ECONNREFUSED" if "refused" in said(ended) else ""
    if kind == "timeout":
        return "silent" if "silent" in said(ended) else ""
    return "answered" if shows in said(ended) else ""
