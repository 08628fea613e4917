"""Topics of any format: who asked what, and which groups a question belongs to."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple
from xml.parsers import expat

from evalsql.database.database import Database
from evalsql.errors import Problem, QueryError, UsageError
from evalsql.ingest.column_meanings import COLUMNS, Given
from evalsql.ingest.files.formats import without_rows
from evalsql.ingest.files.source import Source, unreadable
from evalsql.ingest.files.text_reading import headed_rows, json_lines, parquet_rows, read_json
from evalsql.ingest.files.trec_text import Refuse, text_lines
from evalsql.ingest.python_rows import frame_rows

_TOPIC = (*(name for name in COLUMNS["topic"] if name != "query"), "_id", "id", "number", "num")
_BLOCK = re.compile(r"^<top>(.*?)(</top>|(?=^<top>)|\Z)", re.DOTALL | re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)[^<>]*>")
_LABEL = re.compile(
    r"\A\s*(number|topic|title|description|narrative|summary|domain|concept(?:s|\(s\))?|definition(?:s|\(s\))?"
    r"|factor(?:s|\(s\))?)\s*:\s*",
    re.IGNORECASE,
)
_IDS = ("number", "num", "id", "qid", "_id", "identifier")


class Record(NamedTuple):
    """A topic as a file has it: where, its name, and what is said of it in the file's own words."""

    line: int
    topic: str
    fields: dict[str, str]
    left_out: frozenset[str] = frozenset()


def read_records(
    database: Database, source: Source, refuse: Refuse, given: Given = None, key: str | None = None
) -> Iterator[Record]:
    """The topics of a file, fields by their names in the file; ``refuse`` gets the lines that are wrong.

    ``given`` has the fields that the user named, ``key`` what the second column is called where there is no header.
    """
    topic = (given or {}).get("topic")
    try:
        head = source.head()
        start, is_arrow = head.lstrip(), head.startswith((b"ARROW1", b"\xff\xff\xff\xff"))
        if head.startswith(b"PAR1"):
            yield from in_memory((row for _, row in parquet_rows(database, source)), given)
        elif start.startswith(b"<"):
            is_sgml = re.match(rb"(<!--.*?-->\s*)*<top>", start, re.DOTALL | re.IGNORECASE)
            yield from (_sgml_records if is_sgml else _xml_records)(source, refuse)
        elif re.match(rb"\[|\{\s*[\"}]", start):
            yield from _json_records(source, refuse, topic)
        elif name := "Arrow" if is_arrow else without_rows(head).partition("; ")[0]:
            raise source.error(f"is {name}; expected TSV, CSV, JSON, Parquet, XML or TREC's SGML")
        else:
            yield from _delimited_records(source, refuse, topic, key)
    except unreadable(QueryError) as error:
        refuse(source.problem(0, f"cannot be read: {str(error).partition(chr(10))[0]}"))


def in_memory(data: Any, given: Given = None) -> Iterator[Record]:
    """Topics that Python holds: {topic: text}, {topic: {field: value}}, dicts one a topic, or a frame."""
    data = frame_rows(data)
    if isinstance(data, Mapping):
        yield from _of_mapping(data)
    else:
        for at, row in dicts(data, "topic", "what is known of it"):
            yield _of_object(at, row, (given or {}).get("topic"))


def dicts(data: Any, name: str, other: str) -> Iterator[tuple[int, Mapping[Any, Any]]]:
    """The numbers and rows of data in memory that must be dicts, each with the ``name`` of something."""
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise UsageError(f"{name}s are a file, {{{name}: text}} or rows of dicts, found {type(data).__name__}")
    for at, row in enumerate(data, start=1):
        if not isinstance(row, Mapping):
            raise UsageError(f"row {at}: expected a dict that names the {name} and {other}, found {row!r}")
        yield at, row


