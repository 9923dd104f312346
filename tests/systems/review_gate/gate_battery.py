"""Everything a review gate can be asked, in a fixed order, and what it answers and keeps."""

import errno
import itertools

from review_gate_world import HIGH, LOW, ONE, THREE, TWO, World

from harness.systems.review_gate.contract import REVIEWERS, Issue

SEVERITIES = ("critical", "high", "Medium", "low", "LOW", "odd", "", "minor")
DAMAGED = (b"", b"{", b"{}", b"null", b'{"version":9,"last":null,"rounds":{}}')
WAITS_S = (0.0, 599.5, 600.0, 600.5, 1e9, -5.0)
LATE_S = (0.0, 4e8)


class Battery:
    """One run of all parts against what ``make`` makes; ``run`` is the transcript, part by part as it is read."""

    def __init__(self, make, files_class):
        self.make, self.files_class = make, files_class
        self.told = []

    def say(self, gesture):
        try:
            self.told.append(repr(gesture()))
        except Exception as error:  # noqa: BLE001 - how an operation ends is what is told
            self.told.append(f"raised {type(error).__name__}")

    def world(self):
        self.files = self.files_class()
        return World("/world", self.files, self.make)

    def run(self):
        for part in (
            self.begun,
            self.returned,
            self.severe,
            self.again,
            self.overdue,
            self.strayed,
            self.damaged,
            self.lasting,
            self.elsewhere,
        ):
            part()
            yield from self.new()

    def new(self):
        """What was told since this was asked last."""
        told, self.told = self.told, []
        return told

    def seen(self, world, *tasks):
        for task in tasks or ("a",):
            self.say(lambda task=task: world.status(task))
        self.say(lambda: sorted((path, bytes(data)) for path, (data, _) in self.files.contents.items()))

    def begun(self):
        world = self.world()
        steps = (World.begin, World.open, World.analyse, lambda world: world.report(ONE), lambda world: world.report(TWO),
                 lambda world: world.report(THREE))  # fmt: skip
        for step in steps:
            self.say(lambda step=step: step(world))
            self.say(lambda: world.begin("b"))
            self.seen(world)
        for task in ("c", "b", "a", "c"):
            self.say(lambda task=task: world.begin(task))
            self.say(lambda task=task: world.begin("d" if task == "a" else task))
            self.say(lambda task=task: world.review(task=task))

    def returned(self):
        for order in itertools.permutations(REVIEWERS):
            world = self.world()
            self.say(world.launch)
            for name in order:
                self.say(lambda name=name, world=world: world.report(name, HIGH, LOW))
                self.seen(world)

    def severe(self):
        for severity, finder in itertools.product(SEVERITIES, ("analysis", *REVIEWERS)):
            world, found = self.world(), Issue(severity, f"By {finder}")
            self.say(lambda world=world, found=found, it=finder: world.launch(*([found] if it == "analysis" else [])))
            for name in REVIEWERS:
                self.say(lambda world=world, name=name, found=found, it=finder: world.report(
                    name, *([found] if it == name else [])))  # fmt: skip
            self.say(lambda world=world: world.begin("b"))

    def again(self):
        world = self.world()
        self.say(lambda: world.review(HIGH))
        for number in (2, 3):
            for step in (World.fix, lambda world, number=number: world.analyse(number=number)):
                self.say(lambda step=step: step(world))
                self.say(lambda: world.begin("b"))
            self.say(lambda number=number: world.rest(HIGH, LOW, number=number))
            self.seen(world)

    def overdue(self):
        for wait_s in WAITS_S:
            world = self.world()
            self.say(world.launch)
            self.say(lambda world=world: world.report(TWO))
            for at in (wait_s, wait_s + 1):
                self.say(lambda at=at, world=world: world.status(at=at))

    def strayed(self):
        world = self.world()
        strays = (
            World.fix, World.status, lambda world: world.open("z"), lambda world: world.analyse(number=5),
            *(lambda world, name=name, number=number: world.report(name, number=number)
              for name in (ONE, ONE, "reviewer-4") for number in (0, 1, 2)),
        )  # fmt: skip
        for step in (World.begin, World.open, World.analyse, World.rest, lambda world: world.review(HIGH, task="b")):
            for stray in (step, step, *strays):
                self.say(lambda stray=stray: stray(world))
        self.seen(world, "a", "b", "z")

    def lasting(self):
        """Processes end, reviewers never return, and after a fix others find something."""
        world = self.world()
        self.say(lambda: world.launch(HIGH))
        self.say(lambda: world.report(ONE, HIGH))
        self.say(world.fix)
        for count in range(1, 6):
            self.say(lambda at=601.0 * count: world.status(at=at))
        self.seen(world)
        self.say(lambda: world.opened().report(TWO))
        self.say(lambda: world.opened().report(THREE))
        for finder in ("analysis", ONE, TWO):
            world = self.world()
            found = {finder: [Issue("high", f"By {finder}")]}
            self.say(lambda world=world: world.review(HIGH))
            self.say(world.fix)
            self.say(lambda world=world: world.analyse(number=1))
            self.say(lambda world=world, found=found: world.analyse(*found.get("analysis", ()), number=2))
            for name in REVIEWERS:
                self.say(lambda world=world, name=name, found=found: world.report(name, *found.get(name, ()), number=2))
        world = self.world()
        self.say(world.launch)
        self.say(lambda: world.report(ONE, HIGH))
        self.say(lambda: world.opened().report(TWO))
        self.say(lambda: world.opened().report(THREE))

    def elsewhere(self):
        """What is told of other tasks, and of one whose review passed."""
        world = self.world()
        self.say(world.review)
        self.say(world.open)
        self.say(lambda: world.begin("b"))
        self.say(lambda: world.begin("b "))
        self.say(lambda: world.open("b"))
        self.say(lambda: world.analyse(task="a"))
        self.say(lambda: world.analyse(task="b"))
        self.say(lambda: world.rest(HIGH, task="b"))
        self.say(lambda: world.fix("c"))
        self.seen(world, "a", "b")

    def damaged(self):
        for data in DAMAGED:
            world = self.world()
            world.put(data)
            self.say(world.begin)
            self.say(world.review)
            self.seen(world)


class Struck(Battery):
    """The same operations while reading, writing or locking fails, and when it fails no more; and late in time."""

    def run(self):
        for method in ("read", "replace", "lock"):
            for error in (OSError(errno.ENOSPC, "full"), PermissionError(errno.EACCES, "not you")):
                self.struck(method, error)
                yield from self.new()
        for at in LATE_S:
            self.late(at)
            yield from self.new()

    def struck(self, method, error):
        world = self.world()
        self.say(lambda: world.review(HIGH))
        self.files.broken[method] = error
        self.say(lambda: world.begin("b"))
        self.say(world.fix)
        self.say(world.again)
        self.seen(world)
        self.say(lambda: world.review(task="b"))
        self.files.broken.clear()
        self.seen(world, "a", "b")
        self.say(world.again)
        self.say(lambda: world.begin("b"))
        self.seen(world)

    def late(self, at):
        world = self.world()
        for step in (World.begin, World.open, World.analyse, World.status):
            self.say(lambda step=step: step(world, at=at))
