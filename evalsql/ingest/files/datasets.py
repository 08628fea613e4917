"""Datasets by name, ``irds:beir/scifact/test``, through the package ir_datasets."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalsql.errors import InputError, Problem, UsageError

DATASET = "irds:"
_WANTED = {"qrels": "judgments", "scoreddocs": "runs", "queries": "topics"}


def is_dataset(source: object) -> bool:
    """Whether it names a dataset, and no file that is called like one."""
    return isinstance(source, str) and source.startswith(DATASET) and not os.path.exists(source)


def write_dataset(label: str, kind: str, path: Path) -> None:
    """Write judgments, or the run that comes with a dataset, as a table with a header.

    Args:
        label: ``irds:`` and the dataset's id.
        kind: run, or the form of judgments.

    Raises:
        UsageError: ir_datasets is not there, does not know the dataset, or the dataset has none of these.
        InputError: it cannot be fetched or read.
    """
    dataset = _dataset(label, "scoreddocs" if kind == "run" else "qrels")
    if kind not in ("run", "grades", "groups"):
        raise UsageError(f"{label}: datasets have judgments with grades; --form {kind} takes a file")
    try:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
            if kind == "run":
                writer.writerow(("topic", "document", "score"))
                writer.writerows((each.query_id, each.doc_id, each.score) for each in dataset.scoreddocs_iter())
                return
            writer.writerow(("topic", "document", "grade", "iteration"))
            for each in dataset.qrels_iter():
                iteration = getattr(each, "subtopic_id", None) or getattr(each, "iteration", None) or "0"
                writer.writerow((each.query_id, each.doc_id, each.relevance, iteration))
    except Exception as error:
        raise _unreadable(label, error) from error


def topic_records(label: str) -> Iterator[dict[str, str]]:
    """The topics of a dataset: query_id and what else is known of each, as text."""
    dataset = _dataset(label, "queries")
    try:
        for each in dataset.queries_iter():
            yield {name: value for name, value in each._asdict().items() if isinstance(value, str)}
    except Exception as error:
        raise _unreadable(label, error) from error


def _dataset(label: str, what: str) -> Any:
    """A dataset that has qrels, scoreddocs or queries."""
    try:
        import ir_datasets
    except ImportError as error:
        raise UsageError(f"{label}: datasets by name take ir_datasets; pip install 'evalsql[irds]'") from error
    try:
        dataset = ir_datasets.load(label.removeprefix(DATASET))
    except KeyError as error:
        raise UsageError(f"{label}: ir_datasets knows no dataset of this name") from error
    if not getattr(dataset, f"has_{what}")():
        there = [word for each, word in _WANTED.items() if getattr(dataset, f"has_{each}")()]
        raise UsageError(f"{label}: the dataset has no {_WANTED[what]}, but {' and '.join(there) or 'documents'}")
    return dataset


def _unreadable(label: str, error: Exception) -> InputError:
    """What a download raises is of many kinds, and all of them end the load."""
    return InputError([Problem(label, 0, f"ir_datasets cannot read it: {error}")])
