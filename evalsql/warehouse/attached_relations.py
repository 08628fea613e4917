"""Attaches this version's views and macros, which are asked instead of those in a file.

To make these takes the engine seconds, so that they are kept made: in the package, or else in the user's cache.
"""

from __future__ import annotations

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
from evalsql.phrases import Progress, silent
from evalsql.warehouse.connecting import STORAGE_VERSION, connect
from evalsql.warehouse.schema import ATTACHED, apply, create_tables

_KEPT = 4


def attach_relations(database: Database, progress: Progress, *, few: bool = False) -> None:
    """Attach the package's views and macros, without tables, and have them asked first; few take 30 ms less."""
    file, name = database.name, f"{ATTACHED}_few" if few else ATTACHED
    # DuckDB 2.0 can wait for ever in "attach if not exists": it takes a closed database for one at the same address.
    if not database.rows(f"select 1 from system.main.duckdb_databases() where database_name = '{name}'"):
        path = relations_file(progress, few=few)
        if path is None or not _attach(database, path, name):
            _make_relations(database, name, progress, few=few)
    database.ask_first(file, name)


def _attach(database: Database, path: Path, name: str) -> bool:
    try:
        database.execute(f"attach {literal(str(path))} as {name} (read_only)")
    except EvalsqlError as error:
        if "already exists" in str(error):  # another thread has opened the same file
            return True
        with suppress(OSError):  # damaged
            path.unlink()
        return False
    return True


def _make_relations(database: Database, name: str, progress: Progress, *, few: bool = False) -> None:
    """Make the package's views and macros in a new database in memory that is attached by this name."""
    catalog = read_catalog()
    tables = list(catalog.of_kind("tables"))
    database.execute(f"attach ':memory:' as {name} (read_write)")
    database.execute(f"set search_path = '{name}.main'")
    create_tables(database, tables)
    database.execute(f"create schema {STEPS}")
    apply(database, ddl.statements(catalog, ddl.order(catalog, few=few)), progress)
    for table in tables:
        database.execute(f"drop table {table.name}")


def make_file(path: Path, progress: Progress = silent, *, few: bool = False) -> None:
    """Make a file with the package's views and macros and nothing else."""
    with closing(Database(connect(MEMORY), read_catalog(), path=MEMORY, read_only=False)) as scratch:
        _make_relations(scratch, "made", progress, few=few)
        scratch.execute(f"attach {literal(str(path))} as file (storage_version {literal(STORAGE_VERSION)})")
        scratch.execute("copy from database made to file (schema)")


def shipped(catalog: Catalog) -> Path:
    """Where a wheel has the file of its views and macros; a checkout has none."""
    return PACKAGE / f"relations-{catalog.digest[:20]}.duckdb"


def relations_file(progress: Progress, *, few: bool = False) -> Path | None:
    """The file with these relations, made where it is missing; None where there is no place to keep it."""
    catalog = read_catalog()
    if shipped(catalog).exists() and not few:
        return shipped(catalog)
    folder = Path(platformdirs.user_cache_path("evalsql", appauthor=False))
    path = folder / f"relations-{catalog.digest[:20]}{'-few' if few else ''}-duckdb-{engine.__version__}.duckdb"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_files(path, replace=True, one=True) as part:
            make_file(part / path.name, progress, few=few)
        _keep_newest(folder)
    except (OSError, EvalsqlError):
        return relations_file(progress) if few else None
    return path


def _keep_newest(folder: Path) -> None:
    """Remove all files but the newest; other processes may have them open, or remove them too."""
    made = {}
    for path in folder.glob("*.duckdb"):
        with suppress(OSError):
            made[path] = path.stat().st_mtime
    for path in sorted(made, key=lambda each: made[each], reverse=True)[_KEPT:]:
        with suppress(OSError):
            path.unlink()
