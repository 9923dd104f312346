"""How a fault is proven where only a process can meet it: a command run in the same surroundings as what is tested."""

from harness.sandbox import base_environment
from harness.sandbox.plan import Ended
from harness.sandbox.room import Room

TIMEOUT_S = 10.0  # a command that takes milliseconds; more means the machine is ill


def met(room: Room, script: str, *words: str, by: str = "sh") -> Ended:
    """How ``script`` ended in the surroundings that stand; ``words`` are its arguments, from ``$1`` on.

    ``by`` names the shell that runs it.
    """
    environment = base_environment(room.roots)
    argv = (by, "-c", script, by, *words)
    # inside the sandbox is no place that every fault leaves alone but the root
    return room.run(argv, env=environment, cwd="/", timeout_s=TIMEOUT_S, surrounded=True)


def calm(room: Room, script: str, *words: str) -> Ended:
    """The same without any fault: how a fault gets at what it needs of the machine."""
    environment = base_environment(room.roots)
    return room.run(("sh", "-c", script, "sh", *words), env=environment, cwd="/", timeout_s=TIMEOUT_S)


def said(ended: Ended) -> str:
    """What it printed, both streams, as text."""
    return (ended.stdout + ended.stderr).decode(errors="replace").strip()
