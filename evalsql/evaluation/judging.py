"""Pools, what to judge next, what a run's own documents are worth to it, and how far judges agree."""

from collections.abc import Sequence
from typing import Any, Literal

from evalsql.catalog import queries
from evalsql.catalog.measure_names import Measure, names_of_less_is_better
from evalsql.database.database import Database
from evalsql.database.names import Names, resolve_names, resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation, place_in, place_of, temporary_tables
from evalsql.evaluation.stored_scores import check_rankings
from evalsql.literals import Value, literal, literals

_JUDGED = "Judged@10"
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


def sheet_query(database: Database, pooled: str, *, qrels: Names = (), first: Priority = "runs") -> str:
    """A SELECT of a ``pooled`` query with texts, the documents of a topic together, what is judged ``first`` on top."""
    rows = database.query("judging_sheet", {"pooled": pooled}, names=_parameter(database, "qrels", qrels))
    return f"{rows}\norder by topic, {_ORDERS[first]}, document"


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
        if any(step.reads & {"assessments", "preferences", "judged_spans"} for step in steps):
            raise UsageError(f"{measure.name} goes by groups, preferences or spans; name a measure of grades")
    listed = {"runs": _parameter(database, "run", runs), "names": _parameter(database, "qrels", qrels)}
    given: dict[str, Value] = {**listed, "depth": depth}
    unique = f"{_rows(database, 'unique_judgments', **given)} where grade >= {int(rel)}"
    counts = evaluation.keep(_rows(database, "pool_contributions", **given, rel=rel))
    pairs = database.rows(f"select qrels, run from {counts}")
    with evaluation.with_scores(named, qrels=[judged for judged, _ in pairs], runs=[run for _, run in pairs]):
        means = evaluation.keep(queries.means(database.catalog, "select * from temp.scores"))
    left = evaluation.keep(f"select * from {means} limit 0")
    for judged, run in pairs:
        _add_means_without(database, named, judged, run, unique, left)
    inputs = {"means": f"select * from {means}", "left_means": f"select * from {left}"}
    both = database.query("contributed_means", inputs)
    return database.table(
        f"select * from {counts} join ({both}) using (qrels, run) order by qrels, run, {place_of(named)}"
    )


def _add_means_without(
    database: Database, named: Sequence[Measure], qrels: str, run: str, unique: str, table: str
) -> None:
    """Add to a table means of a run by the judgments without those that are its own in the SELECT ``unique``."""
    own = f"qrels = {literal(qrels)} and run = {literal(run)}"
    pair = f"select qrels_id, run_id from qrels, runs where {own}"
    judged = "from main.judged_documents anti join temp.evalsql_left_out using (qrels_id, topic_id, document_id)"
    given = {"new_pairs": pair, "judged_documents": f"select * {judged}"}
    ranks = database.query("listed_ranks", {"new_ranks": database.query("judged_ranks_rows", given)})
    left = {"evalsql_left_out": f"{unique} and {own}", "evalsql_judged_ranks_left": ranks}
    tables = {
        "evaluations": f"select * from main.evaluations semi join ({pair}) using (qrels_id, run_id)",
        "judged_documents": given["judged_documents"],
        "judged_ranks": "select * from temp.evalsql_judged_ranks_left",
    }
    scores = queries.with_inputs(f"select * from (\n{queries.scores(named)}\n) where {own}", tables)
    with temporary_tables(database, left):
        database.insert(table, queries.means(database.catalog, scores))


# By what is shown of how far judgment sets agree: the relation, and the order of its rows.
_AGREEMENT = {
    "statistics": ("agreement_statistics", "place, value desc nulls last, qrels"),
    "judges": ("judge_agreement", "qrels, kappa desc nulls last, other"),
    "grades": ("judge_grades", "qrels, other, rating"),
    "confusion": ("confusion_table", "qrels, other, rating, other_rating"),
    # The widest apart first.
    "documents": ("judged_twice", "abs(rating - other_rating) desc, qrels, other, topic, document"),
}
# The same of what is made of figures, behind the place of the measure.
_EFFECTS = {
    "figures": ("judgment_effects", "qrels, other, place, run"),
    "systems": ("judge_orders", "qrels, tau_ap desc nulls last, other"),
    "groups": ("judge_favours", "qrels, abs(bias) desc nulls last, other, run_group"),
}


def agreement_query(
    database: Database, show: str, qrels: Names, *, reference: str | None = None, most: int | None = None, **how: Value
) -> str:
    """A SELECT of how far sets agree, or each agrees with the reference; ``show`` is of ``_AGREEMENT``.

    ``most`` limits the rows of each of the ``statistics``. ``how`` are parameters of the relation.
    """
    if show == "statistics" and reference is not None:
        show = "judges"
    relation, order = _AGREEMENT[show]
    names = qrels if reference else _several(database, qrels)
    rows = _rows(database, relation, names=",".join(names), reference=reference, **how)
    if show == "documents":
        rows += " where rating <> other_rating"
    if show == "statistics":
        first = database.query("first_pairs", {"agreements": rows}, most=most)
        return f"select * exclude (place) from ({first}) order by {order}"
    return f"{rows} order by {order}"


