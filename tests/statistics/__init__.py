"""Comparisons, their tests and intervals, agreement."""
