"""Signals that are raised and handled: their files, routes, names and contents (LK-SG-01, 03, 04, LK-HL-01). Pure."""

import posixpath
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.notes import Notes
from harness.systems.signals.contract import (
    HEALING,
    NAMED,
    REVIEW_PATH,
    ROUTES,
    SIGNALS_DIRECTORY,
    UNCLASSIFIED,
    Handler,
    Signal,
    is_ordinary,
    path_of,
)
from harness.systems.signals.oracle.files import Step
from harness.systems.signals.oracle.values import has, is_plain, read, same
from harness.systems.signals.oracle.weather import FILES, SIGNALS
from harness.systems.times import is_near, stamp

Key = tuple[str, str | None]
ANY: Final = object()  # a payload that nobody has seen
FRICTION: Final = ("friction_id", "location", "behavior", "agent")
_LOCATION: Final = re.compile(r".+:[1-9]\d*", re.DOTALL | re.ASCII)
_SEPARATORS: Final = re.compile(r"[/\\]")


class Raised(msgspec.Struct):
    """The payloads that may wait to be handled, the latest last; ``is_certain``: one of them does."""

    payloads: list[Any]
    is_certain: bool


def route_clause(signal: str) -> str:
    """The clause that has the route of that signal."""
    return "LK-HL-01" if signal in HEALING else "LK-SG-03"


def is_friction(payload: Any) -> bool | None:
    """Is it what a friction is raised with? None where it depends on who reads it."""
    values = [payload.get(name) for name in FRICTION]
    if not all(isinstance(each, str) for each in values):
        return False
    if not isinstance(payload.get("classification", ""), str):
        return None
    if _LOCATION.fullmatch(values[1]):
        return True if all(values) and is_plain(values) else None
    return None if re.search(r":\s*[+0]*\d", values[1]) else False


