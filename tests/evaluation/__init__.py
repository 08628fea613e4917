"""Measures asked together, explained, compared."""
