"""The diagnostic reflection: what document 001 requires after a failed tool call."""
