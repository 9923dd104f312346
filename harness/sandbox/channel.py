"""The harness's side of the conversation with an agent: asking, and keeping exit notices until someone wants them."""

import select
from typing import TypeVar

from harness.errors import HarnessFault, MachineError
from harness.sandbox import wire
from harness.sandbox.launch import Agent
from harness.sandbox.roots import Roots

R = TypeVar("R", bound=wire.Message)


class Channel:
    """One conversation. After an exception in the middle of a message it is broken and can only be closed."""

    def __init__(self, agent: Agent, roots: Roots) -> None:
        self._agent = agent
        self._stream = agent.stream
        self._roots = roots
        self._poll = select.poll()
        self._poll.register(self._stream.fileno(), select.POLLIN)
        self._exited: dict[int, wire.Exited] = {}
        self._forgotten: set[int] = set()
        self._broken = ""

    def fileno(self) -> int:
        """For poll: readable when a notice may have come."""
        return self._stream.fileno()

    def ask(self, request: wire.Request, kind: type[R]) -> R:
        """The reply to ``request``. Raises MachineError when the machine refuses, HarnessFault when we are at fault."""
        self.tell(request)
        while True:
            reply = self._receive()
            if isinstance(reply, wire.Exited):
                self._keep(reply)
            elif isinstance(reply, wire.Failed):
                text = f"{type(request).__name__} failed in the sandbox: {self._roots.hide(reply.message)}"
                raise MachineError(text) if reply.machine else HarnessFault(text)
            elif isinstance(reply, kind):
                return reply
            else:
                self._broken = f"{type(request).__name__} was answered by {type(reply).__name__}"
                raise HarnessFault(f"the sandbox's agent broke its protocol: {self._broken}")

    def tell(self, request: wire.Request, fds: tuple[int, ...] = ()) -> None:
        """Send a request that has no reply of its own.

        What the agent has to tell is taken in first: with its notices unread it would wait for us, and we for it.
        """
        self.pump()
        self._broken = "a request was interrupted"
        try:
            self._stream.send(request, fds)
        except OSError as error:
            raise self._lost() from error
        self._broken = ""

    def descriptors(self) -> list[int]:
        """Those that came with the last reply; they belong to the caller."""
        found, self._stream.descriptors = self._stream.descriptors, []
        return found

    def pump(self, timeout_ms: int = 0) -> None:
        """Take in the notices that are there, waiting for the first as long as ``timeout_ms``."""
        self._check()
        while self._stream.buffered() or self._poll.poll(timeout_ms):
            reply = self._receive()
            timeout_ms = 0
            if not isinstance(reply, wire.Exited):
                raise HarnessFault(f"the sandbox's agent sent {type(reply).__name__} unasked")
            self._keep(reply)

    def exited(self, run: int) -> wire.Exited | None:
        """The notice that ``run`` is over, once it has come."""
        return self._exited.pop(run, None)

    def forget(self, run: int) -> None:
        """Nobody will ask for this notice any more."""
        if self._exited.pop(run, None) is None:
            self._forgotten.add(run)

    def _keep(self, notice: wire.Exited) -> None:
        if notice.run in self._forgotten:
            self._forgotten.discard(notice.run)
        else:
            self._exited[notice.run] = notice

    def _receive(self) -> wire.Reply:
        self._broken = "a reply was interrupted"
        try:
            reply = wire.as_reply(self._stream.receive())
        except (EOFError, OSError) as error:
            raise self._lost() from error
        self._broken = ""
        return reply

    def _check(self) -> None:
        if self._broken:
            raise HarnessFault(f"the sandbox cannot be used any more: {self._broken}")

    def _lost(self) -> MachineError:
        self._broken = "its agent ended"
        return MachineError(f"the sandbox's agent ended unexpectedly: {self._agent.last_words()}")
