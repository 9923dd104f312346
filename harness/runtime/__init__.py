"""The systems as one machine: the only place where systems meet."""
