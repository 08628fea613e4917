"""Datasets by name, ``irds:beir/scifact/test``, through the package ir_datasets."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
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
    dataset = _dataset(label)
    rows: Iterable[tuple[Any, ...]]
    if kind == "run":
        _need(dataset, label, "scoreddocs")
        header: tuple[str, ...] = ("topic", "document", "score")
        rows = ((each.query_id, each.doc_id, each.score) for each in dataset.scoreddocs_iter())
    elif kind in ("grades", "groups"):
        _need(dataset, label, "qrels")
        header = ("topic", "document", "grade", "iteration")
        rows = map(_judgment, dataset.qrels_iter())
    else:
        raise UsageError(f"{label}: datasets have judgments with grades; --form {kind} takes a file")
    _write(label, path, header, rows)


def topic_records(label: str) -> Iterator[dict[str, str]]:
    """The topics of a dataset: query_id and what else is known of each, as text."""
    dataset = _dataset(label)
    _need(dataset, label, "queries")
    try:
        for each in dataset.queries_iter():
            yield {name: value for name, value in each._asdict().items() if isinstance(value, str)}
    except Exception as error:
        raise _unreadable(label, error) from error


def _judgment(each: Any) -> tuple[Any, ...]:
    iteration = getattr(each, "subtopic_id", None) or getattr(each, "iteration", None) or "0"
    return each.query_id, each.doc_id, each.relevance, iteration


def _dataset(label: str) -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        raise UsageError(f"{label}: datasets by name take ir_datasets; pip install 'evalsql[irds]'") from error
    try:
        return ir_datasets.load(label.removeprefix(DATASET))
    except KeyError as error:
        raise UsageError(f"{label}: ir_datasets knows no dataset of this name") from error


def _need(dataset: Any, label: str, what: str) -> None:
    if not getattr(dataset, f"has_{what}")():
        there = [word for each, word in _WANTED.items() if getattr(dataset, f"has_{each}")()]
        raise UsageError(f"{label}: the dataset has no {_WANTED[what]}, but {' and '.join(there) or 'documents'}")


def _write(label: str, path: Path, header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
    except Exception as error:
        raise _unreadable(label, error) from error


def _unreadable(label: str, error: Exception) -> InputError:
    """What a download raises is of many kinds, and all of them end the load."""
    return InputError([Problem(label, 0, f"ir_datasets cannot read it: {error}")])
