"""Rolls: expressions over what came up, and the questions one can ask of them."""
