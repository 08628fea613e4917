"""Reads JSON in Python: the whole of a file, or its lines, where what cannot be read is refused with its line."""

from __future__ import annotations

import json
from typing import Any

from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.ingest.files.source import NOT_UTF8, Source
from evalsql.phrases import shortened

TOO_DEEP = "nested too deeply to be rows or rankings"
OF_MTEB = "mteb_model_meta"


def document(source: Source, name: str) -> Any:
    """What a file of JSON holds; of JSON lines a list. ``name`` is the format, as messages call it."""
    if name == "JSON":
        found = read_whole(source, object_pairs_hook=_once)
        _refuse_columns(source, found)
        return _of_mteb(found) if isinstance(found, dict) and OF_MTEB in found else found
    records = []
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                if raw.strip():
                    records.append(json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once))
            except UnicodeDecodeError as error:
                raise InputError([Problem(source.label, number, f"{name}: {NOT_UTF8}")]) from error
            except ValueError as error:
                raise InputError([Problem(source.label, number, f"{name}: not JSON: {error}")]) from error
            except RecursionError as error:
                raise InputError([Problem(source.label, number, f"{name}: {TOO_DEEP}")]) from error
    return records


def read_whole(source: Source, **options: Any) -> Any:
    """The one value that a file holds; ``options`` are those of ``json.loads``."""
    with source.open() as stream:
        raw = stream.read()
    try:
        return json.loads(raw.decode("utf-8-sig"), **options)
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
        raise InputError([Problem(source.label, line, f"JSON: {NOT_UTF8}")]) from error
    except json.JSONDecodeError as error:
        raise InputError([Problem(source.label, error.lineno, f"broken JSON: {error.msg}")]) from error
    except RecursionError as error:
        raise InputError([Problem(source.label, 0, f"JSON: {TOO_DEEP}")]) from error


def _of_mteb(found: dict[str, Any]) -> Any:
    """The only ranking in {"mteb_model_meta": ..., subset: {split: {topic: {document: score}}}}."""
    splits = {
        f"{subset} {split}": inner
        for subset, by_split in found.items()
        if subset != OF_MTEB and isinstance(by_split, dict)
        for split, inner in by_split.items()
    }
    if len(splits) != 1:
        raise UsageError(
            f"predictions of MTEB are of one subset and split in a file, and here of {len(splits)}"
            + (f": {shortened(list(splits))}; write what stands behind each into a file of its own" if splits else "")
        )
    return next(iter(splits.values()))


def _refuse_columns(source: Source, found: Any) -> None:
    """pandas writes {column: {row: value}}, which looks like {topic: {document: score}}."""
    if isinstance(found, dict) and all(isinstance(value, dict) for value in found.values()):
        for kind in ("run", "grades"):
            if len(known_columns.known(found, kind)) == len(found) > 2:
                columns = ", ".join(found)
                reason = f"JSON: is a table column by column ({columns}), as DataFrame.to_json writes it by default; "
                raise InputError([Problem(source.label, 0, reason + 'orient="records" writes it row by row')])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object as a dict; a name that stands twice would lose a value in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"{twice} stands more than once in one object")
    return found
