"""Carries runs and judgments into the base tables; ``files`` finds input files and reads their rows."""
