"""Every mutant is the reference with one attribute changed, and shows on the outside.

That the right clause kills it is for ``qualify`` to show; here it only has to differ somewhere from the reference.
"""

import errno
import functools
import re
from importlib import resources

import pytest
import yaml
from reflection_world import DENIED, GIT, REPOSITORY, Failing, World, context, says

from harness.errors import UsageError
from harness.ports.files import FakeFiles, RealFiles
from harness.systems.diagnosis.contract import REFLECTION, WHYS, Configuration, Flag
from harness.systems.diagnosis.mutants import MUTANTS, create_mutant
from harness.systems.diagnosis.reference import DiagnosticReflection

CLAUSES = yaml.safe_load(resources.files("harness.systems.diagnosis").joinpath("clauses.yaml").read_bytes())["clauses"]
CORPUS = yaml.safe_load(
    resources.files("harness.systems.diagnosis").joinpath("corpus", "development.yaml").read_bytes()
)
L1 = [name for name, mutant in MUTANTS.items() if mutant.level == "L1"]
L2 = [name for name, mutant in MUTANTS.items() if mutant.level == "L2"]
L3 = [name for name, mutant in MUTANTS.items() if mutant.level == "L3"]
NO_OPERATION_SHOWS = {"DR-MET-01"}  # a share of many recoveries
LAST = {entry["type"]: entry for entry in CORPUS}
FIRST = {entry["type"]: entry for entry in reversed(CORPUS)}
ANSWER = {
    "whyChain": dict.fromkeys(WHYS, "so"), "rootCause": {"description": "It is so", "confidence": 0.5},
    "errorClassification": {"type": "timeout"},
}  # fmt: skip
ODD_ANSWER = {"whyChain": dict.fromkeys(WHYS, ""), "rootCause": {"confidence": 5}}


def own(kind):
    return [name for name in vars(kind) if not re.fullmatch(r"__\w+__", name)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_changes_one_attribute(name):
    mutant = MUTANTS[name]
    assert (name, REFLECTION) == (mutant.name, mutant.profile)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)
    assert len(own(mutant.changed)) == len(own(mutant.implementation)) == 1
    assert hasattr(mutant.changed.__mro__[1], own(mutant.changed)[0])
    assert mutant.implementation.__mro__[1] is DiagnosticReflection
    assert mutant.description


def test_every_clause_that_binds_has_a_mutant_and_every_mutant_a_clause():
    killed = {mutant.clause for mutant in MUTANTS.values()}
    assert killed <= {clause["id"] for clause in CLAUSES}
    assert {clause["id"] for clause in CLAUSES if clause["level"] != "MAY"} - NO_OPERATION_SHOWS <= killed


def test_descriptions_say_different_things():
    assert len(MUTANTS) == len({mutant.description for mutant in MUTANTS.values()})


def test_mutants_are_made_by_name():
    for name, mutant in MUTANTS.items():
        assert type(create_mutant(name, Configuration("/home"), FakeFiles())) is mutant.implementation
    with pytest.raises(UsageError, match="nobody"):
        create_mutant("nobody", Configuration("/home"))


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


@functools.cache
def reference(story):
    return tuple(story(DiagnosticReflection).run())


def told(name, story):
    return tuple(story(MUTANTS[name].implementation).run())


@pytest.mark.parametrize("story", [Shown, Struck])
def test_the_reference_tells_the_same_twice(story):
    assert len(reference(story)) > 40
    assert tuple(story(DiagnosticReflection).run()) == reference(story)


@pytest.mark.parametrize("name", L1)
def test_a_mutant_of_l1_shows_in_calm_weather(name):
    assert told(name, Shown) != reference(Shown)


@pytest.mark.parametrize("name", [*L2, *L3])
def test_a_mutant_of_a_higher_level_shows_only_there(name):
    assert told(name, Shown) == reference(Shown)


@pytest.mark.parametrize(
    "name", ["io-error-escapes", "a-lock-that-cannot-be-had-escapes", "unlocked-lines-in-two-writes"]
)
def test_an_escaping_error_shows_where_calls_fail(name):
    assert told(name, Struck) != reference(Struck)


@pytest.mark.parametrize("name", L2)
def test_a_mutant_of_l2_shows_under_a_fault(name):
    assert told(name, Struck) != reference(Struck)


def test_a_memory_that_is_rewritten_is_cut_first(tmp_path):
    world = World(RealFiles(), str(tmp_path), kind=MUTANTS["session-memory-is-rewritten"].implementation)
    place = tmp_path / ".session_memory.jsonl"
    world.clone()
    place.write_bytes(place.read_bytes() + b"torn")
    before = place.read_bytes()
    world.clone()
    assert place.read_bytes().startswith(before + b"\n{")
