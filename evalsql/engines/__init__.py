"""The same measures on other engines than one DuckDB on one machine."""
