"""The copy of a warehouse that a site carries: what the pages show and nothing else, with every measure as a macro."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Sequence
from contextlib import closing
from math import isclose
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import default_measure, literal, quoted
from evalsql.catalog.relations import Catalog
from evalsql.database.database import Database
from evalsql.report.site.site_data import SetResults
from evalsql.warehouse.archive import MADE_TABLES, insert_rows, make_added, stored_columns
from evalsql.warehouse.open import Reach, open_database

NAME = "warehouse.duckdb"
DEPTH = 50  # documents of each ranking that a copy holds at least
MOST_WHOLE = 100_000_000  # bytes up to which the file is packed and read as a whole; a larger one is read in ranges


class Copy(NamedTuple):
    """``file`` in the site, and what is said of it.

    ``depth`` is how many documents of each ranking it holds at least, None for all of them. ``partial`` names the
    relations that read whole rankings and so may give other figures there; ``exact`` are calls of those measures among
    them whose values at the defaults are the same nevertheless.
    """

    file: str
    size: int
    is_packed: bool
    depth: int | None
    partial: frozenset[str]
    exact: frozenset[str]


def write_copy(database: Database, found: Sequence[SetResults], folder: Path, depth: int | None) -> Copy:
    """Write the copy of what these results show into the folder of a site.

    Args:
        depth: documents of each ranking to hold at least; None is all.
    """
    path, rows = folder / NAME, folder / "rows"
    rows.mkdir()
    # Rows travel by files, since the database may be a server's, or open for reading only.
    for table, query in _selected(database, found, depth).items():
        file = literal(str(rows / f"{table}.parquet"))
        database.execute(f"copy ({query}) to {file} (format parquet, compression lz4)")
    with closing(open_database(str(path), reach=Reach(folders=[str(rows)]))) as copy:
        copy.execute("set threads = 1")  # so that the same rows make the same file
        with copy.transaction():
            for relation in copy.catalog.of_kind("tables"):
                if relation.name not in MADE_TABLES:
                    copy.execute(f"delete from main.{quoted(relation.name)}")
                    insert_rows(copy, relation, rows / f"{relation.name}.parquet")
            make_added(copy)  # a user's own measures beside those of the package
        copy.execute("reset threads")
        is_cut = bool(depth) and _is_cut(database, copy)
        partial = _reading_rankings(copy.catalog) if is_cut else frozenset()
        exact = frozenset(filter(None, (_if_exact(database, copy, found, name) for name in sorted(partial))))
        copy.execute("checkpoint")
    shutil.rmtree(rows)
    if is_packed := path.stat().st_size <= MOST_WHOLE:
        content = gzip.compress(path.read_bytes(), compresslevel=6, mtime=0)  # the same bytes from the same file
        path.unlink()
        path = folder / f"{NAME}.gz"
        path.write_bytes(content)
    return Copy(path.name, path.stat().st_size, is_packed, depth if is_cut else None, partial, exact)


def _selected(database: Database, found: Sequence[SetResults], depth: int | None) -> dict[str, str]:
    """By base table the SELECT of the rows that the copy holds."""
    runs = ", ".join(sorted({literal(run) for results in found for run in results.report.runs}))
    sets = ", ".join(sorted({literal(results.qrels) for results in found}))
    of_runs = f"run_id in (select run_id from main.runs where run in ({runs}))"
    of_sets = f"qrels_id in (select qrels_id from main.qrels where qrels in ({sets}))"
    of_both = f"{of_runs} and {of_sets}"
    by_topic = ("assessments", "judged_documents", "topic_weights", "topic_meta")
    conditions = {
        **dict.fromkeys(("runs", "run_topics"), of_runs),
        **dict.fromkeys(("evaluations", "stored_scores"), of_both),
        **dict.fromkeys(("qrels", "preferences", *by_topic), of_sets),
        "judged_ranks": f"evaluation_id in (select evaluation_id from main.evaluations where {of_both})",
        "files": (
            f"(kind = 'run' and id in (select run_id from main.runs where {of_runs})) "
            f"or (kind <> 'run' and id in (select qrels_id from main.qrels where {of_sets}))"
        ),
        **dict.fromkeys(("added_relations", "warehouse"), "true"),
    }
    columns = {each.name: ", ".join(map(quoted, stored_columns(each))) for each in database.catalog.of_kind("tables")}
    chosen = {
        table: f"select {columns[table]} from main.{quoted(table)} where {condition}"
        for table, condition in conditions.items()
    }
    rankings = f"select {columns['retrieved']} from main.retrieved"
    if depth:
        depths = relation_query(database.catalog, "published_depths", depth=depth)
        rankings += (
            f" join ({depths}) as published using (run_id, topic_id) where rank <= published.depth and {of_runs}"
        )
        cut = f"run_id in (select run_id from main.run_topics where num_ret > {depth:d})"
        held = f"case when {cut} then least(coalesce(depth, {depth:d}), {depth:d}) else depth end as depth"
        chosen["runs"] = f"select * replace ({held}) from ({chosen['runs']})"
    else:
        rankings += f" where {of_runs}"
    chosen["retrieved"] = f"{rankings} order by run_id, topic_id, rank"
    for table, key, holders in (
        ("documents", "document_id", ("retrieved", "assessments", "judged_documents", "preferences", "judged_ranks")),
        ("topics", "topic_id", ("run_topics", "evaluations", *by_topic)),
    ):
        held = " union ".join(f"select {key} from ({chosen[holder]})" for holder in holders)
        chosen[table] = f"select * from main.{table} where {key} in ({held}) order by {key}"
    return chosen


def _is_cut(database: Database, copy: Database) -> bool:
    """Whether a ranking of the copy has fewer documents than that of the warehouse."""
    query = """
        select 1 from run_topics
        left join (select run_id, topic_id, count(*) as num_held from retrieved group by all) as held
            using (run_id, topic_id)
        where coalesce(num_held, 0) < num_ret limit 1
    """
    return bool(copy.rows(query) and database.rows("select 1 from retrieved limit 1"))


def _reading_rankings(catalog: Catalog) -> frozenset[str]:
    """Relations that read the table of whole rankings, by whatever detour."""
    found: set[str] = set()
    for relation in catalog.build_order():
        if "retrieved" in relation.reads or found & (relation.reads | set(relation.header.ties.values())):
            found.add(relation.name)
    return frozenset(found)


def _if_exact(database: Database, copy: Database, found: Sequence[SetResults], name: str) -> str:
    """The call of a measure at its defaults, if its values are the same in the copy; else nothing."""
    relation = copy.catalog[name]
    if not relation.is_measure or name not in database.catalog.relations:
        return ""
    sets = ", ".join(literal(results.qrels) for results in found)
    runs = ", ".join(literal(run) for results in found for run in results.report.runs)
    asked = f"select qrels, run, topic, value from {name}() where qrels in ({sets}) and run in ({runs}) order by all"
    theirs, ours = database.rows(asked), copy.rows(asked)
    same = len(theirs) == len(ours) and all(
        one[:3] == other[:3] and isclose(one[3], other[3], rel_tol=0, abs_tol=1e-12)
        for one, other in zip(theirs, ours, strict=True)
    )
    at = relation.header.at
    cutoff = default_measure(relation).arguments.get(at)
    return "" if not same else f"{name}({at} := {cutoff})" if cutoff is not None else f"{name}()"
