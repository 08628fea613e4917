"""Experiments that take longer than tests: ``python -m tests.trials NAME``."""
