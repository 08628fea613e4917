"""Pools, what to judge next, what a run's own documents are worth to it, and how far judges agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from evalsql.catalog import ddl
from evalsql.catalog.ddl import relation_query
from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation
from evalsql.evaluation.stored_scores import check_rankings

Priority = Literal["runs", "total", "figure", "order"]
_ORDERS = {
    "runs": "num_pooling desc, total_change desc",
    "total": "total_change desc",
    "figure": "figure_change desc, total_change desc",
    "order": "order_change desc, total_change desc",
}
_KEPT_JUDGMENTS, _KEPT_RANKS = "evalsql_judgments_left", "evalsql_judged_ranks_left"


def pool_query(
    database: Database,
    *,
    runs: Names = (),
    qrels: Names = (),
    depth: int | None = 10,
    unjudged: bool = False,
    first: Priority = "runs",
    p: float = 0.8,
) -> str:
    """A SELECT of the pool of some runs, what is to be judged first on top: the relation ``pool``.

    Args:
        runs: names or globs; all by default.
        qrels: with ``unjudged`` the judgment sets that count; all by default.
        depth: documents of each run and topic; None is all.
        unjudged: only documents without a judgment: the relation ``unjudged_pool``.
        first: what comes first: documents that many runs return (runs), that change the figures of all runs most
            (total), that of one run (figure), or the difference of two (order).
        p: of RBP, by which changes are reckoned.
    """
    check_rankings(database, "a pool", runs)
    given: dict[str, Value] = {"runs": _listed(database, "run", runs), "depth": depth, "p": p}
    name = "pool"
    if unjudged:
        name, given["names"] = "unjudged_pool", _listed(database, "qrels", qrels)
    return f"{_rows(database, name, **given)}\norder by {_ORDERS[first]}, topic, document"


class Contribution(NamedTuple):
    """What a run gives to the pool, and a mean of it with its own documents in the judgments and without."""

    qrels: str
    run: str
    num_pooled: int
    num_unique: int
    num_judged: int
    num_relevant: int
    num_unique_judged: int
    num_unique_relevant: int
    measure: str
    value: float
    value_without: float
    difference: float


def contributions(
    evaluation: Evaluation,
    measures: Names,
    *,
    runs: Names = (),
    qrels: Names = (),
    depth: int | None = 10,
    rel: int = 1,
) -> list[Contribution]:
    """What each run gives to the pool, and what its figures are without the relevant documents that it alone gives.

    Arguments are those of ``pool_query``; ``rel`` is the least grade that counts as relevant.

    Raises:
        UsageError: names that are not known; a measure of groups or preferences, or one of a user's own.
    """
    database = evaluation.database
    check_rankings(database, "a pool", runs)
    named = parse_measures(as_list(measures), database.catalog)
    for measure in named:
        _refuse_groups(database, measure)
    given: dict[str, Value] = {
        "runs": _listed(database, "run", runs),
        "names": _listed(database, "qrels", qrels),
        "depth": depth,
    }
    found: list[Contribution] = []
    unique = f"{_rows(database, 'unique_judgments', **given)} where grade >= {int(rel)}"
    counts = database.rows(f"{_rows(database, 'pool_contributions', **given, rel=rel)} order by qrels, run")
    for judged, run, *numbers in counts:
        names = [each.name for each in named]
        ((_, _, *whole),) = database.rows(evaluation.scores_query(names, qrels=[judged], runs=[run]))
        own = f"{unique} and qrels = {literal(judged)} and run = {literal(run)}"
        with _without(database, judged, run, own) as reduced:
            ((_, _, *without),) = database.rows(reduced(named))
        for measure, value, left in zip(named, whole, without, strict=True):
            found.append(Contribution._make([judged, run, *numbers, measure.name, value, left, left - value]))
    return found


def _refuse_groups(database: Database, measure: Measure) -> None:
    if measure.relation in database.catalog.own:
        raise UsageError(f"{measure.name} is a measure of your own; what it reads of the judgments is not known")
    for step in database.catalog.build_order([measure.relation.name]):
        if step.reads & {"assessments", "preferences"}:
            raise UsageError(f"{measure.name} goes by groups or preferences; name a measure of grades")


@contextmanager
def _without(database: Database, qrels: str, run: str, left_out: str) -> Iterator[Callable[[Sequence[Measure]], str]]:
    """Gives what makes a SELECT of a run's means by the judgments that are left; it holds within."""
    chosen = f"""
        select evaluation_id, evaluations.qrels_id, topic_id
        from main.evaluations join qrels using (qrels_id) join runs using (run_id)
        where qrels = {literal(qrels)} and run = {literal(run)}
    """
    inputs = {"left_out": left_out, "chosen": chosen}
    catalog = database.catalog
    for table, name in ((_KEPT_JUDGMENTS, "judgments_left"), (_KEPT_RANKS, "judged_ranks_left")):
        database.execute(f"create or replace temp table {table} as {relation_query(catalog, name, inputs)}")

    def reduced(named: Sequence[Measure]) -> str:
        condition = f"where qrels = {literal(qrels)} and run = {literal(run)}"
        scores = f"select * from (\n{ddl.scores(named)}\n) {condition}"
        tables = {
            "evaluations": f"select * from main.evaluations semi join ({chosen}) using (evaluation_id)",
            "judged_documents": f"select * from temp.{_KEPT_JUDGMENTS}",
            "judged_ranks": f"select * from temp.{_KEPT_RANKS}",
        }
        return ddl.leaderboard(catalog, named, ddl.with_inputs(scores, tables))

    try:
        yield reduced
    finally:
        for table in (_KEPT_JUDGMENTS, _KEPT_RANKS):
            database.execute(f"drop table if exists temp.{table}")