def judges(database: Database, qrels: Names, reference: str) -> tuple[list[str], list[str]]:
    """The judgment sets to compare with the reference, and a line on each set that has nothing in common with it.

    Raises UsageError where one that is named has nothing in common, or none is left.
    """
    names = [name for name in sorted(resolve_names(database, "qrels", qrels or "*")) if name != reference]
    _parameter(database, "qrels", [*names, reference])
    shared = database.rows(database.query("common_judgments", {}, names=",".join(names), reference=reference))
    topics = {name: num_topics for name, num_topics, _ in shared}
    together = [name for name, _, num_documents in shared if num_documents]
    apart = [
        f"{name} judges no document that {reference} judges, and {topics.get(name) or 'none'} of its topics"
        for name in names
        if name not in together
    ]
    if len(apart) == len(names) or (qrels and apart):
        raise UsageError("; ".join(apart) or f"there is no judgment set beside {reference}; evalsql load qrels FILE")
    return [name for name in names if name in together], apart


def effects(
    evaluation: Evaluation,
    qrels: Names,
    measures: Names,
    runs: Names = (),
    *,
    show: str = "figures",
    reference: str | None = None,
    **how: Value,
) -> tuple[str, list[tuple[Any, ...]]]:
    """A SELECT of a relation of ``_EFFECTS``, and rows of ``measure, qrels, other, num_runs, tau_b, tau_ap``.

    Figures by judges are over the topics that the reference has.
    """
    database = evaluation.database
    names = qrels if reference else _several(database, qrels)
    named = evaluation.named(measures)
    relation, order = _EFFECTS[show]
    rows = _rows(database, relation, names=",".join(names), reference=reference, **how)
    taken = [*names, reference] if reference else names
    with evaluation.with_scores(named, qrels=taken, runs=runs):
        if reference:
            held = f"select topic from temp.scores where qrels = {literal(reference)}"
            database.execute(f"delete from temp.scores where topic not in ({held})")
        kept = evaluation.keep(rows)
        agreeing = database.call("qrels_agreement", reference=reference)
        orders = database.rows(f"""
            select measure, qrels, other, num_runs, tau_b, tau_ap from {agreeing} order by measure, qrels, other
        """)
    if not orders:
        raise UsageError(f"no run is evaluated with two of {', '.join(taken)}: {_why_not(database, taken)}")
    if not database.rows(f"select 1 from {kept} limit 1"):
        raise UsageError(f"no run has the meta {how['group_key']}; evalsql load runs FILE --meta KEY=VALUE gives it")
    return f"select * from {kept} order by {place_of(named)}, {order}", orders


def corrected_query(
    evaluation: Evaluation, measures: Names, reference: str, judge: str, *, runs: Names = (), **how: Value
) -> str:
    """A SELECT of ``corrected_means``, or of ``corrected_differences`` where ``how`` has a baseline; best first."""
    database, named = evaluation.database, evaluation.named(measures)
    reference, judge = (resolve_one(database, "qrels", name) for name in (reference, judge))
    relation = "corrected_differences" if "baseline" in how else "corrected_means"
    if base := how.get("baseline"):
        how["baseline"] = base = resolve_one(database, "run", str(base))
        runs = [base, *runs] if runs else ()
    otherwise = [each.name for each in named if each.relation.header.mean != "arithmetic"]
    if otherwise and "baseline" not in how:
        raise UsageError(f"{otherwise[0]} is not averaged arithmetically; compare --estimate takes its differences")
    rows = _rows(database, relation, reference=reference, judge=judge, **how)
    kept = evaluation.keep_from_scores(rows, named, qrels=[reference, judge], runs=runs)
    if not database.rows(f"select 1 from {kept} limit 1"):
        advice = _why_not(database, [reference, judge])
        raise UsageError(f"no run is evaluated by {reference} and {judge} on the same topic: {advice}")
    lower = place_in(sorted(names_of_less_is_better(named)), "measure")
    return f"select * from {kept} order by {place_of(named)}, if({lower} > 0, estimate, -estimate), run"


def on_few_judged(evaluation: Evaluation, reference: str, judge: str, runs: Names = ()) -> list[str]:
    """A line if people judged so few of the first documents that the values are too low for an estimate."""
    scores = evaluation.scores_query(_JUDGED, per_topic=True, qrels=[reference, judge], runs=runs)
    sets = {"reference": reference, "judge": judge}
    shares = evaluation.database.rows(evaluation.database.query("judged_shares", {"judged_scores": scores}, **sets))
    return [
        f"{_JUDGED} is {people:.2f} by {reference} and {by_judge:.2f} by {judge} on the topics of both: documents that "
        f"{reference} does not judge count as not relevant, so these estimates are not to be trusted; let people judge "
        "whole topics, or say how documents were drawn (evalsql help judges)"
        for people, by_judge in shares
    ]


def _why_not(database: Database, qrels: Sequence[str]) -> str:
    """What is to be done where no run has values by two of these judgment sets."""
    if not database.rows("select 1 from runs limit 1"):
        return "no run is loaded; evalsql load runs FILE brings one"
    of_sets = f"from coverage where qrels in ({literals(qrels)})"
    if database.rows(f"select run {of_sets} group by run having count(distinct qrels) > 1 limit 1"):
        return "they judge no topic in common that a run has"
    return "evalsql load qrels FILE --name NAME --run '*' --replace evaluates all runs with judgments that are loaded"


def _several(database: Database, qrels: Names) -> list[str]:
    names = sorted(resolve_names(database, "qrels", qrels))
    if len(names) < 2:
        raise UsageError("agreement takes two judgment sets at least; '*' names all")
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
    return f"select * from {database.call(name, **arguments)}"
