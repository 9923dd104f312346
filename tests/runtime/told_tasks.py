"""What workers tell, in short: one function for each event of tasks, that gives it as it mostly is, or a few of them."""

from harness.core.events import CallBegun, EscalationRaised, SystemSilent, UseBegun
from harness.core.task_events import (
    DeadLettersReviewed,
    DriftReported,
    DriftReviewed,
    FailureCounted,
    HumanDecided,
    OperationBegun,
    QueuesListed,
    ReviewRequested,
    ReviewsChecked,
    SessionResumed,
    SignalConsumed,
    SignalEmitted,
    TaskAdopted,
    TaskAttempted,
    TaskClaimed,
    TaskCompleted,
    TaskStarted,
    WorkerBegun,
)
from harness.ports.clock import to_text

DAY_S = 86_400.0


def at(kind, /, s=0.0, **fields):
    return kind(at=to_text(1_772_366_400.0 + s), correlation_id="r", **fields)


def begun(worker="a", s=0.0):
    return [at(WorkerBegun, s, worker=worker), *ready(s)]


def ready(s=0.0, decided=(), unstored=(), *, reviewed=True):
    said = {"decided": dict(decided), "unstored": unstored, "notified": (), "created": ()}
    return [at(DeadLettersReviewed, s, reviewed=reviewed, **said), looked(s)]


def looked(s=0.0, resolved=(), timed_out=(), alerts=None):
    sent = dict.fromkeys(timed_out, True) if alerts is None else alerts
    return at(ReviewsChecked, s, resolved=dict(resolved), timed_out=timed_out, alerts=sent)


def claimed(task="t"):
    return at(TaskClaimed, task=task)


def started(task="t"):
    return at(TaskStarted, task=task, started=True)


def using(task="t"):
    return at(UseBegun, task=task, tool="run_bash")


def tried(task="t", *, succeeded=False):
    return at(TaskAttempted, task=task, succeeded=succeeded)


def counted(count, *, moved=False, task="t", recorded=True):
    return at(FailureCounted, task=task, recorded=recorded, failure_count=count, moved=moved)


def failing(count, **more):
    return [using(), tried(), counted(count, **more)]


def asked(*reasons, s=0.0, stored=True, blocked=True):
    return at(ReviewRequested, s, task="t", reasons=reasons, stored=stored, blocked=blocked)


def operated(*, checkpointed=True, performed=True):
    return at(OperationBegun, task="t", name="o", checkpointed=checkpointed, performed=performed)


def finished(outcome="completed", *, recorded=True):
    return at(TaskCompleted, task="t", outcome=outcome, recorded=recorded)


def drifted(severity="low", actions=(), task="t", *, stored=True):
    return at(DriftReported, task=task, severity=severity, stored=stored, actions=actions)


def decided(decision, *, done=True):
    return at(HumanDecided, task="t", decision=decision, done=done)


def signalled(kind, name="t", by=None, **said):
    role = ("feature" if kind is SignalEmitted else "testing") if by is None else by
    return at(kind, signal="FEATURE_READY", name=name, by=role, **said)


def raised(count, first=0):
    return [signalled(SignalEmitted, f"t-{number}", written=True) for number in range(first, first + count)]


def looked_for(count, *, handled=False):
    return [signalled(SignalConsumed, f"t-{number}", handled=handled) for number in range(count)]


def silent(system="signals"):
    return at(SystemSilent, system=system, operation="o", why="it died")


def resumed(*interrupted, outcome="recovered"):
    return at(SessionResumed, outcome=outcome, interrupted=interrupted, checkpoint=None)


def listed(**queues):
    return at(QueuesListed, queues={name.replace("_", "-"): tuple(tasks) for name, tasks in queues.items()})


def adopted(task="t"):
    return at(TaskAdopted, task=task)


def escalated(task="t", by="r"):
    event = EscalationRaised(at=to_text(0.0), correlation_id=by, task=task, triggers=(), consecutive_failures=0)
    return [event]


def reviewed(*, passed=True, model="opus"):
    return [call("t/drift", model), at(DriftReviewed, task="t", passed=passed)]


def call(task="t", model="opus"):
    return at(CallBegun, task=task, tool="model", model=model, approach="complex")


def back(outcome="recovered"):
    """The next session of the worker, which resumes."""
    return [at(WorkerBegun, worker="a"), resumed("t", outcome=outcome)]
