"""What a file of this version holds (base tables, views, macros, the catalogue): makes and upgrades it."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from evalsql.catalog import ddl, queries
from evalsql.catalog.relations import BUILDABLE, STEPS, Catalog, Relation, read_catalog
from evalsql.database import engine
from evalsql.database.database import MEMORY, Database
from evalsql.database.quack import is_address
from evalsql.database.statement_calls import check_printed
from evalsql.errors import CatalogError, QueryError, ReachError, UsageError, WarehouseError
from evalsql.ingest.base_rows import rank_judged
from evalsql.literals import literal, quoted, unnested
from evalsql.phrases import Progress, silent
from evalsql.version import __version__
from evalsql.warehouse import file_checks
from evalsql.warehouse.own_measures import check_bodies, check_own, fault_in

SCHEMA_VERSION = 8
_MAKING = "making views"
_SEEMS_CALLED = "no measure is kept until that name or text, which may only look like a call, is another one"
_TAKEN = re.compile('Table with name "(.+)" already exists')


def make(database: Database) -> None:
    """Make an empty warehouse of an empty database; a file gets a copy of the attached relations too."""
    with database.transaction():
        create_tables(database, database.catalog.of_kind("tables"))
        if database.path != MEMORY:
            database.execute(f"copy from database {file_checks.ATTACHED} to {quoted(database.name)} (schema)")
        database.execute_all(signing(database))
    if engine.__version__.startswith("1."):  # cannot read macros from the log; another checkpoint costs free blocks
        database.checkpoint()


def create_tables(database: Database, tables: Iterable[Relation]) -> None:
    with database.in_file():
        database.execute_all([sql for table in tables for sql in (table.body, *ddl.comments(database.catalog, table))])


def rebuild(database: Database) -> None:
    """Replace the views and macros of the file by the attached ones of this version, for other clients of the file."""
    written = {*database.column("select relation from relations where kind not in ('tables', 'keys')")}
    ours = {relation.name for relation in database.catalog.of_kind(*BUILDABLE)}
    _drop(database, database.name, {*written, *ours, queries.SCORES})
    try:
        database.execute(f"copy from database {file_checks.ATTACHED} to {quoted(database.name)} (schema)")
    except QueryError as error:
        name = (_TAKEN.findall(str(error)) or [""])[0]
        table = f"{STEPS}.{name}" if name in database.catalog.schemas else name
        advice = f"; alter table {table} rename to another_name{file_checks.MAKES_ROOM}" if name else ""
        raise CatalogError(f"{database.path}: {error}{advice}") from error
    if database.catalog.own:
        _make_own(database)
    database.execute_all(signing(database))


def remake_views(database: Database) -> list[str]:
    """Make the file's own views of their texts, which were looked at: changed bytes may call what no text tells.

    One that asks what is no more says from then on what it was; what is given tells which ones. WarehouseError for one
    that reaches other files, and for a macro, as nothing tells the defaults of its parameters.
    """
    own, faults = file_checks.own_objects(database, {queries.SCORES, *database.catalog.relations}), []
    if macros := [name for _, name, kind, _ in own if "macro" in kind]:
        raise WarehouseError(
            f"{database.path}: macro {macros[0]} in it is not for clients of a server; {file_checks.TAKE_OUT}"
        )
    for place, name, text in ((place, name, text) for place, name, kind, text in own if kind == "view"):
        view = f"{quoted(database.name)}.{quoted(place)}.{quoted(name)}"
        try:
            with database.in_file(f"{quoted(database.name)}.{quoted(place)},"):
                database.execute(f"create or replace view {view}{text}")
        except ReachError as error:
            raise WarehouseError(
                f"{database.path}: {name} in it reaches other files; {file_checks.TAKE_OUT}"
            ) from error
        except QueryError as error:
            stub = f"system.main.error({literal(f'this view cannot be made; it was: create view {name}{text}')})"
            database.execute(f"create or replace view {view} as select cast({stub} as varchar) as fault")
            faults.append(f"view {place}.{name} cannot be made, and says now what it was: {error}")
    database.checkpoint()
    return faults


def prepare_views(database: Database) -> None:
    """Let a view in the file read what a statement reads here; raises WarehouseError where that cannot be.

    The engine looks for what a view names in its own file first.
    """
    file_checks.refuse_hiding(database)
    # Outside of a transaction every statement has one of its own. The engine says by nothing else that one is open.
    if len({*(database.rows("select system.main.txid_current()")[0] for _ in range(2))}) == 1:
        fault = "evalsql writes its own views before the first one of yours: make that outside of a transaction"
        raise UsageError(fault)
    with database.transaction():
        rebuild(database)
    database.checkpoint()
    database.before_view = partial(file_checks.refuse_hiding, database)


def remake_own(database: Database, before: Catalog, *, are_kept: bool = False) -> None:
    """Make a user's own views and macros in the place of those before; in the file too, as a server does by itself."""
    if not is_address(database.path):
        keep_own(database, before, are_kept=are_kept)
    _drop(database, "temp", {relation.name for relation in before.own})
    database.drop("measures")  # it describes those of this connection alone, which are no more
    add_own(database)


