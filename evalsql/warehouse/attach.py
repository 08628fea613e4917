"""Attaches this version's views and macros to a database, which asks those and never the ones in its file.

To make them takes the engine seconds, so that they are kept made: in the package, or else in the user's cache.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

import platformdirs

from evalsql.catalog import PACKAGE, ddl
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import STEPS, Catalog, read_catalog
from evalsql.database import engine
from evalsql.database.database import MEMORY, Database
from evalsql.database.disk import whole_files
from evalsql.errors import EvalsqlError
from evalsql.progress import Progress, silent
from evalsql.warehouse.connecting import STORAGE_VERSION, connect
from evalsql.warehouse.schema import apply, create_tables

_KEPT = 4
# The same for the whole process, so that a file that is opened again finds them attached. No file is called so.
_SECRET = os.urandom(8).hex()


def attach_relations(database: Database, progress: Progress, *, common: bool) -> str:
    """Attach the package's views and macros, without tables, and have them asked first.

    Args:
        common: only the common measures and what they read, which takes a tenth of the time.

    Returns:
        The name of the attached database.
    """
    file, name = database.name, f"{'common' if common else 'relations'}_{_SECRET}"
    path = _made(common=common, progress=progress)
    if path is None or not _attach(database, path, name):
        make_relations(database, name, progress, common=common)
    database.ask_first(file, name)
    return name


def _attach(database: Database, path: Path, name: str) -> bool:
    try:
        database.execute(f"attach if not exists {literal(str(path))} as {name} (read_only)")
    except EvalsqlError:  # damaged
        with suppress(OSError):
            path.unlink()
        return False
    return True


def make_relations(database: Database, name: str, progress: Progress, *, common: bool) -> None:
    """Make the package's views and macros in a new database in memory that is attached by this name."""
    catalog = read_catalog()
    tables = list(catalog.of_kind("tables"))
    database.execute(f"attach ':memory:' as {name} (read_write)")
    database.execute(f"set search_path = '{name}.main'")
    create_tables(database, tables)
    database.execute(f"create schema {STEPS}")
    apply(database, ddl.statements(catalog, ddl.order(catalog, common=common)), progress)
    for table in tables:
        database.execute(f"drop table {table.name}")


def make_file(path: Path, progress: Progress = silent, *, common: bool = False) -> None:
    """Make a file with the package's views and macros and nothing else."""
    scratch = Database(connect(MEMORY, False), read_catalog(), path=MEMORY, read_only=False)
    with closing(scratch):
        make_relations(scratch, "made", progress, common=common)
        scratch.execute(f"attach {literal(str(path))} as file (storage_version {literal(STORAGE_VERSION)})")
        scratch.execute("copy from database made to file (schema)")


def shipped(catalog: Catalog) -> Path:
    """Where a wheel has the file of its views and macros; a checkout has none."""
    return PACKAGE / f"relations-{catalog.digest[:20]}.duckdb"


def _made(*, common: bool, progress: Progress) -> Path | None:
    """The file with these relations, made where it is missing; None where there is no place to keep it."""
    catalog = read_catalog()
    if not common and shipped(catalog).exists():
        return shipped(catalog)
    folder = Path(platformdirs.user_cache_path("evalsql", appauthor=False))
    kind = "common" if common else "relations"
    path = folder / f"{kind}-{catalog.digest[:20]}-duckdb-{engine.__version__}.duckdb"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_files(path, replace=True, one=True) as part:
            make_file(part / path.name, progress, common=common)
        _keep_newest(folder)
    except (OSError, EvalsqlError):
        return None
    return path


def _keep_newest(folder: Path) -> None:
    for path in sorted(folder.glob("*.duckdb"), key=_time_made, reverse=True)[_KEPT:]:
        with suppress(OSError):  # another process has it open, or took it away
            path.unlink()


def _time_made(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process took it away
        return 0.0
