"""Grids on the table: where spaces lie, how far apart, what lies between. Geometry alone, no dice."""
