"""What each document of a ranking contributes to a measure, whatever the measure: lists that are cut are evaluated.

The value of a list down to a document, less that of the list above it, is what the document contributes. So the
contributions add up to the value of the whole list, with that of the empty list before the first. The cut lists are
runs of a warehouse in memory that holds the judgments of this one topic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.database.names import only_qrels, replaced_qrels, resolve_one
from evalsql.errors import JOIN_RUN, UsageError
from evalsql.evaluation import stored_scores
from evalsql.phrases import nearest

if TYPE_CHECKING:
    import duckdb

    from evalsql.database.database import Database
    from evalsql.evaluation.evaluation import Evaluation
if TYPE_CHECKING:
    from evalsql.database.database import Database


DEPTH = 100
THRESHOLD = "threshold"
_JUDGING = ("assessments", "preferences", "judged_documents", "topic_weights")
_PAIRED = "select qrels, run from evaluations join qrels using (qrels_id) join runs using (run_id)"
_LISTED = "create temp table listed (list varchar, rank integer, tied_above integer, document_id integer, score double)"
_FACTS = """
create temp table list_facts (
    list varchar, tie_rule varchar, lower_is_better boolean, missing boolean, in_warehouse double
)"""


# Of a run's topic: the measure's value in the warehouse, the threshold that it takes from all topics.
_Value = tuple[float | None, float | None]


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


class _Request(NamedTuple):
    measure: Measure
    qrels: str
    topic: str
    runs: Sequence[str]
    depth: int


def explain(
    evaluation: Evaluation,
    sandbox: Database,
    run: str,
    topic: str,
    *,
    measure: str,
    other: str | None,
    qrels: str | None,
    depth: int,
) -> Explanation:
    """See ``Warehouse.explain``; the rows are in ``sandbox``, an empty warehouse in memory with the same measures."""
    named = parse_measures([measure], evaluation.database.catalog)
    if len(named) != 1:
        raise UsageError(f'"{measure}" stands for {len(named)} measures; one is explained at a time')
    if depth < 1:
        raise UsageError(f"depth is {depth}, it must be at least 1")
    runs = [resolve_one(evaluation.database, "run", name) for name in ([run] if other is None else [run, other])]
    if len(set(runs)) < len(runs):
        raise UsageError(f'"{run}" is compared with itself; --other names another run')
    stored_scores.require_rankings(evaluation.database, "an explanation", runs)
    judged = _judgments(evaluation, runs, qrels)
    _check_topic(evaluation, judged, topic)
    request = _Request(named[0], judged, topic, runs, depth)
    values = _values(evaluation, request)
    _fill_sandbox(evaluation, sandbox, request, values)
    return _explanation(sandbox, request, values)


def _judgments(evaluation: Evaluation, runs: Sequence[str], qrels: str | None) -> str:
    """The judgment set to explain by: the one asked for, else the only one that the runs are evaluated with."""
    sets = [
        {name for (name,) in evaluation.database.rows(f"select distinct qrels from ({_PAIRED}) where run = ?", [run])}
        for run in runs
    ]
    common: list[str] = sorted(set.intersection(*sets) - (set() if qrels else replaced_qrels(evaluation.database)))
    if qrels is None and not common:
        raise UsageError(f"no judgment set evaluates {' and '.join(runs)}; {JOIN_RUN}")
    several = "there are several judgment sets, say by which to explain (--qrels)"
    wanted = only_qrels(evaluation.database, qrels, several, common)
    for run, held in zip(runs, sets, strict=True):
        if wanted not in held:
            raise UsageError(f"{run} is not evaluated with {wanted}; evalsql load qrels --run brings both together")
    return wanted


def _check_topic(evaluation: Evaluation, qrels: str, topic: str) -> None:
    held = [name for (name,) in evaluation.database.rows("select topic from weighted_topics where qrels = ?", [qrels])]
    if topic not in held:
        raise UsageError(f'{qrels} judges no topic "{topic}"; there are: {nearest(topic, held)}')


def _values(evaluation: Evaluation, request: _Request) -> Mapping[str, _Value]:
    """By run what the warehouse gives for the topic, and the threshold of measures that take one from all topics."""
    given = request.measure.arguments
    has_threshold = THRESHOLD in request.measure.relation.columns and given.get(THRESHOLD, 0) is None
    threshold = THRESHOLD if has_threshold else "null"
    found: dict[str, _Value] = {}
    for run in request.runs:
        rows = evaluation.components_query(request.measure, qrels=request.qrels, runs=run)
        ((value, cut),) = evaluation.database.rows(
            f"select value, {threshold} from ({rows}) where topic = ?", [request.topic]
        )
        found[run] = value, cut
    return found


# Into memory


def _fill_sandbox(evaluation: Evaluation, sandbox: Database, request: _Request, values: Mapping[str, _Value]) -> None:
    """The topic's judgments and its rankings as they are, then the lists that are cut of these."""
    ((topic_id, qrels_id),) = evaluation.database.rows(
        "select topic_id, qrels_id from topics cross join qrels where topic = ? and qrels = ?",
        [request.topic, request.qrels],
    )
    sandbox.execute(_LISTED)
    sandbox.execute(_FACTS)
    for name, run in zip(("run", "other"), request.runs, strict=False):
        of_run = f"from runs where run = {literal(run)}"
        copy_rows(
            sandbox,
            "listed",
            evaluation.database.rows(f"""
                select {literal(name)}, rank, tied_above, document_id, score from retrieved
                where run_id = (select run_id {of_run}) and topic_id = {topic_id} order by rank
            """),
        )
        copy_rows(
            sandbox,
            "list_facts",
            evaluation.database.rows(f"""
                select {literal(name)}, tie_rule, lower_is_better, not exists (
                    from run_topics where run_topics.run_id = runs.run_id and topic_id = {topic_id}
                ), {literal(values[run][0])} {of_run}
            """),
        )
    sandbox.execute(f"create temp view graded as select * from judged_documents where topic_id = {topic_id}")
    for table in _JUDGING:
        rows = f"select * from {table} where qrels_id = {qrels_id} and topic_id = {topic_id}"
        copy_rows(sandbox, table, evaluation.database.rows(rows))
    # Some gains go by the greatest grade of all topics.
    greatest = f"from judged_documents where qrels_id = {qrels_id} and topic_id <> {topic_id} order by grade desc"
    copy_rows(sandbox, "judged_documents", evaluation.database.rows(f"{greatest} limit 1"))
    copy_rows(sandbox, "topics", evaluation.database.rows(f"select * from topics where topic_id = {topic_id}"))
    copy_rows(sandbox, "qrels", evaluation.database.rows(f"select * from qrels where qrels_id = {qrels_id}"))
    _copy_documents(evaluation, sandbox)
    _cut(sandbox, request.depth, qrels_id)


