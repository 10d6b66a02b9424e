"""Boards: plain geometry of hex and square grids."""
