"""Mutation testing of the measures' SQL; see ``python -m tests.mutation --help``."""
