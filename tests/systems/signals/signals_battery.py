"""A long conversation with an implementation of the signals, written down: what two of them say differently, differs."""

import itertools

from signals_reference_world import DAY_S, FRICTION, Broken, World, task

from harness.systems.signals.contract import NAMED, ROUTES, Channel, Gate, Handler, Role

FRICTION_SIGNAL, KNOWN = "FRICTION_DETECTED", "INSTITUTIONAL_KNOWLEDGE_FOUND"
LONG = 'said "no"\nand went on'
FACTS = (
    *({"critical": True, "confidence": found} for found in (0.29, 0.3, 0.35, 0.39, 0.4, 0.41)),
    {"security_critical": True}, {"irreversible": True}, {"irreversible": True, "rollback": False},
    {"irreversible": True, "rollback": True}, *({"consecutive_failures": found} for found in range(5)),
    {"ambiguous": True}, {"ambiguous": True, "blocks": True},
    *({"cost_usd_per_hour": found} for found in (50.0, 100.0, 100.01, 2400.1)),
)  # fmt: skip
NAMES = ("auth", "feature/auth", "feature_auth", "..", "../../../x", "", "x" * 300)


class Battery:
    """Says everything once, in calm weather; ``run`` gives what was said and what stood in the files."""

    def __init__(self, make):
        self.make = make
        self.told = []

    def world(self):
        self.files = Broken()
        return World(self.files, self.make).prepared()

    def say(self, call):
        try:
            self.told.append(repr(call()))
        except Exception as error:  # noqa: BLE001 - what escapes is what is looked for
            self.told.append(f"escaped: {error!r}")

    def seen(self, world):
        self.say(lambda: sorted((path, data) for path, (data, _) in self.files.contents.items()))
        self.say(world.pending)
        self.say(world.drifts)

    def run(self):
        for part in (self.drifted, self.assessed, self.asked, self.decided, self.late, self.handed, self.healed):
            part()
        return self.told

    def drifted(self):
        world = self.world()
        for number in range(6):
            of = world.opened() if number % 2 else world
            self.say(lambda of=of: of.drift(memory=LONG, detected_drift=LONG))
            self.seen(world)
        for severity, distance in itertools.product(("low", "high", "critical", "grave", None), (0, 1, 3, 1.5)):
            self.say(lambda s=severity, d=distance: world.drift(f"t-{s}", s, d))
        self.say(lambda: world.drift(planned_action=None))
        for of in ("t-12", "t-12", "t-"):
            self.say(lambda of=of: world.drift(of))
        world.put("drift", b'{"task_id":"t-1"}\n{"torn')
        self.say(world.drift)
        self.seen(world)

    def assessed(self):
        world = self.world()
        for facts in FACTS:
            self.say(lambda facts=facts: world.assess(**facts))

    def asked(self):
        for content in (None, b"{", b"[1]"):
            world = self.world()
            world.put("pending", [task("t-3", status="blocked"), task("t-4")])
            if content is not None:
                world.put("review", content)
            for id_ in ("t-2", "t-1", "t-4", "t-9", ""):
                self.say(lambda id_=id_, world=world: world.review(id_, agent="a", alternatives_considered=["b"]))
                self.seen(world)

        world = self.world()
        other = world.opened()
        for of, id_ in ((world, "t-1"), (other, "t-2"), (world, "t-3")):
            self.say(lambda of=of, id_=id_: of.review(id_))
        self.seen(world)

    def decided(self):
        for words, fields in itertools.product(
            ("approved", "rejected", ""), ({}, {"task_id": "t-2"}, {"task_id": "x"})
        ):
            for also in (False, True):
                world = self.world()
                world.review()
                if also:
                    world.review("t-3")
                self.say(lambda w=words, fields=fields, world=world: world.decide(w, **fields))
                self.say(world.check)
                self.seen(world)
        for operate in (World.clarify, World.cancel):
            world = self.world()
            world.review()
            self.say(lambda operate=operate, world=world: operate(world))
            self.seen(world)

    def late(self):
        for wait_s, alert in itertools.product((13 * 3600.0, DAY_S, DAY_S + 1.0, 3 * DAY_S), Channel):
            world = self.world()
            world.put("in-progress", [task("t-2", attempts=[{"error_type": "test"}])])
            world.review()
            self.say(lambda w=wait_s, a=alert, world=world: world.check(at=w, alert=a))
            self.seen(world)

    def handed(self):
        for signal, (creators, consumer) in ROUTES.items():
            world = self.world()
            payload = {"knowledge": "x"} if signal == KNOWN else FRICTION
            for by in sorted({min(creators), consumer, Role.FEATURE, Role.MERGE, Role.BLOG}):
                name = "auth" if signal in NAMED else None
                self.say(lambda s=signal, by=by, n=name, p=payload, world=world: world.emit(s, n, p, by=by))
                self.say(lambda s=signal, by=by, n=name, world=world: world.consume(s, n, by=by))
                self.say(lambda s=signal, by=by, world=world: world.heal(s, by=by))
                self.seen(world)
        world = self.world()
        for name in (*NAMES, "auth"):
            self.say(lambda name=name: world.emit(name=name, payload={"by": len(self.told)}))
            self.seen(world)
        self.say(lambda: world.consume(handler=Handler.FAILS))
        self.say(world.consume)
        self.say(world.drift)
        self.say(lambda: world.consume("DRIFT_DETECTED", None, by="orchestrator"))
        self.seen(world)

    def healed(self):
        world = self.world()
        for fields in ({}, {"friction_id": "f-2"}, {"location": "x"}):
            self.say(lambda fields=fields: world.found(**fields))
            self.seen(world)
        for call in (world.remove, world.found, world.classify, world.remove):
            self.say(call)
        for signal, facts in (
            ("BEHAVIOR_CHANGE_RISK", [{}, {"tests_confirmed": True}]),
            ("HEALING_PHASE_COMPLETE", [{"gate": gate} for gate in Gate]),
            ("LEGACY_COMPATIBILITY_RISK", [{}, {"strict": True}]),
            (KNOWN, [{}, {}]),
        ):
            for each in facts:
                world.emit(signal, None, {"knowledge": "x"})
                self.say(lambda s=signal, each=each: world.heal(s, **each))
                self.seen(world)


class Struck(Battery):
    """The same while one call fails on one file, and when it fails no more; in the year 2040, and without a current task."""

    def run(self):
        for method, end in itertools.product(
            ("read", "replace", "remove", "append_lines", "lock"),
            ("DETECTED", "HUMAN_REVIEW_NEEDED", "CONTINUITY.md", "auth", "map.json", "signals/.lock"),
        ):
            self.struck(method, end)
        world = self.world()
        self.say(lambda: world.drift(at=5e8))
        world.put("current", b"{")
        self.say(world.drift)
        return self.told

    def struck(self, method, end):
        world = self.world()
        world.drift()
        world.review("t-1")
        world.emit()
        self.files.broken[method, end] = OSError("full")
        for call in (world.drift, world.drift, world.review, world.consume, world.emit, world.found):
            self.say(call)
        self.seen(world)
        self.files.broken.clear()
        for call in (world.drift, world.consume, world.check):
            self.say(call)
        self.seen(world.opened())
