"""Phases of a plan: attempts, one retry, siblings, halts, resumes. Source: document 003."""
