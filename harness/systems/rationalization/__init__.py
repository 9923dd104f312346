"""Rationalisations: the phrases by which agents excuse themselves, and what counters them. Source: document 000."""
