"""Rows, tables, charts, pages and sites on their way out."""
