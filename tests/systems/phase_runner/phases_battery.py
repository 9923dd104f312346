"""Everything a phase runner can be asked, in a fixed order, and what it answers and keeps: two that differ show here.

The files are real, since a fresh start asks for directories and links.
"""

import errno
import itertools
import os
import shutil
import tempfile

from phase_runner_reference_world import CHAIN, DIAMOND, HEAD, TRIPLE, World, done, plan, undone

from harness.ports.files import RealFiles
from harness.systems.phase_runner.contract import Configuration, GateFailure, GateResult
from harness.systems.phase_runner.contract.words import CONFIG_PATH, Gate, phase_path

LATE_S = (-5.0, 5e8, 3e11)
EARLY_S = -1.7e9
CASES = (
    {"file": "a.py", "message": "is None", "name": "test_a", "rule": "F401", "line": 3, "expected": "int", "actual": "str"},
    {"file": "b.py", "message": "is 2", "name": "test_b", "rule": "E501", "line": 40, "expected": "str", "actual": "int"},
)  # fmt: skip
MISSING = {"package": "jest", "required_by": "the tests", "install": "npm i jest"}
LACKS = undone(missing=MISSING, message="", gates={})
FAILURES = {
    **{gate.value: undone(gate.value, CASES, message="") for gate in Gate},
    "no-case": undone("test", ()), "in-spite-of-0": undone("test", CASES, 0), "missing": LACKS,
    "incomplete": undone(tasks_completed=1, gates={}), "most": undone(tasks_completed=2, gates={}),
    "strange": undone(gates={}), "no-result": "I am done", "silence": None,
}  # fmt: skip
PLANS = {
    "empty": "", "no-rows": HEAD, "twice": f"{plan(CHAIN)}\n{plan(CHAIN)}", "bad-id": plan([("0",), ("-",)]),
    "no-siblings": "| Phase | Name | Depends On |\n|---|---|---|\n| 0 | A | - |\n", "same-id": plan([("1",), ("Phase 1",)]),
    "no-phase": plan(CHAIN).replace("| Phase |", "| Step |"), "unknown": plan([("1", "9")]), "self": plan([("1", "1"), ("2",)]),
    "cycle": plan([("0",), ("1", "0, 3"), ("2", "1"), ("3", "2")]), "crlf": plan(CHAIN).replace("\n", "\r\n"),
    "other-order": "| Name | Phase | Depends On | Parallel With | Estimate | Status |\n|---|---|---|---|---|---|\n"
                   "| A | 0 | - | - | - | - |\n",
    "sound": plan(DIAMOND),
}  # fmt: skip
TURNED = [("b",), ("a", "b"), ("c", "d"), ("d", "b")]
END_FIRST = [("0",), ("3", "1, 2"), ("1", "0"), ("2", "0")]
FILES = ("src/a.py", "./src//a.py", "src/../src/a.py", "src/A.py", "lib/a.py", "src/b.py")
PHASES = ".autobuild/phases"


