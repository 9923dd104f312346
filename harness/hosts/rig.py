"""The rig: a real host in a sandbox of its own, with a scripted model on the loopback of that sandbox."""

import binascii
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import resources
from io import FileIO
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self, TypeVar

import msgspec

from harness.core.hosted import HostEnd
from harness.core.process import ProcessEnd
from harness.errors import HarnessFault, MachineError
from harness.hosts.installed import InstalledHost
from harness.hosts.kind import Conditions, HookSetting
from harness.hosts.model.lines import HostTool, Listening, Play, Playing, Request, Told
from harness.hosts.session import HookCall, HostSession, decided
from harness.hosts.story import Story
from harness.ports.home import real_home
from harness.sandbox import Run, Running, Sandbox, SandboxPlan, base_environment, wire
from harness.sandbox.exposure import exposure_for

SESSION_LIMIT_S: Final = 120.0  # of a host that does not end: a session takes one to six
_START_LIMIT_S: Final = 30.0
_OUTPUT_LIMIT: Final = 1024 * 1024
_CHUNK: Final = 1 << 16
_CALLS: Final = "{tools}/calls"
_RECORDER: Final = "{tools}/recorder.py"
_CALL_LIMIT_BYTES: Final = 32 * 1024 * 1024
_INTERRUPTED_AGAIN_S: Final = 5.0
# Nobody listens at the discard port: whatever is not the model is refused at once, where a resolver would wait for 5 s.
_NOWHERE: Final = "http://127.0.0.1:9"
_OFFLINE: Final = {
    **dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"), _NOWHERE),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
}

Watch = Callable[[Request], bool]
_Line = TypeVar("_Line", Listening, Playing)


