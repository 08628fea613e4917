"""What judgments are made of: files, folders, rows in memory, and pairs or families, which imply judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputError, Problem, QueryError, UsageError
from evalsql.ingest.column_meanings import Given
from evalsql.ingest.files.input_files import judgments_of, open_sources, stem, warn_of_skipped
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.judgments import (
    FORMS,
    QrelsOptions,
    StagedQrelsFile,
    create_staged,
    load_qrels_data,
    stage_qrels_file,
    stage_qrels_table,
    store_qrels_file,
    store_staged_data,
)
from evalsql.ingest.python_rows import put
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database


# Makes judgments of the rows of pairs or families that a SELECT gives; the text before it names them in messages.
# Returns the number of rows, and notices.
MakeJudgments = Callable[[str, str], tuple[int, list[str]]]


@dataclass(frozen=True)
class StagedJudgments:
    """A judgment set to be: its name, the function that stores it and returns its key, and notices for the user."""

    name: str
    store: Callable[[], int]
    notices: list[str]


@contextmanager
def staged_judgments(
    database: Database,
    source: Any,
    name: str | None,
    *,
    form: str,
    keep_best: bool,
    meta: Mapping[str, str],
    columns: Given,
    queries: Queries,
    with_self: bool,
) -> Iterator[StagedJudgments]:
    """Read judgments of any kind; arguments and errors are those of ``Loader.load_qrels``."""
    if form not in (*FORMS, *TRUTHS):
        raise UsageError(f"form {form} is unknown; there are: {', '.join((*FORMS, *TRUTHS))}")
    if queries is not None and form != "families":
        raise UsageError("queries are named for judgments made of families, --form families")
    options = QrelsOptions("grades" if form in TRUTHS else form, keep_best, meta)

    def make(label: str, rows: str) -> tuple[int, list[str]]:
        return stage_truth(database, label, form, rows, options, queries, with_self=with_self)

    if isinstance(source, str | Path):
        with _of_file(database, source, name, form, columns, options, make) as staged:
            yield staged
    elif name is None:
        raise UsageError("judgments in memory need a name")
    else:
        yield _of_data(database, source, name, form, columns, options, make)


def _of_data(
    database: Database, data: Any, name: str, form: str, columns: Given, options: QrelsOptions, make: MakeJudgments
) -> StagedJudgments:
    """Judgments in memory; only those that are made of pairs or families are staged before the transaction."""
    if form not in TRUTHS:
        return StagedJudgments(name, lambda: load_qrels_data(database, name, data, options, columns), [])
    num_rows, notices = make(name, staged_data(database, name, form, data, columns))
    database.execute("drop table truth_rows")
    return StagedJudgments(name, lambda: store_staged_data(database, name, options, num_rows), notices)


@contextmanager
def _of_file(
    database: Database,
    source: str | Path,
    name: str | None,
    form: str,
    columns: Given,
    options: QrelsOptions,
    make: MakeJudgments,
) -> Iterator[StagedJudgments]:
    """Judgments of a file, or of the file that a folder stands for; temporary copies last as long as the context."""
    path, own = _file(source, form)
    with open_sources([path], form) as opened, Tables(database, form, columns) as tables:
        if opened.problems:
            raise InputError(opened.problems)
        if len(opened.sources) != 1:
            raise UsageError(f"{source} stands for {len(opened.sources)} files; judgments are loaded from one")
        warn_of_skipped(opened.skipped)
        (file,) = opened.sources
        chosen = name if name is not None else own or stem(file.label)
        tables.read([file])
        tables.problems.check()
        notices = [tables.recognised([file]) + (f", {path}" if own else "")]
        table = tables.by_label.get(file.label)
        if form in TRUTHS:
            if table is None:
                raise QueryError(f"{file.label}: {form} were not recognised")
            num_rows, told = make(file.label, table.query)
            staged = StagedQrelsFile(file, num_rows)
            notices += told
        elif table:
            staged = stage_qrels_table(database, table, options)
        else:
            staged = stage_qrels_file(database, file, options)
        yield StagedJudgments(chosen, lambda: store_qrels_file(database, chosen, staged, options), notices)


def _file(source: str | Path, form: str) -> tuple[str | Path, str]:
    """The file that a folder stands for, and the folder's name; itself and no name otherwise."""
    if str(source) != "-" and Path(source).is_dir():
        return judgments_of(Path(source), form), Path(source).resolve().name
    return source, ""


