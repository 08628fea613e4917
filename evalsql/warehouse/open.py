"""Opens warehouses: makes new files, brings older ones up to date, and admits strangers' files without asking them.

A file's own views and macros are for other clients. They are written when the file is made, or was written by another
version; what asks the file here goes by those of this version, which are attached and found first.
"""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import STEPS, Relation, read_catalog
from evalsql.database import engine, quack
from evalsql.database.database import MEMORY, Database
from evalsql.database.statement_calls import check_printed
from evalsql.database.statement_text import says_otherwise
from evalsql.errors import CatalogError, QueryError, UsageError, WarehouseError, warn
from evalsql.literals import literal
from evalsql.phrases import Progress, silent, some_of
from evalsql.version import __version__
from evalsql.warehouse import file_checks, schema
from evalsql.warehouse.connecting import (
    attach_relations,
    connect,
    limit_memory,
    log_of,
    logs_beside,
    real_path,
    size_in_bytes,
)
from evalsql.warehouse.own_measures import Sources, check_own, read_sources, with_added

DEFAULT_PATH = "evalsql.duckdb"
PATH_VARIABLE, TOKEN_VARIABLE = "EVALSQL_DB", "EVALSQL_TOKEN"
WAIT = 3.0  # seconds


class Reach(NamedTuple):
    """The files beside the warehouse that the engine may use, by themselves or by a folder above them."""

    files: Sequence[str] = ()
    folders: Sequence[str] = ()


def default_path() -> str:
    """Where the warehouse is when nobody says: ``EVALSQL_DB``, else ``evalsql.duckdb`` in this folder."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


def open_database(
    path: str | Path | None,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    wait: float = WAIT,
    progress: Progress = silent,
    asked: Sequence[str] | None = None,
    reach: Reach | None = None,
    external_access: bool | None = None,
    rewritten: bool = False,
    token: str | None = None,
    stored_at: Path | None = None,
    prepare: Callable[[Database], None] | None = None,
) -> Database:
    """Open the database of a warehouse; other arguments and errors are those of ``evalsql.open``.

    Args:
        asked: measures that alone are asked for, of which the common ones are ready sooner; by default all.
        reach: what the engine may use beside this file, from before anything in it is evaluated; by default all.
        rewritten: write the views and macros of the file anew, for clients that ask those.
        stored_at: the file itself, where it is a copy or not yet in its place; messages name ``path``.
        prepare: called before anything in the file is looked at, as for an extension, which cannot be loaded later.
    """
    place = str(path or default_path())
    temporary = read_sources(measures)
    read_catalog().extended(temporary)  # names that are taken, before there is a file
    if quack.is_address(place):
        if memory_limit is not None:
            words = "only evalsql serve can limit the server's memory; leave out --memory-limit"
            raise UsageError(f"{quack.parse_address(place).url}: {words}")
        reach = Reach() if reach is None and external_access is False else reach
        return _open_served(place, token, read_only, temporary, progress, reach)
    limit = None if memory_limit is None else size_in_bytes(memory_limit)  # before there is a file
    file = str(stored_at or place)
    is_new = _check_path(file, read_only=read_only)
    database = Database(connect(file, read_only, wait, progress), read_catalog(), path=place, read_only=read_only)
    try:
        if limit is not None:
            limit_memory(database, limit)
        if prepare is not None:
            prepare(database)
        few = (file == MEMORY or (read_only and reach is not None)) and _are_common(asked, temporary)
        attach_relations(database, progress, few=few and not file_checks.keeps_measures(database))
        # From here on a name of the engine's is the engine's, whatever the file calls by it.
        if reach is not None:
            database.shut_in(reach.files, reach.folders)
        if file == MEMORY or ((is_new or not read_only) and file_checks.is_empty(database)):
            schema.make(database)
        else:
            _take_up(database, reach=reach, external_access=external_access, rewritten=rewritten)
        schema.add_temporary_relations(database, temporary)
    except BaseException:
        database.close()
        raise
    return database


def _take_up(database: Database, *, reach: Reach | None, external_access: bool | None, rewritten: bool) -> None:
    """Check a file that may be a stranger's, bring it up to date, and shut the engine in where it is not trusted."""
    is_trusted = reach is not None or bool(external_access)
    is_ours = _bring_up_to_date(database, rewritten=rewritten, is_trusted=is_trusted)
    if reach is None and external_access is None:
        _shut_in_if_foreign(database)
    elif reach is None and not external_access:
        _shut_in_for_good(database)
    file_checks.refuse_other_values(database)
    if database.catalog.own and not database.read_only and not is_ours:
        check_own(database, only_warn=True)
    if not database.read_only:  # views that have just been written need not be written again
        before_view = schema.prepare_views if is_ours and not rewritten else file_checks.refuse_hiding
        database.before_view = partial(before_view, database)


