"""Reads text that is not TREC row by row, in Python: CSV, JSON, split columns; bad rows are refused with their line."""

import csv
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from evalsql.database.database import Database
from evalsql.errors import InputError, UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.files.formats import LETOR_LINE, NO_TARGET, mended
from evalsql.ingest.files.source import HEAD, NOT_UTF8, TOO_DEEP, Format, Source, json_fault, unreadable
from evalsql.ingest.files.trec_text import Refuse, one_path, split, text_lines
from evalsql.literals import literal
from evalsql.phrases import counted

Values = Sequence[str | None]
Rows = Iterator[tuple[int, Values]]
_OF_MTEB = "mteb_model_meta"
_OF_MTEB_START = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"mteb_model_meta"')
_OF_SYSTEMS_START = re.compile(rb'(\xef\xbb\xbf)?\s*(\{\s*"([^"\\]|\\.)*"\s*:\s*){3}-?\d')
_UNKNOWN = ("no_model_name/available", "no_revision_available")  # what MTEB writes for them
_CHUNK = 1 << 20  # bytes
ROWS_TOGETHER = 25_000
_QUOTED = '"([^"]|"")*"'
_DOCID = re.compile(r"#.*docid\s*=\s*(\S+)")
_WORD = re.compile(r"#\s*(\S+)")
_UNCLOSED = "perhaps a quotation mark is never closed"
_DOUBLE = "double the marks that belong to the text"
_NO_TEXT = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as surrogateescape decodes them


def text_rows(source: Source, form: Format, refuse: Refuse) -> Rows:
    """Line and values of each row of a text file, in the order of the form's columns; ``refuse`` gets bad lines."""
    try:
        readers = {"csv": _csv_rows, "jsonl": _json_rows, "nuggets": _nugget_rows, "letor": _letor_rows}
        yield from readers.get(form.reader, _split_rows)(source, form, refuse)
    except unreadable() as error:
        refuse(source.problem(0, f"cannot be read: {error}"))


def _csv_rows(source: Source, form: Format, refuse: Refuse) -> Rows:
    places = [form.names.index(name) for name in form.columns.values()]
    is_plain = quotes_hide_nothing(source, form)
    quoting: Literal[0, 3] = csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL
    with source.open() as stream:
        lines = (line.decode("utf-8", "surrogateescape") for line in islice(stream, form.skipped, None))
        reader = csv.reader(lines, delimiter=form.delimiter, strict=True, quoting=quoting)
        while True:
            first = form.skipped + reader.line_num + 1
            try:
                row = next(reader, None)
            except csv.Error as error:
                refuse(source.problem(first, csv_fault(error)))
                continue
            line = form.skipped + reader.line_num
            if row is None:
                return
            if _NO_TEXT.search("".join(row)):
                refuse(source.problem(line, NOT_UTF8))
            elif not any(row):  # a blank line, or a spreadsheet's row without a value
                continue
            elif len(row) != (width := len(form.names)):
                expected = f"expected {width}: {', '.join(form.names)}"
                refuse(source.problem(line, f"{counted(len(row), 'column')}, {expected}"))
            else:
                cells = [row[at] for at in places]
                if is_plain:
                    cells = [each[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, each) else each for each in cells]
                yield line, [cell.strip() or None for cell in cells]


def headed_rows(
    source: Source, refuse: Refuse, number: int, header: str, is_header: Callable[[Sequence[str]], bool]
) -> Iterator[tuple[int, dict[str, str | None]]] | None:
    """Rows below the line of a header, as dicts, where tabs, commas or semicolons part its names; else None."""
    for delimiter in "\t,;" if len(header) < HEAD else "":  # nobody's header is longer
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
        if len(names) > 1 and is_header(names):
            if repeated := sorted({name for name in names if names.count(name) > 1}):
                raise source.error(f"{names.count(repeated[0])} columns are called {repeated[0]}", number)
            form = Format("table", "csv", {name: name for name in names}, names, delimiter, number)
            return ((line, dict(zip(names, row, strict=True))) for line, row in text_rows(source, form, refuse))
    return None


def quotes_hide_nothing(source: Source, form: Format) -> bool:
    """Whether a table parted by tabs has quotation marks, none of which hides a tab or the end of a line."""
    if form.delimiter != "\t":
        return False
    with source.open() as stream:
        if not any(b'"' in chunk for chunk in iter(lambda: stream.read(_CHUNK), b"")):
            return False
    with source.open() as stream:
        rows = (line for line in islice(stream, form.skipped, None) if line.strip())
        return all(line.count(b"\t") == len(form.names) - 1 for line in rows)


