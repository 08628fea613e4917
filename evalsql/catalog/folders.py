"""Where the package and its relation files are."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
# Inside an installed package, or beside it in a checkout.
SQL_ROOT = PACKAGE / "sql" if (PACKAGE / "sql").is_dir() else PACKAGE.parent / "sql"
