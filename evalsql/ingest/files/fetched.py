"""Input that is fetched: datasets by name (irds:) through ir_datasets, files of object stores and of web servers."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evalsql.database import engine
from evalsql.database.quack import load_extension
from evalsql.errors import UsageError, WarehouseError, input_error

if TYPE_CHECKING:
    import duckdb

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


# Keys are those of the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, and
# AWS_ENDPOINT_URL for another store than Amazon's) or of a secret that the user keeps in DuckDB. The connection is of
# its own: those of warehouses reach no network.
_SCHEMES = ("s3://", "s3a://", "gs://", "gcs://", "r2://", "https://", "http://")


def is_object(path: str) -> bool:
    return path.lower().startswith(_SCHEMES)


def without_keys(name: str) -> str:
    """An object's name without a password and without what is behind a question mark, which may be a key; else itself.

    Names are kept in warehouses, which others read.
    """
    if not is_object(name):
        return name
    scheme, _, rest = name.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def objects_named(pattern: str) -> list[str]:
    """The objects that a pattern stands for, or itself; InputError where the store does not answer."""
    if not any(mark in pattern for mark in "*?["):
        return [pattern]
    with _connection(pattern) as connection:
        found = connection.execute("select file from glob(?) order by file", [_as_engine(pattern)]).fetchall()
    return [name for (name,) in found] or [pattern]


def copy_object(name: str, path: Path) -> None:
    """Copy an object, byte by byte, into a file; InputError says why it cannot be read."""
    with _connection(name) as connection:
        row: Any = connection.execute("select content from read_blob(?)", [_as_engine(name)]).fetchone()
    if row is None:
        raise input_error(without_keys(name), "no such object")
    path.write_bytes(row[0])


def _as_engine(name: str) -> str:
    return "s3" + name[3:] if name.lower().startswith("s3a:") else name


@contextmanager
def _connection(name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    config = {"allow_unsigned_extensions": True, **engine.SETTINGS}
    with engine.connect(":memory:", config=config) as connection:
        try:
            load_extension(connection, "httpfs", "object stores")
            if url := os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"):
                scheme, host, *_ = urlsplit(url)
                connection.execute("set s3_endpoint = ?", [host])
                connection.execute(f"set s3_url_style = 'path'; set s3_use_ssl = {scheme == 'https'}")
            with engine.interruptible(connection):
                yield connection
        except WarehouseError as error:
            raise input_error(without_keys(name), str(error)) from error
        except engine.Error as error:
            reason = str(error).strip().partition("\n")[0].replace(name, shown := without_keys(name))
            raise input_error(shown, f"the store says: {reason}") from error