class Handoffs:
    """What was raised in one world and not handled yet."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._raised: dict[Key, Raised] = {}
        self._is_open = False

    def forget(self) -> None:
        """Signal files were damaged: what stood in them may be gone, or be something else."""
        for each in self._raised.values():
            each.is_certain = False
            each.payloads.append(ANY)
        self._is_open = True

    def judge(self, step: Step) -> None:
        """Every signal that the operations of the step are about."""
        calls = [call for call in step.calls if call.args is not None and call.op in ("emit", "consume", "heal")]
        for key in dict.fromkeys((call.args.signal, getattr(call.args, "name", None)) for call in calls):
            each = [call for call in calls if (call.args.signal, getattr(call.args, "name", None)) == key]
            self._meet(key, each[0])
            for call in each:
                if call.op == "emit":
                    self._emit(step, call, key)
            handled = [content for call in each if call.op != "emit" for content in self._handle(step, call, key)]
            self._settle(key, handled, sum(call.op == "emit" for call in each))

    def _meet(self, key: Key, call: Call) -> None:
        """A file that was there before anybody raised it."""
        path = path_of(*key)
        if key in self._raised or path is None or path not in call.found:
            return
        fact = call.done.begin.inputs.get("signal")
        data = fact.data if fact is not None else None
        found = read(data) if data else None
        is_sound = data == b"" or (found is not None and found.is_clean and isinstance(found.value, dict))
        self._raised[key] = Raised([ANY], is_sound and key[0] not in HEALING)

    def _settle(self, key: Key, handled: Sequence[Any], emitted: int) -> None:
        """What was handled waits no more; what was raised after it does."""
        raised = self._raised.get(key)
        if raised is None:
            return
        for content in handled:
            found = [n for n, each in enumerate(raised.payloads) if is_same(each, content)]
            if not found:
                continue
            is_last = found[-1] == len(raised.payloads) - 1 or emitted > 1
            del raised.payloads[found[-1]]
            raised.is_certain = bool(raised.payloads) and not is_last
        if not raised.payloads:
            del self._raised[key]

    # -- raised

    def _emit(self, step: Step, call: Call, key: Key) -> None:
        args, answer, notes = call.args, call.answer, self._notes
        clause = route_clause(args.signal)
        if args.signal not in tuple(Signal):
            if answer is not None and answer.written:
                notes.breaks("LK-SG-03", f"there is no signal {args.signal!r}"[:200], call.said)
            return
        if answer is None or not answer.written:
            may = self._may_be_refused(step, call)
            if answer is not None and not may:
                notes.breaks(clause, "the signal is raised", call.said)
            elif answer is not None and not step.shaken:
                self._refused(call, clause)
            if answer is None or step.shaken:
                self._raised.setdefault(key, Raised([], is_certain=False)).payloads.append(args.payload)
            return
        if args.signal == Signal.FRICTION_DETECTED and is_friction(args.payload) is False:
            notes.breaks("LK-HL-02", "a friction without all its fields is refused", call.said)
        raised = self._raised.setdefault(key, Raised([], is_certain=False))
        raised.payloads.append(args.payload)
        raised.is_certain = is_plain(args.payload) and is_plain(args.name)
        self._written(step, call, key, clause)

    def _refused(self, call: Call, clause: str) -> None:
        args = call.args
        if args.by not in ROUTES[args.signal][0] and self._is_usual(args.signal, args.name):
            self._notes.agrees(clause, "who does not create a signal cannot raise it", ("enforced",))
        if args.signal == Signal.FRICTION_DETECTED and is_friction(args.payload) is False:
            if path_of(args.signal) in call.left and path_of(args.signal) not in call.found:
                self._notes.breaks("LK-HL-02", "what is refused is not written", call.said)

    def _is_usual(self, signal: str, name: str | None) -> bool:
        return is_ordinary(name) if signal in NAMED else name is None

    def _may_be_refused(self, step: Step, call: Call) -> bool:
        args = call.args
        said = args.payload.get("knowledge")
        is_sound = {
            Signal.FRICTION_DETECTED: is_friction(args.payload) is True,
            Signal.INSTITUTIONAL_KNOWLEDGE_FOUND: isinstance(said, str) and len(said.strip().splitlines()) == 1,
        }.get(args.signal, True)
        if step.minds(SIGNALS) or not is_plain(args.payload) or not is_sound:
            return True
        return args.by not in ROUTES[args.signal][0] or not self._is_usual(args.signal, args.name)

    def _written(self, step: Step, call: Call, key: Key, clause: str) -> None:
        args, notes, path = call.args, self._notes, path_of(*key)
        by_who = args.by in ROUTES[args.signal][0]
        readings = None if by_who else ("convention",)
        usual = step.is_alone and self._is_usual(*key)
        alone = usual and not step.minds(SIGNALS)
        left = step.left()
        if usual and left and path is not None and SIGNALS not in FILES.hidden(call.faults):
            notes.holds(clause, path in left, f"the signal is in {path}", f"it is not after {call.said}", readings)
        elif not by_who:
            notes.agrees(clause, "whoever raises a signal", readings)
        if args.signal != Signal.FRICTION_DETECTED or not alone or is_friction(args.payload) is not True:
            return
        if left.get(path or "") is not None and step.after is not None:
            fact = step.after.inputs.get("signal")
            found = read(fact.data) if fact is not None and fact.data and step.after.knows("signal") else None
            if found is not None:
                judge_friction(call, args.payload, found.value, notes)

    # -- handled

    def _handle(self, step: Step, call: Call, key: Key) -> list[Any]:
        """Judges a consumer; gives what it handled, for sure, or what it may have."""
        args, answer, raised = call.args, call.answer, self._raised.get(key)
        if answer is None or (step.shaken and not answer.handled):
            if raised is not None:
                raised.is_certain = False
            return []
        is_known = args.signal in ROUTES and (args.signal in HEALING) is (call.op == "heal")
        if not is_known:
            if answer.handled and args.signal not in ROUTES:
                self._notes.breaks("LK-SG-03", f"there is no signal {args.signal!r} to handle"[:200], call.said)
            return [answer.content] if answer.handled else []
        if args.by != ROUTES[args.signal][1] and not self._stranger(call, key):
            return []
        if raised is None or not raised.payloads:
            if (answer.handled or answer.content is not None) and not self._is_open and not step.minds(SIGNALS):
                self._notes.breaks(self._clause(key, "LK-SG-01"), "nothing is handled that is not there", call.said)
            return []
        return self._found(step, call, key, raised)

    def _clause(self, key: Key, usual: str) -> str:
        odd = any(each[0] == key[0] and each[1] is not None and not is_ordinary(each[1])
                  for each in (key, *self._raised))  # fmt: skip
        return "LK-SG-04" if odd else usual

    def _stranger(self, call: Call, key: Key) -> bool:
        """Somebody else asks: is he served? (LK-SG-03, LK-HL-01)"""
        answer, raised, path = call.answer, self._raised.get(key), path_of(*key)
        clause = route_clause(key[0])
        if raised is None or not raised.is_certain:
            return bool(answer.handled)
        if answer.handled or answer.content is not None:
            self._notes.agrees(clause, "whoever asks is served", ("convention",))
            return True
        if call.left and path is not None and path in call.found and path not in call.left:
            self._notes.breaks(clause, "who does not consume a signal deletes nothing", call.said)
            return False
        self._notes.agrees(clause, "who does not consume a signal gets nothing", ("enforced",))
        return False

    def _found(self, step: Step, call: Call, key: Key, raised: Raised) -> list[Any]:
        args, answer, notes = call.args, call.answer, self._notes
        clause = self._clause(key, route_clause(key[0]))
        fails = getattr(args, "handler", Handler.OK) == Handler.FAILS
        if not answer.handled and not (fails and answer.content is not None):
            if raised.is_certain and step.is_alone:
                notes.breaks(clause, "a signal that was raised is handled", call.said)
                path = path_of(*key)
                if call.left and path is not None and path in call.found and path not in call.left:
                    notes.breaks("LK-SG-01", "what is deleted was handled", call.said)
                raised.is_certain = False
            return []
        if fails and answer.handled:
            notes.breaks("LK-SG-01", "a handler that fails has handled nothing", call.said)
        if not any(is_same(each, answer.content) for each in raised.payloads):
            expected = f"the content is one of {raised.payloads}"[:300]
            notes.breaks(clause, expected, call.said)
            raised.is_certain = False
            return []
        notes.agrees(route_clause(key[0]), "a signal is handled as it was raised")
        return self._gone(step, call, key, raised, fails=fails)

    def _gone(self, step: Step, call: Call, key: Key, raised: Raised, *, fails: bool) -> list[Any]:
        """Is the file gone, or is it there, as the handler's end asks for? (LK-SG-01)"""
        path, left = path_of(*key), step.left()
        if not step.is_alone and not fails and left and path is not None and path not in left:
            self._notes.agrees("LK-SG-01", "a signal that was handled is deleted")
        if not step.is_alone or path is None or path not in call.found or not left:
            if fails:
                raised.is_certain = False
                return []
            return [call.answer.content]
        if fails:
            self._notes.agrees("LK-SG-01", "the signal of a handler that fails",
                               ("after",) if path in left else ("before",))  # fmt: skip
            return [] if path in left else [call.answer.content]
        if path not in left:
            self._notes.agrees("LK-SG-01", "a signal that was handled is deleted")
        elif len(raised.payloads) == 1 and ANY not in raised.payloads:
            self._notes.breaks("LK-SG-01", f"{path} is deleted when it was handled", f"it is there after {call.said}")
        return [call.answer.content]


