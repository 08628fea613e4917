"""Fuses runs into a new one: the methods, the search of their weights, and what the new run keeps of its origin."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.catalog.relations import FUSION, Catalog, Relation
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, only_qrels, resolve_names
from evalsql.errors import InputWarning, UsageError, warn
from evalsql.evaluation.stored_scores import require_rankings
from evalsql.ingest.frames import Query
from evalsql.ingest.loader import Loader
from evalsql.phrases import Progress, counted, silent
from evalsql.warehouse.evaluator import Evaluator

# What other programs call a method that has weights, and other words for some.
_ALIASES = {"wsum": "sum", "wmnz": "mnz", "w_bordafuse": "borda", "w_condorcet": "condorcet"}
_NORM_ALIASES = {"zmuv": "z-score", "min_max": "min-max", "zscore": "z-score"}
_OWN = ("runs", "weights", "norm", "qrels", "folds")


class Method(NamedTuple):
    """A way to fuse runs, with its arguments."""

    name: str
    relation: Relation
    arguments: Mapping[str, Value]

    @property
    def takes_weights(self) -> bool:
        return any(parameter.name == "weights" for parameter in self.relation.parameters)

    @property
    def learns(self) -> bool:
        """Whether it learns from judgments."""
        return any(parameter.name == "qrels" for parameter in self.relation.parameters)

    def having(self, **arguments: Value) -> Method:
        """The same with other arguments."""
        return self._replace(arguments={**self.arguments, **arguments})

    @property
    def query(self) -> str:
        """A SELECT of topic, document and score."""
        return f"select topic, document, score from {Measure(self.relation, self.arguments).call}"


def methods(catalog: Catalog) -> dict[str, Relation]:
    """Every method by its name, which is that of its relation without comb_ and _fuse."""
    found = {
        relation.name.removeprefix("comb_").removesuffix("_fuse"): relation for relation in catalog.of_kind(FUSION)
    }
    return dict(sorted(found.items()))


def method_named(catalog: Catalog, name: str, parameters: Mapping[str, Value], norm: str | None) -> Method:
    """A method by its name here or elsewhere, with its parameters; raises UsageError for what it does not know."""
    known = methods(catalog)
    plain = name.lower().replace("-", "_")
    word = _ALIASES.get(plain, plain.removeprefix("comb").removesuffix("fuse").strip("_"))
    if word not in known:
        raise UsageError(
            f'there is no method "{name}" of fusion, which comes before the runs; there are: {", ".join(known)}'
        )
    relation = known[word]
    given: dict[str, Value] = {each.name: each.default for each in relation.parameters}
    own = {each.name: each for each in relation.parameters if each.name not in _OWN}
    for parameter, value in parameters.items():
        if value is None:
            continue
        if parameter not in own:
            takes = f"it takes {', '.join(own)}" if own else "it takes none"
            raise UsageError(f"{word} takes no {parameter}; {takes}")
        given[parameter] = own[parameter].parse(str(value))
    norms = next((each for each in relation.parameters if each.name == "norm"), None)
    if norm is not None and norms is None:
        raise UsageError(f"{word} goes by ranks, which need no norm; leave it out")
    if norm is not None and norms is not None:
        given["norm"] = norms.parse(_NORM_ALIASES.get(norm, norm))
    return Method(word, relation, given)


def weighted(catalog: Catalog) -> str:
    """The methods that have weights, in words."""
    return ", ".join(name for name, relation in methods(catalog).items() if Method(name, relation, {}).takes_weights)


def weights_text(weights: Sequence[float], names: Sequence[str]) -> str:
    """The weights of these runs as a method takes them; raises UsageError where they do not fit."""
    given = [float(weight) for weight in weights]
    if len(given) != len(names):
        raise UsageError(f"{counted(len(given), 'weight')} for {len(names)} runs: {', '.join(names)}")
    if not all(math.isfinite(weight) and weight >= 0 for weight in given) or not any(given):
        raise UsageError("weights are numbers from 0 on, one above 0 at least")
    return ",".join(map(number_text, given))


def number_text(value: Value) -> str:
    """A number as people write it: 1 for 1.0."""
    return str(value).removesuffix(".0")


MOST_CANDIDATES = 3000
_SEARCHED = ("gamma", "sigma")  # of methods without weights
_TRIED = "fusion_values"


class Fold(NamedTuple):
    """The setting that is best on the topics of the other folds, and both means; fold 0 is all topics."""

    fold: int
    setting: str
    training_topics: int
    in_fold: float
    topics: int
    out_of_fold: float


class Tuning(NamedTuple):
    """What was searched (weights, gamma or sigma), by which measure, and what was found."""

    searched: str
    measure: str
    folds: Sequence[Fold]
    query: str

    @property
    def whole(self) -> Fold:
        """The setting that is best on all topics."""
        return self.folds[-1]

    @property
    def meta(self) -> dict[str, str]:
        """For the run's meta."""
        return {
            f"fusion_{self.searched}": "; ".join(f"{each.fold or 'all'}: {each.setting}" for each in self.folds),
            "fusion_tuned_by": self.measure,
            "fusion_in_fold": repr(self.whole.in_fold),
            "fusion_out_of_fold": repr(self.whole.out_of_fold),
        }


