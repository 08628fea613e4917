"""What each document of a ranking contributes to a measure, whatever the measure: lists that are cut are evaluated.

The value of a list down to a document, less that of the list above it, is what the document contributes. So the
contributions add up to the value of the whole list, with that of the empty list before the first. While they are
evaluated, temporary tables replace the tables of rankings: each cut list is a run of its own there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.ddl import creating_statements, relation_query
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.catalog.relations import STEPS, WITHOUT_VIEW, Catalog, Relation
from evalsql.database.database import Database
from evalsql.database.names import resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation, temporary_tables
from evalsql.evaluation.stored_scores import require_rankings
from evalsql.phrases import nearest

if TYPE_CHECKING:
    import duckdb

DEPTH = 100
_THRESHOLD = "threshold"
_LISTS = "temp.page_chosen_lists"
_CUT_ROWS = "evalsql_cut_rows"
# What the table of runs says of where a run comes from, of a list that comes from none.
_ORIGIN = """
    0 as num_tags, 0 as duplicates, '' as comments, map([], []) as meta, timestamp '1970-01-01' as loaded_at,
    '' as evalsql_version
"""


class ListValue(NamedTuple):
    """What a list is worth by itself, and among all topics and runs of the warehouse; None where that is not known.

    ``left_out`` is what the documents below the depth that was asked for contribute together; ``threshold`` the score
    at which the list is cut, where the measure takes that from all topics.
    """

    name: str
    num_ret: int
    value: float | None
    left_out: float | None
    in_warehouse: float | None
    differs: bool
    missing: bool
    threshold: float | None = None


class Explanation(NamedTuple):
    """Rows, and what is to be said of them.

    ``rows`` are one for each rank: ``rank, document, score, grade, contribution, value, ideal_document, ideal_grade,
    ideal_value``, rank 0 standing for the empty list where its value is not 0. Of two runs one for each document that
    made a difference, the largest first: ``document, grade, rank, other_rank, contribution, other_contribution,
    difference``; ``num_equal`` documents made none.
    """

    measure: Measure
    qrels: str
    form: str
    topic: str
    rows: duckdb.DuckDBPyRelation
    run: ListValue
    ideal: ListValue
    other: ListValue | None
    num_equal: int

    def __repr__(self) -> str:
        lists = [self.run] if self.other is None else [self.run, self.other]
        worth = ", ".join(f"{one.name} {'not known' if one.value is None else f'{one.value:.4g}'}" for one in lists)
        return f"<explanation of {self.measure.name}, topic {self.topic} ({self.qrels}): {worth}>"


def explain(
    evaluation: Evaluation,
    run: str,
    topic: str,
    *,
    measure: str,
    other: str | None,
    qrels: str | None,
    depth: int,
) -> Explanation:
    """See ``Warehouse.explain``."""
    database = evaluation.database
    named = parse_measures([measure], database.catalog)
    if len(named) != 1:
        raise UsageError(f'"{measure}" stands for {len(named)} measures; one is explained at a time')
    if depth < 1:
        raise UsageError(f"depth is {depth}, it must be at least 1")
    runs = [resolve_one(database, "run", name) for name in ([run] if other is None else [run, other])]
    if len(set(runs)) < len(runs):
        raise UsageError(f'"{run}" is compared with itself; --other names another run')
    require_rankings(database, "an explanation", runs)
    judged = evaluation.judging_set(runs, qrels)
    held = [name for (name,) in database.rows("select topic from weighted_topics where qrels = ?", [judged])]
    if topic not in held:
        raise UsageError(f'{judged} judges no topic "{topic}"; there are: {nearest(topic, held)}')
    ((topic_id, qrels_id, form),) = database.rows(
        "select topic_id, qrels_id, form from topics cross join qrels where topic = ? and qrels = ?", [topic, judged]
    )
    lists = dict(zip(("run", "other"), runs, strict=False))
    return _Lists(evaluation, named[0], lists, depth, topic_id, qrels_id).explanation(judged, form, topic)


@dataclass
class _Lists:
    """One or two rankings of a topic, called "run" and "other"; with the ideal one they are the lists to explain."""

    evaluation: Evaluation
    measure: Measure
    runs: Mapping[str, str]
    depth: int
    topic_id: int
    qrels_id: int

    @property
    def database(self) -> Database:
        return self.evaluation.database

    def explanation(self, qrels: str, form: str, topic: str) -> Explanation:
        # Of measures whose threshold comes from all topics, the cut lists take it from there.
        has_threshold = (
            _THRESHOLD in self.measure.relation.columns and self.measure.arguments.get(_THRESHOLD, 0) is None
        )
        values = self.evaluation.components_query(self.measure, qrels=[qrels], runs=[*self.runs.values()])
        columns = f"value, {_THRESHOLD if has_threshold else 'null'}"
        found = self.database.rows(f"select run, {columns} from ({values}) where topic = ?", [topic])
        by_run = {run: known for run, *known in found}
        in_warehouse = {name: by_run[run][0] for name, run in self.runs.items()}
        thresholds = {name: by_run[run][1] for name, run in self.runs.items()}
        with (
            temporary_tables(self.database, self._lists(in_warehouse)),
            _cut_rankings(self.database, self.measure, self._cut_rows()),
            temporary_tables(self.database, {"answered": self._answers(thresholds)}),
        ):
            worth = {name: figures for name, *figures in self.database.rows(self._query("explained_totals"))}
            rows, num_equal = self._rows()
        lists = {
            name: ListValue._make((self.runs.get(name, name), *worth[name], thresholds.get(name)))
            for name in (*self.runs, "ideal")
        }
        listed = (lists["run"], lists["ideal"], lists.get("other"))
        return Explanation(self.measure, qrels, form, topic, rows, *listed, num_equal)

    def _query(self, name: str, inputs: Mapping[str, str] = {}) -> str:
        takes = {each.name for each in self.database.catalog[name].parameters}
        given = {"depth": self.depth} if "depth" in takes else {}
        return relation_query(self.database.catalog, name, inputs, **given)

    def _lists(self, in_warehouse: Mapping[str, float | None]) -> dict[str, str]:
        """Tables of the lists, of what is known of each, and of their cuts."""
        of_topic = f"topic_id = {self.topic_id}"
        listed, facts = [], []
        for name, run in self.runs.items():
            listed.append(f"""
                select {literal(name)} as list, rank, tied_above, document_id, score
                from main.retrieved join main.runs using (run_id) where {of_topic} and run = {literal(run)}
            """)
            facts.append(f"""
                select {literal(name)} as list, tie_rule, lower_is_better, run_id not in (
                    select run_id from main.run_topics where {of_topic}
                ) as missing, cast({literal(in_warehouse[name])} as double) as in_warehouse
                from main.runs where run = {literal(run)}
            """)
        graded = f"select document_id, grade from judged_documents where qrels_id = {self.qrels_id} and {of_topic}"
        every = "\nunion all by name\n"
        ideal = self._query("ideal_list", {"listed": every.join(listed), "graded": graded})
        of_ideal = f"select 'ideal' as list, tie_rule, lower_is_better, false, null from ({facts[0]})"
        return {
            "graded": graded,
            "listed": every.join([*listed, f"select * from ({ideal})"]),
            "list_facts": "\nunion all\n".join([*facts, of_ideal]),
            "cut_lists": self._query("cut_lists", {"wanted_ranks": self._query("wanted_ranks")}),
        }

    def _cut_rows(self) -> dict[str, str]:
        """What the tables of rankings have: each cut list is a run."""
        pairs = {"new_pairs": f"select {self.qrels_id} as qrels_id, run_id from cut_lists"}
        topic = {"topics": f"select * from main.topics where topic_id = {self.topic_id}"}
        evaluations = self._query("new_evaluations", pairs)
        return {
            "runs": f"""
                select run_id, run, tie_rule, lower_is_better, {_ORIGIN} from cut_lists join list_facts using (list)
            """,
            "retrieved": self._query("cut_rows", topic),
            "run_topics": f"""
                select run_id, {self.topic_id} as topic_id, num_kept as num_ret
                from cut_lists join list_facts using (list) where not missing
            """,
            "evaluations": f"select * from ({evaluations}) where topic_id = {self.topic_id}",
            "judged_ranks": self._query("judged_ranks_rows", pairs),
        }

    def _answers(self, thresholds: Mapping[str, float | None]) -> str:
        """A SELECT of the values of all cut lists; the ideal one has the threshold of the first run."""
        parts = []
        for name, threshold in {**thresholds, "ideal": thresholds["run"]}.items():
            given = {} if threshold is None else {_THRESHOLD: threshold}
            measure = Measure(self.measure.relation, {**self.measure.arguments, **given})
            kept = f"select run from cut_lists where list = {literal(name)}"
            parts.append(f"select run, value from {measure.call} where run in ({kept})")
        return "\nunion all\n".join(parts)

    def _rows(self) -> tuple[duckdb.DuckDBPyRelation, int]:
        contributions = {"contributions": self._query("contributions")}
        if len(self.runs) == 1:
            kept = self.evaluation.keep(self._query("explained_ranking", contributions))
            return self.database.sql(f"select * from {kept} order by 1"), 0
        both = self.evaluation.keep(self._query("explained_difference", contributions))
        ((num_equal,),) = self.database.rows(f"select count(*) from {both} where difference = 0")
        order = "order by abs(difference) desc, least(rank, other_rank), document"
        return self.database.sql(f"select * from {both} where difference is distinct from 0 {order}"), num_equal


def can_be_cut(database: Database, measure: Measure) -> bool:
    """Measures of users may compare runs, and those with a threshold take it from all topics."""
    return measure.relation not in database.catalog.own and _THRESHOLD not in measure.relation.columns


def first_contributions(database: Database, measure: Measure, depth: int) -> list[tuple[Any, ...]]:
    """Rows of run, topic, rank and what the document there contributes, of the rankings in page_chosen_lists."""
    if not database.rows(f"select 1 from {_LISTS} limit 1"):
        return []  # where only scores are stored, no rankings are here
    catalog = database.catalog
    lists = {"chosen_lists": f"select * from {_LISTS}"}
    keys = {"prefix_keys": relation_query(catalog, "prefix_keys", lists, depth=depth)}
    cut = {"prefix_keys": "select * from temp.prefix_keys"}
    keys_of = {"run_topics": "run_id, topic_id", "retrieved": "run_id, topic_id", "judged_ranks": "evaluation_id"}
    whole = {table: f"select * from main.{table} semi join {_LISTS} using ({key})" for table, key in keys_of.items()}
    rows = {
        "runs": f"""
            select cut.run_id, cut.name as run, tie_rule, lower_is_better, {_ORIGIN}
            from (select distinct run_id, name, whole_run_id from temp.prefix_keys) as cut
            join main.runs as whole on whole.run_id = cut.whole_run_id
        """,
        "evaluations": "select evaluation_id, qrels_id, run_id, topic_id from temp.prefix_keys",
        **{table: relation_query(catalog, f"prefix_{table}", {**cut, table: sql}) for table, sql in whole.items()},
    }
    values = {"prefix_values": f"select run, topic, value from {measure.call}"}
    with temporary_tables(database, keys), _cut_rankings(database, measure, rows):
        return database.rows(relation_query(catalog, "prefix_contributions", {**cut, **values}))


@contextmanager
def _cut_rankings(database: Database, measure: Measure, rows: Mapping[str, str]) -> Iterator[None]:
    """Have a measure read temporary tables of rankings with these rows, in the order of the columns' names."""
    catalog = database.catalog
    steps = [each for each in catalog.build_order([measure.relation.name]) if each.kind in (STEPS, "measures")]
    temporary = catalog.for_connection(step.name for step in steps)
    try:
        for table, sql in rows.items():
            made = catalog[table].body.replace("create table", "create or replace temp table", 1)
            # The rows are made before the table: they may come from the one that it hides.
            kept = f"create or replace temp table {_CUT_ROWS} as {sql}"
            database.execute_all([kept, made, f"insert into temp.{table} by name select * from temp.{_CUT_ROWS}"])
        database.execute_all(_creating(temporary, steps))
        yield
    finally:
        dropping = [f"drop table if exists temp.{table}" for table in (*rows, _CUT_ROWS)]
        for step in steps:
            is_macro = bool(step.parameters) or step.is_measure
            if is_macro:
                dropping.insert(0, f"drop macro table if exists temp.{step.name}")
            if not (is_macro and step.kind in WITHOUT_VIEW):
                dropping.insert(0, f"drop view if exists temp.{step.name}")
        # A user's own relations of this connection are back as they were.
        own = [step for step in steps if step.name in catalog.temporary]
        database.execute_all([*dropping, *_creating(catalog, own)])


def _creating(catalog: Catalog, steps: Sequence[Relation]) -> list[str]:
    return [sql for step in steps for _, sql in creating_statements(catalog, step, temporary=True)]
