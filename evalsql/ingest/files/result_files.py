"""Results that other programs wrote: MTEB, BEIR, ranx, trec_eval, ir_measures, and tables of figures."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from statistics import fmean
from typing import Any, NamedTuple

from evalsql.ingest.column_meanings import TOPIC_KEYS

MTEB, TABLE = "mteb", "table"
ALL = "all"  # what trec_eval and ir_measures print as the topic of a mean
Canonical = Callable[[str], str]  # the name that evalsql has for a measure; empty where it has none
_OF_MTEB = re.compile(r"(ndcg|map|recall|precision|mrr|hit_rate)_at_([0-9]+)")
MAIN, _TEST = "main_score", "test"
_COLUMNS = {
    "system": ("system", "model", "model_name", "run"),
    "version": ("version", "revision", "model_revision"),
    "collection": ("collection", "dataset", "task", "task_name", "corpus", "qrels"),
    "topic": (*TOPIC_KEYS, "topic", "query"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "date": ("date",),
    "cluster": ("cluster",),
}


class Result(NamedTuple):
    """Values of measures that a file has of one system on one collection; what it does not say is empty.

    Attributes:
        values: by the names of the file.
        main: the main score of the task, which is one of the measures.
        facts: what else is kept with them.
        kind: mteb, or table, where a measure that evalsql does not have is meant by its name, or another program.
    """

    line: int
    values: Mapping[str, Any]
    system: str = ""
    version: str = ""
    collection: str = ""
    topic: str = ""
    main: Any = None
    facts: Mapping[str, str] = {}
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


def results_of(text: str, canonical: Canonical, measure: str | None = None) -> list[Result] | None:
    """The results in a file; None if it holds nothing of the kind. ``measure`` is that of a table of systems.

    Raises ResultError for a file that is broken or ambiguous.
    """
    if not text.strip():
        raise ResultError(0, "is empty")
    if text.lstrip()[0] in "{[":
        return _of_json(text)
    return _of_table(text, measure) or _printed(text, canonical)


def _of_json(text: str) -> list[Result] | None:
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise ResultError(0, "is JSON that is nested too deeply") from error
    except ValueError as error:
        return _of_json_lines(text, error)
    if isinstance(document, list):
        return _of_list(document)
    if "metrics" in document and "model_names" in document:
        names = document["model_names"]
        return [Result(0, document[each]["scores"], each) for each in names if "scores" in document.get(each, {})]
    if "mteb_dataset_name" in document or isinstance(document.get("scores"), dict):
        return [_of_mteb(document)]
    if _are_numbers(document):
        return [Result(0, document)]
    if all(isinstance(inner, dict) and _are_numbers(inner) for inner in document.values()):
        return [Result(0, inner, collection=each) for each, inner in document.items()] or None
    return _of_list([document])


def _of_json_lines(text: str, fault: ValueError) -> list[Result] | None:
    found: list[Result] = []
    for at, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError as error:
            at, fault = (at, error) if found else (getattr(fault, "lineno", 0), fault)
            raise ResultError(at, f"is no JSON: {getattr(fault, 'msg', fault)}") from error
        if row is not None:
            if not isinstance(row, dict) or not (result := _row(at, row)):
                return None
            found.append(result)
    return found


def _of_list(rows: Sequence[Any]) -> list[Result] | None:
    """Rows of a table, or what BEIR returns: a dict for each kind of measure."""
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None
    if all(map(_are_numbers, rows)):
        return [Result(0, {key: value for row in rows for key, value in row.items()})]
    found = [_row(0, row) for row in rows]
    return None if None in found else [each for each in found if each]


def _are_numbers(values: Mapping[str, Any]) -> bool:
    return bool(values) and all(isinstance(value, int | float | None) for value in values.values())


# MTEB


def _of_mteb(document: Mapping[str, Any]) -> Result:
    """One task: the split test, else the only one; of several subsets the means, as MTEB's own score of a task is."""
    splits = document.get("scores") or {name: each for name, each in document.items() if isinstance(each, dict)}
    if _TEST not in splits and len(splits) != 1:
        held = f"has the splits {', '.join(splits)} and no split {_TEST}" if splits else "has no scores"
        raise ResultError(0, f"{held}; a file of one of them says which is meant")
    entries: Any = splits.get(_TEST) or next(iter(splits.values()))
    if isinstance(entries, dict):  # as MTEB wrote them before 1.11: of one subset without its name
        entries = list(entries.values()) if all(isinstance(each, dict) for each in entries.values()) else [entries]
    if not isinstance(entries, list) or not entries or not all(isinstance(each, dict) for each in entries):
        raise ResultError(0, "has no scores")
    values = entries[0] if len(entries) == 1 else _means(entries)
    facts = {
        key: str(document[key])
        for key in ("dataset_revision", "mteb_version")
        if document.get(key) not in (None, "None")
    }
    if isinstance(date := document.get("date"), int | float):
        facts["date"] = datetime.fromtimestamp(date, UTC).strftime("%Y-%m-%d %H:%M:%S")
    task = str(document.get("task_name") or document.get("mteb_dataset_name") or "")
    return Result(0, values, collection=task, main=values.get(MAIN), facts=facts, kind=MTEB)


