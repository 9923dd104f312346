"""The error log: what document 002 requires when an error occurs."""