def keep_own(database: Database, before: Catalog, *, are_kept: bool = False) -> None:
    """The same in the file alone, with the texts they are made of, which may be kept already."""
    if database.path != MEMORY:
        _drop(database, database.name, {relation.name for relation in before.own})
        _make_own(database)
        if database.catalog.own:  # nobody could open the file again
            file_checks.check_definitions(database, check_printed, advice=_SEEMS_CALLED)
    database.execute_all((signing if are_kept else keeping)(database))


def _make_own(database: Database) -> None:
    with database.in_file():
        catalog = replace(database.catalog, temporary=frozenset())
        apply(database, ddl.own_statements(catalog, catalog.own))


def add_own(database: Database) -> None:
    """Make the measures that users keep in the file once more for this connection, which asks nothing of the file's."""
    own = database.catalog.own
    database.catalog = database.catalog.for_connection(relation.name for relation in own)
    apply(database, ddl.own_statements(database.catalog, own, temporary=True))


def _drop(database: Database, held: str, names: Collection[str]) -> None:
    for schema, name, kind in file_checks.objects_in(database, held):
        if kind != "table" and name.lower() in names and schema in ("main", STEPS):
            database.execute(f"drop {kind} if exists {quoted(held)}.{quoted(schema)}.{quoted(name)}")


def signing(database: Database) -> list[str]:
    """Statements that write the tables ``measures``, ``relations`` and ``warehouse``, which describe the SQL."""
    catalog = database.catalog
    ours = f"{SCHEMA_VERSION}, {literal(__version__)}, {literal(catalog.digest)}, current_timestamp at time zone 'UTC'"
    return [
        *_written(database, "warehouse", ours),
        *_written(database, "measures", unnested(ddl.catalogue_rows(catalog.measures))),
        *_written(database, "relations", unnested(ddl.relation_rows(catalog))),
    ]


def keeping(database: Database) -> list[str]:
    """The same with the table ``added_relations``: to clients, one without the other would be another version."""
    rows = [(nth, relation.name, relation.text) for nth, relation in enumerate(database.catalog.own, start=1)]
    values = f"{unnested(rows)}, current_timestamp at time zone 'UTC'" if rows else ""
    return [*_written(database, "added_relations", values), *signing(database)]


def _written(database: Database, table: str, values: str) -> list[str]:
    """Statements that put rows of values in the place of those of a table."""
    place = _place(database, table)  # main.measures would be a temporary table where there is one
    insert = f"insert into {place} ({', '.join(read_catalog()[table].columns)}) select {values}"
    return [f"delete from {place}", *([insert] if values else [])]


