"""Carries runs and judgments into the base tables: one module a kind of input, one for what they share."""
