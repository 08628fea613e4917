"""What runs are of, by system, version and collection: a manifest lists it, and some files say it themselves."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalsql.database.database import Database
from evalsql.errors import InputError, Problem, input_error
from evalsql.ingest.base_rows import add_rows
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.result_files import ResultError, table_rows
from evalsql.ingest.files.source import NOT_UTF8, Source

_COLUMNS = {
    **{"line": "integer", "file": "varchar", "stem": "varchar", "is_there": "boolean"},
    **{"keys": "varchar[]", "texts": "varchar[]"},
}
_SAID = {"run": "varchar", "keys": "varchar[]", "texts": "varchar[]"}


def stage_manifest(database: Database, path: str | Path, meta: Mapping[str, str]) -> list[Any]:
    """The runs that a file lists: CSV, TSV, JSON lines or TOML with the columns file, system, collection and others.

    Paths start from the manifest's own folder. ``meta`` is kept with all runs where it says nothing else. Also
    puts the runs into the table ``told_runs``. Raises InputError with all lines that are at fault.
    """
    rows = []
    for line, row in _rows(path):
        said = dict(meta) | {key: text for key, value in row.items() if (text := _text(value))}
        file = _file(path, row)
        rows.append((line, file, stem(file), os.path.isfile(file), [*said], [*said.values()]))
    if not rows:
        raise input_error(path, "lists no run")
    listed = _told_runs(database, "manifest_runs", "manifest", _COLUMNS, rows)
    if faulty := [Problem(str(path), run.line, run.reason) for run in listed if run.reason]:
        raise InputError(faulty)
    return listed


def run_name(facts: Mapping[str, str]) -> str:
    """``system@version/collection``, as far as it is known."""
    version = f"@{facts['version']}" if facts.get("system") and facts.get("version") else ""
    return "/".join(filter(None, [facts.get("system", "") + version, facts.get("collection")]))


def stage_said(database: Database, runs: Mapping[str, Sequence[Source]], meta: Mapping[str, str]) -> list[Any]:
    """What the first file of each run says of it, with ``meta``, and the judgment sets to evaluate it with.

    Also puts it into the table ``told_runs``. Most files say nothing.
    """
    said = {run: {**some[0].said, **meta} for run, some in runs.items() if some[0].said}
    if not said:
        return []
    rows = [(run, [*facts], [*facts.values()]) for run, facts in said.items()]
    return _told_runs(database, "sets_of_collections", "said_runs", _SAID, rows)


def _told_runs(
    database: Database, relation: str, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[object]]
) -> list[Any]:
    """What a relation makes of staged rows, which it reads under a name; the table ``told_runs`` has it as well."""
    database.make_empty(name, columns)
    add_rows(database, name, [*columns], rows)
    staged = {name: f"select * exclude (keys, texts), map(keys, texts) as meta from temp.{name}"}
    database.make("told_runs", database.query(relation, staged))
    database.drop(name)
    return database.records("select * from temp.told_runs")


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
            yield from ((line, {name.lower(): each for name, each in row.items()}) for line, row in table_rows(text))
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
        raise input_error(path, reason, line)
