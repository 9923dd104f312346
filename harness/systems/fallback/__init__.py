"""Ladders of models and of approaches, and when a human is called: document 000, Multi-Tiered Fallback System."""
