"""A file and its life."""
