"""How fast rulekit is beside its peers: ``python -m benchmarks``."""
