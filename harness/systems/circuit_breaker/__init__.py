"""Circuit breakers that several processes share: document 000, Circuit Breaker System."""
