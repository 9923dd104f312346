"""The success metrics of document 001 in a simulation, from streams. Issue 6, item 5."""

from harness.core.events import (
    AttemptStarted,
    AttemptSucceeded,
    Diagnosed,
    EscalationRaised,
    FailureObserved,
    RecoveryEnded,
    SessionCut,
)
from harness.simulation.metrics import Metrics

AT = "2026-03-01T12:00:00Z"
NAMES = (
    "recovery success rate",
    "root cause accuracy",
    "stuck loop rate",
    "mean iterations to success",
    "pattern reuse (fast path)",
    "user intervention required",
)


def event(of, **fields):
    return of(at=AT, correlation_id="use-1", **fields)


def tried(metrics, strategy="", cause="", kind="timeout", reflection="full", session="s"):
    """An attempt that fails."""
    metrics.take(session, event(AttemptStarted, tool="t", attempt=1, strategy=strategy))
    metrics.plant(session, cause)
    metrics.take(session, event(FailureObserved, tool="t", kind="exit", message=""))
    metrics.take(session, event(Diagnosed, error_type=kind, reflection=reflection, strategy="a", asks_user=False))


def told(metrics, *, succeeded):
    metrics.take("s", event(RecoveryEnded, strategy="a", succeeded=succeeded, iterations=1, next_strategy="", asks_user=False))  # fmt: skip


def done(metrics, strategy=""):
    metrics.take("s", event(AttemptStarted, tool="t", attempt=2, strategy=strategy))
    metrics.take("s", event(AttemptSucceeded, tool="t"))


def asked(metrics):
    metrics.take("s", event(EscalationRaised, task="t", triggers=("diagnosis",), consecutive_failures=0))


def values(metrics):
    return {metric.name: (metric.value, metric.count) for metric in metrics.told()}


def test_without_failures_nothing_is_measured():
    metrics = Metrics()
    done(metrics)
    assert values(metrics) == dict.fromkeys(NAMES, (None, 0))


def test_a_recovery_that_helps():
    metrics = Metrics()
    tried(metrics, cause="timeout")
    done(metrics, "a")
    told(metrics, succeeded=True)
    assert values(metrics) == {
        "recovery success rate": (1.0, 1),
        "root cause accuracy": (1.0, 1),
        "stuck loop rate": (0.0, 1),
        "mean iterations to success": (1.0, 1),
        "pattern reuse (fast path)": (0.0, 1),
        "user intervention required": (0.0, 1),
    }


def test_two_that_do_not():
    metrics = Metrics()
    tried(metrics, cause="timeout", kind="network_error")
    for strategy in ("a", "b"):
        tried(metrics, strategy, cause="timeout", reflection="fast")
        told(metrics, succeeded=False)
    asked(metrics)
    assert values(metrics) == {
        "recovery success rate": (0.0, 1),
        "root cause accuracy": (0.6667, 3),
        "stuck loop rate": (0.0, 1),
        "mean iterations to success": (None, 0),
        "pattern reuse (fast path)": (0.6667, 3),
        "user intervention required": (1.0, 1),
    }


def test_what_is_only_waited_for_is_no_recovery():
    metrics = Metrics()
    tried(metrics)
    done(metrics)
    assert values(metrics)["recovery success rate"] == (None, 0)
    assert values(metrics)["user intervention required"] == (0.0, 1)
    assert values(metrics)["root cause accuracy"] == (None, 0)


def test_the_same_action_failing_three_times_is_a_loop():
    metrics = Metrics()
    for _ in range(3):
        tried(metrics)
    done(metrics)
    assert values(metrics)["stuck loop rate"] == (1.0, 1)
    assert values(metrics)["mean iterations to success"] == (3.0, 1)


def test_what_a_dying_session_cuts_off_counts_nowhere():
    metrics = Metrics()
    tried(metrics)
    metrics.take("s", event(SessionCut))
    done(metrics)
    assert values(metrics)["user intervention required"] == (None, 0)


def test_what_a_recovery_is_tried_for_is_the_first_diagnosis():
    metrics = Metrics()
    tried(metrics, kind="timeout")
    tried(metrics, "a", kind="syntax_error")
    assert metrics.believed("s") == "timeout"
    assert metrics.believed("another") == ""


def test_a_failure_beside_all_attempts_is_nobodys():
    metrics = Metrics()
    metrics.take("s", event(FailureObserved, tool="t", kind="exit", message=""))
    asked(metrics)
    assert values(metrics)["user intervention required"] == (None, 0)
