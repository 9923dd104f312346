"""The review between two tasks: static analysis, three reviewers at once, blocking severities. Source: document 000."""
