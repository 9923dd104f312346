"""Values every part of windtunnel shares. Pure: nothing here reads a clock, a file, randomness or the machine."""