def _means(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    shared = [key for key in entries[0] if all(isinstance(each.get(key), int | float) for each in entries)]
    return {key: fmean(each[key] for each in entries) for key in shared}


# Tables and what programs print


def _of_table(text: str, measure: str | None) -> list[Result] | None:
    for delimiter in "\t,;":
        rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
        names = [name.strip() for name in next(rows, [])]
        known = _meanings(names)
        is_wide = measure is not None and "system" in known and "value" not in known
        if not is_wide and not {"measure", "value"} <= known.keys():
            continue
        found: list[Result] = []
        for cells in rows:
            if cells and len(cells) != len(names):
                raise ResultError(rows.line_num, f"has {len(cells)} columns, and the header {len(names)}")
            row = dict(zip(names, cells, strict=False))
            wide = _wide(row, known, measure) if is_wide else [row]
            found += [each for some in wide if some and (each := _row(rows.line_num, some))]
        return found
    return None


def _wide(row: Mapping[str, str], known: Mapping[str, str], measure: str | None) -> Iterator[dict[str, Any]]:
    """Rows of the cells of a system, whose columns are collections; empty cells are none."""
    common = {meaning: row[name] for meaning, name in known.items() if row and meaning in ("system", "version", "date")}
    for name, value in row.items():
        if name not in (known.get(each) for each in common) and value.strip():
            yield {**common, "collection": name, "measure": measure, "value": value}


def _meanings(names: Sequence[str]) -> dict[str, str]:
    folded = {name.lower().replace(" ", "_"): name for name in reversed(names)}
    found = {meaning: [folded[each] for each in known if each in folded] for meaning, known in _COLUMNS.items()}
    return {meaning: held[0] for meaning, held in found.items() if held}


def _row(line: int, row: Mapping[str, Any]) -> Result | None:
    """A row with a measure and its value; None if it has none."""
    known = {meaning: row[name] for meaning, name in _meanings(list(row)).items()}
    if not {"measure", "value"} <= known.keys():
        return None
    values = {str(known.pop("measure")).strip(): known.pop("value")}
    said = {meaning: str(value).strip() for meaning, value in known.items() if value is not None}
    facts = {key: value for key in ("date", "cluster") if (value := said.pop(key, ""))}
    topic = said.pop("topic", "")
    return Result(line, values, **said, topic="" if topic == ALL else topic, facts=facts, kind=TABLE)


def _printed(text: str, canonical: Canonical) -> list[Result] | None:
    """What trec_eval prints (measure, topic, value) or ir_measures (topic, if asked, measure, value)."""
    rows = [(at, line.split()) for at, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(at, cells) for at, cells in rows if cells[0] != "runid"]
    first = rows[0][1] if rows else []
    at = next((at for at in range(len(first[:2])) if canonical(first[at]) or first[at] == "num_q"), None)
    if at is None or len(first) not in (2, 3):
        return None
    found: list[Result] = []
    for line, cells in rows:
        if len(cells) != len(first):
            raise ResultError(line, f"{len(cells)} columns, and {len(first)} above")
        topic = cells[1 - at] if len(cells) == 3 else ALL
        found.append(Result(line, {cells[at]: cells[-1]}, topic="" if topic == ALL else topic))
    return found
