"""Fuses runs into a new one, which is stored as any run is and keeps what it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import literal
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, only_qrels, resolve_names
from evalsql.errors import UsageError, warn
from evalsql.evaluation.stored_scores import require_rankings
from evalsql.ingest.frames import Query
from evalsql.ingest.loader import Loader
from evalsql.phrases import counted
from evalsql.progress import Progress, silent
from evalsql.warehouse.fusion_methods import Method, Tuning, method_named, number_text, search, weighted, weights_text

TIE_RULES = ("trec_eval", "trec_eval_10")


class Fused(NamedTuple):
    """A run that was made, and how its weights were found, if they were searched."""

    name: str
    tuning: Tuning | None


def fuse(
    loader: Loader,
    method: str,
    runs: Names,
    name: str,
    *,
    norm: str | None = None,
    weights: Sequence[float] | None = None,
    tune: str | None = None,
    folds: int = 5,
    step: float = 0.1,
    learn_from: str | None = None,
    qrels: Names = (),
    depth: int | None = None,
    tie_rule: str = TIE_RULES[0],
    replace: bool = False,
    meta: Mapping[str, str] | None = None,
    progress: Progress = silent,
    **parameters: Value,
) -> Fused:
    """Fuse runs into a new one.

    Args:
        loader: of the warehouse that holds the runs.
        method: sum, mnz, rrf, ...; ``fusion_methods.methods`` has all of them. Names of ranx are understood.
        runs: names or globs, in the order of the weights.
        name: of the new run.
        norm: none, min-max, max, sum, z-score, rank or borda, of methods that fuse scores; min-max by default.
        weights: one for each run.
        tune: a measure by which weights are searched (or gamma or sigma, of methods with one of these), each topic
            getting those that are best on the other folds.
        folds: parts of the judged topics, for searching and for methods that learn from judgments.
        step: between weights that are tried; they add up to 1.
        learn_from: judgments to search or learn by; by default the only set to evaluate with.
        qrels: judgment sets to evaluate with; by default those that evaluate all of the runs.
        depth: keep so many documents of each topic.
        tie_rule: trec_eval or trec_eval_10.
        replace: put it in the place of the run of that name.
        meta: key and value to keep with it, beside what it was made of.
        parameters: what the method takes: k of rrf, phi of rbc, gamma of gmnz, ...

    Raises:
        UsageError: names, parameters or weights that do not fit; nothing was changed.
    """
    database = loader.database
    names = _inputs(database, runs, name)
    require_rankings(database, "fusion", names)
    if tie_rule not in TIE_RULES:
        raise UsageError(f"tie rule {tie_rule} is none of a fused run; there are: {', '.join(TIE_RULES)}")
    if tune is not None and weights is not None:
        raise UsageError("weights are either given or searched; leave out one of both")
    chosen = method_named(database.catalog, method, parameters, norm).having(runs=",".join(names))
    if weights is not None:
        chosen = _weighted(database, chosen, weights, names)
    judged = list(as_list(qrels)) or _common_qrels(database, names)
    if chosen.learns or tune is not None:
        learn_from = _teacher(database, learn_from, judged)
        _check_folds(database, learn_from, folds)
    if chosen.learns:
        chosen = chosen.having(qrels=learn_from, folds=folds)
        _check_relevant(database, str(learn_from), chosen)
    _warn_of_topics(database, names)
    _check_max(database, chosen, names)
    tuning, query = None, chosen.query
    if tune is not None:
        tuning = search(
            database, chosen, names, tune, str(learn_from), folds=folds, step=step, tie_rule=tie_rule, progress=progress
        )
        query = tuning.query
    kept = _provenance(database, chosen, names) | (tuning.meta if tuning else {}) | dict(meta or {})
    loader.load_run(
        Query(query, f"fused from {', '.join(names)}"),
        name,
        qrels=judged,
        tie_rule=tie_rule,
        depth=depth,
        replace=replace,
        meta=kept,
    )
    return Fused(name, tuning)


def _inputs(database: Database, runs: Names, name: str) -> list[str]:
    names: list[str] = []
    for pattern in as_list(runs):
        for found in sorted(resolve_names(database, "run", pattern)):
            if found in names:
                raise UsageError(f"{found} is named twice")
            names.append(found)
    if len(names) < 2:
        raise UsageError("fusion takes two runs at least")
    if name in names:
        raise UsageError(f"{name} is one of the runs to fuse; give the new run another name")
    held = database.rows(f"select run from steps.named_runs(runs := {literal(','.join(names))}) order by place")
    if [run for (run,) in held] != names:
        raise UsageError("a comma in the name of a run makes it read as other runs; load it under another name")
    return names


def _weighted(database: Database, method: Method, weights: Sequence[float], names: Sequence[str]) -> Method:
    """The method with a weight for each run; raises UsageError where it takes none, or they do not fit."""
    if not method.takes_weights:
        raise UsageError(f"{method.name} has no weights; methods with weights are {weighted(database.catalog)}")
    return method.having(weights=weights_text(weights, names))


def _common_qrels(database: Database, names: Sequence[str]) -> list[str]:
    """The judgment sets that evaluate every one of the runs."""
    listed = ", ".join(map(literal, names))
    found = database.rows(f"""
        select qrels.qrels from qrels join (
            select distinct qrels_id, run_id from evaluations join runs using (run_id) where run in ({listed})
        ) using (qrels_id)
        group by qrels.qrels having count(*) = {len(names)} order by qrels.qrels
    """)
    return [qrels for (qrels,) in found]


def _teacher(database: Database, named: str | None, judged: Sequence[str]) -> str:
    """The judgment set to learn from: the named one, else the only one of ``judged``; it must have grades."""
    wanted = "name one judgment set to learn from"
    if named is None and not judged:
        raise UsageError(wanted)
    found = only_qrels(database, named, wanted, resolve_names(database, "qrels", judged))
    ((form,),) = database.rows(f"select form from qrels where qrels = {literal(found)}")
    if form != "grades":
        raise UsageError(f"{found} holds {form}; fusion learns from grades")
    return found


def _check_relevant(database: Database, qrels: str, method: Method) -> None:
    """Raise UsageError where no document is relevant: all scores would be 0."""
    rel = method.arguments.get("rel")
    found = f"select 1 from judgments where qrels = {literal(qrels)} and grade >= ? limit 1"
    if rel is not None and not database.rows(found, [rel]):
        raise UsageError(f"{qrels} has no document of grade {rel} or above to learn from; --rel takes a lower one")


def _check_folds(database: Database, qrels: str, folds: int) -> None:
    ((most,),) = database.rows(f"select count(*) from steps.topic_folds(qrels := {literal(qrels)})")
    if not 2 <= folds <= most:
        raise UsageError(f"folds are {folds}, they must be 2 to {most}, the topics of {qrels}")


def _warn_of_topics(database: Database, names: Sequence[str]) -> None:
    listed = ", ".join(map(literal, names))
    ((partial,),) = database.rows(f"""
        select count(*) from (
            select topic_id from run_topics join runs using (run_id) where run in ({listed})
            group by topic_id having count(*) < {len(names)}
        )
    """)
    if partial:
        words = "is not in all of these runs; it is" if partial == 1 else "are not in all of these runs; they are"
        text = (
            f"{counted(partial, 'topic')} {words} fused from what has documents for {'it' if partial == 1 else 'them'}"
        )
        warn(text)


def _check_max(database: Database, method: Method, names: Sequence[str]) -> None:
    if method.arguments.get("norm") != "max":
        return
    listed = ", ".join(map(literal, names))
    found = database.rows(f"""
        select run, topic from runs join retrieved using (run_id) join topics using (topic_id) where run in ({listed})
        group by run, topic having max(case when lower_is_better then -score else score end) <= 0 order by all limit 1
    """)
    for run, topic in found:
        raise UsageError(f"norm max divides by the best score, and {run} has none above 0 for topic {topic}")


def _provenance(database: Database, method: Method, names: Sequence[str]) -> dict[str, str]:
    """What the run is made of, for its meta."""
    loaded = dict(database.rows("select run, cast(loaded_at as varchar) from runs"))
    meta = {
        "fusion": method.name,
        "fusion_runs": ", ".join(names),
        "fusion_runs_loaded_at": ", ".join(loaded[run] for run in names),
    }
    for name, value in method.arguments.items():
        if value is not None and name != "runs":
            meta["fusion_learnt_from" if name == "qrels" else f"fusion_{name}"] = number_text(value)
    return meta
