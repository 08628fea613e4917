"""Carries runs and judgments into the base tables.

``files`` says what an input file is and reads its rows, ``judgments`` and ``topics`` have a room each; runs, lists,
weights and scores are a module each.
"""
