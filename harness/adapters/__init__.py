"""What helps whoever writes an adapter: a skeleton to begin with, and a lint of what it says."""
