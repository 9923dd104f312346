"""Everything a breaker can be asked, in a fixed order, and what it answers and keeps: two that differ show it here."""

import errno

from breaker_reference_world import NAME, World

NAMES = (NAME, "other/claude", "API/claude", "a\0b", "a\0c", "x" * 300, "x" * 301, "a/b", "a_b")
ODD = (
    {"threshold": 0}, {"threshold": True}, {"threshold": 2.5}, {"window_s": "60"}, {"cooldown_s": 0}, {"cooldown_s": -1},
    {"depth": 1}, {"threshold": 7, "window_s": None},
)  # fmt: skip


class Battery:
    """One run of all parts against what ``make`` makes; ``told`` is the transcript."""

    def __init__(self, make, files_class):
        self.make, self.files_class = make, files_class
        self.told = []

    def say(self, gesture):
        try:
            self.told.append(repr(gesture()))
        except AssertionError:
            self.told.append("was not permitted")
        except Exception as error:  # noqa: BLE001 - how an operation ends is what is told
            self.told.append(f"raised {type(error).__name__}")

    def world(self, **tunables):
        files = self.files_class()
        made = World("/world", files, lambda found, kept=None: self.make(found, kept), **tunables)
        self.files = files
        return made

    def seen(self, world, at, name=NAME):
        self.say(lambda: world.look(at, name))
        self.say(lambda: world.capacity(at))
        self.say(lambda: sorted((path, data) for path, (data, _) in self.files.contents.items()))

    def asked(self, world, at, name=NAME, call=None):
        self.say(lambda: world.ask(at, name, call or f"asked at {at}"))
        self.seen(world, at, name)

    def ended(self, world, outcome, at, name=NAME, error=None):
        call = f"{name[:9]} at {at}"
        self.say(lambda: world.ask(at, name, call))
        self.say(lambda: world.tell(outcome, call, at, name, error))
        self.seen(world, at, name)

    def run(self):
        for part in (
            self.closed,
            self.opened,
            self.half_opened,
            self.recovered,
            self.named,
            self.several,
            self.tuned,
            self.damaged,
        ):
            part()
        return self.told

    def closed(self):
        for times in ((0, 59.5, 60), (0, 60.5, 61), (0, 0, 0), (0, 40, 80, 110), (0, 70, 140, 210)):
            world = self.world()
            for number, at in enumerate(times):
                self.ended(world, "failure", at, error=f"error {number % 2}")
                self.ended(world, "success", at + 0.25)
        world = self.world()
        for number in range(8):
            self.asked(world, 0, call=f"flying {number}")
        for number in range(4):
            self.say(lambda number=number: world.tell("failure", f"flying {number}", 1, error="same"))
        for outcome in ("success", "failure"):
            self.say(lambda outcome=outcome: world.tell(outcome, f"flying {4 if outcome == 'success' else 5}", 2))
            self.seen(world, 2)

    def opened(self):
        for waits in ((0.5, 299, 299.5, 299.999999, 300), (300.5,), (301, 301.5), (5000,)):
            world = self.world()
            for number in range(3):
                self.ended(world, "failure", number / 10, error=f"error {number}")
            self.ended(world, "failure", 0.3, "other/claude", "another error")
            for at in waits:
                self.seen(world, 0.2 + at)
                self.asked(world, 0.2 + at)
                self.asked(world, 0.2 + at, call="at once")

    def half_open(self):
        world = self.world()
        self.say(lambda: world.ask(0, call="straggler"))
        self.say(lambda: world.fail(0, 0, 0))
        self.asked(world, 300, call="probe")
        return world

    def half_opened(self):
        for end in (301, 308, 315):
            world = self.half_open()
            for at in (300, 300.000001, 302, 305, 309, 309.999999, 310, 311, 320):
                if at >= end:
                    self.say(lambda end=end, world=world: world.tell("success", "probe", end))
                self.asked(world, at)
        for outcome in ("success", "failure"):
            world = self.half_open()
            self.say(lambda world=world, outcome=outcome: world.tell(outcome, "straggler", 301))
            self.seen(world, 301)
        for successes in (0, 1, 2):
            world = self.half_open()
            if successes:
                self.say(lambda world=world: world.tell("success", "probe", 301))
            for number in range(1, successes):
                self.ended(world, "success", 300 + 10 * number)
            self.ended(world, "failure", 330, error="again")
            for at in (331, 360, 600, 629.999999, 630, 930):
                self.asked(world, at)
            self.ended(world, "success", 940)

    def recovered(self):
        world = self.half_open()
        self.say(lambda: world.ask(0, "calm"))
        self.say(lambda: world.fail(0, name="calm"))
        self.say(lambda: world.tell("success", "probe", 301))
        for at in (310, 320.5):
            self.ended(world, "success", at)
        self.say(lambda: world.tell("failure", "straggler", 321))
        for at in (321, 350, 351, 380.4, 380.5, 400, 411, 440.5, 441, 600):
            self.seen(world, at)
        self.ended(world, "failure", 601)
        self.say(lambda: world.fail(601, 601))
        for at in (901, 911, 921):
            self.ended(world, "success", at)
        self.seen(world, -1000)
        self.say(lambda: world.fail(922, 922, 922))
        for at in (0, -1000, -701, -700):
            self.seen(world, at)
            self.asked(world, at)

    def named(self):
        world = self.world()
        for name in NAMES:
            self.ended(world, "failure", 0, name)
        for name in NAMES:
            self.say(lambda name=name: world.fail(1, 1, name=name))
            self.asked(world, 2, name)
        other = world.opened()
        self.asked(other, 3, NAME)
        self.say(lambda: world.fail(4, name="new"))
        self.asked(other, 5, "new")
        self.say(lambda: other.fail(5, 5, name="new"))
        self.asked(world, 6, "new")

    def several(self):
        for names in (("open", "calm"), ("calm", "open")):
            world = self.world()
            for name in names:
                self.say(lambda world=world, name=name: world.fail(*(0, 0, 0) if name == "open" else (0,), name=name))
            self.seen(world, 1)

    def tuned(self):
        for odd in ODD:
            world = self.world()
            self.say(lambda world=world, odd=odd: world.set(**odd))
            self.say(lambda world=world: world.fail(0, 0, 0))
        world = self.world(threshold=2, window_s=5, cooldown_s=20, half_open_interval_s=2, recovery_threshold=2)
        for at in (0, 6, 7):
            self.ended(world, "failure", at)
        for at in (26, 27, 28, 29, 31):
            self.ended(world, "success", at)

    def damaged(self):
        good = b'{"api/claude": {"state": "OPEN", "failure_count": 3, "last_failure_time": null, '
        good += b'"last_state_change": "2026-03-01T12:00:00Z", "owner": 7}}'
        for data in (b"", b"{", good.replace(b"OPEN", b"open"), good, good.replace(b"3,", b'"3",')):
            world = self.world()
            self.files.replace(world.state, data)
            self.asked(world, 1)
            self.asked(world, 2, "new")


