"""How an implementation is reached: as a hook process, over stdio, or as Python code. Targets record, they never judge."""
