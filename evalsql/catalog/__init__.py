"""What ``sql/`` says. It knows no database, and can be used where DuckDB is not installed."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
# Inside an installed package, or beside it in a checkout.
SQL_ROOT = PACKAGE / "sql" if (PACKAGE / "sql").is_dir() else PACKAGE.parent / "sql"
