"""How an implementation is reached: hook process, stdio, or Python code. Targets record, they never judge."""
