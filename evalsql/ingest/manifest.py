"""Manifests of runs: files that list run files with the system, collection and version of each."""

import csv
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

from evalsql.database.database import Database
from evalsql.database.names import resolve_names
from evalsql.errors import InputError, Problem, ProblemList, UsageError
from evalsql.ingest.files.input_files import stem
from evalsql.ingest.files.source import Source

_COLUMNS = ("file", "run", "qrels")  # what is no meta


@dataclass
class Manifest:
    """The runs that a manifest lists, by the paths of their files.

    Attributes:
        names: of the runs.
        metas: what is kept with each run, by its name.
        judgments: keys of the judgment sets to evaluate each run with, by its name, where the manifest says it.
    """

    names: dict[str, str] = field(default_factory=dict)
    metas: dict[str, dict[str, str]] = field(default_factory=dict)
    judgments: dict[str, set[int]] = field(default_factory=dict)

    def by_name(self, sources: Iterable[Source], problems: ProblemList) -> dict[str, list[Source]]:
        """The files by the names of their runs; ``problems`` gets what a folder or an archive holds."""
        files: dict[str, list[Source]] = {}
        for source in sources:
            if source.label in self.names:
                files[self.names[source.label]] = [source]
            else:
                problems.add(source.problem(0, "is part of a folder or an archive; a manifest names the files"))
        return files

    def keep_metas(self, database: Database) -> None:
        given = "select unnest(?::varchar[]) as run, unnest(?::varchar[][]) as keys, unnest(?::varchar[][]) as texts"
        keys, texts = ([list(kind(each)) for each in self.metas.values()] for kind in (dict.keys, dict.values))
        database.execute(
            f"update runs set meta = map(keys, texts) from ({given}) as given where runs.run = given.run",
            [[*self.metas], keys, texts],
        )


def read_manifest(database: Database, path: str | Path, meta: Mapping[str, str]) -> Manifest:
    """The runs that a file lists: CSV, TSV, JSON lines or TOML with the columns file, system, collection and others.

    Files are named from the manifest's own folder. ``meta`` is kept with all runs where it says nothing else.
    Raises InputError with all lines that are at fault.
    """
    manifest, problems, lines = Manifest(), ProblemList(), dict[str, int]()
    collections: dict[str, set[int]] = {}
    held = "select coalesce(meta['collection'], qrels), qrels_id from qrels where replaced_at is null"
    for collection, qrels_id in database.rows(held):
        collections.setdefault(collection, set()).add(qrels_id)
    for line, row in _rows(path):
        said = dict(meta) | {key: text for key, value in row.items() if (text := str(value or "").strip())}
        file = os.path.join(os.path.dirname(path), said.get("file", ""))
        name = said.get("run") or _name(said) or stem(file)
        try:
            if "file" not in said:
                raise UsageError("names no file; the column file does")
            if not os.path.isfile(file):
                raise UsageError(f"{file}: no such file")
            for key, before in ((file, manifest.names), (name, manifest.metas)):
                if key in before:
                    raise UsageError(f"{key} stands on line {lines[key]} already")
            _ = "date" in said and datetime.fromisoformat(said["date"])
            if "qrels" in said:
                manifest.judgments[name] = set(resolve_names(database, "qrels", said["qrels"]).ids)
            elif "collection" in said:
                if said["collection"] not in collections:
                    loads = f"evalsql load qrels FILE --collection {said['collection']} loads some"
                    raise UsageError(f"no judgments of the collection {said['collection']} are here; {loads}")
                manifest.judgments[name] = collections[said["collection"]]
        except (UsageError, ValueError) as error:
            problems.add(Problem(str(path), line, str(error)))
            continue
        lines |= {file: line, name: line}
        manifest.names[file] = name
        manifest.metas[name] = {key: text for key, text in said.items() if key not in _COLUMNS}
    problems.check()
    if not manifest.names:
        raise InputError([Problem(str(path), 0, "lists no run")])
    return manifest


def manifest_files(path: str | Path) -> list[str]:
    """Paths of the files that a manifest lists, whether they are there or not."""
    return [os.path.join(os.path.dirname(path), str(row.get("file"))) for _, row in _rows(path)]


def _name(said: Mapping[str, str]) -> str:
    if "system" not in said:
        return ""
    version, collection = said.get("version"), said.get("collection") or said.get("qrels")
    return said["system"] + f"@{version}" * bool(version) + f"/{collection}" * bool(collection)


def _rows(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line and columns of each run; raises InputError for what cannot be read."""
    line = 0
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        if str(path).endswith(".toml"):
            starts = [at for at, each in enumerate(text.splitlines(), start=1) if each.strip().startswith("[[")]
            tables = [row for rows in tomllib.loads(text).values() for row in rows]
            yield from zip(starts, tables, strict=True)
        elif text.lstrip().startswith("{"):
            for line, each in enumerate(text.splitlines(), start=1):
                if each.strip():
                    yield line, json.loads(each)
        else:
            header = text.partition("\n")[0]
            rows = csv.reader(
                StringIO(text, newline=""), delimiter=next((each for each in "\t;" if each in header), ",")
            )
            names = [name.strip().lower() for name in next(rows, [])]
            for cells in rows:
                line = rows.line_num
                if len(cells) not in (0, len(names)):
                    raise ValueError(f"{len(cells)} columns, and the header has {len(names)}")
                if cells:
                    yield line, dict(zip(names, cells, strict=True))
    except OSError as error:
        raise InputError([Problem(str(path), 0, (error.strerror or str(error)).lower())]) from error
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError([Problem(str(path), line, f"cannot be read as a manifest: {error}")]) from error
