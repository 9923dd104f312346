"""Everything an error log can be asked, in a fixed order, and what it answers and keeps: two that differ show it here."""

import errno
import itertools

from errors_reference_world import PHASES, PLAN, World, given, progress

CONTEXT = {
    "session_id": "sess_1736700000_abc123",
    "command": "/implement",
    "task": 259,
    "phase": 2,
    "checkpoint": "GATE_OUT",
}
TRAJECTORY = {"delegation_path": ["orchestrator", "implement", "agent"], "failed_at_depth": 1}
INCIDENTS = (
    *(("mcp_tool", {"code": code, "responded": responded}) for code in (None, -32001, 5) for responded in (True, False)),
    *(
        ("delegation", {"ended": ended, "responded": responded, "metadata_status": status, "timed_out": timed_out})
        for ended, responded, status, timed_out in itertools.product((True, False), (True, False), (None, "in_progress"), (True, False))
    ),
    *((source, {"missing": missing, "timed_out": missing}) for source in
      ("operation", "validation", "file", "json", "yaml", "jq", "git", "build", "status") for missing in (True, False)),
)  # fmt: skip
KINDS = (
    "delegation_hang", "timeout", "status_sync_failure", "git_commit_failure", "build_error", "mcp_abort_error",
    "delegation_interrupted", "jq_parse_failure", "metric_failure", "logging_failure",
)  # fmt: skip
FACTS = (
    {}, {"retry_succeeds": False, "commit_succeeds": False, "alternative": "grep", "alternative_succeeds": False},
    {"retry_succeeds": False, "alternative": "grep"},
)  # fmt: skip
FILTERS = ('.[] | select(.a != "b") | select(.c != "d")', 'select(.a == "x != y")', 'select(.a != "x != y")')
DATES = (("2026-02-28T09:00:00Z", "2026-02-28T10:00:00Z"), ("2026-02-28T12:00:00+03:00", "2026-02-28T10:00:00Z"),
         ("2026-02-28T10:00:01Z", "2026-02-28T10:00:00Z"), (None, None))  # fmt: skip


