"""How an agent's session begins, claims work, checkpoints it and recovers, of document 000."""