def unquoted_in_sql(column: str) -> str:
    """What ``cells`` does with quotation marks, in SQL, which takes a quarter of the time."""
    inner = f"substr({column}, 2, length({column}) - 2)"
    return f"case when regexp_full_match({column}, '{_QUOTED}') then replace({inner}, '\"\"', '\"') else {column} end"


def csv_fault(error: csv.Error) -> str:
    reasons = {
        "field limit": f"a value is longer than {csv.field_size_limit():,} characters; {_UNCLOSED}",
        "end of data": f"a quotation mark begins a value here and none ends it; {_DOUBLE}",
        "new-line character": "holds a carriage return that ends no line",
        "expected after": f"text follows the quotation mark that ends a value; {_DOUBLE}",
    }
    return next((reason for words, reason in reasons.items() if words in str(error)), str(error))


def _letor_rows(source: Source, form: Format, refuse: Refuse) -> Rows:
    """Topic, document and grade; a document without a name has its place in the topic, from 0."""
    places: Counter[str] = Counter()
    for number, line in _uncommented(source, refuse):
        found = LETOR_LINE.match(line)
        if not found:
            refuse(source.problem(number, "expected grade qid:QUERY feature:value ... # document"))
            continue
        comment = found["comment"] or ""
        named = _DOCID.search(comment) or _WORD.search(comment)
        yield number, (found["topic"], named[1] if named else str(places[found["topic"]]), found["grade"])
        places[found["topic"]] += 1


def _split_rows(source: Source, form: Format, refuse: Refuse) -> Rows:
    """Rows of lines whose columns are not quoted, but for those of queries without a hit."""
    used, width = form.columns, len(form.names)
    places = [form.names.index(name) for name in used.values()]
    needed = max(places) + 1
    score = list(used).index("score") if "score" in used else None
    target = list(used).index("document") if "sseqid" in form.names and "document" in used else None
    expected = f"{width}: {', '.join(form.names)}" if form.is_exact else f"{needed} or more"
    for number, line in _uncommented(source, refuse):
        parts = split(line) if form.delimiter == " " else line.split(form.delimiter)
        if len(parts) < needed or (form.is_exact and len(parts) != width):
            refuse(source.problem(number, f"{counted(len(parts), 'column')}, expected {expected}"))
            continue
        found = [parts[at].strip() or None for at in places]
        if score is not None:
            found[score] = mended(found[score] or "")
        if target is None or found[target] != NO_TARGET:
            yield number, found


def _uncommented(source: Source, refuse: Refuse) -> Iterator[tuple[int, str]]:
    return (each for each in text_lines(source, refuse, blank=False) if not each[1].startswith("#"))


def parquet(path: str) -> str:
    """What the engine reads a Parquet file by; ``path`` is a literal of SQL."""
    return f"read_parquet({path}, file_row_number = true, binary_as_string = true, hive_partitioning = false)"


