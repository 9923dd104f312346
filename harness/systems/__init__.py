"""One folder a specified system; registry.py is the only list of them."""
