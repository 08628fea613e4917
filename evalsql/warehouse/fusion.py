"""Fuses runs into a new one: the methods, the search of their weights, and what the new run keeps of its origin."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.relations import FUSION, Catalog, Relation
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, only_qrels, resolve_names
from evalsql.errors import InputWarning, UsageError, warn
from evalsql.evaluation.stored_scores import check_rankings
from evalsql.ingest.frames import Query
from evalsql.ingest.loader import Loader
from evalsql.literals import Value, literal
from evalsql.phrases import Progress, counted, silent
from evalsql.warehouse.evaluator import Evaluator

# What other programs call a method that has weights, and other words for some.
_ALIASES = {"wsum": "sum", "wmnz": "mnz", "w_bordafuse": "borda", "w_condorcet": "condorcet"}
_NORM_ALIASES = {"zmuv": "z-score", "min_max": "min-max", "zscore": "z-score"}
_OWN = ("runs", "weights", "norm", "qrels", "folds")
TIE_RULES = ("trec_eval", "trec_eval_10")
MOST_CANDIDATES = 3000
_SEARCHED = ("gamma", "sigma")  # of methods without weights
_TRIED = "fusion_values"


class Method(NamedTuple):
    """A way to fuse runs, with its arguments."""

    name: str
    relation: Relation
    arguments: Mapping[str, Value]

    def takes(self, name: str) -> bool:
        """Whether it has a parameter of this name; what learns from judgments takes ``qrels``."""
        return any(parameter.name == name for parameter in self.relation.parameters)

    def having(self, **arguments: Value) -> Method:
        return self._replace(arguments={**self.arguments, **arguments})

    def weighted(self, weights: Sequence[float], names: Sequence[str], catalog: Catalog) -> Method:
        """The same with a weight for each run; raises UsageError where it takes none, or they do not fit."""
        if not self.takes("weights"):
            having = [name for name, each in methods(catalog).items() if Method(name, each, {}).takes("weights")]
            raise UsageError(f"{self.name} has no weights; methods with weights are {', '.join(having)}")
        given = [float(weight) for weight in weights]
        if len(given) != len(names):
            raise UsageError(f"{counted(len(given), 'weight')} for {len(names)} runs: {', '.join(names)}")
        if not all(math.isfinite(weight) and weight >= 0 for weight in given) or not any(given):
            raise UsageError("weights are numbers from 0 on, one above 0 at least")
        return self.having(weights=",".join(map(_number_text, given)))

    @property
    def query(self) -> str:
        return f"select topic, document, score from {Measure(self.relation, self.arguments).call}"

    def settings(self, num_runs: int, step: float) -> tuple[str, list[str]]:
        """What is searched (weights, or else gamma or sigma), and the settings to try; raises UsageError for none."""
        parts = round(1 / step) if 0 < step <= 0.5 else 0
        if not math.isclose(parts * step, 1):
            raise UsageError(f"step is {step:g}, it must divide 1, as 0.5, 0.2 and 0.1 do")
        if self.takes("weights"):
            places = parts + num_runs - 1
            count = math.comb(places, num_runs - 1)
            if count > MOST_CANDIDATES:
                raise UsageError(
                    f"{count:,} ways to weigh {num_runs} runs in steps of {step:g}, more than {MOST_CANDIDATES:,}; "
                    "take a greater step or fewer runs"
                )
            # Cuts between the places leave each run its share of them.
            ends = [(-1, *cuts, places) for cuts in itertools.combinations(range(places), num_runs - 1)]
            shares = [[after - before - 1 for before, after in itertools.pairwise(each)] for each in ends]
            return "weights", [",".join(f"{share / parts:g}" for share in each) for each in shares]
        for name in filter(self.takes, _SEARCHED):
            return name, [f"{at / parts:g}" for at in range(1, parts + 1)]
        raise UsageError(f"{self.name} has neither weights nor {' or '.join(_SEARCHED)} to search")


def methods(catalog: Catalog) -> dict[str, Relation]:
    """Every method by its name, which is that of its relation without comb_ and _fuse."""
    found = {each.name.removeprefix("comb_").removesuffix("_fuse"): each for each in catalog.of_kind(FUSION)}
    return dict(sorted(found.items()))


def method_named(catalog: Catalog, name: str, parameters: Mapping[str, Value], norm: str | None) -> Method:
    """A method by its name here or elsewhere, with its parameters; raises UsageError for what it does not know."""
    known = methods(catalog)
    plain = name.lower().replace("-", "_")
    word = _ALIASES.get(plain, plain.removeprefix("comb").removesuffix("fuse").strip("_"))
    if word not in known:
        there_are = ", ".join(known)
        raise UsageError(f'unknown fusion method "{name}"; the method comes before the runs and is one of {there_are}')
    takes = {each.name: each for each in known[word].parameters}
    own = [each for each in takes if each not in _OWN]
    given = {parameter: str(value) for parameter, value in parameters.items() if value is not None}
    for parameter in given:
        if parameter not in own:
            raise UsageError(f"{word} takes no {parameter}; it takes {', '.join(own) or 'none'}")
    if norm is not None:
        if "norm" not in takes:
            raise UsageError(f"{word} goes by ranks, which need no norm; leave it out")
        given["norm"] = _NORM_ALIASES.get(norm, norm)
    defaults = {each.name: each.default for each in takes.values()}
    return Method(word, known[word], defaults | known[word].parsed(given))


def _number_text(value: Value) -> str:
    return str(value).removesuffix(".0")


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
        return self.folds[-1]

    @property
    def meta(self) -> dict[str, str]:
        return {
            f"fusion_{self.searched}": "; ".join(f"{each.fold or 'all'}: {each.setting}" for each in self.folds),
            "fusion_tuned_by": self.measure,
            "fusion_in_fold": repr(self.whole.in_fold),
            "fusion_out_of_fold": repr(self.whole.out_of_fold),
        }


class Search(NamedTuple):
    """By which measure and judgments weights are searched, in how many folds and what steps."""

    measure: str
    qrels: str
    folds: int
    step: float
    tie_rule: str
    progress: Progress

    def best(self, database: Database, method: Method, num_runs: int) -> Tuning:
        """Try all settings on all judged topics, and choose for each fold the one that is best on the others."""
        named = parse_measures([self.measure], database.catalog)
        if len(named) != 1 or named[0].relation in database.catalog.own:
            raise UsageError(f'weights are searched by one measure of the package, found "{self.measure}"')
        searched, settings = method.settings(num_runs, self.step)
        tried = [method.having(**{searched: text if searched == "weights" else float(text)}) for text in settings]
        parts = f"select topic, fold from steps.topic_folds(qrels := {literal(self.qrels)}, folds := {self.folds})"
        inputs = {"tried": f"select * from temp.{_TRIED}", "parts": parts}
        less = named[0].relation.header.less_is_better
        chosen = database.query("tuned_folds", inputs, less_is_better=less)
        columns = {"candidate": "integer", "setting": "varchar", "topic": "varchar", "value": "double"}
        database.make_empty(_TRIED, columns)
        try:
            self._try_settings(database, settings, tried, named[0].name)
            found = database.rows(f"{chosen} order by fold = 0, fold")
        finally:
            database.drop(_TRIED)
        pieces = []
        for fold, candidate, *_ in found:
            own = f"in (select topic from ({parts}) where fold = {fold})"
            topics = own if fold else f"not in (select topic from ({parts}))"
            pieces.append(f"{tried[candidate].query} where topic {topics}")
        best = [Fold(fold, settings[candidate], *rest) for fold, candidate, *rest in found]
        return Tuning(searched, named[0].name, best, "\nunion all\n".join(pieces))

    def _try_settings(self, database: Database, settings: Sequence[str], tried: Sequence[Method], measure: str) -> None:
        judged = f"select topic, document, grade from judgments where qrels = {literal(self.qrels)}"
        listed = "? as candidate, ? as setting, unnest(?::varchar[]) as topic, unnest(?::double[]) as value"
        with Evaluator(database.rows(judged), measure, tie_rule=self.tie_rule) as evaluator:
            for candidate, (setting, method) in enumerate(zip(settings, tried, strict=True)):
                self.progress("trying weights", candidate, len(tried))
                rows = database.rows(f"{method.query} where topic in (select topic from ({judged}))")
                if not rows:
                    raise UsageError(f"the runs to fuse have none of the topics of {self.qrels}")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", InputWarning)
                    values = evaluator.per_topic(rows)
                given = [candidate, setting, [*values], [each[measure] for each in values.values()]]
                database.insert(f"temp.{_TRIED}", f"select {listed}", given)


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
) -> Tuning | None:
    """Fuse runs into a new one; gives what was searched, if anything was.

    Args:
        method: sum, mnz, rrf, ...; ``methods`` has all of them. Names of ranx are understood.
        runs: names or globs, in the order of the weights.
        norm: none, min-max, max, sum, z-score, rank or borda, of methods that fuse scores; min-max by default.
        weights: one for each run.
        tune: a measure by which weights are searched (or gamma or sigma, of methods with one of these), each topic
            getting those that are best on the other folds.
        folds: parts of the judged topics, for searching and for methods that learn from judgments.
        step: between weights that are tried; they add up to 1.
        learn_from: judgments to search or learn by; by default the only set to evaluate with.
        qrels: judgment sets to evaluate with; by default those that evaluate all of the runs.
        depth, tie_rule, replace, meta: as in ``Warehouse.load_run``; meta is beside what it was made of.
        parameters: what the method takes: k of rrf, phi of rbc, gamma of gmnz, ...

    Raises UsageError for names, parameters or weights that do not fit; nothing was changed then.
    """
    database = loader.database
    names = _inputs(database, runs, name)
    check_rankings(database, "fusion", names, every=True)
    if tie_rule not in TIE_RULES:
        raise UsageError(f"tie rule {tie_rule} does not suit a fused run; there are: {', '.join(TIE_RULES)}")
    if tune is not None and weights is not None:
        raise UsageError("weights cannot be both given and searched; leave out one")
    chosen = method_named(database.catalog, method, parameters, norm).having(runs=",".join(names))
    if weights is not None:
        chosen = chosen.weighted(weights, names, database.catalog)
    of_all = database.query("common_sets", runs=",".join(names))
    judged = as_list(qrels) or database.column(f"select qrels from ({of_all}) order by qrels")
    if chosen.takes("qrels") or tune is not None:
        learn_from = _teacher(database, learn_from, judged, chosen, folds)
    if chosen.takes("qrels"):
        chosen = chosen.having(qrels=learn_from, folds=folds)
    remarks = database.query("fusion_remarks", runs=",".join(names), norm=chosen.arguments.get("norm"))
    for is_fault, remark in database.rows(f"select is_fault, remark from ({remarks}) order by place"):
        if is_fault:
            raise UsageError(remark)
        warn(remark)
    tuning, query = None, chosen.query
    if tune is not None:
        tuning = Search(tune, str(learn_from), folds, step, tie_rule, progress).best(database, chosen, len(names))
        query = tuning.query
    kept = {**_origin(database, chosen, names), **(tuning.meta if tuning else {}), **(meta or {})}
    fused = Query(query, f"fused from {', '.join(names)}")
    loader.load_run(fused, name, qrels=judged, tie_rule=tie_rule, depth=depth, replace=replace, meta=kept)
    return tuning


def _origin(database: Database, method: Method, names: Sequence[str]) -> dict[str, str]:
    """What the new run keeps as meta: the method with its parameters, and the runs that it is made of."""
    loaded = dict(database.rows("select run, cast(loaded_at as varchar) from runs"))
    kept = {
        "fusion": method.name,
        "fusion_runs": ", ".join(names),
        "fusion_runs_loaded_at": ", ".join(loaded[run] for run in names),
    }
    for parameter, value in method.arguments.items():
        if value is not None and parameter != "runs":
            kept["fusion_learnt_from" if parameter == "qrels" else f"fusion_{parameter}"] = _number_text(value)
    return kept


def _inputs(database: Database, runs: Names, name: str) -> list[str]:
    """The names of the runs to fuse, in their order; raises UsageError for fewer than two, or one that does not fit."""
    names = [name for pattern in as_list(runs) for name in sorted(resolve_names(database, "run", pattern))]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"{twice[0]} is named twice")
    if len(names) < 2:
        raise UsageError("fusion takes two runs at least")
    if name in names:
        raise UsageError(f"{name} is one of the runs to fuse; give the new run another name")
    held = database.rows(f"select run from steps.named_runs(runs := {literal(','.join(names))}) order by place")
    if [run for (run,) in held] != names:
        raise UsageError("a comma in a run's name separates runs here; load the run under another name")
    return names


def _teacher(database: Database, asked: str | None, judged: Sequence[str], method: Method, folds: int) -> str:
    """The judgment set to learn from: the one asked for, else the only one of ``judged``; UsageError if unfit."""
    wanted = "name one judgment set to learn from"
    if asked is None and not judged:
        raise UsageError(wanted)
    found = only_qrels(database, asked, wanted, resolve_names(database, "qrels", judged))
    where = f"where qrels = {literal(found)}"
    ((form,),) = database.rows(f"select form from qrels {where}")
    if form != "grades":
        raise UsageError(f"{found} holds {form}; fusion learns from grades")
    ((most,),) = database.rows(f"select count(*) from steps.topic_folds(qrels := {literal(found)})")
    if not 2 <= folds <= most:
        raise UsageError(f"folds are {folds}, they must be 2 to {most}, the topics of {found}")
    rel = method.arguments.get("rel") if method.takes("qrels") else None
    if rel is not None and not database.rows(f"select 1 from judgments {where} and grade >= ? limit 1", [rel]):
        raise UsageError(f"{found} has no document of grade {rel} or above to learn from; --rel takes a lower one")
    return found
