"""What scripted models answer: right, fenced, cut, garbage, of another shape, and untrue."""

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.systems.diagnosis.contract import WHYS, ErrorType, ModelBehaviour
from harness.systems.diagnosis.workload.diagnosis_steps import script

_SAID: Final = (
    "Shell command 'git clone' failed with exit code 127",
    "Binary 'git' not found in container PATH",
    "Agent assumed git would be available without pre-flight check",
    "No fallback strategy prepared for repository download operations",
    "System lacks tool capability introspection mechanism",
)
CURL: Final = "curl -L https://github.com/gatewaybuddy/forgekeeper/archive/refs/heads/main.tar.gz -o repo.tar.gz"


def _alternative(strategy: str, tools: list[str], confidence: Any, **more: Any) -> dict[str, Any]:
    said = {"strategy": strategy, "tools": tools, "description": f"Go on by {strategy}", "confidence": confidence}
    return {**said, "estimatedIterations": 3, **more}


ANSWER: Final[Mapping[str, Any]] = {
    "whyChain": dict(zip(WHYS, _SAID, strict=True)),
    "rootCause": {
        "category": "missing_binary",
        "description": "Required command-line tool 'git' is not installed",
        "confidence": 0.95,
    },
    "errorClassification": {
        "type": ErrorType.COMMAND_NOT_FOUND.value,
        "severity": "recoverable",
        "canRecover": True,
    },
    "alternatives": [
        _alternative("curl_download_and_extract", ["run_bash"], 0.9),
        _alternative("manual_http_download", ["http_fetch", "write_file"], 0.6),
        _alternative("request_user_setup", [], 0.8),
    ],
    "recoveryPlan": {
        "priority": 1,
        "strategy": "curl_download_and_extract",
        "steps": [
            {
                "action": "Download repository tarball",
                "tool": "run_bash",
                "args": {"command": CURL},
                "expectedOutcome": "repo.tar.gz is there",
            }
        ],
        "fallbackChain": ["manual_http_download", "request_user_setup"],
    },
    "learningOpportunity": {
        "pattern": "git_not_available_use_curl",
        "rule": "When git fails with 'command not found', use curl and tar",
        "applicableTaskTypes": ["repository_clone"],
        "generalizability": 0.85,
    },
}


def saying(answer: Any) -> dict[str, Any]:
    """A model that answers with that value, as JSON."""
    return script(ModelBehaviour.ANSWERS, json.dumps(answer))


def _but(part: str, **fields: Any) -> dict[str, Any]:
    return {**ANSWER, part: {**ANSWER[part], **fields}}


RIGHT: Final = saying(ANSWER)
_JSON = json.dumps(ANSWER)
_SUDO = {**ANSWER["recoveryPlan"]["steps"][0], "args": {"command": "sudo apt-get install -y git; rm -rf /"}}