def _place(database: Database, table: str) -> str:
    return f"{quoted(database.name)}.main.{table}"


def has_true_catalogue(database: Database) -> bool:
    """Whether the table ``measures``, which says how values are averaged, has the rows of the catalogue."""
    return sorted(database.rows(_listed(database))) == sorted(ddl.catalogue_rows(database.catalog.measures))


def _listed(database: Database) -> str:
    return f"select {', '.join(map(quoted, database.catalog['measures'].columns))} from {_place(database, 'measures')}"


def give_catalogue(database: Database) -> None:
    """Have this connection ask a table ``measures`` of its own, and not that of the file."""
    database.make("measures", f"{_listed(database)} limit 0")
    database.insert_text("temp.measures", ddl.catalogue_rows(database.catalog.measures))


def add_temporary_relations(database: Database, relations: Sequence[Relation]) -> None:
    """Add those that are not there yet for this connection only, also to the views that cover all measures."""
    held = {relation.name: relation.text for relation in database.catalog.relations.values()}
    relations = [relation for relation in relations if held.get(relation.name) != relation.text]
    if not relations:
        return
    catalog = database.catalog.extended(relations)
    catalog.build_order([relation.name for relation in relations])
    check_bodies(catalog, relations)
    database.catalog = catalog.for_connection(relation.name for relation in relations)
    own = [relation for relation in relations if relation.is_measure]
    database.execute(f"create temp table if not exists measures as {_listed(database)}")
    database.insert_text("temp.measures", ddl.catalogue_rows(own))
    apply(database, ddl.own_statements(database.catalog, relations, temporary=True))
    check_own(database)


def apply(database: Database, statements: Iterable[tuple[str, str]], progress: Progress = silent) -> None:
    """Run statements that come with the place they are made from; a CatalogError names the place of one that fails."""
    listed = list(statements)
    for done, (place, statement) in enumerate(listed):
        progress(_MAKING, done, len(listed))
        try:
            if len(database.statements(statement)) != 1:  # a body could close its own macro
                raise QueryError("expected one statement")
            database.execute(statement)
        except QueryError as error:
            for relation in database.catalog.own:
                if place == f"{relation.path}:{relation.body_line}":
                    raise fault_in(relation, error) from error
            raise CatalogError(f"{place}: {error}") from error
    progress(_MAKING, len(listed), len(listed))


def upgrade(database: Database, schema_version: int) -> None:
    """Bring the tables from the given version to this one, within the caller's transaction."""
    catalog = database.catalog
    is_first, has_old_ranks, has_old_qrels = schema_version == 1, schema_version < 4, schema_version < 5
    changed = ["qrels"] if has_old_qrels else []
    changed += [*(["retrieved", "judged_ranks"] if has_old_ranks else []), *(["runs"] if is_first else [])]
    for table in changed:
        database.execute(f"alter table {table} rename to old_{table}")
    held = {name for schema, name, kind in file_checks.objects_in(database) if (schema, kind) == ("main", "table")}
    create_tables(database, [table for table in catalog.of_kind("tables") if table.name not in held])
    if has_old_qrels:
        database.insert("qrels", "select *, 'grades' as form from old_qrels" if is_first else "select * from old_qrels")
    if is_first:  # it knew no ties, judgment groups and preferences
        database.insert("runs", "select * from old_runs")
        sets = {"new_qrels": "select qrels_id from qrels"}
        database.insert("judged_documents", database.query("new_judged_documents", sets))
    if has_old_ranks:  # without ties above, and places among judged and among relevant documents
        ranked = {"ranked": "select run_id, topic_id, rank, document_id, score from old_retrieved"}
        database.insert("retrieved", database.query("retrieved_rows", ranked))
        pairs = database.rows("select qrels_id, run_id from evaluations group by all order by min(evaluation_id)")
        rank_judged(database, pairs)
    for table in changed:
        database.execute(f"drop table old_{table}")
