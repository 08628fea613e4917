"""Manifests of runs: files that list run files with the system, collection and version of each."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalsql.catalog.ddl import relation_query
from evalsql.database.database import Database
from evalsql.errors import InputError, Problem
from evalsql.ingest.base_rows import add_rows
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.result_files import ResultError, table_rows
from evalsql.ingest.files.source import NOT_UTF8
from evalsql.ingest.python_rows import make_temp_table

_COLUMNS = {
    **{"line": "integer", "file": "varchar", "stem": "varchar", "is_there": "boolean"},
    **{"keys": "varchar[]", "texts": "varchar[]"},
}


def stage_manifest(database: Database, path: str | Path, meta: Mapping[str, str]) -> list[Any]:
    """The runs that a file lists: CSV, TSV, JSON lines or TOML with the columns file, system, collection and others.

    Files are named from the manifest's own folder. ``meta`` is kept with all runs where it says nothing else. Also puts
    the runs into the table ``manifest_runs``. Raises InputError with all lines that are at fault.
    """
    rows = []
    for line, row in _rows(path):
        said = dict(meta) | {key: text for key, value in row.items() if (text := _text(value))}
        file = _file(path, row)
        rows.append((line, file, stem(file), os.path.isfile(file), [*said], [*said.values()]))
    if not rows:
        raise InputError([Problem(str(path), 0, "lists no run")])
    make_temp_table(database, "manifest", _COLUMNS)
    add_rows(database, "manifest", [*_COLUMNS], rows)
    staged = {"manifest": "select *, map(keys, texts) as meta from temp.manifest"}
    runs = relation_query(database.catalog, "manifest_runs", staged)
    database.execute(f"create or replace temp table manifest_runs as {runs}; drop table temp.manifest")
    listed = database.records("select * from temp.manifest_runs order by line")
    if faulty := [Problem(str(path), run.line, run.reason) for run in listed if run.reason]:
        raise InputError(faulty)
    return listed


def manifest_files(path: str | Path) -> list[str]:
    """Paths of the files that a manifest lists, whether they are there or not."""
    return [_file(path, row) for _, row in _rows(path)]


def _file(path: str | Path, row: Mapping[str, Any]) -> str:
    return os.path.join(os.path.dirname(path), _text(row.get("file")))


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _rows(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line and columns of each run; raises InputError for what cannot be read."""
    line, reason = 0, ""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        if not str(path).endswith(".toml"):
            yield from table_rows(text)
            return
        starts = [at for at, each in enumerate(text.splitlines(), start=1) if each.strip().startswith("[[")]
        listed = [row for rows in tomllib.loads(text).values() for row in rows]
        if not all(isinstance(row, dict) for row in listed):
            raise ValueError("something stands there that is no table")
        yield from zip(starts, listed, strict=True)
    except ResultError as error:
        line, reason = error.line, error.reason
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except UnicodeDecodeError:
        reason = NOT_UTF8
    except (ValueError, TypeError, RecursionError) as error:
        reason = f"is no TOML of runs, such as [[run]]: {error}"
    if reason:
        raise InputError([Problem(str(path), line, reason)])