def is_same(payload: Any, content: Any) -> bool:
    """Is that the payload, perhaps with what the implementation added to a friction?"""
    if payload is ANY or same(payload, content):
        return True
    if not payload and content in (None, {}):
        return True
    given = {name: value for name, value in payload.items() if name != "timestamp"}
    return isinstance(content, dict) and "friction_id" in payload and has(content, given)


def judge_friction(call: Call, payload: Any, found: Any, notes: Notes, *, is_fresh: bool = True) -> None:
    """A friction with all its fields, as it was raised (LK-HL-02)."""
    wanted = {name: payload[name] for name in FRICTION}
    given = payload.get("classification")
    ok = isinstance(found, dict) and has(found, wanted)
    if ok and is_fresh:
        kind = found.get("classification")
        ok = kind == UNCLASSIFIED if given is None else same(kind, given)
    own = stamp(payload.get("timestamp"))  # it may be kept
    ok = ok and any(is_near(found.get("timestamp"), at) for at in ([call.at, own or call.at] if is_fresh else [None]))
    notes.holds("LK-HL-02", ok, f"a friction with {wanted}, a time and a classification"[:300],
                f"{found} after {call.said}"[:500], ("open",))  # fmt: skip


def judge_contained(step: Step, notes: Notes) -> None:
    """A name leads to no file outside the directory, and to none of another signal (LK-SG-04)."""
    call = step.first
    if not step.is_alone or call.args is None or not call.found or not call.left:
        return
    if call.op in ("emit", "consume"):
        name, stem = call.args.name, f"{SIGNALS_DIRECTORY}/{call.args.signal}_"
    elif call.op == "request_review":
        name, stem = call.args.task_id, f"{REVIEW_PATH}_"
    else:
        return
    if not isinstance(name, str) or is_ordinary(name):
        return
    changed = [path for path in sorted({*call.found, *call.left}) if call.found.get(path) != call.left.get(path)
               and "file" in {fact.kind for fact in (call.found.get(path), call.left.get(path)) if fact}]  # fmt: skip
    last = _SEPARATORS.split(name.replace("\0", ""))[-1]
    reached = {posixpath.normpath(stem + name), name, posixpath.normpath(posixpath.join(SIGNALS_DIRECTORY, name))}
    steady = {FILES.paths[label] for label in FILES.damaged(file_faults.unsteady(call.faults))}  # others change these
    own = {path for label, path in FILES.paths.items() if call.op != "request_review" or label == "drift"} - steady
    escaped = [path for path in changed if path in own or (not path.startswith(f"{SIGNALS_DIRECTORY}/") and (
        path in reached or (last not in ("", ".", "..") and posixpath.basename(path) == last)))]  # fmt: skip
    notes.holds("LK-SG-04", not escaped, "a name stays in the directory", f"{escaped[:3]} changed: {call.said}",
                ("contained",))  # fmt: skip
