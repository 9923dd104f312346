"""Everything a session can be asked, in a fixed order, and what it answers and keeps: two that differ show it here."""

import errno
import functools
import itertools
from datetime import UTC, datetime

from session_recovery_world import NOW, TREE, World, breaker, task

FAR = 5e9  # seconds after NOW: in the year 2184
PHASES = (b'{"phase":"QA"}', b'{"phase":"REVIEW"}', b"{", b'{"phase":"DEVELOPMENT"}')
STATE = {"step": 3, "files": ["a.py", {"deep": [1.5, None]}], "note": "ä€"}
BREAKERS = {
    "api/claude": breaker(), "api/closed": breaker("CLOSED"), "api/half": breaker("HALF_OPEN"),
    "api/soon": breaker(until="2026-03-01T12:00:30Z"), "api/offset": breaker(until="2026-03-01T14:02:00+02:00"),
    "api/over": breaker(until="2026-03-01T12:00:00Z"), "api/far": breaker(until=datetime.fromtimestamp(NOW + FAR + 100, UTC).isoformat()),
}  # fmt: skip


class Battery:
    """One run of all parts against what ``make`` makes, told as it goes on: who has seen enough need not hear the rest."""

    def __init__(self, make, files_class):
        self.make, self.files_class = make, files_class
        self.told = []

    def say(self, gesture):
        try:
            self.told.append(repr(gesture()))
        except Exception as error:  # noqa: BLE001 - how an operation ends is what is told
            self.told.append(f"raised {type(error).__name__}")

    def world(self, *, filled=True):
        self.files = self.files_class()
        made = World("/world", self.files, self.make)
        if filled:
            made.put("continuity", b"We were at the parser, and had to stop.")
            made.put("orchestrator", {"phase": "QA"})
            made.put("breakers", BREAKERS)
            made.put("pending", {"v": 1, "tasks": ["odd", {"title": "no id"}, *map(task, "abcdef"), task("f")]})
            made.put("in-progress", [task("g"), task("h"), task("c")])
            made.put("completed", {"tasks": [task("d")]})
        return made

    def seen(self, world):
        self.say(lambda: sorted((path, bytes(data)) for path, (data, _) in self.files.contents.items()))
        self.say(world.resume)
        self.say(world.ledger)

    def run(self):
        for part in self.parts():
            part()
            yield from self.told
            self.told.clear()

    def parts(self):
        return (self.turns, self.claims, self.work, self.found, self.operations, self.limits, self.tests, self.much)

    def turns(self):
        for filled in (True, False):
            world = self.world(filled=filled)
            self.say(world.turn)
            self.say(world.opened().resume)
            self.say(world.turn)
        for data in PHASES:
            self.turned(self.world(filled=False), data)

    def turned(self, world, data):
        world.put("orchestrator", data)
        world.put("continuity", data)
        for tree in (TREE, {}):
            self.say(lambda tree=tree: world.turn(tree))
            self.say(lambda tree=tree: world.opened().turn(tree))
        self.seen(world)

    def claims(self):
        world = self.world()
        for number in range(8):
            self.say(lambda n=number: world.claim(f"w{n}"))
            self.seen(world)
        world.put("completed", {"tasks": []})
        world.put("in-progress", {"tasks": []})
        world.queue("pending", task("z"))
        self.say(world.claim)
        self.seen(world)

    def work(self):
        world = self.world()
        for task_id, interface in itertools.product(("a", "g", "nobody"), (None, "GET /users -> 200, a list")):
            self.say(lambda t=task_id, i=interface: world.start(t, i))
        world.put("ledger", b'{"task_id":"y"}\nodd\n{"task_id":"x"}')
        self.say(world.ledger)
        for task_id in ("h", "h", "a", "d", "nobody", "g"):
            self.say(lambda t=task_id: world.complete(t, "w2"))
            self.seen(world.opened())

    def found(self):
        for queue, data in itertools.product(("pending", "in-progress"), (b"{torn", b"[]", b'{"tasks":{}}')):
            world = self.world()
            world.put(queue, data)
            self.say(world.claim)
            self.seen(world)

    def operations(self):
        world = self.world()
        for name in (*BREAKERS, "api/unused", None):
            for kind in ("minor", "major", "spawn"):
                self.say(lambda n=name, k=kind: world.begin(f"{n}{k}", k, breaker=n, state=STATE))
            self.seen(world.opened())
        for agents, worktrees, implementing in itertools.product((1, 2, 3, 5), (0, 1, 2, 3, 4, 5), (True, False)):
            self.say(lambda a=agents, w=worktrees, i=implementing: world.begin(
                f"{a}{w}{i}", "spawn", agents=a, worktrees=w, implementing=i))  # fmt: skip
        for number in range(3):
            self.say(lambda n=number: world.checkpoint(f"c{n}", STATE))
            self.seen(world.opened())
        self.say(lambda: world.begin("late", "minor", breaker="api/far", at=FAR))
        self.say(lambda: world.resume("rate_limit", at=FAR, breaker="api/far"))

    def limits(self):
        world = self.world()
        for name in (*BREAKERS, "api/unused"):
            for agents in (1, 2, 3, 5, 9):
                self.say(lambda n=name, a=agents: world.resume("rate_limit", breaker=n, agents=a))
        for failing in range(8):
            self.say(lambda f=failing: world.resume("rate_limit", failing_tries=f))

    def tests(self):
        world = self.world()
        for reruns, commit, needed, suite in itertools.product(
            ((False,), (True,), (False, True), ()), (None, "abc"), (True, False), ((True,), (False, True), (False,))
        ):
            self.say(lambda r=reruns, c=commit, n=needed, s=suite: world.resume(
                "test_failure", output="1 failed", reruns=r, last_passing_commit=c, rollback_needed=n, suite=s))  # fmt: skip

    def much(self):
        """Texts whose characters have three bytes each, and more tasks than fingers."""
        wide = "\u6f22" * 5_000
        world = self.world(filled=False)
        world.put("continuity", wide.encode())
        world.put("in-progress", [task(f"t{number:02}", description=wide) for number in range(12)])
        self.say(world.turn)
        self.say(lambda: world.start("t00"))
        self.say(lambda: world.resume("test_failure", output=wide))
        for number in range(12):
            self.say(lambda n=number: world.complete(f"t{n:02}"))
        self.seen(world.opened())


