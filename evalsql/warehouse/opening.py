"""Opens warehouse files: makes new ones, brings older ones up to date, and says what is wrong with others."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from evalsql.catalog import ddl
from evalsql.catalog.names import literal, parse_measures, quoted
from evalsql.catalog.relations import STEPS, Catalog, Relation, read_catalog
from evalsql.database import engine
from evalsql.errors import CatalogError, QueryError, UsageError, WarehouseError
from evalsql.evaluation.evaluation import Progress, silent
from evalsql.warehouse.contract import check_own, warn_of_own
from evalsql.warehouse.template import SHIPPED, cached
from evalsql.warehouse.user_measures import Sources, read_sources, with_added
from evalsql.warehouse.warehouse import MEMORY, SCHEMA_VERSION, STORAGE_VERSION, Warehouse

if TYPE_CHECKING:
    import duckdb

_OBJECTS = """
    select schema_name as schema, table_name as name, 'table' as kind from duckdb_tables() where not temporary
    union all
    select schema_name, view_name, 'view' from duckdb_views() where not internal and not temporary
    union all
    select distinct schema_name, function_name, case function_type when 'macro' then 'macro' else 'macro table' end
    from duckdb_functions() where function_type in ('macro', 'table_macro') and not internal
"""
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
_ENGINES_SHARE = 0.6  # at 1 GB and a hundred million rows the rest takes the other 0.4
_MAKING = "making views"
DEFAULT_PATH = "evalsql.duckdb"
PATH_VARIABLE = "EVALSQL_DB"


def default_path() -> str:
    """Where the warehouse is when nobody says: ``EVALSQL_DB``, else ``evalsql.duckdb`` in this folder."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


def open(
    path: str | Path | None = None,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    progress: Progress = silent,
) -> Warehouse:
    """Open a warehouse, making the file if there is none.

    Args:
        path: the file; by default ``EVALSQL_DB``, else ``./evalsql.duckdb``. ":memory:" keeps it in memory.
        read_only: leave the file as it is; views of an older version are then replaced for this connection only.
        measures: relation files, or folders of them, to have beside those of the file while it is open.
        memory_limit: how much memory the process may take, such as "1GB" or "512MiB"; by default most of what the
            machine has. The engine gets three fifths of it, the rest being for what it does not count and for
            Python. What does not fit goes to disk meanwhile: of a file into the folder ``<file>.tmp``, of a
            warehouse in memory or open for reading only into a temporary folder, which is removed at close.
        progress: called with (stage, done, total) while views are made, which takes seconds where the user's cache
            has none to copy.

    Raises:
        UsageError: the limit is no size.
        WarehouseError: the file cannot be opened, is locked, is no warehouse, or was made by a newer version.
        CatalogError: a relation does not hold to the contract; the message names file and line.
    """
    return _open(str(path or default_path()), read_only, read_sources(measures), _size(memory_limit), progress)


