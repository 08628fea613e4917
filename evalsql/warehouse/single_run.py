"""Evaluates one run by one call: judgments and run in, means out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalsql.database.names import Names
from evalsql.warehouse.entry import open_to_ask
from evalsql.warehouse.evaluator import Evaluator, canonical_names, split_measures


def evaluate(
    qrels: Any,
    run: Any,
    measures: Names,
    *,
    tie_rule: str | None = None,
    lower_is_better: bool = False,
    form: str = "grades",
) -> dict[str, float]:
    """The mean of each measure for one run, by the name it was asked for.

    Arguments and errors are those of ``Evaluator`` and its ``evaluate``; the run may be a TREC run file too.
    """
    if not isinstance(run, str | Path):
        with Evaluator(qrels, measures, tie_rule=tie_rule, lower_is_better=lower_is_better, form=form) as evaluator:
            return evaluator.evaluate(run)
    asked = split_measures(measures)
    with open_to_ask(asked) as warehouse:
        labels = canonical_names(warehouse.catalog, asked)
        warehouse.load_qrels(qrels, "qrels", form=form)
        warehouse.load_runs(run, name="run", tie_rule=tie_rule, lower_is_better=lower_is_better)
        names, ((_, _, *values),) = warehouse.database.table(warehouse.evaluation.scores_query(list(labels.values())))
        found = dict(zip(names[2:], values, strict=True))
    return {label: found[name] for label, name in labels.items()}
