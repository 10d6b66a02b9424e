"""Studies: what a rule does over a range of its stats."""