class HostRig:
    """Plays stories on one host, in a sandbox that is made once; each session begins in an empty world.

    ``project`` is the folder the host works in (none: an empty one); what is changed there is gone after a session, and
    settings of hosts in it are not seen: a hook they name would be called twice. ``exposed`` are further paths that
    hooks need. MachineError where this machine cannot contain a host: without a
    network of its own nobody could say that it talked to the scripted model alone.
    """

    def __init__(
        self,
        host: InstalledHost,
        tools: Mapping[str, HostTool],
        *,
        project: str | None = None,
        programs: Sequence[str] = (),
        exposed: Sequence[str] = (),
        limit_s: float = SESSION_LIMIT_S,
    ) -> None:
        self.host = host
        self._tools = dict(tools)
        self._limit_s = limit_s
        found = exposure_for(
            (sys.executable, "node", *programs),
            search=os.environ.get("PATH", os.defpath),
            home=str(real_home()),
            cwd="/",
            extra=(host.folder, *exposed),
            needs_harness=True,
        )
        self._sandbox = Sandbox(SandboxPlan(project=project, exposed=found.paths))
        self._model: Running | None = None
        self._rest = b""
        self._told: list[Told] = []
        self._port = 0

    def __enter__(self) -> Self:
        self._sandbox.__enter__()
        try:
            holds = self._sandbox.containment
            if not (holds.namespaces and holds.network_isolated):
                raise MachineError(f"a host is run in a network of its own only: {'; '.join(holds.missing)}")
            self._begin_model()
        except BaseException:
            self._sandbox.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._model is not None:
            self._model.close()
        self._sandbox.__exit__(kind, error, trace)

    def play(
        self,
        story: Story,
        hooks: Mapping[str, HookSetting],
        *,
        conditions: Conditions = Conditions(),  # noqa: B008  # frozen
        interrupt: Watch | None = None,
        interrupt_call: int | None = None,
        most_calls: int | None = None,
        kept: bool = False,
    ) -> HostSession:
        """One session of the host.

        ``hooks`` are set up in their order, each known by its key. ``interrupt`` looks at each request as it is told;
        when it is true the host's process group is sent SIGINT, as a terminal does for Ctrl-C, and again every 5 s;
        so it is when the hook is called for the time ``interrupt_call`` (1 and more). At so many calls of hooks,
        ``most_calls``, the host is killed: nothing more has to be seen. With ``kept`` the home of the session before
        is kept.
        """
        if not kept:
            self._renew()
        self._set_up(hooks)
        self._tell(Play(story=story, tools=self._tools, project=self._sandbox.roots.project))
        self._told.clear()
        began = time.monotonic()
        host = self._started(story, conditions)
        try:
            end, stdout, stderr = self._attend(host, interrupt, interrupt_call, most_calls)
            seen = host.wait(_START_LIMIT_S)
            if seen is None:
                raise MachineError(f"the host {self.host.kind.name} was killed and does not end")
            if seen.start_error:
                raise MachineError(
                    f"the host {self.host.kind.name} cannot be started: {self.host.words[0]}: {seen.start_error}"
                )
        finally:
            host.close()
        duration_s = time.monotonic() - began
        requests = tuple(each for each in self._told if isinstance(each, Request))
        return HostSession(
            host=self.host.kind.name,
            story=story.name,
            end=end,
            exit_code=seen.exit_code,
            signal=seen.signal,
            calls=self._kept(),
            requests=requests,
            stdout=self._text(stdout),
            stderr=self._text(stderr),
            children_left=seen.children_left,
            duration_s=duration_s,
            decided=None if self.host.kind.asks_again else decided(story, requests),
        )

    def _set_up(self, hooks: Mapping[str, HookSetting]) -> None:
        """The settings, the recorder, and an empty folder for the calls."""
        recorded = [self._recorded(name, hook) for name, hook in hooks.items()]
        files = self.host.kind.files(recorded, self._address)
        settings = [wire.Write(path, self._sandbox.roots.resolve(text).encode()) for path, text in files.items()]
        recorder = wire.Write(_RECORDER, resources.files("harness.hosts").joinpath("recorder.py").read_bytes())
        of_project = [wire.Remove(f"{{project}}/{path}") for path in self.host.kind.project_settings]
        self._sandbox.apply([wire.Remove(_CALLS), wire.MakeDirectory(_CALLS), recorder, *of_project, *settings])

    def _started(self, story: Story, conditions: Conditions) -> Running:
        kind = self.host.kind
        environment = {
            name: self._sandbox.roots.resolve(value) for name, value in kind.environment(self._address).items()
        }
        host = self._sandbox.start(
            (*self.host.words, *kind.arguments(story.prompt, conditions)),
            env={**base_environment(self._sandbox.roots), **_OFFLINE, **environment},
            cwd="{project}",
        )
        host.stdin.close()
        return host

    @property
    def _address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def abort(self) -> None:
        """End everything at once, from any thread; whoever plays a session meets an error."""
        self._sandbox.abort()

    def can_tell(self, story: Story) -> bool:
        """Whether this host has every tool that the story calls."""
        return all(
            call.name in self._tools and (call.story is None or self.can_tell(call.story)) for call in story.calls
        )

    def shadow(
        self,
        words: Sequence[str],
        timeout_s: float,
        calls: Sequence[HookCall],
        *,
        later: Collection[int] = (),
        kept: bool = False,
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[ProcessEnd, ...]:
        """How the hook ends when it is called once more as in ``calls``, in an empty world, by us instead of the host.

        It finds at its transcript's path what stood there then, or at the calls numbered in ``later`` (from 0) what
        stood there in the end, and what its own calls before left. With ``kept`` the world is not empty, but as the
        session before left it. ``files`` are put into the project first, by their paths in there.
        """
        if not kept:
            self._renew()
            gone = [wire.Remove(f"{{project}}/{path}") for path in self.host.kind.project_settings]
            told = [wire.Write(f"{{project}}/{path}", text.encode()) for path, text in files.items()]
            self._sandbox.apply([*gone, *told])
        ends: list[ProcessEnd] = []
        for number, call in enumerate(calls):
            path = call.fields.get("transcript_path")
            transcript = call.later if number in later else call.transcript
            if transcript is not None and isinstance(path, str):
                self._sandbox.apply([wire.Write(self._sandbox.roots.hide(path), transcript)])
            run = Run(
                argv=tuple(words), env=dict(call.environment), cwd=call.cwd, timeout_s=timeout_s, stdin=call.stdin
            )
            (ended,) = self._sandbox.run_together([run])
            ends.append(
                ProcessEnd(
                    exit_code=ended.exit_code,
                    signal=ended.signal,
                    stdout=ended.stdout,
                    stderr=ended.stderr,
                    timed_out=ended.timed_out,
                    flooded=ended.flooded,
                    children_left=ended.children_left,
                    start_error=ended.start_error,
                )
            )
        return tuple(ends)

    def roots_hidden(self, text: str) -> str:
        """``text`` with placeholders for the paths of the sandbox."""
        return self._sandbox.roots.hide(text)

    def left(self) -> frozenset[str]:
        """The placeholder paths of all files that the last session left."""
        return frozenset(self._sandbox.snapshot())

    def _renew(self) -> None:
        """An empty world again, but for the project; the model lives on where no project has to be laid anew."""
        if self._sandbox.plan.project is None:
            self._sandbox.renew()
            return
        if self._model is not None:
            self._model.close()
        self._sandbox.fresh()
        self._rest = b""
        self._begin_model()

    def _begin_model(self) -> None:
        environment = {
            **base_environment(self._sandbox.roots),
            "PYTHONPATH": str(Path(str(resources.files("harness"))).parent),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._model = self._sandbox.start((sys.executable, "-m", "harness.hosts.model"), env=environment, cwd="/")
        self._port = self._awaited(Listening).port

    def _tell(self, play: Play) -> None:
        assert self._model is not None  # noqa: S101 - narrows: set by __enter__
        data = memoryview(msgspec.json.encode(play) + b"\n")
        while data:
            data = data[self._model.stdin.write(data) or 0 :]
        self._awaited(Playing)

    def _awaited(self, kind: type[_Line]) -> _Line:
        assert self._model is not None  # noqa: S101 - as above
        deadline = time.monotonic() + _START_LIMIT_S
        while True:
            for told in self._told:
                if isinstance(told, kind):
                    self._told.remove(told)
                    return told
            left_s = deadline - time.monotonic()
            ready, _, _ = select.select([self._model.stdout], [], [], max(0.0, left_s))
            if not ready:
                raise MachineError(f"the scripted model said nothing within {_START_LIMIT_S:g} s")
            self._hear()

    def _hear(self) -> list[Told]:
        """What the model said by now, also kept in ``_told``."""
        assert self._model is not None  # noqa: S101 - as above
        data = os.read(self._model.stdout_fd, _CHUNK)
        if not data:
            words = os.read(self._model.stderr_fd, _CHUNK).decode(errors="replace").strip().splitlines()
            raise HarnessFault(f"the scripted model ended: {words[-1] if words else 'it said nothing'}")
        *lines, self._rest = (self._rest + data).split(b"\n")
        heard = [msgspec.json.decode(line, type=Told) for line in lines]
        self._told += heard
        return heard

    def _attend(
        self, host: Running, interrupt: Watch | None, interrupt_call: int | None, most_calls: int | None
    ) -> tuple[HostEnd, bytes, bytes]:
        """Reads what the host and the model say until the host has ended."""
        assert self._model is not None  # noqa: S101 - as above
        deadline = time.monotonic() + self._limit_s
        outputs: dict[FileIO, bytearray] = {host.stdout: bytearray(), host.stderr: bytearray()}
        listening: list[FileIO] = [*outputs, self._model.stdout]
        end: HostEnd = "exited"
        again_s = 0.0
        while host.poll() is None:
            now = time.monotonic()
            if now >= deadline:
                host.kill()
                end = "hung"
                deadline = now + _START_LIMIT_S
            if end == "exited" and interrupt_call is not None and self._called(interrupt_call):
                end = "interrupted"
            if end == "interrupted" and now >= again_s:
                host.signal(signal.SIGINT, group=True)
                again_s = now + _INTERRUPTED_AGAIN_S
            if end == "exited" and most_calls is not None and self._called(most_calls):
                host.kill()
                end = "stopped"
            ready, _, _ = select.select(listening, [], [], 0.02)
            for stream in ready:
                if stream is self._model.stdout:
                    requests = [each for each in self._hear() if isinstance(each, Request)]
                    if end == "exited" and interrupt is not None and any(map(interrupt, requests)):
                        end = "interrupted"
                elif not _take(stream, outputs[stream]):
                    listening.remove(stream)
        for stream, held in outputs.items():
            while stream in listening and select.select([stream], [], [], 0)[0] and _take(stream, held):
                pass
        while select.select([self._model.stdout], [], [], 0)[0]:
            self._hear()
        return end, bytes(outputs[host.stdout]), bytes(outputs[host.stderr])

    def _called(self, calls: int) -> bool:
        """Whether hooks were called so often; calls that a host makes without asking its model count as well."""
        return self._sandbox.read(f"{_CALLS}/{calls - 1}", 0).kind == "file"

    def _recorded(self, name: str, hook: HookSetting) -> HookSetting:
        words = (sys.executable, "-I", "-S", _RECORDER, _CALLS, name, *hook.words)
        return msgspec.structs.replace(hook, words=words)

    def _kept(self) -> tuple[HookCall, ...]:
        calls: list[HookCall] = []
        while (fact := self._sandbox.read(f"{_CALLS}/{len(calls)}", _CALL_LIMIT_BYTES)).data:
            kept = msgspec.json.decode(fact.data)
            calls.append(
                HookCall(
                    hook=kept["hook"],
                    stdin=binascii.a2b_base64(kept["stdin"]),
                    transcript=_bytes(kept["transcript"]),
                    later=None,
                    closed=kept["closed"],
                    environment=kept["environment"],
                    cwd=kept["cwd"],
                )
            )
        last: dict[str, bytes | None] = {}
        for number in reversed(range(len(calls))):
            call = calls[number]
            path = call.fields.get("transcript_path")
            if isinstance(path, str):
                if path not in last:
                    last[path] = self._sandbox.read(self._sandbox.roots.hide(path), _CALL_LIMIT_BYTES).data
                calls[number] = msgspec.structs.replace(call, later=last[path])
                last[path] = call.transcript
        return tuple(calls)

    def _text(self, data: bytes) -> str:
        """What was printed, the same on every machine: no paths of its own."""
        text = data.decode(errors="replace").replace(sys.executable, "{python}").replace(self.host.folder, "{host}")
        return self._sandbox.roots.hide(text)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else binascii.a2b_base64(text)


def _take(stream: FileIO, held: bytearray) -> bool:
    """Reads once, keeping at most the limit; False at the end of the stream."""
    data = os.read(stream.fileno(), _CHUNK)
    held += data[: max(0, _OUTPUT_LIMIT - len(held))]
    return bool(data)
