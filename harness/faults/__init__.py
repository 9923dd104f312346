"""What can go wrong, one module a family; none knows a system. ``catalogue.py`` is the only list."""
