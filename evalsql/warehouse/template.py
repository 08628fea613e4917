"""Empty warehouses to copy, in the package and in the user's cache: to make views and macros takes seconds."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from evalsql.catalog.folders import PACKAGE
from evalsql.database import engine

SHIPPED = PACKAGE / "template.duckdb"  # made when the wheel is built; none in a checkout
_KEPT = 4


def cached(name: str, make: Callable[[Path], None]) -> Path | None:
    """The file that ``make`` makes, kept under a name that tells its contents; None where there is no place for it."""
    folder = platformdirs.user_cache_path("evalsql", appauthor=False)
    path = folder / f"{name}-duckdb-{engine.__version__}.duckdb"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = Path(scratch) / path.name
            make(made)
            os.replace(made, path)
    except OSError:
        return None
    for older in sorted(folder.glob("*.duckdb"), key=lambda file: file.stat().st_mtime, reverse=True)[_KEPT:]:
        with contextlib.suppress(OSError):
            older.unlink()
    return path
