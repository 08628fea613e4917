"""Scores of a test's own in the place of those of the view ``scores``, from which all statistics start."""

import random
from collections.abc import Iterable, Mapping

from evalsql import Warehouse

Scores = Mapping[str, Mapping[str, float]]
"""Values by run and topic."""


def put_scores(warehouse: Warehouse, by_measure: Mapping[str, Scores]) -> None:
    """Have the scores of the judgment set q in the place of the view."""
    put_rows(
        warehouse,
        (
            ("q", run, topic, measure, value)
            for measure, scores in by_measure.items()
            for run, values in scores.items()
            for topic, value in values.items()
        ),
    )


def put_rows(warehouse: Warehouse, scores: Iterable[tuple[str, str, str, str, float]]) -> None:
    """Have rows of judgment set, run, topic, measure and value in the place of the view, in no order."""
    rows = [f"('{qrels}', '{run}', '{topic}', '{measure}', {value!r})" for qrels, run, topic, measure, value in scores]
    random.Random(1).shuffle(rows)
    warehouse.execute(
        "create or replace temp table scores (qrels varchar, run varchar, topic varchar, measure varchar, value double)"
    )
    warehouse.execute(f"insert into temp.scores values {', '.join(rows)}")
