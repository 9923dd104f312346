"""A project with the reference on it, and the gestures its tests share. Times are seconds after NOW."""

import json

import msgspec

from harness.ports.fake_files import FakeFiles
from harness.systems.phase_runner.contract import (
    Commands,
    Configuration,
    GateResult,
    ReportArguments,
    StartArguments,
    StatusArguments,
    VerifiedArguments,
)
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    Gate,
    LaunchKind,
    log_path,
    phase_path,
)
from harness.systems.phase_runner.reference import create

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
HOME = "/world"
HEAD = "| Phase | Name | Depends On | Parallel With | Estimate | Status |\n|---|---|---|---|---|---|\n"
COMMANDS = Commands("npm run lint", "npm run lint:fix", "npm run format", "npx tsc", "npm test")
PASSED = GateResult(0)
CHAIN = [("0",), ("1", "0"), ("2", "1")]
DIAMOND = [("0",), ("2A", "0", "2B"), ("2B", "0", "2A"), ("3", "2A, 2B")]
TRIPLE = [("1",), ("2A", "1", "2B,2C"), ("2B", "1", "2A,2C"), ("2C", "1", "2A,2B"), ("3", "2A"), ("4", "3"), ("5",)]


def plan(rows):
    """The plan of rows (id, depends on, parallel with)."""
    lines = []
    for row in rows:
        id_, depends_on, parallel_with = (*row, "", "", "")[:3]
        lines.append(f"| {id_} | Name of {id_} | {depends_on or '-'} | {parallel_with or '-'} | 1h | - |\n")
    return HEAD + "".join(lines)


def done(phase_id, **fields):
    """What a sub-agent says that succeeded."""
    said = {
        "success": True,
        "tasks_total": 3,
        "tasks_completed": 3,
        "created": [{"path": f"src/{phase_id}.py"}],
        "commit_subject": f"feat(part): add {phase_id}",
    }
    return json.dumps(said | fields)


def undone(gate="test", failures=(), exit_code=1, **fields):
    """What a sub-agent says whose gate failed."""
    result = {"exit_code": exit_code, "command": f"run {gate}", "failures": list(failures)}
    said = {"success": False, "tasks_total": 3, "tasks_completed": 3, "gates": {gate: result}, "message": "no luck"}
    return json.dumps(said | fields)


class Died(BaseException):
    """The process is killed."""