def parquet_rows(database: Database, source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Some rows at a time, so that memory stays bounded."""
    rows = f"from {parquet(literal(one_path(source.path)))}"
    for first in range(0, database.rows(f"select count(*) {rows}")[0][0], ROWS_TOGETHER):
        among = f"file_row_number between {first} and {first + ROWS_TOGETHER - 1}"
        names, found = database.table(f"select * exclude (file_row_number) {rows} where {among}")
        yield from enumerate((dict(zip(names, row, strict=True)) for row in found), start=first + 1)


# JSON


def _json_rows(source: Source, form: Format, refuse: Refuse) -> Rows:
    for number, row in json_lines(source, refuse):
        if not isinstance(row, dict):
            refuse(source.problem(number, "no object, as the lines above are"))
            continue
        values = {meaning: row.get(name) for meaning, name in form.columns.items()}
        if odd := next((each for each in column_meanings.PLACES if isinstance(values.get(each), dict | list)), ""):
            refuse(source.problem(number, f"{odd} {as_text(values[odd])} is no name"))
        else:
            yield number, list(map(as_text, values.values()))


def _nugget_rows(source: Source, form: Format, refuse: Refuse) -> Rows:
    kind = "assignments" if "assignment" in form.names else "nuggets"
    for number, record in json_lines(source, refuse):
        rows = column_meanings.nugget_rows(record, kind) if isinstance(record, dict) else []
        if not rows:
            refuse(source.problem(number, "no object with a topic and a list of nuggets, and of no document (docid)"))
        yield from ((number, [as_text(row.get(name)) for name in form.names]) for row in rows)


def json_lines(source: Source, refuse: Refuse) -> Iterator[tuple[int, Any]]:
    """Line and value of each line."""
    for number, line in text_lines(source, refuse, blank=False, longest=sys.maxsize):
        try:
            yield number, json.loads(line, object_pairs_hook=_once)
        except ValueError as error:
            refuse(source.problem(number, f"broken JSON: {json_fault(error)}"))
        except RecursionError:
            refuse(source.problem(number, TOO_DEEP))
        except UsageError as error:
            refuse(source.problem(number, str(error)))


def as_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str).strip('"')


def json_document(source: Source, name: str, refuse: Refuse) -> Any:
    """What a file of JSON holds; of JSON lines a list. ``name`` is the format, as messages call it."""
    if name == "JSON lines":
        return [value for _, value in json_lines(source, refuse)]
    found = read_json(source)
    if not isinstance(found, dict) or _OF_MTEB not in found:
        return found
    ranking, *others = _rankings(found).values()
    if others:
        raise UsageError(f"predictions of MTEB for several subsets or splits begin with {_OF_MTEB}, as it writes them")
    return ranking


def read_json(source: Source) -> Any:
    """The one value that a file holds."""
    with source.open() as stream:
        raw = stream.read()
    try:
        return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise source.error(f"JSON: {NOT_UTF8}", 1 + raw.count(b"\n", 0, error.start)) from error
    except json.JSONDecodeError as error:
        raise source.error(f"broken JSON: {json_fault(error)}", error.lineno) from error
    except RecursionError as error:
        raise source.error(f"JSON: {TOO_DEEP}") from error
    except UsageError as error:
        raise source.error(f"JSON: {error}") from error


def holds_predictions(head: bytes) -> bool:
    """Whether a file begins as MTEB's predictions do."""
    return bool(_OF_MTEB_START.match(head))


def predictions(source: Source, task: str, folder: Path) -> list[Source]:
    """The rankings in MTEB's predictions for a task, each of one subset and split and a run of its own.

    The split test and the subset default are left out of their names. Several rankings become files in ``folder``.
    There are none where one of them is no ranking.
    """
    document = read_json(source)
    model, rankings = document[_OF_MTEB], _rankings(document)
    if not isinstance(model, dict) or not all(map(_is_nested, rankings.values())):
        return []
    known = {"system": model.get("model_name"), "version": model.get("revision")}
    said = {key: str(text) for key, text in known.items() if text and text not in _UNKNOWN}
    found = []
    for (subset, part_of), ranking in rankings.items():
        place = [task]
        if subset != "default":
            place.append(subset)
        if part_of != "test":
            place.append(part_of)
        part = source._replace(said=said | {"collection": "/".join(place)})
        found.append(_part(part, f"{subset}/{part_of}", ranking, folder) if len(rankings) > 1 else part)
    return found


def _part(source: Source, name: str, ranking: Any, folder: Path) -> Source:
    path = folder / f"part-{len(os.listdir(folder))}"
    path.write_text(json.dumps(ranking), encoding="utf-8")
    return source._replace(label=f"{source.label}/{name}", path=path, compression="")


def systems(source: Source, head: bytes, folder: Path) -> list[Source]:
    """The runs in {system: {topic: {document: score}}}, as files in ``folder``; the file as it is if it is another."""
    runs: dict[str, Any] = {}
    with suppress(InputError):  # lines may begin so as well
        runs = read_json(source) if _OF_SYSTEMS_START.match(head) else {}
    if not all(map(_is_nested, runs.values())):
        return [source]
    rankings = [ranking for run in runs.values() for ranking in run.values()]
    # In {topic: {document: {"score": ..., "rank": ...}}} these are no documents.
    are_hits = bool(rankings) and all({"score", "rank"} & ranking.keys() for ranking in rankings)
    if are_hits or any(isinstance(score, dict | list) for ranking in rankings for score in ranking.values()):
        return [source]
    if len(runs) == 1 and {*runs} <= {"run", *column_meanings.RANKINGS}:  # these name no system
        return [_part(source, "", next(iter(runs.values())), folder)._replace(label=source.label)]
    return [_part(source._replace(said={"system": name}), name, run, folder) for name, run in runs.items()] or [source]


def _rankings(document: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """What stands behind each subset and split in ``{"mteb_model_meta": ..., subset: {split: predictions}}``."""
    subsets = {name: splits for name, splits in document.items() if name != _OF_MTEB}
    every = {name: splits if isinstance(splits, dict) else {"": splits} for name, splits in subsets.items()}
    return {(name, split): inner for name, splits in every.items() for split, inner in splits.items()}


def _is_nested(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values())


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object as a dict; a name that stands twice would lose a value in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise UsageError(f"{twice} stands more than once in one object")
    return found
