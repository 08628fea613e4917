"""Judgments, whatever says which documents are relevant, and what is kept of those before."""
