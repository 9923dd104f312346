"""The exchanges of a lint, one a method: each says of a good one what was seen, and tells what was wrong or odd."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from harness.adapters import calls
from harness.adapters.calls import Asked
from harness.adapters.conversation import Conversation, OverError
from harness.adapters.peer import NO_JSON, Answer, LostError
from harness.core.scenario import Operation
from harness.errors import UntestableError
from harness.report.text import in_one_line
from harness.systems import registry
from harness.targets.defects import RESTARTED
from harness.targets.messages import PROTOCOL_VERSION, InitializeResult
from harness.targets.target_file import closest

UNKNOWN_METHOD: Final = -32601
WRONG_ARGUMENTS: Final = -32602
_FUTURE_VERSION: Final = 999
_BIG_BYTES: Final = 1024 * 1024
_DAY_S: Final = 86_400.0
_HALF_S: Final = 0.1  # who answers half a line does so at once
_TEXT: Final = 'naïve ☃ 日本 \U0001d11e \u2028 \u0085 \\ " \t \x00'
_NO_CALL: Final = b"this is no JSON\n"
Exchange = tuple[str, Callable[[], str]]


class _Known(NamedTuple):
    """An operation that was asked for as it is meant, and what it was answered."""

    system: registry.System
    asked: Asked
    answer: Answer

    @property
    def operation(self) -> Operation:
        return self.asked.operations[-1]

    @property
    def method(self) -> str:
        return f"{self.system.name}/{self.operation.name}"

    @property
    def done(self) -> bool:
        return self.answer.result is not None


class Exchanges:
    """All of them, with one adapter; of the systems ``named``, or of all that it names."""

    def __init__(self, talk: Conversation, named: Sequence[str]) -> None:
        self._talk = talk
        self._named = tuple(named)
        self._met: InitializeResult | None = None
        self._known: list[_Known] = []

    def each(self) -> Iterator[Exchange]:
        """The name of each exchange and what plays it, in turn; what comes later hangs on what came before."""
        yield "initialize", self._initialize
        yield "reset", self._reset
        for system in self._systems():
            for asked in calls.of_each_operation(system, self._groups(system)).values():
                yield f"{system.name}/{asked.operations[-1].name}", lambda s=system, a=asked: self._well_formed(s, a)  # type: ignore[misc]
        if self._known:
            yield "an unknown method", self._unknown_method
            yield "an unknown system", self._unknown_system
            yield "a missing argument", self._missing_argument
            yield "an unknown argument", self._unknown_argument
            yield "now goes back", self._back_in_time
            yield "a big line", self._big_line
            yield "text beyond ASCII", lambda: self._text(escaped=False)
            yield "text in escapes", lambda: self._text(escaped=True)
            yield "a line that is no JSON", self._no_json
            yield "two calls at once", self._two_at_once
            yield "a line in two pieces", self._in_pieces
            for system in self._systems():
                yield f"reset of {system.name}", lambda s=system: self._fresh(s)  # type: ignore[misc]
            yield "open by a second process", self._second_process
        yield "a version nobody has", self._version
        yield "shutdown", self._shutdown
        yield "end of input", self._end_of_input

    def _systems(self) -> tuple[registry.System, ...]:
        claimed = () if self._met is None else self._met.systems
        chosen = [name for name in self._named if name in claimed] if self._named else claimed
        return tuple(registry.get(name) for name in chosen if name in registry.NAMES)

    def _groups(self, system: registry.System) -> tuple[str, ...]:
        return () if self._met is None else self._met.systems[system.name].groups

    def _first(self) -> _Known:
        """What is asked where it matters only that something is: an operation that is written, if there is one."""
        return next((known for known in self._known if known.done), self._known[0])

    def _initialize(self) -> str:
        try:
            answer = self._talk.introduced()
        except LostError as error:
            if error.mistakes[-1].code in RESTARTED and len(error.mistakes) == 1:
                raise UntestableError(f"the adapter does not start: {in_one_line(str(error))}") from error
            raise OverError("there is no answer to initialize") from error
        if answer.result is None:
            self._talk.mistake("refused", "initialize", f"the error {answer.code} came: {answer.message!r}")
            raise OverError("there is no answer to initialize")
        self._talk.read("initialize", answer)
        self._met = _introduction(answer.result)
        if self._met is None:
            raise OverError("it does not say which systems it has")
        if self._met.protocolVersion != PROTOCOL_VERSION:
            came = f"it chose version {self._met.protocolVersion}"
            self._talk.mistake("not_offered", f"initialize with protocolVersions [{PROTOCOL_VERSION}]", came)
        self._names(self._met)
        who = self._met.implementation
        return f"{who.name} {who.version} has {', '.join(self._met.systems) or 'no system'}"

    def _names(self, met: InitializeResult) -> None:
        """Every name in an introduction has to be known."""
        for name in self._named:
            if name not in met.systems:
                self._talk.mistake("unclaimed", "initialize", f"systems has no {name}, only {list(met.systems)}")
        for name, support in met.systems.items():
            if name not in registry.NAMES:
                self._unknown("unknown_system", f"systems has {name!r}, which is none", name, registry.NAMES)
                continue
            catalogue = registry.get(name).catalogue
            for clause in support.not_implemented:
                if clause not in catalogue:
                    came = f"not_implemented of {name} has {clause!r}, which is no clause of it"
                    self._unknown("unknown_clause", came, clause, [each.id for each in catalogue])
            for group in support.groups:
                if group not in catalogue.groups:
                    self._unknown("unknown_group", f"groups of {name} has {group!r}", group, list(catalogue.groups))

    def _unknown(self, code: str, came: str, name: str, known: Sequence[str]) -> None:
        near = closest(name, list(known))
        self._talk.mistake(code, "initialize", f"{came} (did you mean {near}?)" if near else came)

    def _reset(self) -> str:
        self._talk.place()
        return "answered by {}"

    def _well_formed(self, system: registry.System, asked: Asked) -> str:
        self._talk.ready()
        self._talk.place(asked.scenario)
        for operation in asked.operations[:-1]:
            self._talk.operate(system, operation)
        answer = self._talk.operate(system, asked.operations[-1])
        known = _Known(system, asked, answer)
        self._known.append(known)
        if answer.code == WRONG_ARGUMENTS:
            sent = f"{known.method} with {msgspec.json.encode(known.operation.args).decode()}"
            self._talk.mistake("well_formed_refused", sent, f"the error {answer.code} came: {answer.message!r}")
        elif not known.done:
            what = "it is not written" if answer.code == UNKNOWN_METHOD else f"it failed: {answer.message!r}"
            self._talk.note(
                f"the error {answer.code} came, so {what}; what is judged by it has to be in not_implemented"
            )
        return "answered as its schema says"

    def _ready(self) -> _Known:
        """The operation that is asked, in a fresh world of its own."""
        known = self._first()
        self._talk.ready()
        self._talk.place(known.asked.scenario)
        return known

    def _unknown_method(self) -> str:
        return self._nothing_there(f"{self._ready().system.name}/no_such_operation")

    def _unknown_system(self) -> str:
        self._ready()
        return self._nothing_there("no_such_system/act")

    def _nothing_there(self, method: str) -> str:
        answer = self._talk.ask(method, msgspec.json.encode(self._talk.params_of(Operation(""))))
        if answer.result is not None:
            self._talk.mistake("no_error", method, f"a result came: {_short(answer.result)}")
        elif answer.code != UNKNOWN_METHOD:
            self._talk.mistake("wrong_code", method, f"the error {answer.code} came: {answer.message!r}")
        return f"answered by the error {UNKNOWN_METHOD}"

    def _missing_argument(self) -> str:
        lacking = [each for each in self._known if calls.required(each.system, each.operation.name)]
        known = next((each for each in lacking if each.done), lacking[0] if lacking else None)
        if known is None:
            return "no operation needs one"
        self._talk.ready()
        self._talk.place(known.asked.scenario)
        name = calls.required(known.system, known.operation.name)[0]
        answer = self._talk.operate(known.system, calls.without(known.operation, name), sent=f" without {name}")
        sent = f"{known.method} without {name}"
        if answer.result is not None:
            self._talk.mistake("accepted", sent, f"a result came: {_short(answer.result)}")
        elif answer.code not in (WRONG_ARGUMENTS, known.answer.code):
            self._talk.mistake("wrong_code", sent, f"the error {answer.code} came: {answer.message!r}")
        return f"answered by the error {answer.code}"

    def _unknown_argument(self) -> str:
        known = self._ready()
        more = calls.with_member(known.operation, no_such_argument=1)
        answer = self._talk.operate(known.system, more, sent=" with no_such_argument")
        if answer.result is not None:
            self._talk.note("no_such_argument was taken; one that is misspelt or from a later version would be, too")
        return f"answered by the error {answer.code}"

    def _back_in_time(self) -> str:
        known = self._ready()
        self._talk.operate(known.system, known.operation)
        answer = self._talk.operate(known.system, known.operation, sent=" a day earlier", later_s=-_DAY_S)
        if known.done and answer.result is None:
            self._talk.note(f"the error {answer.code} came ({answer.message!r}), and clocks do go back")
        return "answered a day earlier, too"

    def _with_text(self) -> tuple[_Known, str] | None:
        """An operation that takes a text of any kind, and the name of that argument."""
        taking = [(each, calls.texts(each.system, each.operation.name)) for each in self._known]
        found = [(each, names[0]) for each, names in taking if names]
        return next(((each, name) for each, name in found if each.done), found[0] if found else None)

    def _say_text(self, text: str, sent: str, *, escaped: bool = False) -> str:
        found = self._with_text()
        if found is None:
            return "no operation takes a text"
        known, name = found
        self._talk.ready()
        self._talk.place(known.asked.scenario)
        params = self._talk.params_of(calls.with_member(known.operation, **{name: text}))
        data = json.dumps(params).encode() if escaped else msgspec.json.encode(params)
        answer = self._talk.ask(known.method, data, sent=f"{known.method} with {sent} in {name}")
        if answer.result is not None:
            self._talk.read(known.method, answer)
        return f"{known.method} answered it in {name}"

    def _big_line(self) -> str:
        return self._say_text("x" * _BIG_BYTES, "1 MiB of text")

    def _text(self, *, escaped: bool) -> str:
        said = "text of many scripts, U+2028 and a NUL"
        return self._say_text(_TEXT, f"{said}, all in escapes" if escaped else said, escaped=escaped)

    def _no_json(self) -> str:
        known = self._ready()
        peer = self._talk.ready()
        number, line = peer.line_of(known.method, msgspec.json.encode(self._talk.params_of(known.operation)))
        sent = f"{_NO_CALL.decode().strip()!r} and then {known.method}"
        self._talk.heard(number, sent, lambda: peer.say(_NO_CALL + line), pardons=True)
        said = peer.pardoned
        if said is None:
            return "passed over, and the next call answered"
        if said.code != NO_JSON or said.call_id is not None:
            self._talk.note(
                f"it was answered by the error {said.code} with id {said.call_id!r}; JSON-RPC has {NO_JSON} and null"
            )
        return f"answered by the error {said.code}, and the next call as well"

    def _two_at_once(self) -> str:
        known = self._ready()
        peer = self._talk.ready()
        params = msgspec.json.encode(self._talk.params_of(known.operation))
        first, one = peer.line_of(known.method, params)
        second, two = peer.line_of(known.method, params)
        sent = f"{known.method} twice in one write"
        answer = self._talk.heard(first, sent, lambda: peer.say(one + two), follows=second)
        if answer.call_id == second:
            came = f"the answer to call {second} came before that to {first}"
            self._talk.mistake("out_of_order", sent, came)
            self._talk.drop()
            return ""
        self._talk.heard(second, sent, lambda: None)
        return "answered in their order"

    def _in_pieces(self) -> str:
        known = self._ready()
        peer = self._talk.ready()
        number, line = peer.line_of(known.method, msgspec.json.encode(self._talk.params_of(known.operation)))
        half = len(line) // 2
        peer.say(line[:half])
        early = peer.early(number, _HALF_S)
        if early is not None:
            self._talk.mistake(early.code, f"half of {known.method} (id {number})", early.came)
            self._talk.drop()
            return ""
        self._talk.heard(number, f"{known.method} in two pieces", lambda: peer.say(line[half:]))
        return "answered when its end came"

    def _fresh(self, system: registry.System) -> str:
        known = calls.telling(system, self._groups(system))
        if not any(each.done and each.system.name == system.name for each in self._known):
            return "nothing is written that could keep anything"
        with self._talk.another():
            expected = self._sequence(system, known[0])
            self._talk.drop()
            if expected != self._sequence(system, known[0]):
                self._talk.note("two fresh processes answer differently, so what reset leaves behind cannot be seen")
                return ""
            for asked in known:
                self._sequence(system, asked)
                found = self._sequence(system, known[0])
                if found != expected:
                    place = next(n for n, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1])
                    sent = f"reset after other calls, and then {system.name}/{known[0].operations[place].name}"
                    came = f"{_short(found[place])} came, where a new process says {_short(expected[place])}"
                    self._talk.mistake("not_fresh", sent, came)
                    return ""
        return f"as a new process after each of {len(known)} series of calls"

    def _sequence(self, system: registry.System, asked: Asked) -> list[bytes]:
        """What operations are answered after a reset, as JSON with sorted keys."""
        self._talk.ready()
        self._talk.place(asked.scenario)
        found: list[bytes] = []
        for operation in asked.operations:
            answer = self._talk.operate(system, operation)
            found.append(str(answer.code).encode() if answer.result is None else _sorted(answer.result))
        return found

    def _second_process(self) -> str:
        known = self._ready()
        if self._met is not None and not self._met.restart:
            return "not played: it says that it cannot be restarted"
        self._talk.operate(known.system, known.operation)
        with self._talk.another():
            answer = self._talk.introduced()
            if answer.result is not None and _introduction(answer.result) != self._met:
                came = f"a second process introduced itself otherwise: {_short(answer.result)}"
                self._talk.mistake("inconsistent", "initialize", came)
            self._talk.place(method="open")
            self._talk.operate(known.system, known.operation, sent=" after open")
        return "answered, and so was a call"

    def _version(self) -> str:
        sent = f"initialize with protocolVersions [{_FUTURE_VERSION}]"
        with self._talk.another():
            answer = self._talk.introduced((_FUTURE_VERSION,))
        if answer.result is None:
            return f"answered by the error {answer.code}"
        met = _introduction(answer.result)
        if met is not None and met.protocolVersion == _FUTURE_VERSION:
            self._talk.mistake("not_offered", sent, f"it chose version {_FUTURE_VERSION}, which it cannot know")
        else:
            self._talk.note("it was answered by a version that was not offered; an error would say it at once")
        return ""

    def _shutdown(self) -> str:
        self._talk.ready()
        answer = self._talk.ask("shutdown", b"{}")
        if answer.result is not None:
            self._talk.read("shutdown", answer)
        else:
            self._talk.mistake("refused", "shutdown", f"the error {answer.code} came: {answer.message!r}")
        return self._gone("shutdown and the end of standard input")

    def _end_of_input(self) -> str:
        self._talk.introduced()
        return self._gone("the end of standard input alone")

    def _gone(self, sent: str) -> str:
        ended = self._talk.ended()
        if ended is None:
            self._talk.mistake("not_ended", sent, "the process lives on")
        elif ended.exit_code != 0:
            how = f"signal {ended.signal}" if ended.exit_code is None else f"exit code {ended.exit_code}"
            self._talk.note(f"the process ended with {how}, and nothing was wrong")
        return "the process ended"


def _introduction(result: bytes) -> InitializeResult | None:
    """What was said, or the names of the systems where the rest is not of the schema; None when even they are not."""
    try:
        return msgspec.json.decode(result, type=InitializeResult)
    except msgspec.ValidationError:
        said = msgspec.json.decode(result)
    except msgspec.DecodeError:
        return None
    systems = said.get("systems") if isinstance(said, dict) else None
    if not isinstance(systems, dict):
        return None
    least = {"protocolVersion": PROTOCOL_VERSION, "implementation": {"name": "it", "version": ""}}
    return msgspec.convert({**least, "systems": {name: {} for name in systems}}, InitializeResult)


def _sorted(result: bytes) -> bytes:
    """The result with its members in one order; as it stands when it is no JSON."""
    try:
        return msgspec.json.encode(msgspec.json.decode(result), order="sorted")
    except msgspec.DecodeError:
        return result


def _short(data: bytes) -> str:
    text = data.decode(errors="replace")
    return text if len(text) <= 120 else f"{text[:120]}..."
