"""Every mutant of the diagnoses shows on the outside."""

import errno
import functools
from importlib import resources

import pytest
import yaml
from mutant_checks import MutantsShow
from reflection_world import DENIED, GIT, REPOSITORY, Failing, World, context, says

from harness.ports.fake_files import FakeFiles
from harness.ports.files import RealFiles
from harness.systems import registry
from harness.systems.diagnosis.contract import WHYS, Flag
from harness.systems.diagnosis.mutants import MUTANTS

CORPUS = yaml.safe_load(
    resources.files("harness.systems.diagnosis").joinpath("corpus", "development.yaml").read_bytes()
)
LAST = {entry["type"]: entry for entry in CORPUS}
FIRST = {entry["type"]: entry for entry in reversed(CORPUS)}
ANSWER = {
    "whyChain": dict.fromkeys(WHYS, "so"), "rootCause": {"description": "It is so", "confidence": 0.5},
    "errorClassification": {"type": "timeout"},
}  # fmt: skip
ODD_ANSWER = {"whyChain": dict.fromkeys(WHYS, ""), "rootCause": {"confidence": 5}}


class Shown:
    """What an implementation answers and writes in the course of a long story; what it raises is an answer as well."""

    def __init__(self, kind, files=FakeFiles):
        self.kind, self.files, self.told = kind, files, []

    def run(self):
        for flags in (
            {},
            *({flag: "0"} for flag in Flag),
            {Flag.WHY_DEPTH: "3", Flag.TEMPERATURE: "1", Flag.MAX_TOKENS: "9"},
        ):
            self.story(flags)
        self.types()
        return self.told

    def story(self, flags):
        world = self.world(flags=flags, model_limit_s=0.05)
        self.tell(lambda: world.clone(model=says(ANSWER)))
        for success in (False, True):
            self.tell(lambda success=success: world.tried(success))
            self.tell(world.prompt)
            self.tell(world.report)
        self.tell(lambda: world.clone(call="d"))
        world = world.opened()
        self.tell(lambda: world.clone(call="e"))
        for _ in range(3):
            self.tell(lambda: world.tried(False, "e", 2))
        self.tell(lambda: world.observe(None, success=True))
        self.tell(lambda: world.observe(DENIED, "write_file", {"path": "/etc/x", "content": "$(x)"}, call="f"))
        self.tell(lambda: world.observe({"message": "timed out"}, call="g"))
        for _ in range(4):
            self.tell(lambda: world.tried(False, "g"))
        self.tell(lambda: world.observe(GIT, availableTools=[]))
        self.files_of(world)

    def types(self):
        world = self.world(model_limit_s=0.05)
        actions = [{"tool": f"t{number}", "args": {}, "result": "r", "success": False} for number in range(5)]
        error = GIT | {"stdout": "out", "signal": "SIGTERM"}
        around = context(previousActions=actions)
        self.tell(lambda: world.observe(error, args={"command": "git $(x)"}, context=around, model=says(ODD_ANSWER)))
        for text, behaviour in (("{", "answers"), ("", "raises"), ("", "hangs")):
            self.tell(lambda text=text, behaviour=behaviour: world.clone(model=says(text, behaviour)))
        for entry in (*LAST.values(), *FIRST.values()):
            self.tell(lambda entry=entry: world.observe(entry["error"], entry["tool"], entry["args"]))
        for error in (
            7,
            {"message": 7},
            {"message": "listening on 4290"},
            {"message": "timeout.py"},
            {"message": "network.py"},
        ):
            self.tell(lambda error=error: world.observe(error, call="x"))
        self.tell(lambda: world.observe({"message": "permission denied", "code": 127}, context=None))
        self.tell(lambda: world.observe({"message": "f", "code": "EACCES"}))
        self.tell(lambda: world.observe({"message": "f", "code": "ETIMEDOUT"}))
        self.tell(lambda: world.observe({"message": "f", "code": 429, "stderr": f"said {REPOSITORY}"}))
        for _ in range(2):
            self.tell(
                lambda: world.observe({"message": "f", "code": 1, "stderr": "permission denied: connection refused"})
            )
        self.tell(
            lambda: world.observe(
                {"message": "x", "code": 127, "stderr": "wget: not found"}, args={"command": "wget https://x/y"}
            )
        )
        self.tell(lambda: world.observe({"message": "Tool not found"}, "bash", {"command": "a"}))
        world.files.append(world.path("session"), b"torn")
        world.files.append(world.path("episodic"), b"junk\n")
        self.tell(lambda: world.clone(call="h"))
        self.tell(lambda: world.prompt("f"))
        self.files_of(world)

    def world(self, **configuration):
        return World(self.files(), kind=self.kind, **configuration)

    def tell(self, act):
        try:
            self.told.append(repr(act()))
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            self.told.append(repr(error))

    def files_of(self, world):
        self.told += [f"{path} {bytes(data)!r}" for path, (data, _) in sorted(world.files.contents.items())]


class Struck(Shown):
    """The same story where writing, reading and locking fail in turn."""

    def run(self):
        for method, number in (("append_lines", errno.EIO), ("status", errno.EACCES), ("lock", errno.ETIMEDOUT)):
            error = TimeoutError("locked") if method == "lock" else OSError(number, "refused")
            self.files = functools.partial(self.broken, method, error)
            self.story({})
        return self.told

    @staticmethod
    def broken(method, error):
        found = Failing()
        found.broken[method] = error
        return found


class TestMutants(MutantsShow):
    system = registry.get("diagnosis")
    calm, struck = Shown, Struck
    least_told = 41

    @staticmethod
    def told(story, make):
        return story(make).run()

    @classmethod
    def mutant(cls, name):
        return MUTANTS[name].implementation

    @pytest.mark.parametrize(
        "escaping", ["io-error-escapes", "a-lock-that-cannot-be-had-escapes", "unlocked-lines-in-two-writes"]
    )
    def test_an_escaping_error_shows_where_calls_fail(self, escaping):
        assert self.difference(Struck, self.mutant(escaping)) is not None


def test_a_memory_that_is_rewritten_is_cut_first(tmp_path):
    world = World(RealFiles(), str(tmp_path), kind=MUTANTS["session-memory-is-rewritten"].implementation)
    place = tmp_path / ".session_memory.jsonl"
    world.clone()
    place.write_bytes(place.read_bytes() + b"torn")
    before = place.read_bytes()
    world.clone()
    assert place.read_bytes().startswith(before + b"\n{")