def _of_mapping(data: Mapping[Any, Any], line: int | None = None) -> Iterator[Record]:
    """A record of each topic; where nobody says their line, they are numbered."""
    for at, (topic, value) in enumerate(data.items(), start=1):
        fields = _fields(value if isinstance(value, Mapping) else {"text": value})
        yield Record(at if line is None else line, str(topic), *fields)


def _of_object(line: int, row: Mapping[Any, Any], topic: str | None) -> Record:
    names = [str(name) for name in row]
    column = _topic_column(names, topic)
    if column is None:
        wanted = topic or f"for the topic: expected {', '.join(_TOPIC[:6])} or another of its names"
        says = "names another" if topic else "topic=NAME says which it is"
        raise UsageError(f"there is no column {wanted}; found {', '.join(names)}; --columns {says}")
    if row[column] in (None, ""):
        raise UsageError(f"{column} is empty, and it says what the row is of")
    return Record(line, str(row[column]), *_fields({name: row[name] for name in row if name != column}))


def _fields(row: Mapping[Any, Any]) -> tuple[dict[str, str], frozenset[str]]:
    """What can be kept of an object, that of ``metadata`` among it, and the names of what cannot: lists and objects."""
    metadata = row["metadata"] if isinstance(row.get("metadata"), Mapping) else {}
    fields, left_out = dict[str, str](), set[str]()
    for name, value in [*row.items(), *metadata.items()]:
        if isinstance(value, Mapping | list | tuple):
            if value and value is not metadata:
                left_out.add(str(name))
        elif value is not None and value == value:  # a frame has NaN where there is nothing
            text = words(json.dumps(value) if isinstance(value, bool | int | float) else str(value))
            if text:
                fields[str(name)] = text
    return fields, frozenset(left_out)


def _topic_column(names: Sequence[str], given: str | None) -> str | None:
    """The column that the user named for the topic, else the one that is known by its name."""
    if given:
        return given if given in names else None
    folded = {name.lower(): name for name in reversed(names)}
    return next((folded[name] for name in _TOPIC if name in folded), None)


# JSON


def _json_records(source: Source, refuse: Refuse, topic: str | None) -> Iterator[Record]:
    """JSON lines where the first line is an object by itself, else one value: {topic: ...} or a list of objects."""

    def refuse_line(problem: Problem) -> None:
        refuse(problem._replace(reason=f"JSON lines: {problem.reason}"))

    has_lines = False
    with suppress(ValueError, RecursionError), source.open() as stream:
        first = next((line for line in stream if line.strip()), b"")
        found = json.loads(first.decode("utf-8-sig"))
        has_lines = isinstance(found, dict) and not _listed(found)
    rows: Iterable[tuple[int, str, Any]]
    if has_lines:
        rows = ((number, "JSON lines", value) for number, value in json_lines(source, refuse_line))
        expected = "no object, as the lines above are"
    else:
        document = read_json(source)
        document = _listed(document) or document
        if isinstance(document, dict):
            yield from _of_mapping(document, line=0)
            return
        rows = ((0, f"JSON, topic {at} of the list", row) for at, row in enumerate(document, start=1))
        expected = "expected an object that names the topic and what is known of it"
    for number, place, value in rows:
        try:
            if not isinstance(value, dict):
                raise UsageError(expected)
            if number == 1 and topic is None and _topic_column([*value], None) is None and "text" not in value:
                yield from _of_mapping(value, line=number)
            else:
                yield _of_object(number, value, topic)
        except UsageError as error:
            refuse(source.problem(number, f"{place}: {error}"))


def _listed(value: Any) -> list[Any] | None:
    """The topics of an object that has a list of them and nothing else, as Galago's ``queries``."""
    inner = next(iter(value.values()), None) if isinstance(value, dict) and len(value) == 1 else None
    return inner if isinstance(inner, list) and all(isinstance(each, dict) for each in inner) else None


# Text with columns


