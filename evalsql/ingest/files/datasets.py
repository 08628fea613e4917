"""Judgments, runs, topics and documents of datasets by name, as irds:beir/scifact/test, through ir_datasets."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalsql.errors import UsageError, input_error

DATASET = "irds:"
_WANTED = {"qrels": "judgments", "scoreddocs": "runs", "queries": "topics", "docs": "documents"}


def is_dataset(source: object) -> bool:
    """Whether it names a dataset, and no file that is called like one."""
    return isinstance(source, str) and source.startswith(DATASET) and not os.path.exists(source)


def write_dataset(label: str, kind: str, path: Path) -> None:
    """Write judgments, or the run that comes with a dataset, as a table with a header; errors as ``_dataset_rows``."""
    if kind not in ("run", "grades", "groups"):
        raise UsageError(f"{label}: datasets have judgments with grades; --form {kind} takes a file")
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        if kind == "run":
            writer.writerow(("topic", "document", "score"))
            writer.writerows((each.query_id, each.doc_id, each.score) for each in _dataset_rows(label, "scoreddocs"))
            return
        writer.writerow(("topic", "document", "grade", "iteration"))
        for each in _dataset_rows(label, "qrels"):
            iteration = getattr(each, "subtopic_id", None) or getattr(each, "iteration", None) or "0"
            writer.writerow((each.query_id, each.doc_id, each.relevance, iteration))


def dataset_records(label: str, what: str) -> Iterator[dict[str, str]]:
    """The queries or docs of a dataset, as far as they are text."""
    for each in _dataset_rows(label, what):
        yield {name: value for name, value in each._asdict().items() if isinstance(value, str)}


def _dataset_rows(label: str, what: str) -> Iterator[Any]:
    """The qrels, scoreddocs or queries of a dataset; raises UsageError without them, InputError if it is unreadable."""
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
        raise UsageError(f"{label}: the dataset has no {_WANTED[what]}, but {' and '.join(there)}")
    try:
        yield from getattr(dataset, f"{what}_iter")()
    except Exception as error:  # what a download raises is of many kinds
        raise input_error(label, f"ir_datasets cannot read it: {error}") from error
