"""A warehouse for several clients at once: one process holds the file and answers by DuckDB's protocol quack."""