def _delimited_records(source: Source, refuse: Refuse, topic: str | None, key: str | None) -> Iterator[Record]:
    """TSV and CSV with a header, or two columns without one: topic and text."""
    lines = (each for each in text_lines(source, refuse, blank=False) if not each[1].startswith("#"))
    first = next(lines, None)
    if first is None:
        return
    rows = headed_rows(source, refuse, *first, lambda names: _topic_column(names, topic) is not None)
    if rows is not None:
        for number, row in rows:
            try:
                yield _of_object(number, row, topic)
            except UsageError as error:
                refuse(source.problem(number, str(error)))
        return
    if topic is not None:
        raise source.error(f"there is no column {topic} in its header: {first[1][:100]}", first[0])
    for number, line in chain([first], lines):
        name, tab, text = line.partition("\t")
        if not tab and key is not None:
            name, _, text = line.partition(" ")
        if "\t" in text:
            refuse(source.problem(number, "more than two columns; a header names them, as in topic<TAB>text"))
        elif name.strip() and words(text):
            yield Record(number, name.strip(), {key or "text": words(text)})
        else:
            reason = "expected topic<TAB>text, or a header that names the columns, as in topic,text,language"
            refuse(source.problem(number, reason))


# Markup: the SGML of TREC, whose tags are often left open, and XML


def _sgml_records(source: Source, refuse: Refuse) -> Iterator[Record]:
    """Blocks of ``<top>``; a tag ends where the next one begins, and its label ("Number:") is left out."""
    lines = dict(text_lines(source, refuse))
    text = "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))
    line, counted_to = 1, 0
    for block in _BLOCK.finditer(text):
        line, counted_to = line + text.count("\n", counted_to, block.start()), block.start()
        record = _record(line, _tagged(block[1]))
        if record and block[2]:
            yield record
        else:
            refuse(source.problem(line, "the topic has no <num>" if block[2] else "<top> is not closed by </top>"))


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    _, *parts = _TAG.split(text)
    for slash, tag, inner in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if not slash:
            yield tag.lower(), html.unescape(_LABEL.sub("", inner, count=1))


def _record(line: int, pairs: Iterable[Sequence[str]]) -> Record | None:
    """The topic that one of the fields names, without those that it has several times."""
    fields, repeated = dict[str, str](), set[str]()
    for name, text in pairs:
        if value := words(text):
            repeated |= {name} & fields.keys()
            fields.setdefault(name, value)
    topic = next((fields.pop(key) for key in _IDS if key in fields), None)
    kept = {name: value for name, value in fields.items() if name not in repeated}
    return Record(line, topic, kept, frozenset(repeated)) if topic else None


def _xml_records(source: Source, refuse: Refuse) -> Iterator[Record]:
    """The elements below the root: attributes and inner elements are what is said of a topic."""
    parser = expat.ParserCreate()
    depth = 0
    found: list[tuple[int, list[list[str]]]] = []  # line of each topic, and its pairs of name and text

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 2:
            given = [[name.lower(), value] for name, value in attributes.items()]
            found.append((parser.CurrentLineNumber, [["text", ""], *given]))
        elif depth == 3:
            found[-1][1].append([tag.lower(), ""])

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def add(text: str) -> None:
        if depth >= 2:
            found[-1][1][0 if depth == 2 else -1][1] += text

    def refuse_entity(name: str, *_: object) -> None:
        raise ValueError(f"it declares the entity {name}, and entities of a file's own are not read")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, add
    parser.EntityDeclHandler = refuse_entity
    try:
        with source.open() as stream:
            parser.ParseFile(stream)
    except expat.ExpatError as error:
        reason = f"is not well-formed XML: {expat.ErrorString(error.code)}"
        refuse(source.problem(error.lineno, f"{reason}, at column {error.offset + 1}"))
        del found[-1:]  # it may not be whole
    for line, pairs in found:
        if record := _record(line, pairs):
            yield record
        else:
            reason = f"the topic has no number: expected one of {', '.join(_IDS)}, as an attribute or an element"
            refuse(source.problem(line, reason))


def words(text: str) -> str:
    return " ".join(text.split())
