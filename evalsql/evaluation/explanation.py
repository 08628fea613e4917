"""What each document of a ranking contributes to a measure, whatever the measure: lists that are cut are evaluated.

The value of a list down to a document, less that of the list above it, is what the document contributes. So the
contributions add up to the value of the whole list, with that of the empty list before the first. While they are
evaluated, temporary tables replace the tables of rankings: each cut list is a run of its own there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.ddl import creating_statements, objects_of
from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.relations import STEPS, Catalog, Relation
from evalsql.database.database import Database
from evalsql.database.names import resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation, temporary_tables
from evalsql.evaluation.stored_scores import check_rankings
from evalsql.literals import literal, literals
from evalsql.phrases import nearest

if TYPE_CHECKING:
    import duckdb

DEPTH = 100
_THRESHOLD = "threshold"
_VALUES = frozenset({"contribution", "value", "ideal_value", "other_contribution", "difference"})  # of the measure
_OF_ANSWERS = """is of answers; evalsql sql "from answers where topic = 'TOPIC'" has their nuggets"""
# By family of measures what they go by rather than by documents.
OF_NO_DOCUMENTS = {
    "nuggets": _OF_ANSWERS,
    "citations": _OF_ANSWERS,
    "spans": """goes by spans, not by documents; evalsql sql "from span_rankings where topic = 'TOPIC'" has spans""",
    "costs": "is a number that was loaded: no document contributes to it",
}
# By the tables of rankings the relations that give them the cut lists, each a run of its own, in the order of reading.
_CUT = {
    "runs": "cut_runs",
    "retrieved": "cut_rows",
    "run_topics": "listed_topics",
    "evaluations": "cut_evaluations",
    "judged_ranks": "judged_ranks_rows",
}


class ListValue(NamedTuple):
    """What a list is worth by itself, and among all topics and runs of the warehouse; None where that is not known."""

    name: str
    num_ret: int
    value: float | None
    left_out: float | None  # what the documents below the depth that was asked for contribute together
    missing: bool
    in_warehouse: float | None
    threshold: float | None = None  # the score at which the list is cut, where the measure takes that from all topics

    @property
    def differs(self) -> bool:
        """Whether the value in the warehouse differs from this one by more than rounding."""
        return self.value is not None and self.in_warehouse is not None and abs(self.value - self.in_warehouse) > 1e-9


class Explanation(NamedTuple):
    """Rows, and what is to be said of them."""

    measure: Measure
    qrels: str
    form: str
    topic: str
    rows: duckdb.DuckDBPyRelation  # of ``explained_ranking``, of two runs of ``explained_difference``
    run: ListValue
    ideal: ListValue
    other: ListValue | None
    num_equal: int  # documents that contributed the same to both runs
    text: str | None  # of the topic

    @property
    def counts(self) -> frozenset[str]:
        """Columns of whole numbers."""
        return _VALUES if self.measure.is_count else frozenset()

    def __repr__(self) -> str:
        lists = [self.run] if self.other is None else [self.run, self.other]
        worth = ", ".join(f"{one.name} {'not known' if one.value is None else f'{one.value:.4g}'}" for one in lists)
        return f"<explanation of {self.measure.name}, topic {self.topic} ({self.qrels}): {worth}>"


def explain(
    evaluation: Evaluation, run: str, topic: str, *, measure: str, other: str | None, qrels: str | None, depth: int
) -> Explanation:
    """See ``Warehouse.explain``."""
    database = evaluation.database
    named = parse_measures([measure], database.catalog)
    if len(named) != 1:
        raise UsageError(f'"{measure}" stands for {len(named)} measures; one is explained at a time')
    if reason := OF_NO_DOCUMENTS.get(named[0].relation.family):
        raise UsageError(f"{named[0].name} {reason}")
    if depth < 1:
        raise UsageError(f"depth is {depth}, but must be at least 1")
    runs = [resolve_one(database, "run", name) for name in ([run] if other is None else [run, other])]
    if len(set(runs)) < len(runs):
        raise UsageError(f'"{run}" is compared with itself; --other names another run')
    check_rankings(database, "an explanation", runs, every=True)
    judged = evaluation.judging_set(runs, qrels)
    held = database.column("select topic from weighted_topics where qrels = ?", [judged])
    if topic not in held:
        raise UsageError(f'{judged} judges no topic "{topic}"; {nearest(topic, held)}')
    ((form,),) = database.rows("select form from qrels where qrels = ?", [judged])
    lists = dict(zip(("run", "other"), runs, strict=False))
    known, thresholds = _in_warehouse(evaluation, named[0], judged, lists, topic)
    with _cut_values(database, named[0], _explained_lists(database, judged, lists, topic, depth), thresholds):
        worth = {name: figures for name, *figures in database.rows(database.query("explained_totals", depth=depth))}
        rows, num_equal = _contributions(evaluation, depth, is_single=other is None)
    values = {
        name: ListValue._make((lists.get(name, name), *figures, known.get(name), thresholds.get(name)))
        for name, figures in worth.items()
    }
    shown = (values["run"], values["ideal"], values.get("other"))
    ((text,),) = database.rows("select any_value(text) from topic_texts where qrels = ? and topic = ?", [judged, topic])
    return Explanation(named[0], judged, form, topic, rows, *shown, num_equal, text)


def first_contributions(database: Database, measure: Measure, depth: int) -> list[tuple[Any, ...]]:
    """Rows of run, topic, rank and what the document there contributes, of the rankings in chosen_lists."""
    # Measures of users may compare runs, and those with a threshold take it from all topics.
    can_be_cut = measure.relation not in database.catalog.own and _THRESHOLD not in measure.relation.columns
    if not can_be_cut or not database.rows("select 1 from chosen_lists limit 1"):  # or only scores are stored
        return []
    tables = {
        "list_facts": "select * from chosen_lists",
        "listed": database.query("listed_documents", depth=depth),
        "cut_lists": database.query("cut_lists", depth=depth),
    }
    with _cut_values(database, measure, tables):
        found = database.query("contributions")
        return database.rows(f"select list, topic, rank, contribution from ({found}) where rank > 0")


def _in_warehouse(
    evaluation: Evaluation, measure: Measure, qrels: str, lists: Mapping[str, str], topic: str
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Values of the lists among all topics and runs; and where the measure takes them from there, thresholds."""
    has_threshold = _THRESHOLD in measure.relation.columns and measure.arguments.get(_THRESHOLD, 0) is None
    rows = evaluation.components_query(measure, qrels=[qrels], runs=[*lists.values()])
    query = f"select run, value, {_THRESHOLD if has_threshold else 'null'} from ({rows}) where topic = ?"
    found = {run: row for run, *row in evaluation.database.rows(query, [topic])}
    values, thresholds = ({name: found[run][at] for name, run in lists.items()} for at in (0, 1))
    return values, {**thresholds, "ideal": thresholds["run"]} if has_threshold else {}


