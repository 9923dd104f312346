"""The home of whoever runs windtunnel."""

from pathlib import Path


def real_home() -> Path:
    """The home, or / for who has none: a container may run under a number that has no name, and set no HOME."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
