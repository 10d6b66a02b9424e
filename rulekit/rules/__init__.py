"""Rules: a rulebook's rule as a function of stats, and what can be asked of it."""