class Battery:
    """One run of all parts against what ``make`` makes; ``told`` is the transcript, ids without what was drawn."""

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
        made = World("/world", self.files, lambda found, kept=None: self.make(found, kept))
        made.put("plan", PLAN)
        made.put("source", b"x = ")
        return made

    def seen(self, world):
        self.say(lambda: sorted((path, data) for path, (data, _) in self.files.contents.items()))
        self.say(world.read_all)
        for task in (259, 1):
            self.say(lambda task=task: world.resume(task))
        self.say(world.patterns)

    def run(self):
        for part in (self.typed, self.logged, self.odd, self.handled, self.recovered, self.found, self.progressed):
            part()
        return self.told

    def typed(self):
        world = self.world()
        for source, fields in INCIDENTS:
            self.say(lambda source=source, fields=fields: world.type_of(source, **fields))

    def logged(self):
        world = self.world()
        for number, severity in enumerate(("critical", "high", "medium", "low", None, "fatal")):
            session = ("sess_1736700000_abc123", "sess_1736700000_ABC123", "sess_1736700000_abc12", None)[number % 4]
            self.say(lambda n=number, s=severity, session=session: world.log(
                f"{n}", at=-n, severity=s, context={**CONTEXT, "session_id": session},
                trajectory=TRAJECTORY, recovery={"suggested_action": "x", "auto_recoverable": n % 2 == 0},
                message="long\n" * 40 if n < 2 else "same"))  # fmt: skip
            self.seen(world)
        for session in ("sess_1736700000_abc123", "sess_1736700000", "sess_1736700000_abc12"):
            self.say(lambda session=session: world.records(session))
        self.say(lambda: world.fix("1"))
        self.say(lambda: world.fix("nobody"))
        self.seen(world.opened())

    def odd(self):
        world = self.world()
        for number, fields in enumerate((
            {"message": 5}, {"context": 5}, {"context": {"task": "259"}}, {"severity": 5},
            {"trajectory": {"delegation_path": ["a"], "failed_at_depth": 9}}, {"recovery": {"auto_recoverable": "yes"}},
        )):  # fmt: skip
            self.say(lambda n=number, fields=fields: world.log(f"{n}", **fields))
        self.seen(world)

    def handled(self):
        for severity in ("critical", "high", "medium", "low", None):
            world = self.world()
            for kind in KINDS:
                self.say(lambda k=kind, s=severity, world=world: world.handle(k, given(k, severity=s, context=CONTEXT)))
            self.say(world.finish)
            self.say(world.finish)
            self.seen(world)

    def recovered(self):
        for facts, filter_ in zip(FACTS, FILTERS, strict=True):
            world = self.world()
            self.say(lambda world=world: world.begin(status="researching"))
            for kind in KINDS:
                self.say(lambda k=kind, facts=facts, world=world, f=filter_: world.recover(
                    k, given(k), progress(partial={"n": 1}), command=f, output="said", **facts))  # fmt: skip
            self.say(world.finish)
            self.seen(world)
        for todo, state in DATES:
            world = self.world()
            world.put("todo", b"- [ ] 259: x [IMPLEMENTING]\n")
            world.put("state", b'{"tasks":{"259":"completed"}}')
            self.say(lambda todo=todo, state=state, world=world: world.recover(
                "a", given("status_sync_failure"), todo_changed=todo, state_changed=state))  # fmt: skip
            self.seen(world)

    def found(self):
        for data in (b"", b"{", b"[]", b'[{"id":"err_1_a","type":"timeout","name":"old"}]',
                     b'{"errors":[{"id":"err_1_a","type":"timeout","name":"old"}],"v":1}'):  # fmt: skip
            world = self.world()
            world.put("errors", data)
            self.say(lambda world=world: world.log("a"))
            self.seen(world)
        for data in (b"{", b'{"status":"in_progress","partial_progress":{"stage":"phase3","details":1}}'):
            world = self.world()
            world.put("metadata", data)
            self.say(lambda world=world: world.recover("a", given("delegation_interrupted"), progress(failed_at=None)))
            self.seen(world.opened())

    def progressed(self):
        world = self.world()
        for number, made in enumerate((
            progress([], "phase1", {"n": 1}), progress(["phase1"], "phase2"), progress(["phase1", "phase2"], "phase3", "half"),
            progress(task=1), progress(["phase1"], None, task=1), progress(PHASES, None),
        )):  # fmt: skip
            self.say(lambda n=number, made=made: world.handle(f"{n}", made=made))
            self.seen(world.opened())
            self.say(lambda: world.begin(259))
            self.seen(world.opened())


class Struck(Battery):
    """The same operations while reading, writing or locking one of the files fails, and when it fails no more."""

    def run(self):
        for method, label in itertools.product(("read", "replace", "lock"), ("errors", "metadata", "plan", None)):
            self.struck(method, label, OSError(errno.ENOSPC, "full"))
        self.late()
        return self.told

    def struck(self, method, label, error):
        world = self.world()
        self.say(lambda: world.log("first"))
        self.say(lambda: world.handle("x", made=progress([], "phase1")))
        self.files.broken[method, label] = error
        self.say(lambda: world.log("a"))
        for severity, kind in (("critical", "timeout"), ("low", "timeout"), ("low", "git_commit_failure")):
            self.say(lambda s=severity, k=kind: world.handle(f"{k} {s}", given(k, severity=s), progress(partial=2)))
        for kind in ("timeout", "build_error", "jq_parse_failure", "mcp_abort_error", "delegation_interrupted"):
            self.say(lambda kind=kind: world.recover(kind, given(kind)))
        self.seen(world)
        self.files.broken.clear()
        self.say(lambda: world.log("z"))
        self.say(world.finish)
        self.seen(world)
        self.seen(world.opened())

    def late(self):
        world = self.world()
        self.say(lambda: world.log("a", at=4e8))
        self.say(lambda: world.log_.classify(None, 4e9))
        self.seen(world)
