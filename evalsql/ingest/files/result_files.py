"""Results of other programs: MTEB, BEIR, ranx, trec_eval, ir_measures, PyTerrier, and tables of figures."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import is_measure
from evalsql.catalog.relations import read_catalog
from evalsql.ingest.column_meanings import KEYS, column_names
from evalsql.ingest.files.source import SURROGATE, TOO_DEEP, json_fault
from evalsql.ingest.files.text_reading import csv_fault

MTEB, TABLE = "mteb", "table"
_NUMBER = re.compile(r"[-+]?(\d*\.?\d+(e[-+]?\d+)?|nan|inf)", re.IGNORECASE)
MAIN, _TEST = "main_score", "test"
_OF_MTEB = re.compile(r"(ndcg|map|recall|precision|mrr|hit_rate)_at_([0-9]+)")
_COLUMNS = column_names("results")
_COLUMNS["topic"] = [*KEYS["topic"], *_COLUMNS["topic"]]
_OF_VALUES = ("topic", "measure", "value")
_NAME = "name"  # what PyTerrier calls a system, and others something else beside one


class Result(NamedTuple):
    """Values of measures by the names of the file, and what it says of them: system, collection, topic and so on.

    Attributes:
        kind: mteb, or table, where a measure that evalsql does not have is meant by its name, or another program.
    """

    line: int
    values: Mapping[str, Any]
    said: Mapping[str, str] = {}
    kind: str = ""


class ResultError(Exception):
    """What is wrong with a file, and on which line; 0 is the file as a whole."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def mteb_name(key: str) -> str:
    """A key of MTEB's in ir_measures' grammar; others, which may be called like another measure here, are empty."""
    match = _OF_MTEB.fullmatch(key)
    return f"{match[1]}@{match[2]}" if match else ""


def results_of(text: str, measure: str | None = None) -> list[Result]:
    """The results in a file, none if it holds nothing of the kind; ``measure`` is that of a table of systems.

    Raises ResultError for a file that is broken or ambiguous.
    """
    first = text.lstrip().partition("\n")[0]
    if not first:
        raise ResultError(0, "is empty")
    if first[0] not in "{[":
        header = [name for cell in re.split("[\t,;]", first) if (name := cell.strip(' "').lower())]
        systems = (*_COLUMNS["system"], _NAME)
        is_wide = not {*header[:1]}.isdisjoint(systems) and any(is_measure(name, read_catalog()) for name in header)
        is_table = is_wide or not {*header}.isdisjoint(systems if measure else _COLUMNS["measure"])
        return _of_rows(table_rows(text), measure, is_wide=is_wide) if is_table else _printed(text)
    try:
        return _of_json(json.loads(text, object_pairs_hook=_object))
    except RecursionError as error:
        raise ResultError(0, TOO_DEEP) from error
    except json.JSONDecodeError as error:
        if first.rstrip().endswith("}"):
            return _of_rows(table_rows(text), None)
        raise ResultError(error.lineno, f"broken JSON: {json_fault(error)}") from error


