"""Any program and its owner's own check, without clauses or adapter: every errno, crash state and order of it."""
