"""How often an implementation of diagnosis gives an error of a real tool its type; see benchmarks/README.md."""