class Struck(Battery):
    """Three failures, a recovery and its ramp while reading, writing or locking fails, and when it fails no more."""

    def run(self):
        for method, error in (
            ("read", OSError(errno.EIO, "broken")),
            ("replace", OSError(errno.ENOSPC, "full")),
            ("lock", TimeoutError("held")),
            ("append_lines", OSError(errno.EACCES, "not yours")),
        ):
            for since in range(7):
                self.struck(method, error, since)
        self.vanished()
        self.late()
        return self.told

    def struck(self, method, error, since):
        world = self.world()
        steps = [("failure", 0), ("failure", 1), ("failure", 2), ("success", 302), ("success", 312), ("success", 322)]
        for number, (outcome, at) in enumerate(steps):
            if number == since:
                self.files.broken[method] = error
            self.ended(world, outcome, at, error="x")
            self.asked(world, at + 5)
        self.files.broken.clear()
        for at in (330, 400):
            self.asked(world, at)
            self.asked(world.opened(), at)

    def vanished(self):
        world = self.world()
        self.say(lambda: world.fail(0, 0, 0))
        self.files.remove(world.state)
        self.asked(world, 1)

    def late(self):
        world = self.world()
        for at in (4e8, 4e8, 4e8):
            self.ended(world, "failure", at)
        for at in (4e8 + 299, 4e8 + 300):
            self.asked(world, at)