def _copy_documents(evaluation: Evaluation, sandbox: Database) -> None:
    ids = sandbox.rows("select document_id from listed union select document_id from graded")
    named = evaluation.database.rows(
        "select * from documents where document_id in (select unnest(?::integer[]))", [[key for (key,) in ids]]
    )
    copy_rows(sandbox, "documents", named)


def copy_rows(sandbox: Database, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Put rows of another database into a table, its columns in order."""
    if rows:
        columns = ", ".join(["unnest(?)"] * len(rows[0]))
        sandbox.execute(f"insert into {table} select {columns}", [list(column) for column in zip(*rows, strict=True)])


def _cut(sandbox: Database, depth: int, qrels_id: int) -> None:
    """Make runs of the lists that are cut, and prepare what measures stand on."""
    sandbox.insert("listed", relation_query(sandbox.catalog, "ideal_list", {}))
    sandbox.execute("""
        insert into list_facts select 'ideal', tie_rule, lower_is_better, false, null from list_facts where list = 'run'
    """)
    wanted = relation_query(sandbox.catalog, "wanted_ranks", {}, depth=depth)
    cuts = relation_query(sandbox.catalog, "cut_lists", {"wanted_ranks": wanted})
    sandbox.execute(f"create temp table cut_lists as\n{cuts}")
    sandbox.execute("""
        insert into runs
        select run_id, run, null, 0, tie_rule, lower_is_better, 0, null, null, '', map([], []), current_timestamp, ''
        from cut_lists join list_facts using (list)
    """)
    sandbox.insert("retrieved", relation_query(sandbox.catalog, "cut_rows", {}))
    sandbox.execute("""
        insert into run_topics
        select run_id, topic_id, num_kept from cut_lists join list_facts using (list) cross join topics
        where not missing
    """)
    pairs = {"new_pairs": f"select {qrels_id} as qrels_id, run_id from cut_lists"}
    sandbox.insert("evaluations", relation_query(sandbox.catalog, "new_evaluations", pairs))
    sandbox.execute("delete from evaluations where topic_id not in (select topic_id from topics)")
    sandbox.insert("judged_ranks", relation_query(sandbox.catalog, "judged_ranks_rows", pairs))


# Out of it


def _explanation(sandbox: Database, request: _Request, values: Mapping[str, _Value]) -> Explanation:
    first, *others = request.runs
    sandbox.execute("create temp table answered (run varchar, value double)")
    by_threshold: dict[float | None, list[str]] = {}
    for name, run in (("run", first), ("ideal", first), *(("other", run) for run in others)):
        by_threshold.setdefault(values[run][1], []).append(name)
    for threshold, lists in by_threshold.items():
        measure = request.measure
        if threshold is not None:
            measure = Measure(measure.relation, {**measure.arguments, THRESHOLD: threshold})
        kept = f"select run from cut_lists where list in ({', '.join(map(literal, lists))})"
        sandbox.execute(f"insert into answered select run, value from {measure.call} where run in ({kept})")
    totals = relation_query(sandbox.catalog, "explained_totals", {}, depth=request.depth)
    worth = {row[0]: row[1:] for row in sandbox.rows(totals)}
    sandbox.execute(f"create temp table contributions as {relation_query(sandbox.catalog, 'contributions', {})}")
    rows, num_equal = _rows(sandbox, request)
    ((form,),) = sandbox.rows("select form from qrels")
    return Explanation(
        request.measure,
        request.qrels,
        form,
        request.topic,
        rows,
        ListValue(first, *worth["run"])._replace(threshold=values[first][1]),
        ListValue("ideal", *worth["ideal"]),
        ListValue(others[0], *worth["other"])._replace(threshold=values[others[0]][1]) if others else None,
        num_equal,
    )


def _rows(sandbox: Database, request: _Request) -> tuple[duckdb.DuckDBPyRelation, int]:
    if len(request.runs) == 1:
        ranking = relation_query(sandbox.catalog, "explained_ranking", {}, depth=request.depth)
        return sandbox.sql(f"{ranking}\norder by 1"), 0
    both = relation_query(sandbox.catalog, "explained_difference", {}, depth=request.depth)
    ((num_equal,),) = sandbox.rows(f"select count(*) from (\n{both}\n) where difference = 0")
    order = "order by abs(difference) desc, least(rank, other_rank), document"
    return sandbox.sql(f"select * from (\n{both}\n) where difference is distinct from 0 {order}"), num_equal


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
