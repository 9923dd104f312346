"""Signals that one role hands to another: raised, handled, deleted (LK-SG-01, LK-SG-03, LK-SG-04)."""

import string
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from harness.ports.files import Files
from harness.systems.signals.contract import (
    HEALING,
    NAMED,
    ROUTES,
    SIGNALS_DIRECTORY,
    ConsumeArguments,
    ConsumeResult,
    EmitArguments,
    EmitResult,
    LogCode,
    Signal,
)
from harness.systems.signals.reference.drifts import Place
from harness.systems.signals.reference.frictions import FrictionRules
from harness.systems.signals.reference.kept_file import KeptFile, SignalsLock
from harness.systems.signals.reference.outside import Outside
from harness.systems.signals.reference.texts import decoded, encoded, shown
from harness.systems.trace import Trace

PLAIN: Final = frozenset((string.ascii_letters + string.digits + "._-").encode())  # bytes that stand for themselves
LONGEST_NAME: Final = 200  # bytes of a name as it is written: a file's own name has at most 255


class Routes:
    """Who raises which signal, who handles it, and what its file is called. Pure."""

    def is_known(self, signal: str, *, healing: bool | None = None) -> bool:
        """Is it a signal; of healing, or of workflow, where that is said?"""
        return signal in tuple(Signal) and healing in (None, signal in HEALING)

    def may_emit(self, signal: str, by: str) -> bool:
        """Does that role create it?"""
        return by in ROUTES[Signal(signal)][0]

    def may_consume(self, signal: str, by: str) -> bool:
        """Does that role consume it?"""
        return by == ROUTES[Signal(signal)][1]

    def file_name(self, signal: str, name: str | None) -> str | None:
        """The name of its file; None when a name is missing, is too long, or stands where none belongs."""
        if signal not in NAMED:
            return signal if name is None else None
        written = self.escaped(name or "")
        return f"{signal}_{written}" if 0 < len(written) <= LONGEST_NAME else None

    def escaped(self, name: str) -> str:
        """The name, with all that might lead out of the directory as percent signs: no two names become one."""
        data = name.encode("utf-8", "surrogatepass")
        first_plain = len(data) - len(data.lstrip(b"."))
        return "".join(
            chr(byte) if byte in PLAIN and number >= first_plain else f"%{byte:02X}" for number, byte in enumerate(data)
        )


class Content(NamedTuple):
    """What a signal's file says: its payload, None when the file is empty."""

    payload: Any


class Handoffs:
    """The signals below a directory. No method raises. Who changes one holds the lock, so that none is lost."""

    routes_class = Routes
    rules_class = FrictionRules
    file_class = KeptFile
    outside_class = Outside

    def __init__(self, place: Place, files: Files, lock: SignalsLock) -> None:
        self.directory = place(SIGNALS_DIRECTORY)
        self.files = files
        self.lock = lock
        self.routes = self.routes_class()
        self.rules = self.rules_class()
        self.outside = self.outside_class()

    def emit(self, arguments: EmitArguments, now_s: float) -> EmitResult:
        """Somebody raises a signal."""
        trace = Trace()
        file = self.raised(arguments, trace)
        if file is None:
            return EmitResult(written=False, log=trace.told())
        payload = self.rules.payload(arguments.signal, arguments.payload, now_s)
        if payload is None:
            trace.warning(LogCode.SIGNAL_INVALID, f"that is no payload of {arguments.signal}")
            return EmitResult(written=False, log=trace.told())
        with self.lock.held(trace) as held:
            written = held and self.written(file, payload, trace)
        return EmitResult(written, trace.told())

    def raised(self, arguments: EmitArguments, trace: Trace) -> KeptFile | None:
        """The file of a signal that may be raised; None, and told, for any other."""
        if not self.routes.is_known(arguments.signal):
            trace.warning(LogCode.SIGNAL_UNKNOWN, f"{shown(arguments.signal)} is no signal")
            return None
        file = self.file(arguments.signal, arguments.name, trace)
        if file is not None and not self.routes.may_emit(arguments.signal, arguments.by):
            trace.warning(LogCode.ROUTE_INVALID, f"{shown(arguments.by)} does not create {arguments.signal}")
            return None
        return file

    def written(self, file: KeptFile, payload: Mapping[str, Any], trace: Trace) -> bool:
        """Does the signal stand there?"""
        try:
            file.put(encoded(payload))
        except OSError as error:
            trace.error(LogCode.SIGNAL_WRITE_FAILED, "a signal is not raised", error)
            return False
        return True

    def consume(self, arguments: ConsumeArguments) -> ConsumeResult:
        """Somebody handles a workflow signal; it is deleted afterwards, so that none is lost (LK-SG-01, ``after``)."""
        trace = Trace()
        file = self.wanted(arguments.signal, arguments.by, arguments.name, trace, healing=False)
        if file is None:
            return ConsumeResult(handled=False, log=trace.told())
        with self.lock.held(trace) as held:
            content = self.content(file, trace) if held else None
            if content is None:
                return ConsumeResult(handled=False, log=trace.told())
            done = self.handled(content, arguments, trace) and self.deleted(file, trace)
        return ConsumeResult(done, content.payload, trace.told())

    def handled(self, content: Content, arguments: ConsumeArguments, trace: Trace) -> bool:
        """Did the handler end well?"""
        try:
            self.outside.handle(content.payload, arguments.handler)
        except Exception as error:  # noqa: BLE001 - a handler is somebody else's code
            trace.error(LogCode.HANDLER_FAILED, f"{arguments.signal} is not handled", error)
            return False
        return True

    # -- parts that healing has, too

    def wanted(
        self, signal: str, by: str, name: str | None, trace: Trace, *, healing: bool
    ) -> KeptFile | None:  # fmt: skip
        """The file of a signal that may be consumed; None, and told, for any other."""
        if not self.routes.is_known(signal, healing=healing):
            trace.warning(LogCode.SIGNAL_UNKNOWN, f"{shown(signal)} is no signal of these")
            return None
        if not self.routes.may_consume(signal, by):
            trace.warning(LogCode.ROUTE_INVALID, f"{shown(by)} does not consume {signal}")
            return None
        return self.file(signal, name, trace)

    def file(self, signal: str, name: str | None, trace: Trace) -> KeptFile | None:
        """The file of a signal."""
        found = self.routes.file_name(signal, name)
        if found is None:
            trace.warning(LogCode.NAME_INVALID, f"{shown(name)} is no name for {signal}")
            return None
        return self.file_class(f"{self.directory}/{found}", self.files)

    def content(self, file: KeptFile, trace: Trace) -> Content | None:
        """What the signal says; None when it is not there, cannot be read, or is none, and then it is set aside."""
        try:
            data = file.read()
            if data is None:
                return None
            return self.parsed(data, file, trace)
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "a signal cannot be read", error)
            return None

    def parsed(self, data: bytes, file: KeptFile, trace: Trace) -> Content | None:
        """See content; an empty file is a signal, too."""
        if not data.strip():
            return Content(None)
        try:
            return Content(decoded(data))
        except ValueError:
            self.refused(file, data, trace)
            return None

    def refused(self, file: KeptFile, data: bytes, trace: Trace) -> None:
        """Sets aside a signal that says nothing, and tells."""
        trace.warning(LogCode.SIGNAL_INVALID, f"a signal holds no payload; it is kept as {file.set_aside(data)}")

    def deleted(self, file: KeptFile, trace: Trace) -> bool:
        """Is the signal gone?"""
        try:
            file.remove()
        except OSError as error:
            trace.error(LogCode.STORAGE_FAILED, "a signal that was handled cannot be deleted", error)
            return False
        return True
