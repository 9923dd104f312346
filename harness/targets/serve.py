"""Runs an implementation over stdio: the reference, one of its mutants, or any Python factory.

Standard output belongs to the protocol; whatever else is printed goes to standard error.
"""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Protocol

import msgspec
from jsonrpc.exceptions import (
    JSONRPCDispatchException,
    JSONRPCInvalidParams,
    JSONRPCInvalidRequest,
    JSONRPCInvalidRequestException,
    JSONRPCParseError,
)
from jsonrpc.jsonrpc2 import JSONRPC20Request, JSONRPC20Response
from jsonrpc.manager import JSONRPCResponseManager

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
    answers = os.fdopen(os.dup(1), "wb")  # buffered: a bare write that is stopped half way, and goes on, loses the rest
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    _answer_all(_Methods(system, served, name, version), requests, answers)
    # threads that hang in a checker must not keep the process alive
    sys.stderr.flush()
    os._exit(0)


def _answer_all(methods: "_Methods", requests: BinaryIO, answers: Any) -> None:
    table = methods.table()
    for line in requests:
        answer = _answer(line, table)
        if answer is not None:
            answers.write(answer.json.encode() + b"\n")
            answers.flush()
        if methods.ended:
            return


def _answer(line: bytes, table: Mapping[str, Callable[..., Any]]) -> Any:
    """The library's response to one line; None to a notification."""
    try:
        data = msgspec.json.decode(line.decode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return JSONRPC20Response(error=JSONRPCParseError()._data)  # noqa: SLF001 - the only way the library offers
    try:
        for call in data if isinstance(data, list) else [data]:
            if isinstance(call, dict) and call.get("jsonrpc") != "2.0":
                raise JSONRPCInvalidRequestException("the library looks for the field, not for the version in it")
        request = JSONRPC20Request.from_data(data)
    except JSONRPCInvalidRequestException:
        return JSONRPC20Response(error=JSONRPCInvalidRequest()._data)  # noqa: SLF001 - the same
    return JSONRPCResponseManager.handle_request(request, table)


def _invalid(why: object) -> JSONRPCDispatchException:
    return JSONRPCDispatchException(code=JSONRPCInvalidParams.CODE, message=f"Invalid params: {why}")


def _required_time(now: object) -> str:
    """``now``; ValidationError unless it is a time with an offset."""
    text = now if isinstance(now, str) else ""
    try:
        to_seconds(text)
    except (ValueError, OverflowError) as error:
        raise msgspec.ValidationError(
            f"{str(now)[:40]!r} is no time of RFC 3339 with an offset - at `$.now`"
        ) from error
    return text


class _Methods:
    def __init__(self, system: registry.System, served: Served, name: str, version: str) -> None:
        self._system = system
        self._served = served
        self._name = name
        self._version = version
        self._placed = False
        self.ended = False

    def table(self) -> dict[str, Callable[..., Any]]:
        methods: dict[str, Callable[..., Any]] = {
            "initialize": self._initialize,
            "reset": self._place,
            "open": self._place,
            "shutdown": self._shutdown,
        }
        for operation in self._system.contract.OPERATIONS:
            methods[f"{self._system.name}/{operation}"] = self._operation(operation)
        return methods

    def _initialize(self, **params: Any) -> Any:
        try:
            asked = msgspec.convert(params, InitializeParams)
        except msgspec.ValidationError as error:
            raise _invalid(error) from error
        if PROTOCOL_VERSION not in asked.protocolVersions:
            raise _invalid(f"speaks protocol {PROTOCOL_VERSION} only")
        answer = InitializeResult(
            protocolVersion=PROTOCOL_VERSION,
            implementation=Implementation(self._name, self._version, "python"),
            systems={self._system.name: SystemSupport()},
        )
        return msgspec.to_builtins(answer)

    def _place(self, **params: Any) -> Any:
        try:
            asked = msgspec.convert(params, WorkdirParams)
            _required_time(asked.now)
            if not os.path.isabs(asked.workdir):
                raise _invalid(f"{asked.workdir!r} is no absolute path - at `$.workdir`")
            self._served.create(asked.workdir, asked.config, asked.now)
        except msgspec.ValidationError as error:
            raise _invalid(error) from error
        self._placed = True
        return {}

    def _operation(self, operation: str) -> Callable[..., Any]:
        arguments, _ = self._system.contract.OPERATIONS[operation]

        def call(*positional: Any, now: object = None, **params: Any) -> Any:
            if positional:
                raise _invalid("they are named, in an object")
            if not self._placed:
                raise JSONRPCDispatchException(code=IMPLEMENTATION_FAILED, message="reset or open comes first")
            try:
                time = _required_time(now)
                msgspec.convert(params, arguments)
                return self._served.call(operation, params, time)
            except msgspec.ValidationError as error:
                raise _invalid(error) from error
            except Exception as error:  # whatever the implementation raises is an answer, not our end
                said = f"{type(error).__name__}: {error}"
                raise JSONRPCDispatchException(code=IMPLEMENTATION_FAILED, message=said) from error

        return call

    def _shutdown(self) -> Any:
        self.ended = True
        return {}