def agreement_query(database: Database, qrels: Names, *, rel: int | None = None) -> str:
    """A SELECT of statistics of agreement: ``statistic, qrels, documents, value``.

    Args:
        qrels: two names or more, or globs.
        rel: compare relevant or not, by this least grade; by default the grades themselves.

    Raises:
        UsageError: fewer than two sets, or sets without a document in common.
    """
    names = _several(database, qrels)
    given: dict[str, Value] = {"names": ",".join(names), "rel": rel}
    pair, together = "qrels || ', ' || other", literal(", ".join(names))
    statistics: list[tuple[str, str, str, str]] = [  # label, whose it is, column and rows
        ("agreement", pair, "agreement", _rows(database, "cohen_kappa", **given))
    ]
    for kind, label in (("equal", ""), ("linear", ", linear"), ("quadratic", ", quadratic")):
        rows = _rows(database, "cohen_kappa", **given, disagreement=kind)
        statistics.append((f"Cohen's kappa{label}", pair, "kappa", rows))
    statistics.append(("Fleiss' kappa", together, "kappa", _rows(database, "fleiss_kappa", **given)))
    for level in ("nominal", "ordinal", "interval"):
        rows = _rows(database, "krippendorff_alpha", **given, level=level)
        statistics.append((f"Krippendorff's alpha, {level}", together, "alpha", rows))
    every = "\nunion all\n".join(
        f"select {nth} as nth, {literal(label)} as statistic, {whose} as qrels, num_documents, {column} as value "
        f"from ({rows})"
        for nth, (label, whose, column, rows) in enumerate(statistics)
    )
    return f"select statistic, qrels, num_documents, value from (\n{every}\n) order by nth, qrels"


def confusion_query(database: Database, qrels: Names, *, rel: int | None = None) -> str:
    """A SELECT of the relation ``confusion_table``; arguments are those of ``agreement_query``."""
    rows = _rows(database, "confusion_table", names=",".join(_several(database, qrels)), rel=rel)
    return f"{rows}\norder by qrels, other, rating, other_rating"


def differing_query(database: Database, qrels: Names, *, rel: int | None = None) -> str:
    """A SELECT of the documents that two sets judge otherwise, the widest apart first."""
    rows = _rows(database, "judged_twice", names=",".join(_several(database, qrels)), rel=rel)
    order = "abs(rating - other_rating) desc, qrels, other, topic, document"
    return f"{rows} where rating <> other_rating\norder by {order}"


def effects(
    evaluation: Evaluation, qrels: Names, measures: Names, runs: Names = ()
) -> tuple[list[str], list[tuple[object, ...]]]:
    """Figures by each judgment set side by side: columns and rows of ``judgment_effects``, best by the first on top.

    Raises:
        UsageError: no run is evaluated with two of the sets.
    """
    database = evaluation.database
    names = _several(database, qrels)
    named = parse_measures(as_list(measures), database.catalog)
    order = ", ".join(literal(each.name) for each in named)
    rows = _rows(database, "judgment_effects", names=",".join(names))
    with evaluation.with_scores(named, qrels=names, runs=runs):
        columns, found = database.table(f"{rows} order by list_position([{order}], measure), qrels, other, place, run")
    if not found:
        raise UsageError(
            f"no run is evaluated with two of {', '.join(names)}; evalsql load qrels FILE --run '*' does it"
        )
    return columns, found


def order_agreement(
    evaluation: Evaluation, qrels: Names, measures: Names, runs: Names = ()
) -> list[tuple[object, ...]]:
    """How far judgment sets agree on the order of runs: ``measure, qrels, other, num_runs, tau_b, tau_ap``."""
    database = evaluation.database
    names = _several(database, qrels)
    named = parse_measures(as_list(measures), database.catalog)
    listed = ", ".join(map(literal, names))
    with evaluation.with_scores(named, qrels=names, runs=runs):
        return database.rows(f"""
            select measure, qrels, other, num_runs, tau_b, tau_ap from qrels_agreement()
            where qrels in ({listed}) and other in ({listed}) order by measure, qrels, other
        """)


def _several(database: Database, qrels: Names) -> list[str]:
    names = sorted(resolve_names(database, "qrels", qrels))
    if len(names) < 2:
        raise UsageError("agreement takes two judgment sets at least")
    _check_list(database, "qrels", names)
    return names


def _listed(database: Database, kind: str, names: Names) -> str | None:
    """Names for a relation's parameter; None is all."""
    if not names:
        return None
    found = sorted(resolve_names(database, kind, names))
    _check_list(database, kind, found)
    return ",".join(found)


def _check_list(database: Database, kind: str, names: Sequence[str]) -> None:
    relation, parameter = ("named_runs", "runs") if kind == "run" else ("named_qrels", "names")
    held = database.rows(f"select {kind} from steps.{relation}({parameter} := {literal(','.join(names))})")
    if sorted(name for (name,) in held) != sorted(names):
        raise UsageError("a comma in a name makes it read as other names; load it under another name")


def _rows(database: Database, name: str, **arguments: Value) -> str:
    relation = database.catalog[name]
    given = {each.name: arguments.get(each.name, each.default) for each in relation.parameters}
    return f"select * from {Measure(relation, given).call}"
