"""What healing records: the friction map and the institutional knowledge (LK-HL-02 to LK-HL-04)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harness.ports.files import Files
from harness.systems.signals.contract import UNCLASSIFIED, LogCode, Signal
from harness.systems.signals.reference.kept_file import KeptFile
from harness.systems.signals.reference.texts import decoded, encoded, seconds, timestamp, writable
from harness.systems.trace import Trace

ENTRIES: Final = "frictions"
Friction = dict[str, Any]
Pair = tuple[str | None, Any]
"""What stands in a map, and its name where the map is an object of them."""


class FrictionRules:
    """What the payload of a healing signal has to hold. Pure."""

    def payload(self, signal: str, payload: Mapping[str, Any], now_s: float) -> Mapping[str, Any] | None:
        """The payload as it is raised; None when it is none of that signal."""
        if signal == Signal.FRICTION_DETECTED:
            friction = self.friction({"timestamp": None, **payload}, now_s)
            return friction if self.is_friction(friction) else None
        if signal == Signal.INSTITUTIONAL_KNOWLEDGE_FOUND:
            return payload if self.is_knowledge(payload) else None
        return payload

    def friction(self, payload: Mapping[str, Any], now_s: float) -> Friction:
        """The payload with what is not given: when it was found, and that nobody classified it."""
        found = dict(payload)
        if seconds(found["timestamp"]) is None:
            found["timestamp"] = timestamp(now_s)
        if found.get("classification") is None:
            found["classification"] = self.unclassified()
        return found

    def unclassified(self) -> str:
        """The classification of what nobody classified."""
        return UNCLASSIFIED

    def is_friction(self, found: Any) -> bool:
        """Has it all the fields, as they have to be (LK-HL-02)?"""
        if not isinstance(found, Mapping):
            return False
        texts = all(isinstance(found.get(name), str) for name in ("behavior", "agent", "timestamp"))
        named = all(isinstance(found.get(name), str) and found[name] for name in ("friction_id", "classification"))
        return texts and named and self.is_location(found.get("location"))

    def is_location(self, found: Any) -> bool:
        """Is it a path and a line from 1 on, ``path:line``?"""
        path, _, line = found.rpartition(":") if isinstance(found, str) else ("", "", "")
        return bool(path) and line.isascii() and line.isdigit() and line.strip("0") != ""

    def is_knowledge(self, found: Any) -> bool:
        """Has it a text that may be appended?"""
        knowledge = found.get("knowledge") if isinstance(found, Mapping) else None
        return isinstance(knowledge, str) and knowledge.strip() != ""

    def is_classified(self, friction: Mapping[str, Any]) -> bool:
        """Did somebody classify it?"""
        return self.is_classification(friction.get("classification"))

    def is_classification(self, word: Any) -> bool:
        """Does the word classify anything?"""
        return isinstance(word, str) and word.strip().casefold() not in ("", UNCLASSIFIED)


class FrictionMap:
    """friction-map.json: an object with a list of them, a bare list, or an object of them by their id.

    It keeps the shape it has, and what nobody asked to change. Every method may raise OSError, and is called under the
    lock of the signals.
    """

    file_class = KeptFile
    rules_class = FrictionRules

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)
        self.rules = self.rules_class()

    def read(self, trace: Trace) -> Any:
        """What the file says; one that is no map is set aside, and told."""
        data = self.file.read()
        if data is None:
            return {ENTRIES: []}
        try:
            found = decoded(data)
        except ValueError:
            found = None
        if self.is_map(found):
            return found
        trace.warning(LogCode.STORAGE_FAILED, f"friction-map.json was none: it is kept as {self.file.set_aside(data)}")
        return {ENTRIES: []}

    def is_map(self, found: Any) -> bool:
        """Is it of one of the three shapes?"""
        return isinstance(found, list) or (isinstance(found, dict) and isinstance(found.get(ENTRIES, []), list))

    def pairs(self, found: Any) -> list[Pair]:
        """What is in it: frictions, and what else is among them."""
        if isinstance(found, dict) and ENTRIES not in found:
            return list(found.items())
        return [(None, each) for each in (found if isinstance(found, list) else found[ENTRIES])]

    def with_pairs(self, found: Any, pairs: Iterable[Pair]) -> Any:
        """The map with these."""
        if isinstance(found, dict) and found and ENTRIES not in found:
            return {entry["friction_id"] if key is None else key: entry for key, entry in pairs}
        entries = [entry for _, entry in pairs]
        return entries if isinstance(found, list) else {**found, ENTRIES: entries}

    def is_of(self, friction_id: str, pair: Pair) -> bool:
        """Is it the friction of that id?"""
        key, entry = pair
        return isinstance(entry, dict) and friction_id in (key, entry.get("friction_id"))

    def add(self, friction: Mapping[str, Any], trace: Trace) -> None:
        """Adds a friction, in the place of one of its id; one that is there already keeps its classification."""
        found = self.read(trace)
        kept = []
        for pair in self.pairs(found):
            if not self.is_of(friction["friction_id"], pair):
                kept.append(pair)
            elif {**pair[1], "classification": friction["classification"]} == friction:
                return  # somebody did not live to delete its signal
        self.write(self.with_pairs(found, [*kept, (None, dict(friction))]))

    def classify(self, friction_id: str, classification: str, trace: Trace) -> bool:
        """Classifies it; False when it is not in the map."""
        found = self.read(trace)
        pairs = self.pairs(found)
        if not any(self.is_of(friction_id, pair) for pair in pairs):
            return False
        self.write(self.with_pairs(found, [self.classified(friction_id, classification, pair) for pair in pairs]))
        return True

    def classified(self, friction_id: str, classification: str, pair: Pair) -> Pair:
        """What stands in the map, classified if it is that friction."""
        if not self.is_of(friction_id, pair):
            return pair
        return pair[0], {**pair[1], "classification": classification}

    def remove(self, friction_id: str, trace: Trace) -> bool:
        """Removes it; False when it is not in the map, or nobody classified it (LK-HL-03)."""
        found = self.read(trace)
        pairs = self.pairs(found)
        own = [entry for key, entry in pairs if self.is_of(friction_id, (key, entry))]
        if not own or not self.may_go(own):
            return False
        self.write(self.with_pairs(found, [pair for pair in pairs if not self.is_of(friction_id, pair)]))
        return True

    def may_go(self, own: Iterable[Friction]) -> bool:
        """May these be removed?"""
        return all(self.rules.is_classified(each) for each in own)

    def write(self, found: Any) -> None:
        """Puts the map into the file."""
        self.file.put(encoded(found) + b"\n")


class Knowledge:
    """institutional-knowledge.md, one line for each piece of knowledge. Every method may raise OSError.

    It is replaced by itself and more: then a line is never torn, and there after a loss of power.
    """

    file_class = KeptFile

    def __init__(self, path: str, files: Files) -> None:
        self.file = self.file_class(path, files)

    def append(self, knowledge: str) -> None:
        """Adds to the end of the file."""
        before = self.file.read() or b""
        ended = before if not before or before.endswith(b"\n") else before + b"\n"
        self.file.put(ended + f"- {writable(knowledge)}\n".encode())
