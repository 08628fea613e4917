"""Pages that need nothing beside them: a board, a sheet to judge documents in."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from evalsql.database.database import Database
from evalsql.evaluation.boards import Board
from evalsql.phrases import counted, some_of
from evalsql.report import html
from evalsql.report.html import number, text
from evalsql.report.table import Table
from evalsql.report.writers import inert
from evalsql.version import __version__

_MOST_NAMED = 3
Key = tuple[str, str | None]  # a system and its version


def board_page(
    database: Database,
    board: Board,
    title: str,
    digits: int,
    *,
    reports: Mapping[str, str] = {},
    above: Sequence[tuple[str, str]] = (),
) -> str:
    """The whole page; ``reports`` are addresses by collection, ``above`` words and addresses to link first."""
    data = _data(database, board, digits, reports)
    first = data["systems"][0]
    size = f"{counted(len(data['systems']), 'system')}, {counted(len(board.collections), 'collection')}"
    return html.page(
        "board",
        title,
        html.read_part("board.css"),
        ["elements.js", "board.js"],
        data,
        size=text(f"{size} \u00b7 {board.measure}"),
        navigation="".join(html.link(address, words) for words, address in above),
        answers=html.answers(map(text, answer) for answer in _answers(data, digits)),
        board=_board(data, digits),
        notes="".join(f'<p class="note">{text(each)}</p>' for each in board.notes),
        one=_one(first, data, digits),
        made=text(html.MADE),
    )


def _data(database: Database, board: Board, digits: int, reports: Mapping[str, str]) -> dict[str, Any]:
    """All that the script draws from; values and places of a system are in the order of the collections."""
    cells: dict[Key, dict[str, Any]] = defaultdict(dict)
    of_all: dict[str, Any] = {}
    for each in database.records(board.cells):
        cells[each.system, each.version][each.collection] = of_all[each.collection] = each
    meta: dict[Key, dict[str, str]] = defaultdict(dict)
    for system, version, key, value in database.rows(database.query("system_meta")):
        meta[system, version][key] = value
    several = len({system for system, _ in cells}) < len(cells)
    systems = []
    columns = "system, version, place, place_low, place_high, mean, tied_first, place_group"
    for row in database.records(f"select {columns} from ({board.query})"):
        held = cells[row.system, row.version]
        found = [held.get(name) for name in board.collections]
        systems.append(
            {
                "name": f"{row.system} {row.version}" if several and row.version else row.system,
                "version": "" if several else row.version or "",
                "meta": meta[row.system, row.version],
                "place": row.place,
                "low": row.place_low,
                "high": row.place_high,
                "mean": row.mean,
                "tied": row.place == 1 or bool(row.tied_first),
                "group": row.place_group,
                "values": [each and each.value for each in found],
                "places": [each and each.place for each in found],
            }
        )
    return {
        "digits": digits,
        "confidence": f"{board.confidence * 100:g}%",
        "lower": bool(board.lower.intersection(board.collections)),
        "collections": [
            {"name": name, "median": each.median, "systems": each.num_systems, "address": reports.get(name)}
            for name in board.collections
            for each in [of_all[name]]
        ],
        "systems": systems,
    }


def _answers(data: Mapping[str, Any], digits: int) -> list[tuple[str, str, str]]:
    first, *others = data["systems"]
    names = [each["name"] for each in others if each["tied"]]
    over = counted(len(data["collections"]), "collection")
    who = "Who is first?", first["name"], f"mean {number(first['mean'], digits)} over {over}."
    low, high = first["low"], first["high"]
    places = f"Its place is {low}" if low == high else f"Its place is {low} to {high}"
    if low is None:
        sure = "Not known", "Three collections at least, or clusters of them, are needed to say so."
    elif names:
        more = f"Its difference from {counted(len(names), 'other')} may be 0: {some_of(names, _MOST_NAMED)}."
        sure = "No", f"{places}. {more}"
    else:
        sure = "Yes", f"{places}; it differs from every other system."
    lost = sorted(((place, at) for at, place in enumerate(first["places"]) if place and place > 1), reverse=True)
    if lost:
        place, at = lost[0]
        collection = data["collections"][at]
        names = [data["collections"][each]["name"] for _, each in lost if each != at]
        beside = f"; then {some_of(names, _MOST_NAMED)}" if names else ""
        words = f"Furthest down on {collection['name']}, place {place} of {collection['systems']}{beside}."
    else:
        words = "Nobody is better on any collection."
    return [who, ("Is that sure?", *sure), ("Where is it not the best?", f"On {len(lost)} of {over}", words)]


def _board(data: Mapping[str, Any], digits: int) -> str:
    columns = [("", "place"), ("system", "name"), ("places", "span"), ("mean", "mean")]
    columns += [(each["name"], "heat") for each in data["collections"]]
    rows = [
        [
            str(each["place"]),
            text(" ".join(filter(None, (each["name"], each["version"])))),
            "" if each["low"] is None else f"{each['low']} to {each['high']}",
            number(each["mean"], digits),
            *(number(value, digits) for value in each["values"]),
        ]
        for each in data["systems"]
    ]
    return html.table("Board", columns, rows)


def _one(system: Mapping[str, Any], data: Mapping[str, Any], digits: int) -> str:
    columns = [(words, "") for words in ("collection", "place", "value", "median")]
    rows = [
        [text(each["name"]), f"{place} of {each['systems']}", number(value, digits), number(each["median"], digits)]
        for each, value, place in zip(data["collections"], system["values"], system["places"], strict=True)
        if value is not None
    ]
    return f'<p class="sentence">{text(system["name"])}</p>{html.table("One system", columns, rows)}'


_SHEET_COLUMNS = ("topic", "topic_text", "document", "title", "text", "grade")
_SHEET_TEXTS = ("topic_text", "title", "text")
_KEYS = "Keys: {} judge, \u2190 and \u2192 go on, n finds the next not judged, Delete takes a grade back, s saves."


def for_spreadsheet(sheet: Table) -> Table:
    """Rows with an empty grade, whose texts no spreadsheet takes for a formula; names stay as they are."""
    shown = sheet.with_column(len(sheet.columns), "grade", [None] * len(sheet.rows))
    rows = [
        [inert(cell) if name in _SHEET_TEXTS else cell for name, cell in zip(_SHEET_COLUMNS, row, strict=True)]
        for row in shown.picked(*_SHEET_COLUMNS)
    ]
    return Table(_SHEET_COLUMNS, rows)


def sheet_page(sheet: Table, grades: Sequence[int]) -> str:
    """The page, which reaches nothing; rows are those of ``judging_sheet``, the documents of a topic together."""
    topics: dict[str, list[Any]] = {}
    for topic, *said in sheet.picked("topic", "topic_text", "description", "narrative"):
        topics.setdefault(topic, [topic, *said])
    places = {topic: at for at, topic in enumerate(topics)}
    found = sheet.picked("topic", "document", "title", "text")
    documents = [[places[topic], *(each or "" for each in said)] for topic, *said in found]
    names = html.embedded_json([[topic, document] for topic, document, *_ in found])
    data = {
        "key": f"evalsql {hashlib.sha256(names.encode()).hexdigest()}",
        "grades": list(grades),
        "topics": [[each or "" for each in asked] for asked in topics.values()],
        "documents": documents,
    }
    title, style, scripts = "Documents to judge", html.read_part("sheet.css"), ["elements.js", "sheet.js"]
    keys, made = text(_KEYS.format(", ".join(map(str, grades)))), text(f"Made by evalsql {__version__}.")
    return html.page("sheet", title, style, scripts, data, head=html.read_part("sheet_head.html"), keys=keys, made=made)
