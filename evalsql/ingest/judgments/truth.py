"""Judgments made of what else tells which documents are relevant: pairs of topic and document, families of members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest.files.paths import open_sources
from evalsql.ingest.judgments.qrels import QrelsOptions, create_staged
from evalsql.ingest.python_rows import put
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

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
