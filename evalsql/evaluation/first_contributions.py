"""What the first documents of many rankings contribute to a measure: rankings cut after each of them are evaluated.

As in ``explanation``, the cut rankings are runs of a warehouse in memory; here it holds a few documents of many
rankings, not all of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.names import Measure
from evalsql.evaluation.explanation import THRESHOLD, copy_rows

if TYPE_CHECKING:
    from evalsql.database.database import Database

_LISTS = "temp.page_chosen_lists"
_TYPES = {
    "chosen_lists": "evaluation_id integer, qrels_id integer, run_id integer, topic_id integer, run varchar, "
    "topic varchar",
    "retrieved": "run_id integer, topic_id integer, rank integer, tied_above integer, document_id integer, "
    "score double",
    "judged_ranks": "evaluation_id integer, rank integer, tied_above integer, tied_below integer, "
    "judged_rank integer, relevant_rank integer, grade integer, document_id integer",
    "run_topics": "run_id integer, topic_id integer, num_ret integer",
}


def can_be_cut(database: Database, measure: Measure) -> bool:
    """Measures of users may compare runs, and those with a threshold take it from all topics."""
    return measure.relation not in database.catalog.own and THRESHOLD not in measure.relation.columns


def contributions(database: Database, sandbox: Database, measure: Measure, depth: int) -> list[tuple[Any, ...]]:
    """Rows of run, topic, rank and what the document there contributes.

    Args:
        database: holds the rankings that are looked at in the temporary table page_chosen_lists.
        sandbox: an empty warehouse in memory that knows the measure.
    """
    if not database.rows(f"select 1 from {_LISTS} limit 1"):
        return []  # where only scores are stored, no rankings are here
    _copy_lists(database, sandbox, depth)
    _copy_judgments(database, sandbox)
    whole = {name: f"select * from temp.whole_{name}" for name in _TYPES}
    keys = relation_query(sandbox.catalog, "prefix_keys", {"chosen_lists": whole["chosen_lists"]}, depth=depth)
    sandbox.execute(f"create temp table prefix_keys as {keys}")
    inputs = {"prefix_keys": "select * from temp.prefix_keys"}
    sandbox.insert("evaluations", "select evaluation_id, qrels_id, run_id, topic_id from temp.prefix_keys")
    for table in ("retrieved", "judged_ranks", "run_topics"):
        sandbox.insert(table, relation_query(sandbox.catalog, f"prefix_{table}", inputs | {table: whole[table]}))
    _name_runs(database, sandbox)
    sandbox.execute(f"create temp table prefix_values as select run, topic, value from {measure.call}")
    inputs["prefix_values"] = "select * from temp.prefix_values"
    return sandbox.rows(relation_query(sandbox.catalog, "prefix_contributions", inputs))


def _copy_lists(database: Database, sandbox: Database, depth: int) -> None:
    """The first documents of the rankings as they are, and those among them that are judged."""
    queries: Mapping[str, str] = {
        "chosen_lists": f"select * from {_LISTS}",
        "retrieved": f"""
            select run_id, topic_id, rank, tied_above, document_id, score
            from retrieved semi join {_LISTS} using (run_id, topic_id) where rank <= {depth}""",
        "judged_ranks": f"""
            select evaluation_id, rank, tied_above, tied_below, judged_rank, relevant_rank, grade, document_id
            from judged_ranks semi join {_LISTS} using (evaluation_id) where rank <= {depth}""",
        "run_topics": f"select * from run_topics semi join {_LISTS} using (run_id, topic_id)",
    }
    for table, query in queries.items():
        sandbox.execute(f"create temp table whole_{table} ({_TYPES[table]})")
        copy_rows(sandbox, f"temp.whole_{table}", database.rows(query))


def _copy_judgments(database: Database, sandbox: Database) -> None:
    lists = f"semi join {_LISTS} using (qrels_id, topic_id)"
    ((form,),) = database.rows(f"select form from qrels semi join {_LISTS} using (qrels_id)")
    tables = ["judged_documents", "topic_weights", *(["assessments", "preferences"] if form != "grades" else [])]
    for table in tables:
        copy_rows(sandbox, table, database.rows(f"select * from {table} {lists}"))
    # Some gains go by the greatest grade of all topics.
    greatest = f"""
        select * from judged_documents semi join {_LISTS} using (qrels_id)
        where topic_id not in (select topic_id from {_LISTS}) order by grade desc limit 1"""
    copy_rows(sandbox, "judged_documents", database.rows(greatest))
    copy_rows(sandbox, "topics", database.rows(f"select * from topics semi join {_LISTS} using (topic_id)"))
    copy_rows(sandbox, "qrels", database.rows(f"select * from qrels semi join {_LISTS} using (qrels_id)"))


def _name_runs(database: Database, sandbox: Database) -> None:
    rules = database.rows(f"select run_id, tie_rule, lower_is_better from runs semi join {_LISTS} using (run_id)")
    sandbox.execute("create temp table tie_rules (run_id integer, tie_rule varchar, lower_is_better boolean)")
    copy_rows(sandbox, "temp.tie_rules", rules)
    sandbox.execute("""
        insert into runs
        select cut.run_id, cut.name, null, 0, tie_rule, lower_is_better, 0, null, null, '', map([], []),
            timestamp '1970-01-01', ''
        from (select distinct run_id, name, whole_run_id from temp.prefix_keys) as cut
        join temp.tie_rules on tie_rules.run_id = cut.whole_run_id
    """)
