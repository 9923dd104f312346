"""The stop gate: may this session end? Document 004 (power-steering) and the outside contract of a Stop hook."""
