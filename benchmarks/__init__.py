"""Peers and limits side by side: `make bench`, or `python -m benchmarks dice` for one table."""
