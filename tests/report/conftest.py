"""Fixtures of several modules here."""

from certified_runs import issued, qualified_harness, report  # noqa: F401 - fixtures
