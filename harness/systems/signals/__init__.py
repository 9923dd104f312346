"""Signals: drift, human review, healing and the workflow of worktrees; document 000, Signal Processing."""
