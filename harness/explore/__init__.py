"""Ways to search for scenarios that nobody wrote down. What is found becomes a scenario file."""
