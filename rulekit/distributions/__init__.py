"""Exact finite distributions: dice, pools and dice notation."""
