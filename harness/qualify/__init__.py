"""Who certifies the certifier: every mutant of the reference has to die, and under the clause it breaks."""
