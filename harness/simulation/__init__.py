"""The same Session on fake ports, under one clock: it owns the environment and the faults, never glue."""
