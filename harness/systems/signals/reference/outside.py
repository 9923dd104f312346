"""What the handlers meet outside: stubs that end as the arguments of the operation say."""

from typing import Any

from harness.systems.signals.contract import Channel, Gate, Handler


class Outside:
    """Each method returns, or raises as something outside might."""

    def alert(self, task_id: str, channel: Channel) -> None:
        """The configured notification channel is told that the review of that task timed out."""
        if channel is Channel.HANGS:
            raise TimeoutError(f"the channel did not answer about {task_id}")
        if channel is Channel.FAILS:
            raise ConnectionError(f"the channel did not take the alert about {task_id}")

    def handle(self, content: Any, handler: Handler) -> None:
        """The consumer's handler is given what the signal says."""
        if handler is Handler.FAILS:
            raise RuntimeError(f"cannot handle {type(content).__name__}")

    def run_gate(self, gate: Gate) -> None:
        """The phase gate hook is run; it returns when it passes."""
        if gate is Gate.HANGS:
            raise TimeoutError("the gate hook did not end")
        if gate is Gate.FAILS:
            raise RuntimeError("the gate hook refused")