def _are_common(asked: Sequence[str] | None, temporary: Sequence[Relation]) -> bool:
    """Whether only measures of the view ``scores`` are asked for: the small set of relations has these."""
    try:
        named = parse_measures(asked or (), read_catalog())
    except UsageError:  # it may be the name of one that is kept in the file
        return False
    return asked is not None and not temporary and all(each.relation.header.in_scores for each in named)


def _check_path(path: str, *, read_only: bool) -> bool:
    """Whether the database is new; raises WarehouseError for a path that cannot be opened in this way."""
    if "\0" in path:
        raise WarehouseError(f"{path}: a file's name cannot hold a NUL character")
    file = real_path(path)
    is_new = path == MEMORY or not os.path.exists(file)
    name = re.split("[.?]", os.path.basename(file).lstrip("."))[0]  # what the engine calls the database by
    if not is_new and path != MEMORY and not os.path.isfile(file):  # the engine would wait for a pipe's writer
        fault = "is a folder, a pipe or a device; --db names a file"
    elif os.sep == "/" and "\\" in file:
        fault = "DuckDB 2.0 takes a backslash in a path for a slash; choose another path"
    elif not read_only and path != MEMORY and any("?" in part for part in Path(file).parts[1:]):
        # The engine puts ".wal" before the first question mark of a path.
        fault = "DuckDB writes no file whose path has a question mark; choose another path"
    elif name.lower() == STEPS:  # the engine calls the database by that
        fault = f"{STEPS} is the name of a schema in every warehouse; call the file otherwise"
    elif name.lower() in ("main", "system", "temp") and name != name.lower():
        fault = f"DuckDB 1.5 takes a file called {name} for its own {name.lower()}; call the file otherwise"
    elif strange := [log for log in logs_beside(file) if os.path.islink(log) or not os.path.isfile(log)]:
        fault = f"{Path(strange[0]).name} beside it, where DuckDB writes its log, is a link or no file; remove it"
    elif read_only and is_new and path != MEMORY:
        fault = f"no such file; evalsql load makes one, or name another with --db or {PATH_VARIABLE}"
    else:
        return is_new
    raise WarehouseError(f"{path}: {fault}")


def _shut_in_if_foreign(database: Database) -> None:
    """Let the engine use no other file where the file brings relations of its own, and warn of them."""
    if foreign := _foreign_relations(database):
        warn(
            f"{database.path}: contains measures, views or macros beside those of evalsql: {some_of(foreign)}. They "
            "might read or write other files, so evalsql reaches none, not even to load it. If you trust them, "
            "evalsql.open(path, external_access=True) allows it"
        )
        _shut_in_for_good(database)


def _shut_in_for_good(database: Database) -> None:
    """Let SQL of users reach no other file; WarehouseError for a view that logs, which ends DuckDB's process there."""
    file_checks.check_definitions(database, check_printed)
    database.shut_in()


def _foreign_relations(database: Database) -> list[str]:
    """Kinds and names of the measures that the file keeps, and of views and macros that are not evalsql's.

    One with a name of evalsql's is foreign if its text has other names or strings; engines write the rest differently.
    """
    own = {relation.name for relation in database.catalog.own}
    in_file, attached = (f"database_name = {literal(name)}" for name in (database.name, file_checks.ATTACHED))
    found = database.rows(f"""
        select schema_name, name, kind, system.main.list(definition order by {in_file})
        from ({file_checks.OBJECTS}) where kind <> 'table' and ({in_file} or {attached})
        group by schema_name, name, kind
        having system.main.bool_and({in_file})
            or (system.main.bool_or({in_file}) and system.main.count(distinct definition) > 1)
    """)
    kept = [f"measure {name}" for name in own]
    return sorted(kept) + sorted(
        f"{kind.removesuffix(' table')} {name if place == 'main' else f'{place}.{name}'}"
        for place, name, kind, (first, *others) in found
        # Where measures are kept, the views of all measures have these too.
        if (not others and name not in own) or (not own and any(says_otherwise(each, first) for each in others))
    )


