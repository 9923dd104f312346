"""Real agents as hosts of an implementation: how they are run, and the scripted model that answers them."""