def _explained_lists(database: Database, qrels: str, lists: dict[str, str], topic: str, depth: int) -> dict[str, str]:
    """Tables of the lists, with the ideal one beside them, and of where they are cut."""
    named = f"select unnest([{literals(lists.values())}]) as run"
    chosen = {"chosen_runs": named, "chosen_topics": f"select {literal(topic)} as topic"}
    found = database.query("chosen_lists", chosen, qrels=qrels)
    listed = database.query("listed_documents", depth=None)
    of_ideal = "select * replace ('ideal' as list, false as missing) from chosen_lists where list = 'run'"
    return {
        "chosen_lists": f"select * replace (if(list = {literal(lists['run'])}, 'run', 'other') as list) from ({found})",
        "graded": "select * from judged_documents semi join chosen_lists using (qrels_id, topic_id)",
        "first_calls": database.query("first_calls"),
        "list_facts": f"from chosen_lists union all {of_ideal}",
        "listed": f"{listed}\nunion all by name\nselect * from ({database.query('ideal_list', {'listed': listed})})",
        "cut_lists": database.query("cut_lists", depth=depth),
    }


def _contributions(evaluation: Evaluation, depth: int, *, is_single: bool) -> tuple[duckdb.DuckDBPyRelation, int]:
    """The rows of an explanation, and how many documents contributed the same to both runs."""
    database = evaluation.database
    name = "explained_ranking" if is_single else "explained_difference"
    explained = database.query(name, {"contributions": database.query("contributions")}, depth=depth)
    if database.rows("select 1 from first_calls limit 1"):
        explained = database.query("explained_calls", {"explained": explained})
        explained = f"select * exclude (other_call) from ({explained})" if is_single else explained
    kept = evaluation.keep(explained)
    if is_single:
        return database.sql(f"select * from {kept} order by 1"), 0
    ((num_equal,),) = database.rows(f"select count(*) from {kept} where difference = 0")
    order = "order by abs(difference) desc, least(rank, other_rank), document"
    return database.sql(f"select * from {kept} where difference is distinct from 0 {order}"), num_equal


