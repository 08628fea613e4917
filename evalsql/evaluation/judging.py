"""Pools, what to judge next, what a run's own documents are worth to it, and how far judges agree."""

from collections.abc import Sequence
from typing import Any, Literal

from evalsql.catalog import ddl
from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import Measure, literal
from evalsql.database.database import Database
from evalsql.database.names import Names, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation, place_of, temporary_tables, with_arguments
from evalsql.evaluation.stored_scores import check_rankings

Priority = Literal["runs", "total", "figure", "order"]
_ORDERS = {
    "runs": "num_pooling desc, total_change desc",
    "total": "total_change desc",
    "figure": "figure_change desc, total_change desc",
    "order": "order_change desc, total_change desc",
}


def pool_query(
    database: Database,
    *,
    runs: Names = (),
    qrels: Names = (),
    depth: int = 10,
    unjudged: bool = False,
    first: Priority = "runs",
    p: float = 0.8,
) -> str:
    """A SELECT of the pool of so many documents of each run and topic, what is to be judged ``first`` on top.

    That is what many runs return (runs), or what changes the figures of all runs most (total), that of one run (figure)
    or the difference of two (order), by RBP with ``p``. ``unjudged`` leaves out what ``qrels`` judge.
    """
    check_rankings(database, "a pool", runs)
    names = _parameter(database, "qrels", qrels) if unjudged else None
    relation, listed = "unjudged_pool" if unjudged else "pool", _parameter(database, "run", runs)
    rows = _rows(database, relation, runs=listed, depth=depth, p=p, names=names)
    return f"{rows}\norder by {_ORDERS[first]}, topic, document"


def contributions(
    evaluation: Evaluation, measures: Names, *, runs: Names = (), qrels: Names = (), depth: int = 10, rel: int = 1
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """What each run gives to the pool, and its figures without the relevant documents that it alone gives.

    Rows are those of ``pool_contributions`` with means by all judgments and without those of the run's own documents.
    """
    database = evaluation.database
    check_rankings(database, "a pool", runs)
    named = evaluation.named(measures)
    for measure in named:
        if measure.relation in database.catalog.own:
            raise UsageError(f"{measure.name} is a measure of your own; what it reads of the judgments is not known")
        steps = database.catalog.build_order([measure.relation.name])
        if any(step.reads & {"assessments", "preferences"} for step in steps):
            raise UsageError(f"{measure.name} goes by groups or preferences; name a measure of grades")
    listed = {"runs": _parameter(database, "run", runs), "names": _parameter(database, "qrels", qrels)}
    given: dict[str, Value] = {**listed, "depth": depth}
    found: list[tuple[Any, ...]] = []
    unique = f"{_rows(database, 'unique_judgments', **given)} where grade >= {int(rel)}"
    columns, counts = database.table(f"{_rows(database, 'pool_contributions', **given, rel=rel)} order by qrels, run")
    names = [each.name for each in named]
    for judged, run, *numbers in counts:
        ((_, _, *whole),) = database.rows(evaluation.scores_query(names, qrels=[judged], runs=[run]))
        left = _means_without(database, named, judged, run, unique)
        found += [
            (judged, run, *numbers, name, value, without, without - value)
            for name, value, without in zip(names, whole, left, strict=True)
        ]
    return [*columns, "measure", "value", "value_without", "difference"], found


def _means_without(database: Database, named: Sequence[Measure], qrels: str, run: str, unique: str) -> Sequence[float]:
    """Means of a run by the judgments without those that are its own in the SELECT ``unique``."""
    own = f"qrels = {literal(qrels)} and run = {literal(run)}"
    chosen = f"""
        select evaluation_id, evaluations.qrels_id, topic_id
        from main.evaluations join qrels using (qrels_id) join runs using (run_id) where {own}
    """
    inputs = {"left_out": "select * from temp.evalsql_left_out", "chosen": chosen}
    ranks = ddl.relation_query(database.catalog, "judged_ranks_left", inputs)
    left = {"evalsql_left_out": f"{unique} and {own}", "evalsql_judged_ranks_left": ranks}
    without = "anti join temp.evalsql_left_out using (qrels_id, topic_id, document_id)"
    tables = {
        "evaluations": f"select * from main.evaluations semi join ({chosen}) using (evaluation_id)",
        "judged_documents": f"select * from main.judged_documents {without}",
        "judged_ranks": "select * from temp.evalsql_judged_ranks_left",
    }
    scores = ddl.with_inputs(f"select * from (\n{ddl.scores(named)}\n) where {own}", tables)
    with temporary_tables(database, left):
        ((_, _, *means),) = database.rows(ddl.leaderboard(database.catalog, named, scores))
    return means


# By what is shown of how far judgment sets agree: the relation, its rows and their order.
_AGREEMENT = {
    "statistics": (
        "agreement_statistics",
        "select statistic, qrels, num_documents, value from {} order by place, qrels",
    ),
    "confusion": ("confusion_table", "from {} order by qrels, other, rating, other_rating"),
    # The widest apart first.
    "documents": (
        "judged_twice",
        "from {} where rating <> other_rating order by abs(rating - other_rating) desc, qrels, other, topic, document",
    ),
}


def agreement_query(database: Database, show: str, qrels: Names, *, rel: int | None = None) -> str:
    """A SELECT of how far sets agree, by grades or whether they are ``rel`` at least; ``show`` is of ``_AGREEMENT``."""
    relation, query = _AGREEMENT[show]
    names = ",".join(_several(database, qrels))
    return query.format(with_arguments(database.catalog, relation, names=names, rel=rel).call)


def effects(
    evaluation: Evaluation, qrels: Names, measures: Names, runs: Names = ()
) -> tuple[list[str], list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Columns and rows of ``judgment_effects``, and rows of ``measure, qrels, other, num_runs, tau_b, tau_ap``."""
    database = evaluation.database
    names = _several(database, qrels)
    named = evaluation.named(measures)
    rows = _rows(database, "judgment_effects", names=",".join(names))
    listed = ", ".join(map(literal, names))
    with evaluation.with_scores(named, qrels=names, runs=runs):
        columns, found = database.table(f"{rows} order by {place_of(named)}, qrels, other, place, run")
        orders = database.rows(f"""
            select measure, qrels, other, num_runs, tau_b, tau_ap from qrels_agreement()
            where qrels in ({listed}) and other in ({listed}) order by measure, qrels, other
        """)
    if not found:
        advice = "evalsql load qrels FILE --run '*' does it"
        raise UsageError(f"no run is evaluated with two of {', '.join(names)}; {advice}")
    return columns, found, orders


def _several(database: Database, qrels: Names) -> list[str]:
    names = sorted(resolve_names(database, "qrels", qrels))
    if len(names) < 2:
        raise UsageError("agreement takes two judgment sets at least")
    _parameter(database, "qrels", names)
    return names


def _parameter(database: Database, kind: str, names: Names) -> str | None:
    """Names for a relation's parameter, with commas between them; None is all."""
    if not names:
        return None
    found = sorted(resolve_names(database, kind, names))
    relation, parameter = ("named_runs", "runs") if kind == "run" else ("named_qrels", "names")
    held = database.rows(f"select {kind} from steps.{relation}({parameter} := {literal(','.join(found))})")
    if sorted(name for (name,) in held) != found:
        raise UsageError("a comma separates names here; load it under a name without one")
    return ",".join(found)


def _rows(database: Database, name: str, **arguments: Value) -> str:
    return f"select * from {with_arguments(database.catalog, name, **arguments).call}"
