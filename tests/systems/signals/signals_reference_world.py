"""A project with the reference on it, and the gestures its tests share. Times are seconds after NOW."""

import json

from harness.ports.fake_files import FakeFiles
from harness.systems import queue_files
from harness.systems.signals.contract import (
    APPROVED_PATH,
    CONTINUITY_PATH,
    CURRENT_TASK_PATH,
    DRIFT_PATH,
    FRICTION_MAP_PATH,
    KNOWLEDGE_PATH,
    REVIEW_PATH,
    ROUTES,
    AssessArguments,
    CancelArguments,
    CheckArguments,
    ClarifyArguments,
    ClassifyArguments,
    Configuration,
    ConsumeArguments,
    DecideArguments,
    DriftArguments,
    DriftsArguments,
    EmitArguments,
    HealArguments,
    RemoveArguments,
    ReviewArguments,
    ReviewsArguments,
)
from harness.systems.signals.reference import create

NOW = 1_772_366_400.5  # 2026-03-01T12:00:00.500Z
DAY_S = 86_400.0
HOME = "/world"
GOAL = "Add login endpoint"
PATHS = {
    "drift": DRIFT_PATH, "review": REVIEW_PATH, "approved": APPROVED_PATH, "continuity": CONTINUITY_PATH,
    "current": CURRENT_TASK_PATH, "map": FRICTION_MAP_PATH, "knowledge": KNOWLEDGE_PATH,
    **{queue: "{home}/" + queue_files.path_of(queue) for queue in queue_files.QUEUES},
}  # fmt: skip
FRICTION = {"friction_id": "f-1", "location": "src/a.py:7", "behavior": "Sleeps 2s", "agent": "healer"}


def task(id_, **fields):
    return {"task_id": id_, "title": f"About {id_}", "priority": "high", **fields}


class Broken(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace", "blocked.json"] = OSError(...)``, by the path's end."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("read", "replace", "create", "lock", "remove", "append_lines"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            for (broken, end), error in self.broken.items():
                if broken == method and path.endswith(end):
                    raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call


class World:
    """One process on the files; ``opened`` is another one, or the same started anew."""

    def __init__(self, files=None, make=create, home=HOME):
        self.files = Broken() if files is None else files
        self.make, self.home = make, home
        self.signals = make(Configuration(home), self.files)

    def opened(self):
        return World(self.files, self.make, self.home)

    # -- the files

    def path(self, label):
        return PATHS.get(label, f"{{home}}/.loki/signals/{label}").replace("{home}", self.home)

    def put(self, label, content):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.files.replace(self.path(label), data)
        return self

    def data(self, label):
        try:
            return self.files.read(self.path(label), 1 << 40)
        except FileNotFoundError:
            return None

    def json(self, label):
        return json.loads(self.data(label))

    def prepared(self):
        self.put("current", {"task_id": "t-1", "goal": GOAL})
        self.put("in-progress", {"tasks": [task("t-1"), task("t-2", note=[1])]})
        return self.put("pending", {"tasks": [task("t-3"), task("t-4")]})

    def tasks(self, queue):
        data = self.data(queue)
        found = [] if data is None else json.loads(data)
        return found["tasks"] if isinstance(found, dict) else found

    def where(self, id_):
        return [queue for queue in queue_files.QUEUES if id_ in [each.get("task_id") for each in self.tasks(queue)]]

    def task(self, id_):
        (queue,) = self.where(id_)
        return next(each for each in self.tasks(queue) if each["task_id"] == id_)

    # -- the operations

    def drift(self, of="t-1", severity="medium", distance=2, at=0.0, memory="memory", **fields):
        given = {"planned_action": "plan", "detected_drift": "drift", "agent": "eng", **fields}
        arguments = DriftArguments(
            task_id=of, severity=severity, drift_distance=distance, working_memory=memory, **given
        )
        return self.signals.report_drift(arguments, NOW + at)

    def drifts(self, of=None):
        return list(self.signals.drifts(DriftsArguments(of), NOW).records)

    def assess(self, **facts):
        return [str(each) for each in self.signals.assess(AssessArguments(**facts), NOW).reasons]

    def review(self, of="t-2", reason="security_decision", at=0.0, **fields):
        given = {"context": "keys", "severity": "critical", "blocking": True, **fields}
        return self.signals.request_review(ReviewArguments(task_id=of, reason=reason, **given), NOW + at)

    def reviews(self, of=None):
        return list(self.pending(of).pending)

    def pending(self, of=None):
        return self.signals.reviews(ReviewsArguments(of), NOW)

    def ids(self):
        return [each["task_id"] for each in self.reviews()]

    def decide(self, decision="approved", **fields):
        return self.signals.decide(DecideArguments(json.dumps({"decision": decision, **fields})), NOW)

    def say(self, text):
        return self.signals.decide(DecideArguments(text), NOW)

    def clarify(self, of="t-2", clarification="use staging"):
        return self.signals.clarify(ClarifyArguments(of, clarification), NOW)

    def cancel(self, of="t-2"):
        return self.signals.cancel(CancelArguments(of), NOW)

    def check(self, at=0.0, **fields):
        return self.signals.check_reviews(CheckArguments(**fields), NOW + at)

    def emit(self, signal="FEATURE_READY", name="auth", payload=None, by=None, at=0.0):
        by = by or min(ROUTES[signal][0])
        return self.signals.emit(EmitArguments(signal, by, {"n": 1} if payload is None else payload, name), NOW + at)

    def consume(self, signal="FEATURE_READY", name="auth", by=None, **fields):
        return self.signals.consume(ConsumeArguments(signal, by or ROUTES[signal][1], name, **fields), NOW)

    def heal(self, signal="FRICTION_DETECTED", by=None, **fields):
        return self.signals.heal(HealArguments(signal, by or ROUTES[signal][1], **fields), NOW)

    def found(self, **fields):
        """A friction is found and processed."""
        self.emit("FRICTION_DETECTED", None, {**FRICTION, **fields})
        return self.heal()

    def classify(self, friction_id="f-1", classification="bug"):
        return self.signals.classify_friction(ClassifyArguments(friction_id, classification), NOW)

    def remove(self, friction_id="f-1"):
        return self.signals.remove_friction(RemoveArguments(friction_id), NOW)


def codes(result):
    return [str(entry.code) for entry in result.log]


def actions(result):
    return [str(step.action) for step in result.steps]
