"""Scenarios generated from seeds, and digests of what playing them shows: what three ways of playing have in common.

``python generated_histories.py FOLDER`` plays the files of FOLDER/SYSTEM/ in this process and prints their digests.

Of a history counts all that was asked, answered and told, the time it was told, the faults that stood, and every file
with its content, before and after each operation. Left out, since two sound runs may differ in it:

- ``mtime_s``: the real time of a write, unless a fault set it;
- the chance in an id, drawn from ``os.urandom``: the last 16 letters of a ULID, the last 6 of ``err_...``, those of
  ``unnamed-...``. Each id is replaced by its number in the order in which the history shows them, so that one that
  changes on the way is still seen;
- where a world's directory is: in every text and file it is written as ``{home}`` and the like; a symlink's size, which
  is the length of where it points, does not count, and the name ``transcript_...`` that a stop gate makes for a session
  without an id from the place of its transcript is numbered as an id is;
- ``elapsed_ms`` of a diagnosis in its log: the real time it took. Of such a log of more than 256 KiB, which a session
  does not read, only that it is there;
- of a traceback in a log all but its last line: where the code lies, and how deep the stack is that a carrier makes;
- the words in which a fault was proven: that it was does count.

Not generated are faults that this process cannot meet, and those of clocks: over stdio the process is started anew for
them, and what it held in memory is rightly gone. Identifiers that the protocol refuses never reach an implementation.
"""

import hashlib
import json
import re
import sys
from importlib import import_module
from pathlib import Path
from random import Random

import msgspec
from played import served

from harness.core.scenario import dump, load
from harness.core.seed import derive
from harness.explore.coverage import refused
from harness.explore.generate import named
from harness.explore.playing import play
from harness.faults import catalogue
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.session import each_text

ULID = r"(\b(?:diag_)?01[0-9A-HJKMNP-TV-Z]{8})[0-9A-HJKMNP-TV-Z]{16}\b"
DRAWN = re.compile(
    rf"{ULID}|(\berr_\d+_)[a-z0-9]{{6}}\b|(\bunnamed-)[0-9a-f]{{16}}(?![0-9a-f])|(\btranscript_)\w+~[0-9a-f]{{16}}(?![0-9a-f])"
)
REAL_TIME = re.compile(r'(?<="elapsed_ms":)\d+')
FRAMES = re.compile(r"(?<=Traceback \(most recent call last\):\n)(?:  .*\n)+")
HAS_REAL_TIMES = ".context_log.jsonl"
NOT_ALIKE = ("clock.",)  # see above


class Reading:
    """A session that keeps the content of every file its snapshots see; a history has only their SHA-256."""

    def __init__(self, session):
        self.session = session
        self.contents = {}

    def __getattr__(self, name):
        return getattr(self.session, name)

    def look(self, paths):
        seen = self.session.look(paths)
        for path, fact in seen.files.items():
            if fact.kind == "file" and fact.sha256 not in self.contents:
                self.contents[fact.sha256] = self.session.input(path).data
        return seen


class Told:
    """What a history tells, with what chance drew replaced by numbers."""

    def __init__(self, reading):
        self.reading = reading
        self.numbers = {}

    def text(self, text):
        hidden = self.reading.session.hide(FRAMES.sub("", REAL_TIME.sub("0", text)))
        return DRAWN.sub(lambda m: f"{m[m.lastindex]}#{self.numbers.setdefault(m[0], len(self.numbers))}", hidden)

    def place(self, item):
        """Where a path comes in the order of paths, in which chance has no part: the ids that are known, then others."""
        return DRAWN.sub(
            lambda m: f"{m[m.lastindex]}#{self.numbers.get(m[0], '~')}", self.reading.session.hide(item[0])
        )

    def content(self, data):
        return None if data is None else self.text(data.decode("utf-8", "surrogateescape"))

    def file(self, path, fact):
        if fact.kind != "file":
            return [fact.kind]
        data = self.content(self.reading.contents[fact.sha256])  # None: larger than what a session reads
        if data is None and path.endswith(HAS_REAL_TIMES):
            return ["file", "large"]
        return ["file", fact.sha256, fact.size] if data is None else ["file", data]

    def entry(self, entry):
        """Sorted by path, so that ids get the same numbers in whatever order a directory lists them."""
        return [
            entry.n, entry.process, entry.type, entry.op, each_text(entry.value, self.text), entry.now,
            [[msgspec.to_builtins(each.fault), each.armed, bool(each.proof)] for each in entry.faults],
            [[self.text(path), self.file(path, fact)] for path, fact in sorted(entry.files.items(), key=self.place)],
            [[name, fact.kind, self.content(fact.data)] for name, fact in sorted(entry.inputs.items())],
        ]  # fmt: skip


def told(history, reading):
    tells = Told(reading)
    return [tells.entry(entry) for entry in history.entries]


def played(scenario, system, session):
    """The history of one run, and all that is compared of it."""
    reading = Reading(session)
    history = play(scenario, reading, system.inputs_of)
    return history, told(history, reading)


def digest(compared):
    return hashlib.sha256(json.dumps(compared, sort_keys=True).encode()).hexdigest()


def candidates(system, seed):
    """Scenarios without end, as ``windtunnel generate`` composes them before it chooses."""
    room = import_module(f"{system.workload.__name__}.candidates")
    names = [
        kind.name for kind in catalogue.EVERY if not room.unsteady(kind.name) and not kind.name.startswith(NOT_ALIKE)
    ]
    stream = room.candidates(
        system.served_profile, Random(derive(seed, "generate", system.name, system.served_profile)), names, calm=True
    )
    return (named(candidate, derive(seed, number)) for number, candidate in enumerate(stream))


def generated(system, count, seed, session):
    """So many different scenarios that this process can play, each with what is compared of its run."""
    found = {}
    for scenario in candidates(system, seed):
        if len(found) == count:
            break
        try:
            history, compared = played(scenario, system, session)
        except msgspec.ValidationError:
            continue  # an identifier that the protocol refuses
        if not refused(scenario, history):
            found[scenario.id] = scenario, compared
    return found


def in_process(system):
    return DirectSession(system.served_profile, served(system))


def write(folder, scenarios):
    folder.mkdir(parents=True)
    for scenario in scenarios:
        (folder / f"{scenario.id}.yaml").write_text(dump(scenario), "utf-8")


def digests_of_files(folder):
    """By system and id, the digest of each scenario file."""
    found = {}
    for below in sorted(path for path in folder.iterdir() if path.is_dir()):
        system = registry.get(below.name)
        with in_process(system) as session:
            for path in sorted(below.glob("*.yaml")):
                scenario = load(path.read_bytes(), where=path.name)
                found[f"{system.name}/{scenario.id}"] = digest(played(scenario, system, session)[1])
    return found


if __name__ == "__main__":
    print(json.dumps(digests_of_files(Path(sys.argv[1]))))
