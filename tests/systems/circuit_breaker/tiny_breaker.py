"""A breaker of a hundred lines, written from the document, with a knob for each reading and for each mistake."""

import json
import os
import threading
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOCK = threading.Lock()
FRESH = {
    "state": "CLOSED", "failure_count": 0, "success_count": 0, "last_failure_time": None, "last_state_change": None,
    "cooldown_until": None, "failure_window_start": None,
}  # fmt: skip


def us(text):
    return None if text is None else (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def iso(at):
    return None if at is None else (EPOCH + timedelta(microseconds=at)).isoformat().replace("+00:00", "Z")


class Tiny:
    """``knobs`` are attributes of this class that are other than here."""

    threshold, window, cooldown, interval, recovery = 3, 60.0, 300.0, 10.0, 3
    window_kind, edge, success, origin, late, stamp = "sliding", "in", "leaves", "start", "ignored", "due"
    surplus, reopened_count, keeps_failure, absent, error_kept = "refused", 1, False, False, True
    ramp = "points_up"
    multiplicative = False
    wait_wrong = False
    tuning = "refused"

    def __init__(self, config, **knobs):
        self.home = config["home"]
        self.tunables = {"threshold": 3, "window_s": 60.0, "cooldown_s": 300.0, "half_open_interval_s": 10.0,
                         "recovery_threshold": 3, **config.get("tunables", {})}  # fmt: skip
        for name, value in knobs.items():
            setattr(self, name, value)

    def t(self, name):
        value = self.tunables[name]
        return round(value * 1e6) if name.endswith("_s") else value

    @property
    def path(self):
        return f"{self.home}/.loki/state/circuit-breakers.json"

    def load(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}
        except ValueError:
            os.replace(self.path, self.path + ".corrupt")
            return {"": {"all": "half"}}

    def save(self, records):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".tmp", "w", encoding="utf-8") as file:
            json.dump(records, file)
        os.replace(self.path + ".tmp", self.path)

    def record_of(self, records, name, at):
        found = records.get(name)
        if found is None:
            found = dict(FRESH, last_state_change=iso(at), x={"fails": [], "calls": []})
            if records.get("", {}).get("all") == "half":
                found["state"] = "HALF_OPEN"
        if "x" not in found:
            found = {
                **found,
                "x": {"fails": [us(found["last_failure_time"])] * int(found["failure_count"]), "calls": []},
            }
        longest = at + self.t("cooldown_s")
        if found["state"] == "OPEN" and us(found["cooldown_until"]) > longest:
            found["cooldown_until"] = iso(longest)
        return found

    def moved(self, b, at):
        if b["state"] == "OPEN" and at >= us(b["cooldown_until"]):
            due = us(b["cooldown_until"]) if self.stamp == "due" else at
            b.update(state="HALF_OPEN", failure_count=0, success_count=0, cooldown_until=None,
                     failure_window_start=None, last_state_change=iso(due))  # fmt: skip
            b["x"].update(fails=[], since=due, probe=None, calls=[])
        return b

    def due(self, b, at):
        x, interval = b["x"], self.t("half_open_interval_s")
        if x.get("probe") is None:
            return True
        if self.origin == "start":
            return at >= x["probe"] + interval
        if x.get("ended") is None:
            return at >= x["probe"] + interval * 2
        if self.origin == "end":
            return at >= x["ended"] + interval
        return (at - x["since"]) // interval > (x["probe"] - x["since"]) // interval

    def acquire(self, args, now_s):
        with LOCK:
            return self._acquire(args, round(now_s * 1e6))

    def _acquire(self, args, at):
        records = self.load()
        b = self.moved(self.record_of(records, args["name"], at), at)
        result = {"permitted": True, "state": b["state"]}
        if b["state"] == "CLOSED":
            b["x"]["calls"].append(args["call"])
        elif b["state"] == "HALF_OPEN" and self.due(b, at):
            b["x"].update(probe=at, ended=None)
            b["x"]["calls"].append(args["call"])
        elif b["state"] == "HALF_OPEN":
            result.update(permitted=False, held=self.surplus)
        else:
            error = b["x"].get("error") if self.error_kept or b["x"].get("by") == id(self) else "circuit open"
            result.update(permitted=False, held="refused", error=error, wait_s=(us(b["cooldown_until"]) - at) / 1e6)
        records[args["name"]] = b
        self.save(records)
        return result

    def record(self, args, now_s):
        with LOCK:
            return self._record(args, round(now_s * 1e6))

    def _record(self, args, at):
        records = self.load()
        b = self.moved(self.record_of(records, args["name"], at), at)
        x = b["x"]
        known = args["call"] in x["calls"]
        if known:
            x["calls"].remove(args["call"])
        if known or self.late == "counted":
            self.count(b, x, args, at)
        records[args["name"]] = b
        self.save(records)
        return {"state": b["state"]}

    def count(self, b, x, args, at):
        failure = args["outcome"] == "failure"
        if b["state"] == "CLOSED" and failure:
            x["fails"] = [*self.kept(x["fails"], at), at]
            x.update(error=args.get("error"), by=id(self))
            b.update(failure_count=len(x["fails"]), last_failure_time=iso(at), failure_window_start=iso(x["fails"][0]))
            if len(x["fails"]) >= self.t("threshold"):
                self.open(b, at)
        elif b["state"] == "CLOSED" and self.success == "clears":
            x["fails"] = []
            b.update(failure_count=0)
        elif b["state"] == "HALF_OPEN" and failure:
            x.update(error=args.get("error"), by=id(self))
            b.update(failure_count=self.reopened_count, last_failure_time=iso(at))
            self.open(b, at)
        elif b["state"] == "HALF_OPEN":
            b["success_count"] += 1
            x["ended"] = at
            if b["success_count"] >= self.t("recovery_threshold"):
                self.close(b, at, args["name"])

    def kept(self, fails, at):
        def near(one):
            return at - one <= self.t("window_s") if self.edge == "in" else at - one < self.t("window_s")

        if self.window_kind == "sliding":
            return [each for each in fails if near(each)]
        return fails if fails and near(fails[0]) else []

    def open(self, b, at):
        b.update(
            state="OPEN", cooldown_until=iso(at + self.t("cooldown_s")), last_state_change=iso(at), success_count=0
        )
        b["x"]["calls"] = []

    def close(self, b, at, name):
        kept = {"last_failure_time": b["last_failure_time"]} if self.keeps_failure else {}
        b.update(FRESH, last_state_change=iso(at), **kept)
        b["x"].update(fails=[], calls=[], closed=at)
        os.makedirs(f"{self.home}/.loki/logs", exist_ok=True)
        with open(f"{self.home}/.loki/logs/circuit-recovery.log", "a", encoding="utf-8", newline="") as file:
            file.write(f"{iso(at // 1_000_000 * 1_000_000)} Circuit recovered: {name}\n")

    def inspect(self, args, now_s):
        at = round(now_s * 1e6)
        b = self.moved(self.record_of(self.load(), args["name"], at), at)
        wait = (us(b["cooldown_until"]) - at) / 1e6 if b["state"] == "OPEN" else None
        return {**{name: b[name] for name in FRESH if name != "failure_window_start"}, "wait_s": wait}

    def capacity(self, args, now_s):
        at, full = round(now_s * 1e6), args["agents"]
        every = [self.moved(self.record_of({name: b}, name, at), at) for name, b in self.load().items()]
        if any(b["state"] == "OPEN" for b in every):
            return {"agents": min(2, full), "background": False, "queue_non_urgent": True}
        last = max((b["x"]["closed"] for b in every if b["x"].get("closed")), default=None)
        steps = 9 if last is None else (at - last) // 60_000_000
        part = min(1, 0.5 * 1.25**steps if self.multiplicative else 0.5 + 0.25 * steps)
        return {"agents": -int(-full * part // 1), "background": True, "queue_non_urgent": False}

    def configure(self, args, now_s):
        good = {"threshold": int, "recovery_threshold": int, "window_s": (int, float), "cooldown_s": (int, float),
                "half_open_interval_s": (int, float)}  # fmt: skip
        wrong = [name for name, value in args["tunables"].items()
                 if isinstance(value, bool) or not isinstance(value, good.get(name, ())) or value <= 0]  # fmt: skip
        if not wrong:
            self.tunables.update(args["tunables"])
        elif self.tuning == "default":
            defaults = {
                "threshold": 3,
                "window_s": 60.0,
                "cooldown_s": 300.0,
                "half_open_interval_s": 10.0,
                "recovery_threshold": 3,
            }
            self.tunables.update(
                {n: defaults[n] if n in wrong else v for n, v in args["tunables"].items() if n in defaults}
            )
            log = [{"level": "warning", "code": "tunable_invalid"}]
            return {"accepted": True, "tunables": dict(self.tunables), "log": log}
        return {"accepted": not wrong, "tunables": dict(self.tunables)}
