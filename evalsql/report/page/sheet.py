"""A sheet to judge documents in: rows for a spreadsheet, or a page that needs nothing else and saves judgments."""

import hashlib
from collections.abc import Sequence
from typing import Any

from evalsql.report.html import embedded_json, page, read_part, text
from evalsql.report.table import Table
from evalsql.report.writers import inert
from evalsql.version import __version__

COLUMNS = ("topic", "topic_text", "document", "title", "text", "grade")
_TEXTS = ("topic_text", "title", "text")
_KEYS = "Keys: {} judge, \u2190 and \u2192 go on, n finds the next not judged, Delete takes a grade back, s saves."


def for_spreadsheet(sheet: Table) -> Table:
    """Rows with an empty grade, whose texts no spreadsheet takes for a formula; names stay as they are."""
    shown = sheet.with_column(len(sheet.columns), "grade", [None] * len(sheet.rows))
    rows = [
        [inert(cell) if name in _TEXTS else cell for name, cell in zip(COLUMNS, row, strict=True)]
        for row in shown.picked(*COLUMNS)
    ]
    return Table(COLUMNS, rows)


def sheet_page(sheet: Table, grades: Sequence[int]) -> str:
    """The page, which reaches nothing; rows are those of ``judging_sheet``, the documents of a topic together."""
    topics: dict[str, list[Any]] = {}
    for topic, *said in sheet.picked("topic", "topic_text", "description", "narrative"):
        topics.setdefault(topic, [topic, *said])
    places = {topic: at for at, topic in enumerate(topics)}
    found = sheet.picked("topic", "document", "title", "text")
    documents = [[places[topic], *(each or "" for each in said)] for topic, *said in found]
    names = embedded_json([[topic, document] for topic, document, *_ in found])
    data = {
        "key": f"evalsql {hashlib.sha256(names.encode()).hexdigest()}",
        "grades": list(grades),
        "topics": [[each or "" for each in asked] for asked in topics.values()],
        "documents": documents,
    }
    title, style, scripts = "Documents to judge", read_part("sheet.css"), ["elements.js", "sheet.js"]
    keys, made = text(_KEYS.format(", ".join(map(str, grades)))), text(f"Made by evalsql {__version__}.")
    return page("sheet", title, style, scripts, data, head=read_part("sheet_head.html"), keys=keys, made=made)
