"""DuckDB's engine: connections, and the errors they raise.

This imports the compiled module alone. The package ``duckdb`` adds relations and frames to connections and takes three
times as long to import, so it is imported where those are needed. Connections that are open by then get them too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalsql.database.interrupts import held_back

if TYPE_CHECKING:
    from duckdb import Error, InterruptException, __version__, connect, extract_statements, tokenize
else:
    with held_back():  # an import that is cut in half is an ImportError, and cannot be done again
        try:
            from _duckdb import Error, InterruptException, __version__, connect, extract_statements, tokenize
        except ImportError:  # no version promises the name
            from duckdb import Error, InterruptException, __version__, connect, extract_statements, tokenize

__all__ = ["Error", "InterruptException", "__version__", "connect", "extract_statements", "tokenize"]