def table_rows(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of JSON lines, or of CSV or TSV with a header, each with its line."""
    if text.lstrip().startswith("{"):
        for at, line in enumerate(text.splitlines(), start=1):
            try:
                row = json.loads(line, object_pairs_hook=_object) if line.strip() else {}
            except ResultError as error:
                raise ResultError(at, error.reason) from error
            except ValueError as error:
                raise ResultError(at, f"broken JSON: {json_fault(error)}") from error
            except RecursionError as error:
                raise ResultError(at, TOO_DEEP) from error
            if not isinstance(row, dict):
                raise ResultError(at, "no object, as the lines above are")
            if row:
                yield at, row
        return
    header = text.lstrip().partition("\n")[0]
    rows = csv.reader(StringIO(text, newline=""), delimiter=max("\t,;", key=header.count))
    names = [name.strip() for name in next(filter(None, _cells(rows)), [])]
    if len({name.lower() for name in names}) < len(names) or not names:
        raise ResultError(rows.line_num, "names a column twice" if names else "is empty")
    for cells in _cells(rows):
        if len(cells) not in (0, len(names)):
            raise ResultError(rows.line_num, f"has {len(cells)} columns, and the header {len(names)}")
        if cells:
            yield rows.line_num, dict(zip(names, cells, strict=True))


def _cells(rows: Any) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error as error:
        raise ResultError(rows.line_num, csv_fault(error)) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if any(isinstance(each, str) and SURROGATE.search(each) for pair in pairs for each in pair):
        raise ResultError(0, "has text without UTF-8: a surrogate that is no pair")
    if len(found) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise ResultError(0, f'has "{twice}" twice')
    return found


def results_in(data: Any, measure: str | None = None) -> list[Result]:
    """The results in memory: in a dict as JSON has it, or in rows as dicts."""
    if isinstance(data, dict):
        return _of_json(_object([(str(name), value) for name, value in data.items()]))
    rows = (_object([(str(name), value) for name, value in row.items()]) for row in data)
    return _of_rows(enumerate(rows, start=1), measure, is_wide=True)


def _of_json(document: Any) -> list[Result]:
    rows = document if isinstance(document, list) else [document]
    if not rows or not all(isinstance(row, dict) for row in rows):
        return []
    if all(isinstance(value, int | float | None) for row in rows for value in row.values()):  # BEIR's are several
        return [Result(0, _object([pair for row in rows for pair in row.items()]))]
    whole = rows[0]
    if "metrics" in whole and "model_names" in whole:
        return [Result(0, whole[each]["scores"], {"system": each}) for each in whole["model_names"]]
    if "mteb_dataset_name" in whole or isinstance(whole.get("scores"), dict):
        return _of_mteb(whole)
    return _of_rows(((0, row) for row in rows), None)


def _of_mteb(document: Mapping[str, Any]) -> list[Result]:
    """One task: a result for each subset of the split test, or of the only split."""
    splits = document.get("scores") or {name: each for name, each in document.items() if isinstance(each, dict)}
    if _TEST not in splits and len(splits) != 1:
        held = f"has the splits {', '.join(splits)} and no split {_TEST}" if splits else "has no scores"
        raise ResultError(0, f"{held}; a file of one of them says which is meant")
    entries: Any = splits.get(_TEST) or next(iter(splits.values()))
    if isinstance(entries, dict):  # as MTEB wrote them before 1.11: of one subset without its name, or of several
        subsets = [each for each in entries.values() if isinstance(each, dict)]
        entries = [entries] if any(map(mteb_name, entries)) else subsets or [entries]
    if not all(isinstance(each, dict) for each in entries):
        raise ResultError(0, "has scores that are no JSON objects of measures and values, as MTEB writes them")
    said = {key: str(each) for key in ("dataset_revision", "mteb_version") if (each := document.get(key))}
    if isinstance(date := document.get("date"), int | float):
        said["date"] = datetime.fromtimestamp(date, UTC).strftime("%Y-%m-%d %H:%M:%S")
    task = document.get("task_name") or document.get("mteb_dataset_name") or ""
    return [Result(0, each, {"collection": str(task), **said}, MTEB) for each in entries]


def _of_rows(
    rows: Iterable[tuple[int, Mapping[str, Any]]], measure: str | None, *, is_wide: bool = False
) -> list[Result]:
    """Rows of a measure and its value, or of a system: the other columns are measures if the table is wide.

    With ``measure`` they are collections.
    """
    found: list[Result] = []
    for line, row in rows:
        given = {name.lower(): name for name in row}
        if len(given) < len(row):
            raise ResultError(line, f"has {next(name for name in row if name not in given.values())} twice")
        every = {meaning: [given[name] for name in names if name in given] for meaning, names in _COLUMNS.items()}
        every["system"] = every["system"] or [given[name] for name in (_NAME,) if name in given]
        if twice := [names for names in every.values() if len(names) > 1]:
            raise ResultError(line, f"has columns of one meaning: {', '.join(twice[0])}; leave one")
        places = {meaning: names[0] for meaning, names in every.items() if names}
        known = {meaning: row[name] for meaning, name in places.items()}
        if lacking := [key for key in ("system", "collection") if key in known and known[key] is None]:
            raise ResultError(line, f"does not say its {lacking[0]}")
        if lists := [key for key, text in known.items() if isinstance(text, list | dict)]:
            raise ResultError(line, f"names no {lists[0]}, but several things")
        said = {key: str(text).strip() for key, text in known.items() if key not in _OF_VALUES and text is not None}
        rest = {name: text for name, text in row.items() if name and name not in places.values()}
        cells = {name: text for name, text in rest.items() if text is not None and str(text).strip()}
        if measure and "value" not in known:
            found += [
                Result(line, {measure: text}, {**said, "collection": name}, TABLE) for name, text in cells.items()
            ]
        elif {"measure", "value"} <= known.keys():
            if not str(known["measure"] or "").strip():
                raise ResultError(line, "names no measure")
            topic = {"topic": str(known["topic"]).strip()} if known.get("topic") not in (None, "") else {}
            found.append(Result(line, {str(known["measure"]).strip(): known["value"]}, {**said, **topic}, TABLE))
        elif is_wide and "system" in known and "value" not in known:
            found.append(Result(line, cells, said))
    return found


def _printed(text: str) -> list[Result]:
    """What trec_eval prints (measure, topic, value) or ir_measures (topic, if asked, measure, value)."""
    is_of_trec_eval = re.match(r"\s*\S+( +\t\S+|[ \t]+all)[ \t]", text)  # which pads names with blanks
    found: list[Result] = []
    width = 0
    for at, line in enumerate(text.splitlines(), start=1):
        cells = line.split()
        if not cells or cells[0] == "runid":
            continue
        width = width or len(cells)
        if width not in (2, 3) or not (found or _NUMBER.fullmatch(cells[-1])):
            return []
        if len(cells) != width:
            raise ResultError(at, f"has {len(cells)} columns, and those above have {width}")
        *topic, name = cells[1::-1] if is_of_trec_eval else cells[:-1]
        found.append(Result(at, {name: cells[-1]}, {"topic": topic[0]} if topic else {}))
    return found
