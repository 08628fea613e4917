"""Pools, contributions and the agreement of judges."""
