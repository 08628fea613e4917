"""Judgments that pairs of topic and document, or families of documents, imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputError, Problem, ProblemList
from evalsql.ingest.files.input_files import open_sources
from evalsql.ingest.python_rows import put
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

IMPLYING = ("pairs", "families")
Queries = str | Path | Iterable[str] | None
MOST_PAIRS = 200_000_000
_QUERIES = "family_queries"


def stage_implied(
    database: Database, label: str, rows: str, *, form: str, queries: Queries, with_self: bool
) -> list[str]:
    """Put judgments of grade 1 that pairs or families imply into the table ``staged_qrels_rows``; returns notices.

    Args:
        rows: a SELECT of topic and document, or of member and family.
        form: pairs or families.
        queries: of families the members that are topics: names, or a file of them; by default all.

    Raises:
        InputError: no pair is left, or more than can be held.
    """
    notices: list[str] = []
    is_family = form == "families"
    pairs = rows
    if is_family:
        notices = _stage_queries(database, label, rows, queries)
        _refuse_too_many(database, label, rows)
        inputs = {"members": rows, "queries": f"select query from {_QUERIES}"}
        pairs = relation_query(database.catalog, "family_pairs", inputs)
    judged = relation_query(database.catalog, "pair_judgments", {"pairs": pairs}, with_self=with_self)
    database.execute(f"insert into staged_qrels_rows by name {judged}")
    database.execute(f"drop table if exists {_QUERIES}")
    ((num_pairs, num_topics),) = database.rows("select count(*), count(distinct topic) from staged_qrels_rows")
    if not num_pairs:
        what = "no family has two members that could be relevant to each other" if is_family else "no pairs"
        raise InputError([Problem(label, 0, f"{form}: {what}")])
    if is_family:
        ((num_rows,),) = database.rows(f"select count(*) from ({rows})")
        narrowed = "" if queries else "; --queries, in Python queries=, names those that were searched for"
        notices.append(
            f"families: {counted(num_rows, 'row')} make {counted(num_pairs, 'relevant pair')} of "
            f"{counted(num_topics, 'query', 'queries')}, the query itself left out{narrowed}"
        )
    return notices


def _stage_queries(database: Database, label: str, rows: str, queries: Queries) -> list[str]:
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
    names: list[str] = []
    with open_sources([queries], problems) as sources:
        problems.check()
        for source in sources:
            with source.open() as stream:
                try:
                    lines = [line for line in stream.read().decode("utf-8-sig").split("\n") if line.strip()]
                except UnicodeDecodeError as error:
                    raise InputError([Problem(source.label, 0, "queries: not UTF-8 text")]) from error
            if lines and lines[0].lstrip().startswith(">"):
                headers = [line.strip()[1:] for line in lines if line.lstrip().startswith(">")]
                names += [header.split()[0] for header in headers if header.split()]
            else:
                names += [line.split()[0] for line in lines if not line.lstrip().startswith("#")]
    if not names:
        raise InputError([Problem(str(queries), 0, "queries: holds no name")])
    return names