class Struck(Battery):
    """The same operations while reading, writing or locking a file fails, and when others change the files meanwhile."""

    def parts(self):
        labels = ("pending", "in-progress", "completed", "ledger", "checkpoint", "specification", "continuity", "breakers", "queues", None)  # fmt: skip
        errors = (OSError(errno.ENOSPC, "full"), PermissionError(errno.EACCES, "refused"), TimeoutError("locked"))
        for method, label, error in itertools.product(("read", "replace", "lock"), labels, errors):
            yield functools.partial(self.struck, method, label, error)
        yield self.changed

    def struck(self, method, label, error):
        world = self.world()
        self.say(lambda: world.begin("first", "major"))
        self.files.broken[method, label] = error
        self.operated(world)
        self.files.broken.clear()
        self.operated(world)
        self.seen(world.opened())

    def operated(self, world):
        self.say(world.turn)
        self.say(world.claim)
        self.say(lambda: world.start("a", "GET /users"))
        self.say(lambda: world.start("b"))
        self.say(lambda: world.complete("g"))
        self.say(world.checkpoint)
        for kind, name in itertools.product(("minor", "major"), ("api/closed", "api/claude", None)):
            self.say(lambda k=kind, n=name: world.begin(f"{k}{n}", k, breaker=n))
        self.seen(world)

    def changed(self):
        world = self.world()
        for data in PHASES:
            self.turned(world, data)
        self.say(lambda: world.begin("guarded", breaker="api/claude"))
        world.put("breakers", {name: breaker("CLOSED") for name in BREAKERS})
        self.say(lambda: world.begin("again", breaker="api/claude"))
        for path in [path for path in self.files.contents if "/state/" in path]:
            del self.files.contents[path]
        self.say(lambda: world.checkpoint("anew", STATE))
        self.seen(world.opened())
