"""Carries runs and judgments into the base tables.

``files`` finds input files and reads their rows; ``topics`` reads texts and groups of topics; runs, judgments, lists,
weights and scores are a module each.
"""