# name, what the model says, its script: none of these is an answer as it was asked for
UNTRUE: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("another-type", "that it is a time-out",
     saying(_but("errorClassification", type=ErrorType.TIMEOUT.value))),
    ("no-type", "a type that there is not", saying(_but("errorClassification", type="gremlins"))),
    ("severity", "a severity that there is not", saying(_but("errorClassification", severity="meh", canRecover="yes"))),
    ("confidence-5", "a confidence of 5", saying(_but("rootCause", confidence=5))),
    ("confidence-negative", "a confidence of -1", saying(_but("rootCause", confidence=-1))),
    ("confidence-text", "a confidence in words", saying(_but("rootCause", confidence="high"))),
    ("confidence-zero", "a confidence of 0", saying(_but("rootCause", confidence=0))),
    ("alternative-confidence", "confidences beyond 1",
     saying({**ANSWER, "alternatives": [_alternative(name, ["run_bash"], 7) for name in ("a", "b", "c")]})),
    ("unavailable-tools", "to use tools that there are not",
     saying({**ANSWER, "alternatives": [_alternative(name, ["teleport"], 0.9) for name in ("a", "b", "c")]})),
    ("one-alternative", "one alternative", saying({**ANSWER, "alternatives": ANSWER["alternatives"][:1]})),
    ("no-alternatives", "no alternative", saying({**ANSWER, "alternatives": []})),
    ("alternatives-text", "a text for alternatives", saying({**ANSWER, "alternatives": "use curl"})),
    ("alternatives-null", "null for alternatives", saying({**ANSWER, "alternatives": None})),
    ("alternatives-odd", "alternatives that are numbers", saying({**ANSWER, "alternatives": [1, None, {}]})),
    ("two-whys", "two whys", saying({**ANSWER, "whyChain": {"why1": "a", "why2": "b"}})),
    ("empty-whys", "empty whys", saying({**ANSWER, "whyChain": dict.fromkeys(WHYS, "")})),
    ("list-of-whys", "a list of whys", saying({**ANSWER, "whyChain": list(_SAID)})),
    ("snake-case", "names in snake case", saying({"why_chain": list(_SAID), "root_cause": {"category": "x"}})),
    ("sudo", "to use sudo, and to remove everything",
     saying({**ANSWER, "recoveryPlan": {**ANSWER["recoveryPlan"], "steps": [_SUDO]}})),
    ("no-plan", "no plan", saying({name: value for name, value in ANSWER.items() if name != "recoveryPlan"})),
    ("no-steps", "a plan without steps", saying(_but("recoveryPlan", steps=[], fallbackChain=None))),
    ("other-strategy", "a plan of a strategy that is none", saying(_but("recoveryPlan", strategy="pray", priority=99))),
    ("learning-odd", "odd things to be learnt",
     saying(_but("learningOpportunity", generalizability=40, applicableTaskTypes="all"))),
)  # fmt: skip
BROKEN: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("half", "half of an answer", script(ModelBehaviour.ANSWERS, _JSON[: len(_JSON) // 2])),
    ("garbage", "garbage", script(ModelBehaviour.ANSWERS, "\x07{[ I am sorry, \ufffd")),
    ("prose", "prose", script(ModelBehaviour.ANSWERS, "The command git could not be found. Install git.")),
    ("empty", "nothing", script(ModelBehaviour.ANSWERS)),
    ("list", "a list", saying([ANSWER])),
    ("empty-list", "an empty list", saying([])),
    ("number", "a number", saying(42)),
    ("null", "null", saying(None)),
    ("text", "a text", saying("curl")),
    ("empty-object", "an empty object", saying({})),
    ("nan", "NaN", script(ModelBehaviour.ANSWERS, _JSON.replace("0.95", "NaN"))),
    ("twice", "two answers", script(ModelBehaviour.ANSWERS, f"{_JSON}\n{_JSON}")),
    ("duplicate-keys", "a key twice", script(ModelBehaviour.ANSWERS, _JSON[:-1] + ', "whyChain": 5}')),
    ("deep", "lists nested a thousand deep", script(ModelBehaviour.ANSWERS, "[" * 1000 + "]" * 1000)),
    ("surrogate", "half of a surrogate pair",
     script(ModelBehaviour.ANSWERS, _JSON.replace("Shell command", "Shell \\ud800 command"))),
)  # fmt: skip
WRAPPED: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("fenced", "its answer in a fence", script(ModelBehaviour.ANSWERS, f"```json\n{_JSON}\n```")),
    ("fenced-plain", "its answer in a fence without a word", script(ModelBehaviour.ANSWERS, f"```\n{_JSON}\n```\n")),
    ("fenced-in-prose", "its answer in a fence, among prose",
     script(ModelBehaviour.ANSWERS, f"Here it is:\n```json\n{_JSON}\n```\nGood luck!")),
    ("blank-around", "blanks around its answer", script(ModelBehaviour.ANSWERS, f"\n\n  {_JSON}\n\n")),
)  # fmt: skip
RAISES: Final = script(ModelBehaviour.RAISES)
HANGS: Final = script(ModelBehaviour.HANGS)
SLOW: Final = script(ModelBehaviour.SLOW, _JSON, 0.02)  # seconds: far less than any limit
TOO_SLOW: Final = script(ModelBehaviour.SLOW, _JSON, 30.0)
HUNG_LIMIT_S: Final = 0.2  # model_limit_s where a model hangs: it is waited for in real time
