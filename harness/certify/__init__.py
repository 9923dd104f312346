"""A materialised plan is run, findings become verdicts, and every step of it is an event."""