def _bring_up_to_date(database: Database, *, rewritten: bool, is_trusted: bool) -> bool:
    """Upgrade tables, views and macros that another version wrote; returns whether this one had written the file."""
    tables = file_checks.main_tables(database)
    schema_version, made_by, digest = file_checks.version_of(database, tables)
    is_older = schema_version < schema.SCHEMA_VERSION
    made = f"{database.path}: was made by evalsql {made_by}"
    if schema_version > schema.SCHEMA_VERSION:
        raise WarehouseError(f"{made}, which is newer; upgrade this program")
    file_checks.check_tables(database, tables, is_current=not is_older)
    if database.read_only and is_older:
        raise WarehouseError(f"{made} with different tables; evalsql sql --write 'select 1' brings them up to date")
    if not is_older:
        _take_own(database, is_trusted)
    is_ours = not is_older and digest == database.catalog.digest and schema.has_true_catalogue(database)
    if database.read_only and not is_ours:
        warn(
            f"{database.path}: was written by evalsql {made_by} with different SQL. This version uses its own; "
            "evalsql sql --write 'select 1' puts that into the file"
        )
        schema.give_catalogue(database)
    elif rewritten or not is_ours:
        with database.transaction():
            if is_older:
                file_checks.check_definitions(database, check_printed)  # rows that are moved have defaults and checks
                schema.upgrade(database, schema_version)
                file_checks.check_tables(database, file_checks.main_tables(database), is_current=True)
                _take_own(database, is_trusted)
            schema.rebuild(database)
        database.checkpoint()
    return is_ours


def _take_own(database: Database, is_trusted: bool) -> None:
    """Take the measures that the file keeps; a stranger may have written them, so nothing is bound before the fence.

    What the engine cannot bind is left out with a warning, and with it all that is kept.
    """
    database.catalog = with_added(database)
    if database.catalog.own:
        # The fence alone would let profiling write into the files that are to be loaded.
        file_checks.check_definitions(database, check_printed)
        if not is_trusted:
            database.shut_in()
        try:
            schema.add_own(database)
        except (CatalogError, UsageError) as error:
            warn(f"the measures that the file keeps are left out; evalsql drop measures takes out this one: {error}")
            database.catalog = read_catalog()


def copy_file(path: str, folder: Path, *, wait: float = WAIT, progress: Progress = silent) -> Path:
    """Copy a warehouse's file, and the log beside it, of one state into a folder."""
    # Who reads a file keeps writers away from it.
    with closing(open_database(path, read_only=True, wait=wait, progress=progress, reach=Reach())):
        real = real_path(path)
        for file in map(Path, (real, log_of(real))):
            if file.exists():
                shutil.copyfile(file, folder / file.name)
    return folder / Path(real).name


def _open_served(
    path: str, token: str | None, read_only: bool, own: Sequence[Relation], progress: Progress, reach: Reach | None
) -> Database:
    """Open the database behind ``quack:HOST:PORT``, where the token is known and the version is the same."""
    from evalsql.database.server_connection import RemoteDatabase

    address = quack.parse_address(path)
    known = token or os.environ.get(TOKEN_VARIABLE, "").strip()
    if not known:
        raise WarehouseError(
            f"{address.url}: needs a token; --token-file names the file that contains it, or set {TOKEN_VARIABLE}"
        )
    database = RemoteDatabase(address, known, read_only=read_only, progress=progress, reach=reach)
    try:
        versions = "select schema_version, evalsql_version, sql_digest, system.main.version() from main.warehouse"
        try:
            ((schema_version, *told),) = database.rows(versions)
            program, digest, duckdb_version = (str(each)[:80] for each in told)  # a stranger's server says anything
        except (QueryError, ValueError) as error:
            raise WarehouseError(f"{database.path}: the server holds no evalsql warehouse") from error
        if schema_version == schema.SCHEMA_VERSION:
            database.catalog = with_added(database)
        if (schema_version, digest) != (schema.SCHEMA_VERSION, database.catalog.digest):
            raise WarehouseError(
                f"{database.path}: the server has evalsql {program} (schema {schema_version}, SQL {digest[:8]}, DuckDB "
                f"{duckdb_version}), this is evalsql {__version__} (schema {schema.SCHEMA_VERSION}, SQL "
                f"{database.catalog.digest[:8]}, DuckDB v{engine.__version__}); install the same version on both sides"
            )
        if not read_only and database.who[1] != "write":
            raise UsageError(f"{address.url}: this token reads only; the server has another one that writes")
        schema.add_temporary_relations(database, own)
    except BaseException:
        database.close()
        raise
    return database
