"""DuckDB's engine: connections, and the errors they raise.

The package ``duckdb`` takes three times as long to import, for what it adds to connections (relations, frames); that
is imported where it is asked for, and connections opened before have it then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import Error, InterruptException, __version__, connect, extract_statements
else:
    try:
        from _duckdb import Error, InterruptException, __version__, connect, extract_statements
    except ImportError:  # no version promises the name
        from duckdb import Error, InterruptException, __version__, connect, extract_statements

__all__ = ["Error", "InterruptException", "__version__", "connect", "extract_statements"]
