"""Runs and judgments at hand, in one call: means of one run, or a leaderboard with tests as in ``pt.Experiment``."""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from numbers import Number
from pathlib import Path
from typing import Any

from evalsql.catalog.measure_names import DEFAULT_MEASURES
from evalsql.database.database import MEMORY
from evalsql.database.names import Names, as_list
from evalsql.errors import UsageError
from evalsql.ingest.frames import is_of_ranx
from evalsql.notebook import NotebookWarehouse, open
from evalsql.phrases import counted, shortened
from evalsql.report.display import Shown
from evalsql.warehouse.evaluator import Evaluator, canonical_names, split_measures
from evalsql.warehouse.open import open_database
from evalsql.warehouse.warehouse import Warehouse


def evaluate(
    qrels: Any,
    run: Any,
    measures: Names,
    *,
    tie_rule: str | None = None,
    lower_is_better: bool = False,
    form: str = "grades",
    keep_best: bool = False,
    collapse: str | None = None,
    unit: str | None = None,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """The mean of each measure for one run, which may be a file; arguments and errors are those of ``Evaluator``."""
    how: dict[str, Any] = {"tie_rule": tie_rule, "lower_is_better": lower_is_better, "keep_best": keep_best}
    how["collapse"] = collapse
    if not isinstance(run, str | Path):
        how |= {"form": form, "unit": unit, "columns": columns, "qrels_columns": qrels_columns}
        with Evaluator(qrels, measures, **how) as evaluator:
            return evaluator.evaluate(run)
    asked = split_measures(measures)
    with Warehouse(open_database(MEMORY), asked=asked) as warehouse:
        labels = canonical_names(warehouse.catalog, asked)
        judged: dict[str, Any] = {"form": form, "unit": unit if form == "spans" else None, "columns": qrels_columns}
        warehouse.load_qrels(qrels, "qrels", keep_best=keep_best, **judged)
        how["unit"] = unit if collapse else None
        if len(runs := warehouse.load_runs(run, stdin_name="run", columns=columns, **how)) > 1:
            raise UsageError(f"{run} stands for several runs: {shortened(runs)}; evalsql.experiment takes them")
        names, ((_, _, *values),) = warehouse.database.table(warehouse.evaluation.scores_query(list(labels.values())))
        found = dict(zip(names[2:], values, strict=True))
    return {label: found[name] for label, name in labels.items()}


class Experiment(Shown):
    """The leaderboard of an experiment; marks show what is significantly better or worse than its baseline.

    Its runs and judgments stay in the ``warehouse``, in memory; ``comparison`` has the runs beside the baseline.
    """

    warehouse: NotebookWarehouse
    comparison: Shown | None

    def __init__(self, board: Shown, warehouse: NotebookWarehouse, comparison: Shown | None) -> None:
        self.__dict__.update(board.__dict__)
        self.warehouse = warehouse
        self.comparison = comparison


def experiment(
    runs: Any,
    qrels: Any,
    measures: Names = DEFAULT_MEASURES,
    *,
    baseline: str | int | None = None,
    names: Names | None = None,
    test: str = "t",
    correction: str = "holm",
    family: str = "measure",
    alpha: float = 0.05,
    tie_rule: str | None = None,
    lower_is_better: bool = False,
    keep_best: bool = False,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    digits: int = 4,
) -> Experiment:
    """Evaluate runs and compare them with a baseline; everything stays in memory.

    Args:
        runs: {name: run}, or several runs, or files and globs. A run is a file, a frame (pandas, polars, Arrow),
            {topic: {document: score}}, or a run of ranx.
        qrels: a file, a frame, {topic: {document: grade}}, or the qrels of ranx.
        baseline: the name of a run, or its place from 0.
        names: a name for each of the runs, in their order; by default files by their stem, runs of ranx as they are,
            others run1, run2 and so on. The files of one path or glob make one run if it is given a name.
        measures, test, correction, family, alpha, digits: as in ``Warehouse.compare``.
        tie_rule, lower_is_better: as in ``Warehouse.load_runs``.
        keep_best, columns, qrels_columns: as in ``Evaluator``.

    Raises:
        UsageError: no run, names that do not fit, a baseline that is not among the runs.
        InputError: what is wrong with the data.
    """
    held = qrels.values() if isinstance(qrels, Mapping) else qrels if isinstance(qrels, list | tuple) else ()
    if any(
        hasattr(each, "columns") or isinstance(each, str | Path) or (isinstance(each, Mapping) and _is_run(each))
        for each in held
    ):
        raise UsageError("the judgments hold several runs or sets of judgments; runs come first here, then judgments")
    warehouse = open(MEMORY)
    try:
        own_name = None if isinstance(qrels, str | Path) else "qrels"
        warehouse.load_qrels(qrels, own_name, keep_best=keep_best, columns=qrels_columns)
        loaded: list[str] = []
        ranked: dict[str, Any] = {"tie_rule": tie_rule, "lower_is_better": lower_is_better}
        ranked |= {"keep_best": keep_best, "columns": columns}
        with _warnings_kept() as told:
            # Files without names go together: those of one stem are told apart by their folders.
            for are_files, group in groupby(_named(runs, names), key=lambda pair: pair[0] is None):
                if are_files:
                    loaded += warehouse.load_runs([run for _, run in group], **ranked)
                    continue
                for name, run in group:
                    if isinstance(run, str | Path):
                        loaded += warehouse.load_runs(run, name=name, **ranked)
                    else:
                        loaded.append(warehouse.load_run(run, str(name), **ranked))
        base = _baseline(baseline, loaded)
        how: dict[str, Any] = {"test": test, "correction": correction, "family": family, "alpha": alpha}
        how |= {"measures": measures, "digits": digits}
        board = warehouse.leaderboard(baseline=base, **how)
        board.notes += told
        comparison = None if base is None else warehouse.compare(base, **how)
        return Experiment(board, warehouse, comparison)
    except BaseException:
        warehouse.close()
        raise


@contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """What is warned of meanwhile: a notebook, which shows warnings as blocks in red, has it below the table."""
    told: list[str] = []
    with warnings.catch_warnings(record="ipykernel" in sys.modules) as caught:
        yield told
    told += [str(each.message) for each in caught or ()]


def _named(runs: Any, names: Names | None) -> list[tuple[str | None, Any]]:
    """Each run with its name; None for files that take their own when they are loaded."""
    if isinstance(runs, Mapping):
        if _is_run(runs):
            raise UsageError('this is one run; give it a name, as in {"bm25": run}')
        if names is not None:
            raise UsageError("the runs have names already; leave out names")
        found: list[tuple[str | None, Any]] = [(str(name), run) for name, run in runs.items()]
    else:
        is_one = isinstance(runs, str | Path) or not isinstance(runs, Sequence) or hasattr((*runs, None)[0], "_fields")
        listed = [runs] if is_one else list(runs)
        given = [_own_name(run, at) for at, run in enumerate(listed, 1)] if names is None else as_list(names)
        if len(given) != len(listed):
            raise UsageError(f"{counted(len(given), 'name')} for {counted(len(listed), 'run')}; give each run one name")
        found = list(zip(given, listed, strict=True))
    if not found:
        raise UsageError("an experiment takes at least one run")
    taken = [name for name, _ in found if name is not None]
    if twice := [name for name in taken if taken.count(name) > 1]:
        raise UsageError(f"two runs are called {twice[0]}; give each run a name of its own")
    return found


def _own_name(run: Any, place: int) -> str | None:
    if isinstance(run, str | Path):
        return None
    return str(run.name) if is_of_ranx(run) and run.name else f"run{place}"


def _is_run(runs: Mapping[Any, Any]) -> bool:
    """Whether this is {topic: {document: score}} rather than {name: run}."""
    first = next(iter(runs.values()), None)
    return isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), Number)


def _baseline(baseline: str | int | None, runs: Sequence[str]) -> str | None:
    if isinstance(baseline, int):
        if not 0 <= baseline < len(runs):
            raise UsageError(f"the baseline is run {baseline}; there are {len(runs)} runs, from 0")
        return runs[baseline]
    if baseline is not None and baseline not in runs:
        raise UsageError(f'no run is called "{baseline}"; there are: {", ".join(runs)}')
    return baseline
