"""The rulebooks that ship with rulekit, one package each."""
