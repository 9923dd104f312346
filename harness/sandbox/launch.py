"""Starting the agent of a sandbox: by unshare, by bubblewrap, or as a plain process where namespaces are refused."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from harness.errors import HarnessFault, MachineError
from harness.sandbox import wire

PACKAGE: Final = Path(__file__).resolve().parent
_START_WAIT_S: Final = 30.0  # a start takes 0.06 s; a machine this far behind is not coming back
_END_WAIT_S: Final = 5.0  # the agent exits when its socket closes; longer means it hangs in the kernel

# The agent must not import what harness.sandbox re-exports, which would slow each start: a stand-in package.
_BOOT: Final = (
    "import sys,types;sys.path[:0]=sys.argv[3:];"
    "p=types.ModuleType('harness.sandbox');p.__path__=[{here!r}];sys.modules[p.__name__]=p;"
    "from harness.sandbox.agent import main;main()"
)


class Way(msgspec.Struct, frozen=True):
    """One way to start an agent: the command put before it. ``namespaces`` is False for a plain process."""

    name: str
    prefix: tuple[str, ...]
    namespaces: bool = True
    isolate_network: tuple[str, ...] = ()

    def command(self, network: bool) -> tuple[str, ...]:
        """The whole prefix, with or without the machine's network."""
        return (*self.prefix, *(() if network else self.isolate_network), *(("--",) if self.prefix else ()))


def _unshare(*identity: str) -> tuple[str, ...]:
    return ("unshare", *identity, "-m", "-p", "-f", "-i", "-u", "--kill-child", "--propagation", "private")


_IDS: Final = ("--uid", str(os.geteuid()), "--gid", str(os.getegid()))
PLAIN: Final = Way("plain", (), namespaces=False)
WAYS: Final = (
    # Best: who runs us stays who he is inside. Older unshare cannot, and makes him root.
    Way("unshare", _unshare("--map-current-user", "--keep-caps"), isolate_network=("-n",)),
    Way("unshare as root", _unshare("--map-root-user"), isolate_network=("-n",)),
    Way(
        "bubblewrap",
        ("bwrap", "--unshare-user", *_IDS, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1")
        + ("--cap-add", "ALL", "--dev-bind", "/", "/", "--proc", "/proc"),
        isolate_network=("--unshare-net",),
    ),
    PLAIN,
)


class Agent:
    """A running agent and our end of its socket. ``close`` ends both, and with them all that runs in the sandbox."""

    def __init__(self, process: "subprocess.Popen[bytes]", stream: wire.Stream, way: Way, plain_base: str) -> None:
        self.stream = stream
        self.way = way
        self._process = process
        self.plain_base = plain_base

    def close(self) -> None:
        """Close the socket and wait until the kernel has taken everything down. May be called again."""
        self.stream.close()
        try:
            self._process.wait(_END_WAIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            if self._process.stderr is not None:
                self._process.stderr.close()
            if self.plain_base:
                shutil.rmtree(self.plain_base, ignore_errors=True)

    def kill(self) -> None:
        """Kill the agent, and with it all that runs in the sandbox, without taking anything down; from any thread."""
        if self.way.namespaces:
            self._process.kill()
        else:
            # without a namespace only the agent knows what it started, so it has to live on to end it
            with suppress(OSError):
                self.stream.shutdown()

    def last_words(self) -> str:
        """What the agent, or what should have started it, said on stderr; call it when the socket has closed."""
        if self._process.stderr is None or self._process.stderr.closed:
            return ""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_WAIT_S)
        if self._process.poll() is None:
            return "it is still running"
        lines = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"


class RefusedError(Exception):
    """This way does not work here; the text says what refused it."""


def start(way: Way, setup: wire.Setup, network: bool) -> tuple[Agent, wire.Ready]:
    """An agent whose world stands. Raises RefusedError when the way is closed here, MachineError when the plan is."""
    if way.prefix and shutil.which(way.prefix[0]) is None:
        raise RefusedError(f"{way.prefix[0]} is not installed")
    plain_base = "" if way.namespaces else _make_base()
    if plain_base:
        setup = _below(setup, plain_base)
    agent = _spawn(way, network, plain_base)
    try:
        agent.stream.send(setup)
        reply = wire.as_reply(agent.stream.receive())
    except (EOFError, OSError):
        words = agent.last_words()
        agent.close()
        raise RefusedError(words) from None
    except BaseException:
        agent.close()
        raise
    if isinstance(reply, wire.Ready):
        return agent, reply
    agent.close()
    if not isinstance(reply, wire.Failed):
        raise HarnessFault(f"the sandbox's agent answered its setup with {type(reply).__name__}")
    if "larger than" in reply.message or not way.namespaces:
        raise MachineError(reply.message)
    raise RefusedError(reply.message)


def _spawn(way: Way, network: bool, plain_base: str) -> Agent:
    ours, theirs = socket.socketpair()
    inherited = [theirs.fileno()]
    harness_fd = -1
    with suppress(OSError, AttributeError):  # some kernels and containers refuse it; the socket then does alone
        harness_fd = os.pidfd_open(os.getpid())
        inherited.append(harness_fd)
    command = [*way.command(network), *agent_command(theirs.fileno(), harness_fd)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", os.defpath)},
            cwd="/",
            pass_fds=inherited,
            start_new_session=True,  # Ctrl-C goes to the harness only, which then ends the agent in order
        )
    except BaseException as error:
        ours.close()
        if isinstance(error, OSError):
            raise RefusedError(f"{command[0]}: {error.strerror}") from error
        raise
    finally:
        for fd in (theirs.detach(), harness_fd):
            if fd >= 0:
                os.close(fd)
    ours.settimeout(_START_WAIT_S)
    return Agent(process, wire.Stream(ours), way, plain_base)


def agent_command(socket_fd: int, harness_fd: int) -> Sequence[str]:
    """The agent's own command line: an isolated interpreter without site, which starts in half the time."""
    library = Path(msgspec.__file__).resolve().parent.parent
    flags = ("-I", "-S", "-B") if sys.dont_write_bytecode else ("-I", "-S")
    paths = (str(PACKAGE.parent.parent), str(library))
    return (sys.executable, *flags, "-c", _BOOT.format(here=str(PACKAGE)), str(socket_fd), str(harness_fd), *paths)


def _make_base() -> str:
    memory = Path("/dev/shm")
    parent = str(memory) if memory.is_dir() and os.access(memory, os.W_OK) else None
    return tempfile.mkdtemp(prefix="windtunnel-", dir=parent)


def _below(setup: wire.Setup, base: str) -> wire.Setup:
    return msgspec.structs.replace(
        setup,
        home=f"{base}/home",
        project=f"{base}/project",
        tmp=f"{base}/tmp",
        outside=f"{base}/outside",
        tools=f"{base}/tools",
        plain_base=base,
    )
