"""What judgments are made of: files, folders, rows in memory, and pairs or families, which imply judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError
from evalsql.ingest.files.input_files import judgments_of, open_one_source, open_sources, stem
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.frames import registered
from evalsql.ingest.judgments import (
    IMPLIED,
    JudgmentOptions,
    StagedJudgments,
    create_staged,
    stage_data,
    stage_file,
    stage_table,
)
from evalsql.ingest.python_rows import put
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

MOST_PAIRS = 200_000_000
_QUERIES = "family_queries"
_ROWS = "implying_rows"


@contextmanager
def staged_judgments(
    database: Database, source: Any, name: str | None, options: JudgmentOptions
) -> Iterator[StagedJudgments]:
    """Stage judgments before any transaction; arguments and errors are those of ``Loader.load_qrels``."""
    if isinstance(source, str | Path):
        with _of_file(database, source, name, options) as staged:
            yield staged
    elif name is None:
        raise UsageError("judgments in memory need a name")
    else:
        staged = _of_data(database, name, source, options)
        staged.name = name
        yield staged


@contextmanager
def _of_file(
    database: Database, source: str | Path, name: str | None, options: JudgmentOptions
) -> Iterator[StagedJudgments]:
    """Judgments of a file, or of the file that a folder stands for; temporary copies last as long as the context."""
    is_folder = str(source) != "-" and Path(source).is_dir()
    path = judgments_of(Path(source), options.form) if is_folder else source
    problems = ProblemList()
    with (
        open_one_source(path, "judgments", options.form, options.columns) as file,
        Tables(database, options.form, options.columns, problems) as tables,
    ):
        tables.read([file])
        problems.check()
        table = tables.by_label.get(file.label)
        if options.form in IMPLIED:
            if table is None:
                raise QueryError(f"{file.label}: {options.form} were not recognised")
            staged = _stage_implied(database, file.label, table.query, options)
            staged.source = file
        else:
            staged = stage_table(database, table, options) if table else stage_file(database, file, options)
        staged.name = name if name is not None else Path(source).resolve().name if is_folder else stem(file.label)
        staged.notices.insert(0, tables.describe_formats([file]) + (f", {path}" if is_folder else ""))
        yield staged


def _of_data(database: Database, name: str, data: Any, options: JudgmentOptions) -> StagedJudgments:
    """Judgments in memory; pairs and families come as rows, frames, or {topic: [document, ...]}."""
    if options.form not in IMPLIED:
        return stage_data(database, name, data, options)
    with registered(database, data, options.form, options.columns) as (view, found):
        listed = ", ".join(f'cast({column} as varchar) as "{meaning}"' for meaning, column in found.items())
        database.execute(f"create or replace temp table {_ROWS} as select {listed} from {view}")
    missing = " or ".join(f"{meaning} is null or {meaning} = ''" for meaning in found)
    ((count,),) = database.rows(f"select count(*) from {_ROWS} where {missing}")
    if count:
        reason = f"{options.form}: {' or '.join(found)} is missing in {counted(count, 'row')}"
        raise InputError([Problem(name, 0, reason)])
    staged = _stage_implied(database, name, f"select * from {_ROWS}", options)
    database.execute(f"drop table {_ROWS}")
    return staged


def _stage_implied(database: Database, label: str, rows: str, options: JudgmentOptions) -> StagedJudgments:
    """Stage judgments of grade 1 that pairs or families imply.

    Args:
        rows: a SELECT of topic and document, or of member and family.

    Raises:
        InputError: no pair is left, or more than can be held.
    """
    ((num_rows,),) = database.rows(f"select count(*) from ({rows})")
    notices: list[str] = []
    form = options.form
    if form == "families":
        notices = _stage_queries(database, label, rows, options.queries)
        inputs = {"members": rows, "queries": f"select query from {_QUERIES}"}
        _refuse_too_many(database, label, rows)
        rows = relation_query(database.catalog, "family_pairs", inputs)
    judged = relation_query(database.catalog, "pair_judgments", {"pairs": rows}, with_self=options.with_self)
    create_staged(database, options)
    database.execute(f"insert into staged_qrels_rows select topic, iteration, document, grade from ({judged})")
    database.execute(f"drop table if exists {_QUERIES}")
    ((num_pairs, num_topics),) = database.rows("select count(*), count(distinct topic) from staged_qrels_rows")
    if not num_pairs:
        what = "no family has two members that could be relevant to each other" if form == "families" else "no pairs"
        raise InputError([Problem(label, 0, f"{form}: {what}")])
    if form == "families":
        narrowed = "" if options.queries else "; --queries, in Python queries=, names those that were searched for"
        notices.append(
            f"families: {counted(num_rows, 'row')} make {counted(num_pairs, 'relevant pair')} of "
            f"{counted(num_topics, 'query', 'queries')}, the query itself left out{narrowed}"
        )
    return StagedJudgments(None, num_rows, notices=notices)


def _stage_queries(database: Database, label: str, rows: str, queries: str | Path | Iterable[str] | None) -> list[str]:
    """Put the members that are topics into a table, by default all; returns notices."""
    if queries is None:
        database.execute(f"create or replace temp table {_QUERIES} as select distinct member as query from ({rows})")
        return []
    names = list(dict.fromkeys(_query_names(queries)))
    put(database, _QUERIES, {"query": names})
    ((absent, first),) = database.rows(
        f"select count(*), min(query) from {_QUERIES} where query not in (select member from ({rows}))"
    )
    if absent == len(names):
        raise InputError([Problem(label, 0, f"families: none of {counted(absent, 'query name')} is a member")])
    if absent:
        return [f"{absent:,} of {len(names):,} queries are in no family and are no topics, such as {first}"]
    return []


def _refuse_too_many(database: Database, label: str, rows: str) -> None:
    ((num_pairs,),) = database.rows(f"""
        select coalesce(sum(asked * members), 0) from (
            select family, count(*) as members, count(*) filter (member in (select query from {_QUERIES})) as asked
            from ({rows}) group by family
        )
    """)
    if num_pairs > MOST_PAIRS:
        reason = (
            f"families: they make {num_pairs:,} relevant pairs, more than {MOST_PAIRS:,}; --queries names the members "
            "that are searched for"
        )
        raise InputError([Problem(label, 0, reason)])


def _query_names(queries: str | Path | Iterable[str]) -> Sequence[str]:
    """Names of queries: given as such, the first words of lines, or those of a FASTA file behind >."""
    if not isinstance(queries, str | Path):
        return [str(name) for name in queries]
    problems = ProblemList()
    with open_sources([queries], problems) as sources:
        problems.check()
        names: list[str] = []
        for source in sources:
            with source.open() as stream:
                try:
                    lines = [line.decode("utf-8-sig").strip() for line in stream]
                except UnicodeDecodeError as error:
                    raise InputError([Problem(source.label, 0, "queries: not UTF-8 text")]) from error
            is_fasta = next((line.startswith(">") for line in lines if line), False)
            for line in lines:
                if is_fasta and line.startswith(">") and line[1:].split():
                    names.append(line[1:].split()[0])
                elif not is_fasta and line and not line.startswith("#"):
                    names.append(line.split()[0])
        if not names:
            raise InputError([Problem(str(queries), 0, "queries: holds no name")])
        return names
