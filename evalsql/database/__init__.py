"""One connection to DuckDB: statements, transactions, errors in our words, Ctrl-C."""