@contextmanager
def _cut_values(
    database: Database, measure: Measure, tables: Mapping[str, str], thresholds: Mapping[str, float | None] = {}
) -> Iterator[None]:
    """Put the values of the cut lists into a table ``answered``; tables and thresholds are those of the lists."""
    parts = []
    for name, threshold in thresholds.items():
        cut = Measure(measure.relation, {**measure.arguments, _THRESHOLD: threshold})
        kept = f"select run from cut_lists where list = {literal(name)}"
        parts.append(f"select run, topic, value from {cut.call} where run in ({kept})")
    answers = "\nunion all\n".join(parts) or f"select run, topic, value from {measure.call}"
    answered = temporary_tables(database, {"answered": answers})
    with temporary_tables(database, tables), _cut_rankings(database, measure), answered:
        yield


@contextmanager
def _cut_rankings(database: Database, measure: Measure) -> Iterator[None]:
    """Have a measure read temporary tables of rankings, where each cut list is a run."""
    catalog = database.catalog
    steps = [each for each in catalog.build_order([measure.relation.name]) if each.kind in (STEPS, "measures")]
    temporary = catalog.for_connection(step.name for step in steps)
    pairs = "select distinct qrels_id, run_id from evaluations"
    given = {"new_pairs": pairs, "listed_rows": "select * from retrieved"}
    names = literals(_CUT)
    shown = f"select view_name, sql from system.main.duckdb_views() where temporary and view_name in ({names})"
    views = database.rows(shown)  # of calls in the place of runs
    try:
        database.execute_all([f"drop view temp.{name}" for name, _ in views])
        for table, rows in _CUT.items():
            made = catalog[table].body.replace("create table", "create or replace temp table", 1)
            query = database.query(rows, {name: given[name] for name in catalog[rows].header.inputs if name in given})
            database.execute(made)
            database.insert(f"temp.{table}", query)
        database.execute_all(_creating(temporary, steps))
        yield
    finally:
        objects = [(kind, step.name) for step in reversed(steps) for kind in reversed(objects_of(step))]
        objects += [("table", table) for table in _CUT]
        dropping = [f"drop {kind} if exists temp.{name}" for kind, name in objects]
        # A user's own relations of this connection are back as they were.
        own = [step for step in steps if step.name in catalog.temporary]
        database.execute_all([*dropping, *(sql for _, sql in views), *_creating(catalog, own)])


def _creating(catalog: Catalog, steps: Sequence[Relation]) -> list[str]:
    return [sql for step in steps for _, sql in creating_statements(catalog, step, temporary=True)]