TRUTHS = ("pairs", "families")
MOST_PAIRS = 200_000_000
Queries = str | Path | Iterable[str] | None
_QUERIES = "truth_queries"


def stage_truth(
    database: Database, label: str, form: str, rows: str, options: QrelsOptions, queries: Queries, *, with_self: bool
) -> tuple[int, list[str]]:
    """Put judgments of grade 1 into the staged rows; returns how many rows there were, and what there is to say.

    Args:
        rows: a SELECT of topic and document, or of member and family.
        queries: those members of families that are topics: a file of their names or FASTA, or the names; by default
            all that have another member.
        with_self: whether a pair of a topic and itself counts.

    Raises:
        InputError: no pair is left, or more than can be held.
    """
    if form == "pairs" and queries is not None:
        raise UsageError("queries are named for families; of pairs the first column has them")
    ((num_rows,),) = database.rows(f"select count(*) from ({rows})")
    told: list[str] = []
    if form == "families":
        told = _check_families(database, label, rows, queries)
        inputs = {"members": rows, "queries": f"select query from {_QUERIES}"}
        rows = relation_query(database.catalog, "family_pairs", inputs)
    judged = relation_query(database.catalog, "pair_judgments", {"pairs": rows}, with_self=with_self)
    create_staged(database, options)
    database.execute(f"insert into staged_qrels_rows select topic, iteration, document, grade from ({judged})")
    database.execute(f"drop table if exists {_QUERIES}")
    ((num_pairs, num_topics),) = database.rows("select count(*), count(distinct topic) from staged_qrels_rows")
    if not num_pairs:
        what = "no family has two members that could be relevant to each other" if form == "families" else "no pairs"
        raise InputError([Problem(label, 0, f"{form}: {what}")])
    if form == "families":
        narrowed = "" if queries else "; --queries, in Python queries=, names those that were searched for"
        told.append(
            f"families: {counted(num_rows, 'row')} make {counted(num_pairs, 'relevant pair')} of "
            f"{counted(num_topics, 'query', 'queries')}, the query itself left out{narrowed}"
        )
    return num_rows, told


def _check_families(database: Database, label: str, rows: str, queries: Queries) -> list[str]:
    """Have the queries in a table; refuse families that make too many pairs."""
    told: list[str] = []
    if queries is None:
        database.execute(f"create or replace temp table {_QUERIES} as select distinct member as query from ({rows})")
    else:
        names = list(dict.fromkeys(_names(queries)))
        put(database, _QUERIES, {"query": names})
        ((absent, first),) = database.rows(
            f"select count(*), min(query) from {_QUERIES} where query not in (select member from ({rows}))"
        )
        if absent == len(names):
            raise InputError([Problem(label, 0, f"families: none of {counted(absent, 'query name')} is a member")])
        if absent:
            told.append(f"{absent:,} of {len(names):,} queries are in no family and are no topics, such as {first}")
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
    return told


def _names(queries: str | Path | Iterable[str]) -> Sequence[str]:
    """Names of queries: given as such, the first words of lines, or those of a FASTA file behind >."""
    if not isinstance(queries, str | Path):
        return [str(name) for name in queries]
    with open_sources([queries]) as opened:
        if opened.problems:
            raise InputError(opened.problems)
        names: list[str] = []
        for source in opened.sources:
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


def staged_data(database: Database, name: str, form: str, data: Any, columns: Any) -> str:
    """A SELECT of pairs or families in memory, in a temporary table: rows, frames, {topic: [document, ...]}."""
    from evalsql.ingest.frames import registered

    with registered(database, data, form, columns) as (view, found):
        listed = ", ".join(f'cast({column} as varchar) as "{meaning}"' for meaning, column in found.items())
        database.execute(f"create or replace temp table truth_rows as select {listed} from {view}")
    missing = " or ".join(f"{meaning} is null or {meaning} = ''" for meaning in found)
    ((count,),) = database.rows(f"select count(*) from truth_rows where {missing}")
    if count:
        raise InputError([Problem(name, 0, f"{form}: {' or '.join(found)} is missing in {counted(count, 'row')}")])
    return "select * from truth_rows"
