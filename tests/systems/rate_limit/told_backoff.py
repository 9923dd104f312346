"""Histories of rate limit handling by hand."""

from stateless_sessions import Told

DEFAULTS = {"initial_delay_s": 5.0, "max_delay_s": 300.0, "multiplier": 2.0, "max_retries": 5}


def told(**tunables):
    return Told("rate_limit", tunables)


def classified(*rows):
    """Failures (status, message, answer)."""
    history = told()
    for status, message, answer in rows:
        history.ok("classify", {"status": status, "message": message}, {"rate_limited": answer})
    return history


def delayed(*rows, history=None):
    """Retries (number, delay): None for one that is not made."""
    history = history or told()
    for number, delay_s in rows:
        history.ok("next_delay", {"retry": number}, {"retry": delay_s is not None, "delay_s": delay_s})
    return history


def configured(given, in_force, accepted=True, history=None):
    result = {"accepted": accepted, "tunables": {**DEFAULTS, **in_force}}
    return (history or told()).ok("configure", {"tunables": given}, result)
