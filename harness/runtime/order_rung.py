"""What the order rules of calls remember of one rung of the ladders; see order_calls.py. Pure."""


class Rung:
    """A model and an approach, from the time a call comes to them until it leaves."""

    def __init__(self) -> None:
        self.failed = False  # an attempt here failed, and none after it succeeded
        self.rate_limited: bool | None = None  # that failure, once it is classified
        self.scheduled = False  # a retry of it
        self.over = False  # back-off allows none
        self.refused = False  # the last thing that happened is that the breaker said no
        self.waiting = False  # since then, for it to say something else
        self.retries = 0
        self.due_s: float | None = None  # not before then may the breaker be asked again
        self.open_until_s: float | None = None

    def asked_again(self) -> None:
        """What was waited for is done with."""
        self.due_s = self.open_until_s = None
        self.refused = self.waiting = False

    def begin_attempt(self) -> None:
        """What was said of the last attempt is done with."""
        self.asked_again()
        self.scheduled = False

    def fail(self) -> None:
        """The attempt failed."""
        self.failed, self.rate_limited, self.over = True, None, False

    @property
    def left_rightly(self) -> bool:
        """May the rung be left now?"""
        return self.refused or (self.failed and (self.rate_limited is False or self.over))

    @property
    def is_finished(self) -> bool:
        """Is there nothing left to ask for here?"""
        if self.refused:
            return not self.waiting
        return self.failed and not self.scheduled

    @property
    def what_is_missing(self) -> str:
        """The rule that is broken by asking on: a failure was not looked at, or no step was taken."""
        return "INT-13" if self.left_rightly else "INT-09"
