"""The reference of rate limit handling: document 000 in its permitted readings marked "ours"."""

from harness.systems.rate_limit.reference.backoff import RateLimit, create

__all__ = ["RateLimit", "create"]
