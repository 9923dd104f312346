"""Runs an implementation over stdio: the reference, one of its mutants, or any Python factory.

Standard output belongs to the protocol; whatever else is printed goes to standard error.
"""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Protocol

import msgspec
from jsonrpcserver import Error, InvalidParams, Result, Success, dispatch

from harness import __version__
from harness.errors import UsageError
from harness.ports.clock import to_seconds
from harness.systems import registry
from harness.targets.frozen import at, require_freezegun
from harness.targets.messages import (
    PROTOCOL_VERSION,
    Implementation,
    InitializeParams,
    InitializeResult,
    SystemSupport,
    WorkdirParams,
)

IMPLEMENTATION_FAILED = -32000  # JSON-RPC: the first code free for servers


class Served(Protocol):
    """What a served system is made of: a fresh implementation for a configuration, and calls to it."""

    def create(self, workdir: str, config: Mapping[str, Any], now: str) -> None:
        """A fresh implementation on that working directory."""
        ...

    def call(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        """One operation's result, as builtins."""
        ...


class ServedReference:
    """The reference of one system, or one of its mutants."""

    def __init__(self, system: registry.System, mutant: str | None) -> None:
        self._system = system
        self._mutant = mutant
        self._instance: Any = None

    def create(self, workdir: str, config: Mapping[str, Any], now: str) -> None:
        """See Served.create."""
        configuration = msgspec.convert(config, self._system.contract.Configuration)
        if self._mutant is None:
            self._instance = self._system.reference.create(configuration)
        else:
            self._instance = self._system.mutants.create_mutant(self._mutant, configuration)

    def call(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        """See Served.call."""
        arguments, _ = self._system.contract.OPERATIONS[operation]
        result = getattr(self._instance, operation)(msgspec.convert(args, arguments), to_seconds(now))
        return msgspec.to_builtins(result)


class ServedFactory:
    """Somebody's Python code: ``factory(workdir, clock, config)`` gives an object with a method an operation.

    ``clock`` is a callable that gives the time of the current call in seconds since the epoch. A factory with a true
    attribute ``reads_system_clock`` is called under freezegun instead, which moves on from that time.
    """

    def __init__(self, path: str) -> None:
        self._factory = load_factory(path)
        self._freeze = bool(getattr(self._factory, "reads_system_clock", False))
        if self._freeze:
            require_freezegun(path)
        self._now_s = 0.0
        self._instance: Any = None

    def create(self, workdir: str, config: Mapping[str, Any], now: str) -> None:
        """See Served.create."""
        self._instance = self._at(now, lambda: self._factory(workdir, lambda: self._now_s, config))

    def call(self, operation: str, args: Mapping[str, Any], now: str) -> Any:
        """See Served.call."""
        return msgspec.to_builtins(self._at(now, lambda: getattr(self._instance, operation)(dict(args))))

    def _at(self, now: str, action: Callable[[], Any]) -> Any:
        self._now_s = to_seconds(now)
        if not self._freeze:
            return action()
        with at(self._now_s):
            return action()


def load_factory(path: str) -> Callable[..., Any]:
    """The callable that ``package.module:name`` names; UsageError when there is none."""
    module_name, colon, name = path.partition(":")
    if not colon or not module_name or not name:
        raise UsageError(f"{path!r} names no factory; write it as package.module:factory")
    try:
        factory = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"cannot load the factory {path}: {error}") from error
    if not callable(factory):
        raise UsageError(f"{path} is no factory: it cannot be called")
    return factory  # type: ignore[no-any-return]  # found by name; what it returns is checked at each call


def serve(system: registry.System, served: Served, name: str, version: str = __version__) -> None:
    """Answers JSON-RPC messages on standard input until ``shutdown`` or its end."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    _answer_all(_Methods(system, served, name, version), requests, answers)
    # threads that hang in a checker must not keep the process alive
    sys.stderr.flush()
    os._exit(0)


def _answer_all(methods: "_Methods", requests: BinaryIO, answers: Any) -> None:
    table = methods.table()
    for line in requests:
        answer = dispatch(line.decode(errors="replace"), methods=table, validator=_require_calls)
        if answer:
            answers.write(answer.encode() + b"\n")
        if methods.ended:
            return


def _require_calls(request: object) -> None:
    # every method validates its own parameters with msgspec; the library's JSON Schema of the envelope costs 200 us
    calls = request if isinstance(request, list) else [request]
    if not calls or not all(isinstance(call, dict) and isinstance(call.get("method"), str) for call in calls):
        raise ValueError("neither a call nor a batch of calls")


class _Methods:
    def __init__(self, system: registry.System, served: Served, name: str, version: str) -> None:
        self._system = system
        self._served = served
        self._name = name
        self._version = version
        self.ended = False

    def table(self) -> dict[str, Callable[..., Result]]:
        methods: dict[str, Callable[..., Result]] = {
            "initialize": self._initialize,
            "reset": self._place,
            "open": self._place,
            "shutdown": self._shutdown,
        }
        for operation in self._system.contract.OPERATIONS:
            methods[f"{self._system.name}/{operation}"] = self._operation(operation)
        return methods

    def _initialize(self, **params: Any) -> Result:
        try:
            asked = msgspec.convert(params, InitializeParams)
        except msgspec.ValidationError as error:
            return InvalidParams(str(error))
        if PROTOCOL_VERSION not in asked.protocolVersions:
            return InvalidParams(f"speaks protocol {PROTOCOL_VERSION} only")
        answer = InitializeResult(
            protocolVersion=PROTOCOL_VERSION,
            implementation=Implementation(self._name, self._version, "python"),
            systems={self._system.name: SystemSupport()},
        )
        return Success(msgspec.to_builtins(answer))

    def _place(self, **params: Any) -> Result:
        try:
            asked = msgspec.convert(params, WorkdirParams)
            self._served.create(asked.workdir, asked.config, asked.now)
        except msgspec.ValidationError as error:
            return InvalidParams(str(error))
        return Success({})

    def _operation(self, operation: str) -> Callable[..., Result]:
        def call(*, now: str, **params: Any) -> Result:
            try:
                return Success(self._served.call(operation, params, now))
            except msgspec.ValidationError as error:
                return InvalidParams(str(error))
            except Exception as error:  # noqa: BLE001 - whatever the implementation raises is an answer, not our end
                return Error(IMPLEMENTATION_FAILED, f"{type(error).__name__}: {error}")

        return call

    def _shutdown(self) -> Result:
        self.ended = True
        return Success({})
