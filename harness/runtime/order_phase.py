"""What the order rules of plans remember of a session and of the attempt under way; see order_plans.py. Pure."""


class Doing:
    """An attempt at a phase, from its beginning to the end of the attempt at its task."""

    def __init__(self, task: str, phase: str, attempt: int) -> None:
        self.task = task
        self.phase = phase
        self.attempt = attempt
        self.is_begun = False  # its sub-agent was called
        self.is_called = False  # that call is done
        self.proceeds = False  # nothing was found in what it says of its success
        self.told: bool | None = None  # to the phase runner: did it claim success?
        self.is_verifying = False
        self.is_checked = False  # a tool has run since its verification was launched
        self.is_analysed = False
        self.awaited: set[str] | None = None  # reviewers of what is there now, once they are launched
        self.has_returned = False  # a reviewer who was called, and whose findings nobody has told of yet
        self.is_changed = False  # somebody has worked on it, and the gate was told nothing since
        self.is_reviewed = False
        self.is_complete: bool | None = None  # once its verification is told
        self.is_logged = False

    def review_anew(self) -> None:
        """A round begins."""
        self.is_reviewed = self.is_analysed = False
        self.awaited = None

    def returned(self, reviewer: str, *, passed: bool) -> None:
        """One of the reviewers; the review has passed when none is awaited who has seen what is there now."""
        if self.awaited is not None:
            self.awaited.discard(reviewer)
        self.is_reviewed = passed and self.awaited == set()

    def ran(self, task: str, *, is_call: bool, is_done: bool) -> None:
        """A call or a use has ended: the sub-agent's, the verification, or what reviews it."""
        if task == self.task and is_call:
            self.is_called = self.is_changed = is_done
        elif task == self.task:
            self.is_checked = self.is_verifying and is_done
        elif task.startswith(self.task) and is_call:
            self.has_returned = self.is_changed = is_done
        elif task.startswith(self.task):
            self.is_analysed = True  # one that could not be run has been tried, and is told as a finding


class Drive:
    """A session that drives the plan, or works on tasks."""

    def __init__(self) -> None:
        self.is_lenient = False  # what follows cannot be understood
        self.is_running = False  # a run that was begun here
        self.is_over = False  # it is halted, or completed
        self.launched: dict[str, int] = {}  # attempts that nobody works on yet, by phase
        self.latest = ("", 0)  # the attempt that was begun last
        self.doing: Doing | None = None
        self.task = ""  # of the call or the use under way
        self.must_ask = False  # to stop, since a halt

    def begin(self) -> None:
        """A run begins, or goes on."""
        self.is_running, self.is_over = True, False
        self.launched.clear()
        self.latest = ("", 0)
