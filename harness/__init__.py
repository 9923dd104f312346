"""windtunnel: a chaos and property-based conformance harness for the failure handling of coding agents."""

__version__ = "0.1.0"
