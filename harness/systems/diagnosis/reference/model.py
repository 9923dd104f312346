"""The port for a model, the scripted model of scenarios, and asking with a limit. No model is ever needed."""

import queue
import threading
from collections.abc import Callable
from typing import Protocol

from harness.systems.diagnosis.contract import LogCode, ModelBehaviour, ModelCall, ModelScript
from harness.systems.diagnosis.reference.flags import Settings
from harness.systems.diagnosis.reference.memories import Trace


class Model(Protocol):
    """A model that may be asked."""

    def ask(self, prompt: str, temperature: float, max_tokens: int, limit_s: float) -> str:
        """Its answer, any text; it may take longer than ``limit_s``, and raise anything."""
        ...

    def close(self) -> None:
        """Nobody waits for an answer any more."""
        ...


class ModelError(Exception):
    """What a scripted model raises."""


class ScriptedModel:
    """Does what the script of an observation says, and keeps what it was asked."""

    def __init__(self, script: ModelScript) -> None:
        self.script = script
        self.calls: list[ModelCall] = []
        self._closed = threading.Event()

    def ask(self, prompt: str, temperature: float, max_tokens: int, limit_s: float) -> str:
        """See Model.ask."""
        del limit_s
        self.calls.append(ModelCall(prompt, temperature, max_tokens))
        behaviour = self.script.behaviour
        if behaviour is ModelBehaviour.RAISES:
            raise ModelError("the model failed")
        if behaviour is ModelBehaviour.HANGS:
            self._closed.wait()
        elif behaviour is ModelBehaviour.SLOW:
            self._closed.wait(min(max(self.script.delay_s, 0.0), threading.TIMEOUT_MAX))
        return self.script.text

    def close(self) -> None:
        """See Model.close."""
        self._closed.set()


class Asking:
    """Asks in a thread of its own, which is left behind when the limit is over."""

    def ask(self, model: Model, prompt: str, settings: Settings, limit_s: float, trace: Trace) -> str | None:
        """The answer; None, told of, when there is none in time."""
        answers: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
        limit_s = min(limit_s, threading.TIMEOUT_MAX) if limit_s > 0 else 0.0

        def work() -> str:
            return model.ask(prompt, settings.temperature, settings.max_tokens, limit_s)

        try:
            threading.Thread(target=lambda: answers.put(_outcome(work)), name="model", daemon=True).start()
            found = answers.get(timeout=limit_s)
        except RuntimeError as error:  # no more threads
            trace.error(LogCode.MODEL_FAILED, "the model cannot be asked", error)
            return None
        except queue.Empty:
            trace.warning(LogCode.MODEL_TIMED_OUT, f"the model gave no answer within {limit_s:g} s")
            return None
        finally:
            model.close()
        if isinstance(found, BaseException):
            trace.error(LogCode.MODEL_FAILED, "the model failed", found)
            return None
        return found


def _outcome(work: Callable[[], str]) -> str | BaseException:
    try:
        return work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the model's, and told of by the asker
        return error