class Broken(FakeFiles):
    """Files of which chosen methods raise: ``broken["replace", "config.json"] = OSError(...)``, by the path's end."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("look", "read", "replace", "create", "lock", "remove", "append_lines"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(path, *arguments):
            for (broken, end), error in self.broken.items():
                if broken == method and path.endswith(end):
                    raise error
            return getattr(FakeFiles, method)(self, path, *arguments)

        return call


class Mortal(FakeFiles):
    """Files of a process that is killed at the call of number ``dies_at``, before or, of a change, after it is done."""

    def __init__(self, dies_at=None, *, after=False):
        super().__init__()
        self.calls, self.dies_at, self.after = 0, dies_at, after
        for method in ("look", "status", "read", "replace", "lock", "remove", "append_lines"):
            setattr(self, method, self._counted(method))

    def _counted(self, method):
        def call(path, *arguments):
            self.calls += 1
            dies = self.calls == self.dies_at
            if dies and not self.after:
                raise Died
            try:
                return getattr(FakeFiles, method)(self, path, *arguments)
            finally:
                if dies:
                    raise Died

        return call


class FakeFolders:
    """The directories of files in memory."""

    def __init__(self, files):
        self.files = files

    def names(self, path):
        below = f"{path}/"
        return sorted({each[len(below) :].split("/")[0] for each in self.files.contents if each.startswith(below)})

    def remove(self, path):
        assert self.names(path) == []


class World:
    """One process on the files; ``opened`` is another one, or the same started anew."""

    def __init__(self, files=None, home=HOME, rows=TRIPLE):
        self.files = Broken() if files is None else files
        self.home, self.rows = home, rows
        folders = FakeFolders(self.files) if isinstance(self.files, FakeFiles) else None
        self.runner = create(Configuration(home), self.files, folders=folders)

    def opened(self):
        return World(self.files, self.home, self.rows)

    # -- the files

    def path(self, path):
        return path.replace("{home}", self.home)

    def data(self, path):
        try:
            return self.files.read(self.path(path), 1 << 40)
        except FileNotFoundError:
            return None

    def put(self, path, content):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.files.replace(self.path(path), data)

    def record(self, phase_id):
        return json.loads(self.data(phase_path(phase_id)))

    def edit(self, phase_id, **fields):
        """A person changes a record by hand."""
        self.put(phase_path(phase_id), self.record(phase_id) | fields)

    def config(self):
        return json.loads(self.data(CONFIG_PATH))

    def events(self):
        """The events of the execution log, without times."""
        data = self.data(EXECUTION_LOG_PATH)
        return [] if data is None else [line.split(" ", 2)[1] for line in data.decode().splitlines()]

    def log(self, phase_id):
        return self.data(log_path(phase_id))

    def commits(self):
        return self.data(COMMITS_PATH)

    # -- the operations

    def start(self, rows=None, *modes, text=None, at=0.0, **fields):
        self.rows = rows or self.rows
        given = StartArguments(text if text is not None else plan(self.rows), modes=modes, commands=COMMANDS)
        return self.runner.start(msgspec.structs.replace(given, **fields), NOW + at)

    def resume(self, rows=None, at=0.0, **fields):
        return self.start(rows, "resume", at=at, **fields)

    def fresh(self, rows=None, at=0.0, **fields):
        return self.start(rows, "fresh", at=at, **fields)

    def report(self, phase_id, attempt=1, said=None, at=1.0, **fields):
        return self.runner.report(ReportArguments(phase_id, attempt, said, **fields), NOW + at)

    def claim(self, phase_id, attempt=1, at=1.0, **fields):
        return self.report(phase_id, attempt, done(phase_id, **fields), at)

    def miss(self, phase_id, attempt=1, *args, at=1.0, **fields):
        return self.report(phase_id, attempt, undone(*args, **fields), at)

    def verified(self, phase_id, attempt=1, gates=None, at=2.0):
        found = {Gate.TEST: PASSED} if gates is None else {Gate(name): result for name, result in gates.items()}
        return self.runner.verified(VerifiedArguments(phase_id, attempt, found), NOW + at)

    def succeed(self, phase_id, attempt=1, at=1.0, **fields):
        """A phase claims success, and is verified."""
        claimed = self.claim(phase_id, attempt, at, **fields)
        assert kinds(claimed) == [("verification", phase_id, attempt)]
        return self.verified(phase_id, attempt, at=at + 1)

    def status(self, *of):
        return self.runner.status(StatusArguments(of), NOW)

    def statuses(self):
        return {each.phase_id: str(each.status) for each in self.status().phases}

    # -- a whole run

    def play(self, result, outcomes=None, at=10.0):
        """Does all that is launched until nothing is: ``outcomes`` are what phases say that do not succeed, by id.

        Each is a list by attempt, of which the last one stays. Gives all answers.
        """
        answers = [result]
        waiting = list(result.launch)
        while waiting:
            launch = waiting.pop(0)
            at += 1.0
            id_, attempt = launch.phase_id, launch.attempt
            if launch.kind is LaunchKind.VERIFICATION:
                answer = self.verified(id_, attempt, at=at)
            else:
                said = ((outcomes or {}).get(id_) or [done(id_)])[attempt - 1 :] or [(outcomes or {})[id_][-1]]
                answer = self.report(id_, attempt, said[0], at)
            assert answer.accepted, answer
            answers.append(answer)
            waiting.extend(answer.launch)
        return answers


def kinds(result):
    """What is launched: kind, phase, attempt."""
    return [(str(each.kind), each.phase_id, each.attempt) for each in result.launch]


def launched(answers):
    """The phases of each batch or retry, in order."""
    found = [[each.phase_id for each in answer.launch if each.kind is LaunchKind.PHASE] for answer in answers]
    return [each for each in found if each]


def codes(result):
    return [str(entry.code) for entry in result.log]


def batch():
    """The batch 2a, 2b, 2c has been launched."""
    world = World(rows=TRIPLE)
    world.start()
    answer = world.succeed("1")
    assert kinds(answer) == [("phase", "2a", 1), ("phase", "2b", 1), ("phase", "2c", 1)]
    return world
