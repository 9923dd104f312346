"""The dead-letter queue: tasks that failed five times, their daily review, and what a human is asked. Document 000."""
