"""Runs and judgments that are already in memory: pandas, polars, Arrow, DuckDB relations and nested dicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalsql.errors import InputError, Problem, QueryError, UsageError
from evalsql.ingest import keys, preferences, qrels, ranking
from evalsql.ingest.keys import Refused, loading_sql
from evalsql.ingest.lines import Notes
from evalsql.ingest.qrels import QrelsOptions
from evalsql.ingest.runs import NewRun, RunOptions

if TYPE_CHECKING:
    from evalsql.warehouse import Warehouse

# Column names by meaning, the first one found being taken: keys before words, for a
# frame may hold the text of queries and documents as well.
COLUMNS: Mapping[str, Sequence[str]] = {
    "topic": ("qid", "q_id", "query_id", "topic_id", "topic", "query"),
    "document": ("docno", "doc_id", "docid", "document_id", "corpus_id", "document", "doc"),
    "score": ("score",),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "rel", "label", "score"),
    "iteration": ("iteration", "iter", "subtopic"),
    "group": ("judgment_group", "group", "user", "iteration", "iter"),
    "subgroup": ("subgroup",),
    "level": ("level", "grade", "relevance", "rel", "label", "score"),
}
_TEXT_TYPES = ("VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_VIEW = "incoming_frame"
_MEMORY = "in memory"


def load_run_data(warehouse: Warehouse, name: str, data: Any, options: RunOptions, qrels_ids: Collection[int]) -> None:
    """Load one run of rows in memory within the caller's transaction, and evaluate it with judgment sets.

    ``data`` is {topic: {document: score}}, or a frame with columns for topic, document and score, and rank under
    that tie rule.

    Raises:
        InputError: rows with nulls, scores that are not finite, repeated documents; lines count rows from 1.
        UsageError: columns missing or of a type that does not name things.
    """
    warehouse.execute(ranking.STAGED)
    columns = _register(warehouse, data, ("topic", "document", "score"))
    rank = "null"
    if options.tie_rule == "rank":
        if "rank" not in columns:
            raise UsageError(f"{name}: the tie rule goes by rank, and there is no column rank")
        rank = columns["rank"]
    _refuse_unlike(warehouse, name, columns["score"], "score")
    if options.tie_rule == "rank":
        _refuse_unlike(warehouse, name, rank, "rank", whole=True)
    warehouse.execute(f"""
        insert into staged_run_rows
        select
            0, cast({columns["topic"]} as varchar), cast({columns["document"]} as varchar),
            cast({rank} as integer), cast({columns["score"]} as double), false
        from {_VIEW}
    """)
    _unregister(warehouse)
    unusable = "score is null or not isfinite(score)"
    if options.tie_rule == "rank":
        unusable += " or given_rank is null"
    _refuse(warehouse, name, "staged_run_rows", unusable, "score or rank is missing or not finite")
    run = NewRun(name, keys.next_id(warehouse, "runs", "run_id"), [])
    num_rows = _count(warehouse, name, "staged_run_rows")

    repeated = ranking.rank(warehouse, [run], options)
    if repeated and not options.keep_best:
        raise InputError(
            Problem(name, 0, f"document {document} of topic {topic} stands more than once")
            for _, topic, document in sorted(repeated)
        )
    ranking.store(warehouse, [run], options, {name: qrels_ids}, with_repeated=bool(repeated))
    warehouse.execute("drop table staged_run_rows")
    keys.add_file_row(warehouse, ("run", run.run_id, _MEMORY, None, None, num_rows))


def load_qrels_data(warehouse: Warehouse, name: str, data: Any, options: QrelsOptions) -> int:
    """Load judgments in memory within the caller's transaction; returns the qrels_id.

    ``data`` is {topic: {document: grade}}, or a frame with columns for topic, document and grade, and iteration if
    there is one; for preferences with columns for topic, group, document and level, and subgroup if there is one.
    Raises as ``load_run_data``; a grade must be a whole number.
    """
    qrels.create_staged(warehouse, options)
    if options.form == "preferences":
        num_rows, duplicates = _stage_preferences(warehouse, name, data), 0
    else:
        num_rows, duplicates = _stage_grades(warehouse, name, data, options)
    qrels_id = qrels.store(warehouse, name, options, Notes(), duplicates)
    keys.add_file_row(warehouse, ("qrels", qrels_id, _MEMORY, None, None, num_rows))
    return qrels_id


def _stage_grades(warehouse: Warehouse, name: str, data: Any, options: QrelsOptions) -> tuple[int, int]:
    """Stage grades; returns the number of rows there were, and of those left out as repeated."""
    columns = _register(warehouse, data, ("topic", "document", "grade"))
    _refuse_unlike(warehouse, name, columns["grade"], "grade", whole=True)
    iteration = f"coalesce(cast({columns['iteration']} as varchar), '0')" if "iteration" in columns else "'0'"
    warehouse.execute(f"""
        insert into staged_qrels_rows
        select
            cast({columns["topic"]} as varchar), {iteration},
            cast({columns["document"]} as varchar), cast({columns["grade"]} as integer)
        from {_VIEW}
    """)
    _unregister(warehouse)
    _refuse(warehouse, name, "staged_qrels_rows", "grade is null", "grade is missing")
    num_rows = _count(warehouse, name, "staged_qrels_rows")
    staged = {"staged": "select * from staged_qrels_rows"}
    best = loading_sql(warehouse, "best_judgments", staged, in_groups=options.form == "groups")
    repeated = warehouse.rows(f"select topic, document from ({best}) where times > 1 order by topic, document")
    if repeated and not options.keep_best:
        hint = "; form='groups' lets each iteration, a group or subtopic, judge it once"
        more = hint if options.form == "grades" and "iteration" in columns else ""
        raise InputError(
            Problem(name, 0, f"document {document} of topic {topic} is judged more than once{more}")
            for topic, document in repeated
        )
    if repeated:
        warehouse.execute(f"create or replace temp table staged_qrels_rows as select * exclude (times) from ({best})")
    return num_rows, num_rows - _count(warehouse, name, "staged_qrels_rows")


def _stage_preferences(warehouse: Warehouse, name: str, data: Any) -> int:
    """Stage preferences; returns the number of rows."""
    columns = _register(warehouse, data, ("topic", "group", "document", "level"))
    _refuse_unlike(warehouse, name, columns["level"], "level")
    subgroup = f"coalesce(cast({columns['subgroup']} as varchar), '0')" if "subgroup" in columns else "'0'"
    warehouse.execute(f"""
        insert into staged_qrels_rows
        select
            cast({columns["topic"]} as varchar), coalesce(cast({columns["group"]} as varchar), '0'), {subgroup},
            cast({columns["document"]} as varchar), cast({columns["level"]} as double)
        from {_VIEW}
    """)
    _unregister(warehouse)
    unusable = "level is null or not isfinite(level)"
    _refuse(warehouse, name, "staged_qrels_rows", unusable, "level is missing or not finite")
    refused = Refused()
    preferences.check(enumerate(warehouse.rows("from staged_qrels_rows order by rowid"), start=1), name, refused)
    refused.check()
    return _count(warehouse, name, "staged_qrels_rows")


def _register(warehouse: Warehouse, data: Any, needed: Sequence[str]) -> dict[str, str]:
    """Put ``data`` under the name of a view; returns the column for each meaning that has one, quoted."""
    if isinstance(data, Mapping):
        _register_nested(warehouse, data, needed[-1])
    elif type(data).__module__.startswith(("duckdb", "_duckdb")):
        warehouse.register(_VIEW, data.to_arrow_table())
    else:
        table = data
        if type(data).__module__.startswith("pandas"):
            table = data.copy()  # the engine stumbles over frames that are others in reverse
        elif hasattr(data, "read_all"):
            table = data.read_all()  # an Arrow reader gives its rows once, and they are looked at more often
        try:
            warehouse.register(_VIEW, table)
        except (QueryError, TypeError, AttributeError) as error:
            kind = type(data).__name__
            raise UsageError(f"data of type {kind} is neither nested dicts nor a table to read: {error}") from error
    types = {name: kind for name, kind, *_ in warehouse.rows(f"describe {_VIEW}")}
    found = {meaning: next((name for name in names if name in types), None) for meaning, names in COLUMNS.items()}
    for meaning in needed:
        if found[meaning] is None:
            names = ", ".join(COLUMNS[meaning])
            raise UsageError(f"there is no column for the {meaning}: expected one of {names}; found {', '.join(types)}")
    for meaning in ("topic", "document"):
        kind = types[str(found[meaning])]
        if kind not in _TEXT_TYPES and not kind.startswith("ENUM"):
            raise UsageError(f"column {found[meaning]} is of type {kind}; names are text or whole numbers")
    return {meaning: f'"{name}"' for meaning, name in found.items() if name is not None}


def _register_nested(warehouse: Warehouse, data: Mapping[Any, Any], value: str) -> None:
    rows: list[tuple[str, str, float]] = []
    for topic, inner in data.items():
        if not isinstance(inner, Mapping):
            raise UsageError(f"topic {topic}: expected {{document: {value}}}, found {type(inner).__name__}")
        try:
            rows += [(_name(topic), _name(document), float(number)) for document, number in inner.items()]
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"topic {topic}: {error}") from error
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    warehouse.execute(
        f"""
        create or replace temp table {_VIEW} as
        select unnest(?::varchar[]) as topic, unnest(?::varchar[]) as document, unnest(?::double[]) as {value}
        """,
        columns,
    )


def _name(key: object) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int):
        raise TypeError(f"names are text or whole numbers, found {key!r}")
    return str(key)


def _refuse_unlike(warehouse: Warehouse, name: str, column: str, meaning: str, *, whole: bool = False) -> None:
    """Refuse values that are no numbers, or no whole ones; nulls are told later, with their rows."""
    number = f"try_cast({column} as double)"
    unlike = f"{number} is null"
    if whole:
        unlike = (
            f"({unlike} or {number} <> trunc({number}) or isnan({number}) or try_cast({column} as integer) is null)"
        )
    ((count,),) = warehouse.rows(f"select count(*) from {_VIEW} where {column} is not null and {unlike}")
    if count:
        _unregister(warehouse)
        raise InputError([Problem(name, 0, f"{meaning} is not a {'whole ' if whole else ''}number in {count} rows")])


def _unregister(warehouse: Warehouse) -> None:
    kinds = warehouse.rows("select 1 from duckdb_tables() where table_name = ?", [_VIEW])
    if kinds:
        warehouse.execute(f"drop table {_VIEW}")
    else:
        warehouse.unregister(_VIEW)


def _refuse(warehouse: Warehouse, name: str, table: str, unusable: str, reason: str) -> None:
    refused = Refused()
    empty = "topic is null or topic = '' or document is null or document = ''"
    # Within a transaction row ids do not start at 0.
    row_number = f"select rowid - (select min(rowid) from {table}) + 1 from {table}"
    for (row,) in warehouse.rows(f"{row_number} where {empty}"):
        refused(Problem(name, row, "topic or document is missing"))
    for (row,) in warehouse.rows(f"{row_number} where {unusable}"):
        refused(Problem(name, row, reason))
    refused.check()


def _count(warehouse: Warehouse, name: str, table: str) -> int:
    ((count,),) = warehouse.rows(f"select count(*) from {table}")
    if not count:
        raise InputError([Problem(name, 0, "holds no rows")])
    return int(count)
