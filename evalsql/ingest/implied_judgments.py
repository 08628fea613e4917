"""Judgments that pairs of topic and document, or families of documents, imply."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputError, Problem, ProblemList
from evalsql.ingest.files.input_files import open_sources
from evalsql.ingest.files.trec_text import text_lines
from evalsql.ingest.python_rows import put
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

IMPLYING = ("pairs", "families")
Queries = str | Path | Iterable[str] | None
MOST_PAIRS = 200_000_000
_QUERIES = "family_queries"


def stage_implied(
    database: Database, label: str, rows: str, form: str, queries: Queries, *, with_self: bool
) -> list[str]:
    """Put judgments of grade 1 that pairs or families imply into the table ``staged_qrels_rows``; returns notices.

    Args:
        rows: a SELECT of topic and document, or of member and family.
        form: pairs or families.
        queries: of families the members that are topics: names, or a file of them; by default all.

    Raises:
        InputError: no pair is left, or more than can be held.
    """
    pairs, notices, is_family = rows, list[str](), form == "families"
    if is_family:
        notices = _stage_queries(database, label, rows, queries)
        inputs = {"members": rows, "queries": f"select query from {_QUERIES}"}
        pairs = relation_query(database.catalog, "family_pairs", inputs)
    judged = relation_query(database.catalog, "pair_judgments", {"pairs": pairs}, with_self=with_self)
    database.execute(f"insert into staged_qrels_rows by name {judged}; drop table if exists {_QUERIES}")
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
    """Put the members that are topics into a table, by default all; returns notices.

    Raises:
        InputError: none of them is a member, or they have more relevant documents than can be held.
    """
    notices = []
    if queries is None:
        database.execute(f"create or replace temp table {_QUERIES} as select distinct member as query from ({rows})")
    else:
        names = list(dict.fromkeys(_query_names(queries)))
        put(database, _QUERIES, {"query": names})
        absent = f"from {_QUERIES} where query not in (select member from ({rows}))"
        ((num_absent, first),) = database.rows(f"select count(*), min(query) {absent}")
        if num_absent == len(names):
            reason = f"families: none of {counted(num_absent, 'query name')} is a member"
            raise InputError([Problem(label, 0, reason)])
        if num_absent:
            told = f"{num_absent:,} of {len(names):,} queries are in no family and are no topics, such as {first}"
            notices.append(told)
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
    return notices


def _query_names(queries: str | Path | Iterable[str]) -> list[str]:
    """Names of queries: given as such, the first words of lines, or those of a FASTA file behind >."""
    if not isinstance(queries, str | Path):
        return [str(name) for name in queries]
    problems = ProblemList()
    words: list[str] = []
    with open_sources([queries], problems) as sources:
        for source in sources:
            lines = [line for _, line in text_lines(source, problems.add, blank=False)]
            if lines and lines[0].startswith(">"):
                words += [line[1:].strip() for line in lines if line.startswith(">")]
            else:
                words += [line for line in lines if not line.startswith("#")]
    problems.check()
    names = [line.split()[0] for line in words if line]
    if not names:
        raise InputError([Problem(str(queries), 0, "queries: holds no name")])
    return names
