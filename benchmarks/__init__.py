"""What things cost, as ratios inside one run."""
