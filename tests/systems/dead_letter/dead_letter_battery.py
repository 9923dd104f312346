"""Everything a dead-letter queue can be asked, in a fixed order, and what it answers and keeps."""

import errno
import itertools

from dead_letter_reference_world import DAY_S, World, attempt, attempts, letter, stamp, task

from harness.systems.dead_letter.contract import Scope, TaskFacts

SCOPE = Scope("Parse a part", "only the lexer")
FACTS = (
    {}, {"dependency_available": True}, {"new_approach": "by hand"}, {"fixed_by": "abc"}, {"simpler_scope": SCOPE},
    {"dependency_never": True}, {"irrelevant": True}, {"irrelevant": True, "fixed_by": "x"},
    {"irrelevant": True, "needs": ("a key",)}, {"needs": ("a key",)}, {"readings": 2}, {"readings": 3},
    *({"touches": (touch,)} for touch in ("auth", "secrets", "permissions", "deletion")),
    *({"touches": (touch,), "rollback_failed": True} for touch in ("deletion", "migration", "other")),
    *({"confidence": confidence} for confidence in (0.0, 0.29, 0.3, 0.35, 0.4, 1.0)),
)  # fmt: skip
TIMES = (None, "x", 5, *(stamp(at) for at in (-3 * DAY_S, -DAY_S - 1, -DAY_S, -DAY_S + 1, 0.0, 1.0)))
APPROACHES = ("aaab", "aab", "abc", "abcd")
IDS = ("../../a", "a/b", "a.b", "x" * 300, "a\nb", ".a")


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

    def world(self, *letters, last_reviewed=None, **queues):
        def made(configuration, files, listing):
            found = self.make(configuration, files)
            found.escalation_files.listing = listing
            return found

        self.files = self.files_class()
        world = World("/world", self.files, made)
        if letters:
            world.put("dead-letter", {"tasks": [*letters], "metadata": {"last_reviewed": last_reviewed}})
        for name, content in queues.items():
            world.put(name.replace("_", "-"), content)
        return world

    def seen(self, world):
        self.say(world.escalations)
        self.say(lambda: world.tasks("dead-letter"))
        self.say(lambda: sorted((path, bytes(data)) for path, (data, _) in self.files.contents.items()))

    def run(self):
        for part in (self.failed, self.reviewed, self.dated, self.judged, self.together, self.found, self.escalated):
            part()
            yield from self.new()

    def new(self):
        """What was told since this was asked last."""
        told, self.told = self.told, []
        return told

    def failed(self):
        for queue, count in itertools.product(("pending", "in_progress"), (0, 3, 4, 7)):
            world = self.world(**{queue: [task(count=count, mine=1), task("T-0"), "odd"]})
            for at in range(2):
                self.say(lambda at=at, world=world: world.fail(at=at, approach="second"))
                self.seen(world)
        made = task(failure_count=0, attempts=attempts(4), original_queue="x")
        for queue in (
            made,
            task(count=4, attempts="x"),
            task(count=4, attempts=["odd"]),
            task(count=4, task_data=None),
        ):
            world = self.world(pending=[queue, {"x": 1}], dead_letter=b"[]")
            self.say(lambda world=world: world.fail())
            self.seen(world)

    def reviewed(self):
        letters = (letter(), letter(recovery_strategy="dependency_blocked"), letter(count=12), letter(failure_count=3))
        for facts, one in itertools.product(FACTS, letters):
            world = self.world(one, letter("T-2"), pending=[task("T-9")])
            for at in (0.0, 2 * DAY_S):
                self.say(lambda at=at, world=world, facts=facts: world.review(at=at, **facts))
                self.seen(world)
            self.say(lambda world=world: world.fail())
            self.say(world.abandon)
            self.seen(world)

    def dated(self):
        for last_reviewed in TIMES:
            world = self.world(letter(), last_reviewed=last_reviewed)
            self.say(lambda world=world: world.start())
            self.say(lambda world=world: world.review(at=3600.0))
            self.seen(world)

    def judged(self):
        for kind, count in itertools.product(("dependency", "timeout"), (8, 9, 10, 11)):
            made = [*attempts(count, error_type=kind), attempt(99, error_type=None, error_message=None)]
            world = self.world(letter(attempts=made, failure_count=2))
            self.say(lambda world=world: world.review())
        for approaches, odd in itertools.product(
            APPROACHES, ({}, {"error_message": "other", "error_type": "dependency"})
        ):
            made = [
                attempt(number + 1, approach=each, **(odd if number else {})) for number, each in enumerate(approaches)
            ]
            world = self.world(letter(attempts=made))
            self.say(lambda world=world: world.review())
            self.seen(world)

    def together(self):
        for count in (2, 3, 4):
            ids = [f"T-{number}" for number in range(count)]
            for cause in ("disk", None):
                world = self.world(*map(letter, ids))
                self.say(lambda world=world, ids=ids, cause=cause: world.review(
                    facts={each: TaskFacts(root_cause=cause) for each in ids}))  # fmt: skip
                self.seen(world)

    def found(self):
        for data in (b"", b"{", b"[]", b'{"tasks":[]}', b'{"tasks":[],"metadata":{"total_abandoned":3}}'):
            world = self.world(dead_letter=data, pending=[task(count=4)])
            self.say(lambda world=world: world.fail())
            self.seen(world)
        world = self.world(letter(), letter("T-2"), pending=[letter(), task("T-3")], abandoned=[letter("T-2")])
        self.say(world.tasks)
        self.seen(world)

    def escalated(self):
        for id_ in ("T-1", *IDS):
            world = self.world(letter(id_, task_data={"title": "a\n### Attempts Log"}))
            self.say(lambda id_=id_, world=world: world.review(task_id=id_, needs=("x",)))
            world.put("dead-letter", [letter(id_, count=3)])
            self.say(lambda id_=id_, world=world: world.review(task_id=id_, needs=("x",)))
            self.seen(world)


class Struck(Battery):
    """The same operations while reading, writing or locking one of the files fails, and when it fails no more."""

    def run(self):
        names = ("dead-letter", "pending", "abandoned", "escalations", "queue")
        for method, name in itertools.product(("read", "replace", "lock"), names):
            self.struck(method, name, OSError(errno.ENOSPC, "full"))
            yield from self.new()
        self.late()
        yield from self.new()

    def struck(self, method, name, error):
        world = self.world(*(letter(f"T-{number}") for number in range(5)), pending=[task("P-1", 4), task("P-2")])
        self.files.broken[method, name] = error
        self.say(lambda: world.fail("P-1"))
        self.say(lambda: world.fail("P-2"))
        facts = {"T-1": {"fixed_by": "x"}, "T-2": {"irrelevant": True}, "T-3": {"needs": ("x",)}}
        self.say(lambda: world.start(facts={name: TaskFacts(**fields) for name, fields in facts.items()}))
        self.say(lambda: world.abandon("T-4"))
        self.seen(world)
        self.files.broken.clear()
        self.seen(world)
        self.say(lambda: world.review(at=9.0))
        self.seen(world)

    def late(self):
        world = self.world(letter(), pending=[task("T-2")])
        self.say(lambda: world.fail("T-2", at=4e8))
        self.say(lambda: world.start(at=4e8))
        self.seen(world)