class Failing(RealFiles):
    """Files of which chosen methods raise: ``broken["replace", "config.json"] = OSError(...)``, by the path's end."""

    def __init__(self):
        self.broken = {}
        for method in ("look", "read", "replace", "remove", "lock", "append_lines"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            for (broken, end), error in self.broken.items():
                if broken == method and path.endswith(end):
                    raise error
            return getattr(RealFiles, method)(self, path, *arguments)

        return call


class Made(World):
    """One process of what ``make`` makes."""

    def __init__(self, make, files, home):
        self.make, self.files, self.home, self.rows = make, files, home, TRIPLE
        self.runner = make(Configuration(home), files)

    def opened(self):
        return Made(self.make, self.files, self.home)

    def kept(self):
        """All files there are, but locks."""
        paths = [os.path.join(above, name) for above, _, names in os.walk(self.home) for name in sorted(names)]
        return sorted((path, RealFiles().read(path, 1 << 30)) for path in paths if not path.endswith(".lock"))


class Battery:
    """One run of all parts against what ``make`` makes; ``run`` is the transcript, part by part as it is read."""

    def __init__(self, make):
        self.make = make
        self.told = []
        self.home = ""

    def run(self):
        shared = "/dev/shm"
        with tempfile.TemporaryDirectory(dir=shared if os.path.isdir(shared) else None) as top:
            for number, part in enumerate(self.parts()):
                self.home = f"{top}/{number}"
                os.mkdir(self.home)
                self.files = Failing()
                part(Made(self.make, self.files, self.home))
                told, self.told = self.told, []
                yield from told

    def say(self, gesture):
        try:
            found = gesture()
        except Exception as error:  # noqa: BLE001 - how an operation ends is what is told
            self.told.append(f"raised {type(error).__name__}")
            return None
        self.told.append(repr(found).replace(self.home, "/world"))
        return found

    def seen(self, world):
        self.say(world.status)
        self.say(world.kept)

    def drive(self, world, answer, outcomes=None, at=10.0):
        """Does what is launched, first in first out; ``outcomes`` are what phases say by id and attempt."""
        waiting = list(answer.launch) if answer is not None else []
        for step in range(40):
            if not waiting:
                break
            launch, now = waiting.pop(0), at + step
            id_, attempt = launch.phase_id, launch.attempt
            if launch.kind == "verification":
                answer = self.say(lambda id_=id_, attempt=attempt, now=now: world.verified(id_, attempt, at=now))
            else:
                said = (outcomes or {}).get((id_, attempt), done(id_))
                answer = self.say(lambda id_=id_, attempt=attempt, said=said, now=now: world.report(
                    id_, attempt, said, now, **({"elapsed_s": 90.5, "last_activity": "npm test"} if said is None else {})))  # fmt: skip
            waiting += answer.launch if answer is not None else ()
            if attempt == 1:
                self.seen(world)
        self.seen(world)

    def story(self, rows, outcomes=None, **fields):
        """A run with those outcomes, and another one that takes it up, to the end."""

        def part(world):
            self.drive(world, self.say(lambda: world.start(rows, **fields)), outcomes)
            self.drive(world, self.say(lambda: world.resume(rows, at=100.0, **fields)), at=110.0)

        return part

    def parts(self):
        for failure in FAILURES.values():
            yield self.story(TRIPLE, {("1", 1): failure})
            yield self.story(TRIPLE, {("1", 1): failure, ("1", 2): failure})
            yield self.story(TRIPLE, {("2a", 1): failure, ("2b", 1): FAILURES["test"], ("2b", 2): failure})
            yield self.story(TRIPLE, {("2c", 1): FAILURES["lint"], ("2b", 1): failure})
        for text in PLANS.values():
            yield self.planned(text)
        for mode, path in itertools.product(("auto", "message-only", "single"), ("docs/plan.md", "the plan.md")):
            yield self.story(DIAMOND, {("2b", 1): None, ("2b", 2): None}, commit_mode=mode, plan_path=path)
        yield self.story(TRIPLE, {("3", 1): FAILURES["test"], ("3", 2): FAILURES["lint"]})
        yield self.story(END_FIRST)
        yield self.story(TURNED, {("a", 1): FAILURES["test"], ("a", 2): FAILURES["lint"]})
        yield from (self.unconfirmed, self.strayed, self.edited, self.damaged, self.fresh, self.linked, self.modes)
        for path in FILES:
            yield self.shared(FILES[0], path)
        yield from (self.changed_in_turn, self.changed_by_all)

    def planned(self, text):
        def part(world):
            self.say(lambda: world.start(CHAIN))
            self.seen(world)
            self.drive(world, self.say(lambda: world.start(None, text=text)))

        return part

    def unconfirmed(self, world):
        broken = GateResult(1, "run it", "2 failed", (GateFailure(**CASES[0]),))
        for number, gate in enumerate(Gate):
            self.say(lambda: world.fresh(DIAMOND))
            self.say(lambda: world.claim("0"))
            found = {"lint": GateResult(0), gate.value: broken, "test": broken if number else GateResult(0)}
            self.say(lambda found=found: world.verified("0", gates=found))
            self.drive(world, self.say(lambda: world.claim("0", 2)))

    def strayed(self, world):
        """Reports that nobody waits for."""
        strays = tuple(itertools.product(("claim", "verified", "miss"), ("0", "1", "9"), (0, 1, 2)))
        steps = (world.start, lambda: world.claim("1"), lambda: world.verified("1"), lambda: world.miss("2a"))
        for step in steps:
            self.say(lambda step=step: step())
            for method, id_, attempt in strays:
                self.say(lambda method=method, id_=id_, attempt=attempt: getattr(world, method)(id_, attempt))
        self.seen(world)

    def halted(self, world):
        self.drive(world, self.say(lambda: world.fresh(DIAMOND)), {("2b", 1): None, ("2b", 2): None})

    def edited(self, world):
        """Records are set back, or removed, by hand."""
        for edit in (
            lambda: world.edit("2a", status="pending", attempt=0), lambda: world.edit("0", status="pending"),
            lambda: os.remove(world.path(phase_path("2b"))), lambda: os.remove(world.path(CONFIG_PATH)),
        ):  # fmt: skip
            self.halted(world)
            self.say(edit)
            self.drive(world.opened(), self.say(lambda: world.opened().resume(DIAMOND)))

    def damaged(self, world):
        for data in (b"{", b'{"phase_id": "2a"}', b"null"):
            for start in (world.resume, world.start, world.fresh):
                self.halted(world)
                self.say(lambda data=data: world.put(phase_path("2a"), data))
                self.drive(world, self.say(lambda start=start: start(DIAMOND)))

    def fresh(self, world):
        self.halted(world)
        os.makedirs(f"{self.home}/.autobuild/others")
        for path in ("others/note.txt", "note.txt", "phases/phase-99.json", "logs/phase-99.log"):
            self.say(lambda path=path: world.files.replace(f"{self.home}/.autobuild/{path}", b"x"))
        self.drive(world, self.say(lambda: world.fresh(CHAIN)))

    def linked(self, world):
        os.makedirs(f"{self.home}/precious/phases")
        world.files.replace(f"{self.home}/precious/thesis.txt", b"ten years")
        os.makedirs(f"{self.home}/.autobuild")
        os.symlink(f"{self.home}/precious", f"{self.home}/.autobuild/mine")
        self.drive(world, self.say(lambda: world.fresh(CHAIN)))
        self.say(lambda: world.fresh(CHAIN))
        other = Made(self.make, self.files, f"{self.home}/other")
        os.makedirs(other.home)
        os.symlink(f"{self.home}/precious", f"{other.home}/.autobuild")
        self.drive(other, self.say(lambda: other.fresh(CHAIN)))
        self.seen(world)

    def modes(self, world):
        for modes in (("resume",), ("resume", "fresh"), ("default", "fresh"), ("default",), ("fresh", "resume")):
            self.halted(world)
            self.drive(world, self.say(lambda modes=modes: world.start(DIAMOND, *modes)))

    def shared(self, one, other):
        """Two phases of a batch change files, at the same time."""
        lines = ([{"first": 1, "last": 9}], [{"first": 9, "last": 12}])

        def part(world):
            for sorts in (("created", "created"), ("modified", "modified"), ("deleted", "modified")):
                (a, b), (x, y) = sorts, lines
                said = {("2a", 1): done("2a", **{"created": [], a: [{"path": one, "lines": x}]}),
                        ("2b", 1): done("2b", **{"created": [], b: [{"path": other, "lines": y}]})}  # fmt: skip
                self.drive(world, self.say(lambda: world.fresh(DIAMOND)), said)

        return part

    def changed_in_turn(self, world):
        same = {(row[0].lower(), 1): done(row[0], created=[{"path": "src/same.py"}]) for row in CHAIN}
        self.drive(world, self.say(lambda: world.start(CHAIN)), same)

    def changed_by_all(self, world):
        same = [{"path": "src/same.py"}, {"path": "src/too.py"}]
        said = {(id_, 1): done(id_, created=same) for id_ in ("2a", "2c")}
        self.drive(world, self.say(lambda: world.start(TRIPLE)), said)


class Struck(Battery):
    """The same while reading, writing or locking fails, and when it fails no more; and at odd times."""

    def parts(self):
        errors = (OSError(errno.ENOSPC, "full"), PermissionError(errno.EACCES, "not you"), TimeoutError("locked"))
        ends = (("lock", ".lock"), ("read", "phase-1.json"), ("replace", "phase-1.json"), ("replace", "phase-2a.json"),
                ("replace", "config.json"), ("append_lines", "execution.log"), ("append_lines", "phase-1.log"))  # fmt: skip
        for end, error in itertools.product(ends, errors):
            yield self.struck(end, error)
        for at in LATE_S:
            yield self.late(at)
        yield from (self.early, self.undeletable, self.without_directories, self.unwritable_retry)

    def struck(self, end, error):
        def part(world):
            steps = (world.start, lambda: world.miss("1"), lambda: world.claim("1", 2), lambda: world.verified("1", 2),
                     lambda: world.miss("2a"), world.status, world.resume)  # fmt: skip
            for step in steps:
                self.files.broken[end] = error
                self.say(lambda step=step: step())
                self.seen(world)
                self.files.broken.clear()
                self.say(lambda step=step: step())
                self.seen(world)
            self.drive(world, self.say(lambda: world.resume(at=50.0)))

        return part

    def late(self, at):
        def part(world):
            self.say(world.start)
            self.say(lambda: world.succeed("1", at=at))
            self.drive(world, self.say(lambda: world.resume(at=at)), at=at + 10.0)

        return part

    def early(self, world):
        """The clock goes back by decades: after a halt, and between the failures of a batch and their retries."""
        for go_on in (world.resume, world.fresh):
            self.halted(world)
            self.drive(world, self.say(lambda go_on=go_on: go_on(DIAMOND, at=EARLY_S)), at=EARLY_S)
        self.say(lambda: world.fresh(TRIPLE))
        for step in (lambda: world.succeed("1"), lambda: world.miss("2a"), lambda: world.miss("2b")):
            self.say(step)
        for id_ in ("2c", "2a"):
            self.say(lambda id_=id_: world.succeed(id_, 1 + (id_ == "2a"), at=EARLY_S))
            self.seen(world)
        self.say(lambda: world.miss("2b", 2, at=EARLY_S))
        self.seen(world)

    def undeletable(self, world):
        self.halted(world)
        self.files.broken["remove", "execution.log"] = PermissionError(errno.EACCES, "not you")
        self.drive(world, self.say(lambda: world.fresh(DIAMOND)))
        self.files.broken.clear()
        self.drive(world, self.say(lambda: world.resume(DIAMOND)))

    def without_directories(self, world):
        self.halted(world)
        shutil.rmtree(f"{self.home}/{PHASES}")
        self.drive(world, self.say(lambda: world.resume(DIAMOND)))

    def unwritable_retry(self, world):
        """The record of what is to be retried, and then that of what was, cannot be written."""
        full = {("replace", "phase-2a.json"): OSError(errno.ENOSPC, "full")}
        for number in (0, 1):
            self.say(lambda: world.fresh(DIAMOND))
            for step in (lambda: world.succeed("0"), lambda: world.miss("2a")):
                self.say(step)
            self.files.broken.update(full if number else {})
            self.say(lambda: world.succeed("2b"))
            self.files.broken.update(full)
            self.say(lambda: world.claim("2a", 2))
            self.say(lambda: world.verified("2a", 2))
            self.seen(world)
            self.files.broken.clear()
