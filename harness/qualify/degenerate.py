"""Degenerate implementations: they look at little or nothing of what they are asked, and answer all the same.

``python -m harness.qualify.degenerate SYSTEM KIND SEED`` serves one over stdio. Their answers are of the right form
wherever that is possible, so that nothing but what they say can show what they are.
"""

import hashlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from harness.qualify.answers import Chooser, answer, copied
from harness.systems import registry
from harness.targets.serve import ServedReference, serve

KINDS: Mapping[str, str] = {
    "always-yes": "says yes, and the first of every list, to everything",
    "always-no": "says no, nothing and the last of every list to everything",
    "echo": "says what it was told",
    "last-answer": "gives the right answer to the question before",
    "random": "says anything that has the right form",
    "empty": "answers every operation with an empty object",
    "exit-0": "ends at once, with exit code 0",
    "crash": "dies at every operation",
    "hang": "answers no operation",
    "answer-key": "has learned the published scenarios by heart, and says no to anything else",
}
ANSWER_KEY, LEARNING = "answer-key", "learning"
ANSWERS = ".answers"
"""Where in its home a reference that teaches an answer key writes what it answered, a line each."""
KEY = "WINDTUNNEL_ANSWER_KEY"
"""The variable that names the file of an answer key."""


class Degenerate:
    """One of ``KINDS`` that answers; ``seed`` is what a random one draws from.

    ``learning`` is none of them: it is the reference, and writes down what it answers.
    """

    def __init__(self, system: registry.System, kind: str, seed: int) -> None:
        self._system = system
        self._kind = kind
        self._chooser = Chooser(kind, random.Random(f"{system.name} {seed}"))  # noqa: S311 - no secret
        self._reference = ServedReference(system, None)
        self._last: dict[str, Any] = {}
        self._asked = hashlib.sha256()
        self._key: Mapping[str, Any] = {}
        self._home = ""
        self._private: tempfile.TemporaryDirectory[str] | None = None
        if kind == ANSWER_KEY:
            self._key = msgspec.json.decode(Path(os.environ[KEY]).read_bytes())

    def create(self, workdir: str, config: Mapping[str, Any], now: str) -> None:
        """See Served.create."""
        self._asked = opened(config, now)
        self._home, self._last = workdir, {}
        if self._kind == "last-answer":
            # what it should have written is nobody's answer: it keeps its files to itself
            self._private = tempfile.TemporaryDirectory(prefix="degenerate-")
            self._reference.create(self._private.name, {**config, "home": self._private.name}, now)
        elif self._kind == LEARNING:
            self._reference.create(workdir, config, now)

    def call(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        """See Served.call."""
        _, result = self._system.contract.OPERATIONS[operation]
        known = self._answers().get(self._kind)
        if known is not None:
            return known(operation, args, now)
        return answer(result, self._chooser)

    def _answers(self) -> Mapping[str, Callable[[str, Mapping[str, Any], str], Any]]:
        return {
            "echo": lambda operation, args, now: self._echo(operation, args),
            "last-answer": self._before,
            "empty": lambda operation, args, now: {},
            "crash": lambda operation, args, now: os._exit(1),
            "hang": lambda operation, args, now: _forever(),
            ANSWER_KEY: self._by_heart,
            LEARNING: self._teach,
        }

    def _echo(self, operation: str, args: Mapping[str, Any]) -> Any:
        return copied(self._system.contract.OPERATIONS[operation][1], args, self._chooser)

    def _before(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        right = self._reference.call(operation, args, now)
        said = self._last.get(operation)
        self._last[operation] = right
        return said if said is not None else answer(self._system.contract.OPERATIONS[operation][1], self._chooser)

    def _by_heart(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        self._asked.update(said(operation, args, now))
        known = self._key.get(self._asked.hexdigest())
        return known if known is not None else answer(self._system.contract.OPERATIONS[operation][1], self._chooser)

    def _teach(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        right = self._reference.call(operation, args, now)
        self._asked.update(said(operation, args, now))
        with open(os.path.join(self._home, ANSWERS), "ab") as file:
            file.write(msgspec.json.encode({self._asked.hexdigest(): right}) + b"\n")
        return right


def opened(config: Mapping[str, Any], now: str) -> Any:
    """What an answer key has seen when it was given that configuration at that time; ``said`` adds to it."""
    return hashlib.sha256(said("", {name: each for name, each in config.items() if name != "home"}, now))


def said(operation: str, args: Mapping[str, Any], now: str) -> bytes:
    """One question as an answer key remembers it."""
    return msgspec.json.encode([operation, args, now], order="deterministic") + b"\n"


def _forever() -> None:
    while True:
        time.sleep(3600)


def prepare(words: list[str]) -> None:
    """Imports what a degenerate implementation of the system that is named will need."""
    for room in ("contract", "reference"):
        import_module(f"harness.systems.{words[0]}.{room}")


def main(words: list[str]) -> None:
    """Serves what the words name until ``shutdown``."""
    name, kind, seed = words
    if kind == "exit-0":
        return
    system = registry.get(name)
    serve(system, Degenerate(system, kind, int(seed)), kind)


if __name__ == "__main__":
    main(sys.argv[1:])