def search(
    database: Database,
    method: Method,
    runs: Sequence[str],
    measure: str,
    qrels: str,
    *,
    folds: int,
    step: float,
    tie_rule: str,
    progress: Progress = silent,
) -> Tuning:
    """Try all settings on all judged topics, and choose for each fold the one that is best on the others.

    Raises:
        UsageError: nothing of the method can be searched, several measures, too many settings.
    """
    named = parse_measures([measure], database.catalog)
    if len(named) != 1 or named[0].relation in database.catalog.own:
        raise UsageError(f'weights are searched by one measure of the package, found "{measure}"')
    searched, settings = _settings(method, len(runs), step)
    parts = f"select topic, fold from steps.topic_folds(qrels := {literal(qrels)}, folds := {folds})"
    with _tried(database, method, searched, settings, named[0], qrels, tie_rule, progress):
        less = named[0].relation.header.less_is_better
        inputs = {"tried": f"select * from temp.{_TRIED}", "parts": parts}
        found = database.rows(
            relation_query(database.catalog, "tuned_folds", inputs, less_is_better=less) + " order by fold = 0, fold"
        )
    best = [Fold(fold, _text(settings[candidate]), *rest) for fold, candidate, *rest in found]
    pieces = []
    for each in best:
        setting = method.having(**_arguments(searched, each.setting))
        own = f"in (select topic from ({parts}) where fold = {each.fold})"
        pieces.append(f"{setting.query} where topic {own if each.fold else f'not in (select topic from ({parts}))'}")
    return Tuning(searched, named[0].name, best, "\nunion all\n".join(pieces))


def _settings(method: Method, num_runs: int, step: float) -> tuple[str, list[tuple[float, ...]]]:
    """What is searched, and the settings to try."""
    parts = round(1 / step) if 0 < step <= 0.5 else 0
    if not parts or not math.isclose(parts * step, 1):
        raise UsageError(f"step is {step:g}, it must be a part of 1 such as 0.5, 0.2 or 0.1")
    if method.takes_weights:
        count = math.comb(parts + num_runs - 1, num_runs - 1)
        if count > MOST_CANDIDATES:
            raise UsageError(
                f"{count:,} ways to weigh {num_runs} runs in steps of {step:g}, more than {MOST_CANDIDATES:,}; "
                "take a greater step or fewer runs"
            )
        return "weights", [tuple(share / parts for share in shares) for shares in _shares(parts, num_runs)]
    for parameter in method.relation.parameters:
        if parameter.name in _SEARCHED:
            return parameter.name, [(at / parts,) for at in range(1, parts + 1)]
    raise UsageError(f"{method.name} has neither weights nor {' or '.join(_SEARCHED)} to search")


def _shares(parts: int, num_runs: int) -> Iterator[tuple[int, ...]]:
    """All ways to deal parts out to runs."""
    for cuts in itertools.combinations(range(parts + num_runs - 1), num_runs - 1):
        ends = (-1, *cuts, parts + num_runs - 1)
        yield tuple(after - before - 1 for before, after in itertools.pairwise(ends))


def _text(setting: Sequence[float]) -> str:
    return ",".join(f"{number:g}" for number in setting)


def _arguments(searched: str, setting: str) -> Mapping[str, Value]:
    return {searched: setting if searched == "weights" else float(setting)}


@contextmanager
def _tried(
    database: Database,
    method: Method,
    searched: str,
    settings: Sequence[tuple[float, ...]],
    measure: Measure,
    qrels: str,
    tie_rule: str,
    progress: Progress,
) -> Iterator[None]:
    """Have the value of every setting and topic in a temporary table."""
    judged = f"select topic, document, grade from judgments where qrels = {literal(qrels)}"
    database.execute(
        f"create or replace temp table {_TRIED} (candidate integer, unevenness double, topic varchar, value double)"
    )
    try:
        with Evaluator(database.rows(judged), measure.name, tie_rule=tie_rule) as evaluator:
            for candidate, setting in enumerate(settings):
                progress("trying weights", candidate, len(settings))
                query = method.having(**_arguments(searched, _text(setting))).query
                rows = database.rows(f"{query} where topic in (select topic from ({judged}))")
                if not rows:
                    raise UsageError(f"the runs to fuse have none of the topics of {qrels}")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", InputWarning)
                    values = evaluator.per_topic(rows)
                mean = sum(setting) / len(setting)
                unevenness = sum((each - mean) ** 2 for each in setting)
                database.execute(
                    f"insert into temp.{_TRIED} select {candidate}, {unevenness!r}, unnest(?::varchar[]), "
                    "unnest(?::double[])",
                    [list(values), [found[measure.name] for found in values.values()]],
                )
        yield
    finally:
        database.execute(f"drop table if exists temp.{_TRIED}")


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
        method: sum, mnz, rrf, ...; ``methods`` has all of them. Names of ranx are understood.
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