def open_to_ask(
    asked: Sequence[str],
    *,
    measures: Sources = (),
    memory_limit: str | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Warehouse:
    """Open a warehouse in memory to ask for certain measures only, of runs that are loaded after judgments.

    For common measures it opens in a quarter of the time, and for most it stores no documents without judgments.

    Arguments and errors are those of ``open``; UsageError also for measures that are not known.

    Args:
        threads: how many the engine takes; by default one a core.
    """
    warehouse = _open(MEMORY, False, read_sources(measures), _size(memory_limit), progress, asked)
    if threads is not None:
        warehouse.execute(f"set threads = {threads}")
    warehouse.keeps_unjudged = reads_retrieved(warehouse.catalog, asked)
    return warehouse


def reads_retrieved(catalog: Catalog, asked: Sequence[str]) -> bool:
    """Whether one of these measures reads every retrieved document; a user's own may read whatever it likes."""
    relations = [measure.relation for measure in parse_measures(asked, catalog)]
    if any(relation in catalog.own for relation in relations):
        return True
    steps = catalog.build_order([relation.name for relation in relations])
    return any("retrieved" in relation.reads for relation in steps)


def _open(
    path: str,
    read_only: bool,
    borrowed: Sequence[Relation],
    limit: str | None,
    progress: Progress,
    asked: Sequence[str] = (),
) -> Warehouse:
    is_new = path == MEMORY or not Path(path).exists()
    if read_only and is_new and path != MEMORY:
        raise WarehouseError(
            f"{path}: no such file; evalsql load makes one, or name another with --db or {PATH_VARIABLE}"
        )
    if borrowed:
        read_catalog().extended(borrowed)  # names that are taken, before there is a file
    reading = Thread(target=read_catalog)  # takes as long as the engine's start, and is done once a process
    reading.start()
    connection = _connect(path, read_only)
    reading.join()
    warehouse = Warehouse(connection, path, read_only=read_only, catalog=read_catalog())
    try:
        named = parse_measures(asked, read_catalog().extended(borrowed))
        is_common = bool(named) and not borrowed and all(each.relation.header.in_scores for each in named)
        if limit is not None:
            _limit(warehouse, limit)
        if path == MEMORY:
            _fill(warehouse, progress, common=is_common)
        else:
            _bring_up_to_date(warehouse, is_new, progress)
        if own := [relation for relation in borrowed if not warehouse.catalog.has(relation)]:
            borrow(warehouse, own)
    except BaseException:
        warehouse.close()
        raise
    return warehouse


def _size(text: str | None) -> str | None:
    """The engine's share of a size of memory; raises UsageError for what is none."""
    if text is None:
        return None
    match = _SIZE.fullmatch(text)
    if match is None or not float(match[1]):
        raise UsageError(f'"{text}" is no size of memory: expected a number with its unit, such as 1GB or 512MiB')
    return f"{_ENGINES_SHARE * float(match[1])}{match[2]}"


def _limit(warehouse: Warehouse, size: str) -> None:
    warehouse.execute(f"set memory_limit = {literal(size)}")
    if warehouse.path == MEMORY or warehouse.read_only:
        scratch = tempfile.TemporaryDirectory(prefix="evalsql-")
        warehouse.at_close(scratch.cleanup)
        warehouse.execute(f"set temp_directory = {literal(scratch.name)}")


def _connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        connection = engine.connect(
            path,
            read_only=read_only,
            config={
                "storage_compatibility_version": STORAGE_VERSION,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "python_enable_replacements": False,
            },
        )
        # The engine would draw its bar on standard output.
        connection.execute("set enable_progress_bar = false")
    except engine.Error as error:
        raise WarehouseError(f"{path}: cannot be opened: {str(error).splitlines()[0]}") from error
    return connection


def _bring_up_to_date(warehouse: Warehouse, is_new: bool, progress: Progress) -> None:
    path = warehouse.path
    # To ask for all objects takes as long as the rest of opening a warehouse that is there.
    if is_new and not warehouse.read_only and not warehouse.rows("from duckdb_tables() limit 1"):
        _fill(warehouse, progress)
        return
    try:
        ((schema_version, made_by, digest),) = warehouse.rows(
            "select schema_version::integer, evalsql_version::varchar, sql_digest::varchar from main.warehouse"
        )
    except (QueryError, ValueError) as error:
        if not warehouse.read_only and not warehouse.rows(_OBJECTS):
            _fill(warehouse, progress)
            return
        raise WarehouseError(f"{path}: is a DuckDB file but not an evalsql warehouse") from error
    if schema_version > SCHEMA_VERSION:
        raise WarehouseError(f"{path}: was made by evalsql {made_by}, which is newer; upgrade this program")
    if schema_version == SCHEMA_VERSION:
        warehouse.catalog = with_added(warehouse)
    if digest == warehouse.catalog.digest:
        return
    if warehouse.read_only and schema_version < SCHEMA_VERSION:
        raise WarehouseError(
            f"{path}: was made by evalsql {made_by}, whose tables were others; evalsql sql --write 'select 1' brings "
            "them up to date"
        )
    if warehouse.read_only:
        warehouse.catalog = warehouse.catalog.for_connection(warehouse.catalog.relations)
        _apply(warehouse, ddl.statements(warehouse.catalog, ddl.order(warehouse.catalog), temporary=True), progress)
    else:
        from evalsql.warehouse.migrations import upgrade

        with warehouse.transaction():
            upgrade(warehouse, schema_version)
            _rebuild(warehouse, progress)
            warn_of_own(warehouse)


def make_template(path: Path, progress: Progress = silent, *, common: bool = False) -> None:
    """Make the file of an empty warehouse, for others to be copied from."""
    with Warehouse(_connect(str(path), False), str(path), read_only=False, catalog=read_catalog()) as template:
        _make(template, progress, common=common)


def _fill(warehouse: Warehouse, progress: Progress, *, common: bool = False) -> None:
    """Fill a new database: copied from an empty one if there is one or a place to keep one."""
    if not common and _copied(warehouse, SHIPPED):
        return
    make = partial(make_template, progress=progress, common=common)
    path = cached(f"{warehouse.catalog.digest[:20]}{'-common' if common else ''}", make)
    if path is not None:
        if _copied(warehouse, path):
            return
        with suppress(OSError):
            path.unlink()
    _make(warehouse, progress, common=common)


def _copied(warehouse: Warehouse, path: Path) -> bool:
    """Fill a new database from an empty one of this version, whole or not at all."""
    if not path.exists():
        return False
    ((name,),) = warehouse.rows("select current_database()")
    try:
        warehouse.execute(f"attach {literal(str(path))} as evalsql_template (read_only)")
        digests = warehouse.rows("select sql_digest from evalsql_template.main.warehouse")
        is_whole = digests == [(warehouse.catalog.digest,)]
        if is_whole:
            with warehouse.transaction():
                # To copy the rows of all tables, empty ones too, takes three times as long.
                warehouse.execute(f"copy from database evalsql_template to {quoted(name)} (schema)")
                for table in ("measures", "relations"):
                    warehouse.execute(f"insert into {table} from evalsql_template.main.{table}")
                _write_version(warehouse)
    except QueryError:
        is_whole = False
    warehouse.execute("detach database if exists evalsql_template")
    return is_whole


def _make(warehouse: Warehouse, progress: Progress, *, common: bool) -> None:
    with warehouse.transaction():
        _create_tables(warehouse)
        _rebuild(warehouse, progress, common=common)


def _create_tables(warehouse: Warehouse) -> None:
    for relation in warehouse.catalog.of_kind("tables"):
        warehouse.execute(relation.body)
        for comment in ddl.comments(warehouse.catalog, relation):
            warehouse.execute(comment)


def _rebuild(warehouse: Warehouse, progress: Progress, *, common: bool = False) -> None:
    """Put this version's views and macros into the file in the place of whatever stood there."""
    _drop(warehouse, {name for (name,) in warehouse.rows("select relation from relations")})
    warehouse.execute(f"create schema if not exists {STEPS}")
    relations = ddl.order(warehouse.catalog, common=common)
    _apply(warehouse, ddl.statements(warehouse.catalog, relations), progress)
    _sign(warehouse, relations)


def remake_own(warehouse: Warehouse, before: Catalog) -> None:
    """Put a user's own views and macros into the file in the place of those before, and hold them to the contract."""
    _drop(warehouse, {relation.name for relation in before.own})
    _apply(warehouse, ddl.own_statements(warehouse.catalog, warehouse.catalog.own))
    _sign(warehouse, ddl.order(warehouse.catalog))
    check_own(warehouse)


def _drop(warehouse: Warehouse, names: Collection[str]) -> None:
    for schema, name, kind in warehouse.rows(f"from ({_OBJECTS}) where kind <> 'table'"):
        if name in names and schema in ("main", STEPS):
            warehouse.execute(f"drop {kind} if exists {quoted(schema)}.{quoted(name)}")


def _sign(warehouse: Warehouse, relations: Sequence[Relation]) -> None:
    """Write down what the views and macros are, and from what they were made."""
    _write_catalogue(warehouse)
    warehouse.execute("delete from relations")
    for name, kind, title in ddl.relation_rows(relations):
        warehouse.execute("insert into relations values (?, ?, ?)", [name, kind, title])
    warehouse.execute("delete from warehouse")
    _write_version(warehouse)


def _write_version(warehouse: Warehouse) -> None:
    warehouse.execute(
        "insert into warehouse values (?, ?, ?, current_timestamp at time zone 'UTC')",
        [SCHEMA_VERSION, warehouse.program_version, warehouse.catalog.digest],
    )


def borrow(warehouse: Warehouse, relations: Sequence[Relation]) -> None:
    """Have relations for this connection, in everything that covers all measures too."""
    catalog = warehouse.catalog.extended(relations)
    warehouse.catalog = catalog.for_connection(relation.name for relation in relations)
    own = [relation for relation in relations if relation.is_measure]
    warehouse.execute("create temp table measures as select * from main.measures")
    for row in ddl.catalogue_rows(own):
        warehouse.execute(f"insert into temp.measures values ({', '.join('?' * len(row))})", row)
    _apply(warehouse, ddl.own_statements(warehouse.catalog, relations, temporary=True))
    check_own(warehouse)


def _apply(warehouse: Warehouse, statements: Iterable[tuple[str, str]], progress: Progress = silent) -> None:
    progress(_MAKING, 0, 1)
    listed = list(statements)
    for done, (place, statement) in enumerate(listed, start=1):
        try:
            warehouse.execute(statement)
        except QueryError as error:
            raise CatalogError(f"{place}: {error}") from error
        progress(_MAKING, done, len(listed))


def _write_catalogue(warehouse: Warehouse) -> None:
    warehouse.execute("delete from main.measures")
    for row in ddl.catalogue_rows(warehouse.catalog.measures):
        warehouse.execute(f"insert into main.measures values ({', '.join('?' * len(row))})", row)
