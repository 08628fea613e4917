"""Files of topics, whatever their format: who asked what, and which groups a question belongs to."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.parsers import expat

from evalsql.catalog.measure_names import literal
from evalsql.errors import InputError, Problem, QueryError, UsageError
from evalsql.ingest.column_meanings import COLUMNS
from evalsql.ingest.files import text_reading
from evalsql.ingest.files.source import BYTE_ORDER_MARK, HEAD, Source, unreadable
from evalsql.ingest.files.text_reading import json_fault, read_json
from evalsql.ingest.files.trec_text import text_lines
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

_TOPIC = (*(name for name in COLUMNS["topic"] if name != "query"), "_id", "id", "number", "num")
_TAR = b"ustar"
_BINARY = {
    b"ARROW1": "Arrow",
    b"\xff\xff\xff\xff": "Arrow",
    b"PK\x03\x04": "a zip archive",
    b"%PDF-": "a PDF document",
    _TAR: "a tar archive",
}
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)[^<>]*>")
_LABEL = re.compile(
    r"\s*(number|topic|title|description|narrative|summary|domain|concept(?:s|\(s\))?|definition(?:s|\(s\))?"
    r"|factor(?:s|\(s\))?)\s*:\s*",
    re.IGNORECASE,
)
_OPEN = "<top> is not closed by </top>"
_IDS = ("number", "num", "id", "qid", "_id")
Refuse = Callable[[Problem], None]
Given = Mapping[str, str] | None


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

    Args:
        given: names of the fields that hold topic, text, description and narrative, where the user named them.
        key: what the second column is called where a file has no header.
    """
    try:
        yield from _records(database, source, refuse, given, key)
    except unreadable() as error:
        refuse(Problem(source.label, 0, f"cannot be read: {error}"))


def _records(database: Database, source: Source, refuse: Refuse, given: Given, key: str | None) -> Iterable[Record]:
    with source.open() as stream:
        head = stream.read(HEAD).removeprefix(BYTE_ORDER_MARK)
    for magic, name in _BINARY.items():
        if head.startswith(magic) or (magic == _TAR and head[257:262] == _TAR):
            refuse(Problem(source.label, 0, f"is {name}; topics are TSV, CSV, JSON, Parquet, XML or TREC's SGML"))
            return ()
    start = head.lstrip()
    topic = (given or {}).get("topic")
    if head.startswith(b"PAR1"):
        return in_memory(_parquet_rows(database, source), given)
    if start.startswith(b"<"):
        is_sgml = re.match(rb"(<!--.*?-->\s*)*<top>", start, re.DOTALL | re.IGNORECASE)
        return sgml_records(source, refuse) if is_sgml else xml_records(source, refuse)
    if re.match(rb"\[|\{\s*[\"}]", start):
        return _json_records(source, refuse, topic)
    return _delimited_records(source, refuse, topic, key)


def _parquet_rows(database: Database, source: Source) -> list[dict[str, Any]]:
    table = f"read_parquet({literal(str(source.path))})"
    try:
        names = [name for name, *_ in database.rows(f"describe from {table}")]
        return [dict(zip(names, row, strict=True)) for row in database.rows(f"from {table}")]
    except QueryError as error:
        raise InputError([Problem(source.label, 0, f"cannot be read: {str(error).splitlines()[0]}")]) from error


def in_memory(data: object, given: Given = None) -> Iterator[Record]:
    """Topics that Python holds: {topic: text}, {topic: {field: value}}, dicts one a topic, or a frame.

    Raises:
        UsageError: it is something else, or a row has no topic.
    """
    for method in ("to_pylist", "to_dicts"):
        if hasattr(data, method):
            data = getattr(data, method)()
    if hasattr(data, "to_dict"):
        data = data.to_dict("records")
    if isinstance(data, Mapping):
        yield from _of_mapping(data)
        return
    if hasattr(data, "fetchall") and hasattr(data, "columns"):
        data = [dict(zip(data.columns, row, strict=True)) for row in data.fetchall()]
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise UsageError(f"topics are a file, {{topic: text}} or rows of dicts, found {type(data).__name__}")
    for at, row in enumerate(data, start=1):
        if not isinstance(row, Mapping):
            raise UsageError(f"row {at}: expected a dict that names the topic and what is known of it, found {row!r}")
        yield _of_object(at, row, (given or {}).get("topic"))


def _of_mapping(data: Mapping[Any, Any]) -> Iterator[Record]:
    for at, (topic, value) in enumerate(data.items(), start=1):
        fields, left_out = _fields(value if isinstance(value, Mapping) else {"text": value})
        yield Record(at, str(topic), fields, left_out)


def _of_object(line: int, row: Mapping[Any, Any], topic: str | None) -> Record:
    column = topic if topic in row else _topic_column([str(name) for name in row])
    if column is None or (topic and topic not in row):
        raise UsageError(_no_topic([str(name) for name in row], topic))
    if row[column] is None or row[column] == "":
        raise UsageError(f"{column} is empty, and it names the topic")
    fields, left_out = _fields({str(name): value for name, value in row.items() if name != column})
    return Record(line, str(row[column]), fields, left_out)


def _fields(row: Mapping[Any, Any]) -> tuple[dict[str, str], frozenset[str]]:
    """What can be kept of an object, that of ``metadata`` among it, and the names of what cannot: lists and objects."""
    metadata = row.get("metadata")
    pairs = [(name, value) for name, value in row.items() if name != "metadata" or not isinstance(value, Mapping)]
    pairs += metadata.items() if isinstance(metadata, Mapping) else ()
    fields: dict[str, str] = {}
    left_out = set()
    for name, value in pairs:
        if isinstance(value, Mapping | list | tuple):
            left_out.update([str(name)] if value else [])
        elif value is not None and value == value:  # a frame has NaN where there is nothing
            is_json = isinstance(value, bool | int | float)
            text = json.dumps(value) if is_json else str(value)
            fields |= {str(name): words(text)} if words(text) else {}
    return fields, frozenset(left_out)


def _topic_column(names: Sequence[str]) -> str | None:
    folded = {name.lower(): name for name in reversed(names)}
    return next((folded[name] for name in _TOPIC if name in folded), None)


def _no_topic(names: Sequence[str], topic: str | None) -> str:
    expected = f"there is no column {topic}" if topic else f"there is no column for the topic: expected {_TOPIC[0]}, "
    some = "" if topic else ", ".join(_TOPIC[1:6]) + " or another of its names"
    return f"{expected}{some}; found {', '.join(names)}; --columns topic=NAME says which it is"


# JSON


def _json_records(source: Source, refuse: Refuse, topic: str | None) -> Iterator[Record]:
    """JSON lines where the first line is an object by itself, else one value: {topic: ...} or a list of objects."""
    with source.open() as stream:
        first = next((line for line in stream if line.strip()), b"")
    try:
        has_lines = isinstance(json.loads(first.decode("utf-8-sig")), dict)
    except (ValueError, RecursionError):
        has_lines = False
    if not has_lines:
        yield from _whole_json(source, refuse, topic)
        return
    for number, line in text_lines(source, refuse, blank=False):
        try:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise UsageError("no object, as the lines above are")
            if number == 1 and topic is None and _topic_column(list(value)) is None and "text" not in value:
                yield from _of_mapping(value)
            else:
                yield _of_object(number, value, topic)
        except (ValueError, RecursionError, UsageError) as error:
            refuse(Problem(source.label, number, f"JSON lines: {json_fault(error)}"))


def _whole_json(source: Source, refuse: Refuse, topic: str | None) -> Iterator[Record]:
    value = read_json(source)
    if isinstance(value, dict):
        yield from (record._replace(line=0) for record in _of_mapping(value))
        return
    for at, row in enumerate(value, start=1):
        try:
            if not isinstance(row, dict):
                raise UsageError("expected an object that names the topic and what is known of it")
            yield _of_object(0, row, topic)
        except UsageError as error:
            refuse(Problem(source.label, 0, f"JSON, topic {at} of the list: {error}"))


# Text with columns


def _delimited_records(source: Source, refuse: Refuse, topic: str | None, key: str | None) -> Iterator[Record]:
    """TSV and CSV with a header, or two columns without one: topic and text."""
    lines = text_lines(source, refuse, blank=False)
    first = next((each for each in lines if not each[1].startswith("#")), None)
    if first is None:
        return
    number, header = first
    for delimiter in "\t,;":
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
        column = topic if topic in names else _topic_column(names)
        if len(names) > 1 and column is not None and (topic is None or topic in names):
            yield from _rows_below(source, refuse, chain([first], lines), delimiter, column)
            return
    if topic is not None:
        refuse(Problem(source.label, number, f"there is no column {topic} in its header: {header[:100]}"))
        return
    for number, line in chain([first], lines):
        if line.startswith("#"):
            continue
        name, tab, text = line.partition("\t")
        if not tab and key is not None:
            name, _, text = line.partition(" ")
        if "\t" in text:
            refuse(Problem(source.label, number, "more than two columns; a header names them, as in topic<TAB>text"))
        elif name.strip() and words(text):
            yield Record(number, name.strip(), {key or "text": words(text)})
        else:
            reason = "expected topic<TAB>text, or a header that names the columns, as in topic,text,language"
            refuse(Problem(source.label, number, reason))


def _rows_below(
    source: Source, refuse: Refuse, lines: Iterator[tuple[int, str]], delimiter: str, column: str
) -> Iterator[Record]:
    """The rows below a header; a quoted value may go over several lines, and a row stands where it begins."""
    places: list[int] = []

    def texts() -> Iterator[str]:
        for number, text in lines:
            places.append(number)
            yield text + "\n"

    options: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if delimiter == "\t" else {"strict": True}
    reader = csv.reader(texts(), delimiter=delimiter, **options)
    names = [name.strip() for name in next(reader)]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        refuse(Problem(source.label, places[0], f"{names.count(repeated[0])} columns are called {repeated[0]}"))
        return
    at = names.index(column)
    while True:
        begin = reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            refuse(Problem(source.label, places[begin], text_reading.csv_fault(error)))
            return
        line = places[begin]
        if len(row) != len(names):
            reason = f"{counted(len(row), 'column')}, expected {len(names)}: {', '.join(names)}"
            refuse(Problem(source.label, line, reason))
        elif not row[at].strip():
            refuse(Problem(source.label, line, f"{column} is empty, and it names the topic"))
        else:
            others = {name: words(value) for name, value in zip(names, row, strict=True) if name != column}
            yield Record(line, row[at].strip(), {name: value for name, value in others.items() if value})


# Markup: the SGML of TREC, whose tags are often left open, and XML


def sgml_records(source: Source, refuse: Refuse) -> Iterator[Record]:
    """Blocks of ``<top>``; a tag ends where the next one begins, and its label ("Number:") is left out."""
    start, lines = 0, list[str]()
    for number, text in text_lines(source, refuse):
        if re.match(r"<top>", text, re.IGNORECASE):
            if start:
                refuse(Problem(source.label, start, _OPEN))
            start, lines = number, []
            text = text[len("<top>") :]
        closed = re.search(r"</top>", text, re.IGNORECASE)
        if start:
            lines.append(text[: closed.start()] if closed else text)
        if start and closed:
            if record := _block(start, "\n".join(lines)):
                yield record
            else:
                refuse(Problem(source.label, start, "the topic has no <num>"))
            start = 0
    if start:
        refuse(Problem(source.label, start, _OPEN))


def _block(line: int, text: str) -> Record | None:
    fields: dict[str, str] = {}
    repeated: set[str] = set()
    tag, begin = "", 0
    for found in [*_TAG.finditer(text), None]:
        content = text[begin : found.start() if found else len(text)]
        value = words(html.unescape(_LABEL.sub("", content, count=1) if _LABEL.match(content) else content))
        if tag and value:
            repeated |= {tag} & fields.keys()
            fields.setdefault(tag, value)
        if found:
            tag, begin = "" if found[1] else found[2].lower(), found.end()
    return _record(line, fields, repeated)


def _record(line: int, fields: dict[str, str], repeated: set[str]) -> Record | None:
    """The topic that one of the fields names, without those that it has several times."""
    name = next((fields.pop(key) for key in _IDS if key in fields), None)
    kept = {key: value for key, value in fields.items() if key not in repeated}
    return Record(line, name, kept, frozenset(repeated)) if name else None


def xml_records(source: Source, refuse: Refuse) -> Iterator[Record]:
    """The elements below the root: attributes and inner elements are what is said of a topic."""
    reader = _XmlReader(source, refuse)
    try:
        with source.open() as stream:
            reader.parser.ParseFile(stream)
    except expat.ExpatError as error:
        reason = f"is not well-formed XML: {expat.ErrorString(error.code)}"
        refuse(Problem(source.label, error.lineno, f"{reason}, at column {error.offset + 1}"))
    yield from reader.records


class _XmlReader:
    """Collects the topics while the parser reads."""

    def __init__(self, source: Source, refuse: Refuse) -> None:
        self.source, self.refuse = source, refuse
        self.records: list[Record] = []
        self.path: list[str] = []
        self.fields: dict[str, list[str]] = {}
        self.repeated: set[str] = set()
        self.line = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity

    def _entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares the entity {name}, and entities of a file's own are not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.lower()
        self.path.append(tag)
        if len(self.path) == 2:
            self.line = self.parser.CurrentLineNumber
            self.fields = {name.lower(): [value] for name, value in attributes.items()}
            self.repeated = set()
        elif len(self.path) == 3:
            self.repeated |= {tag} & self.fields.keys()
            self.fields.setdefault(tag, [])

    def _text(self, text: str) -> None:
        if len(self.path) >= 2:
            self.fields.setdefault(self.path[2] if len(self.path) > 2 else "text", []).append(text)

    def _end(self, _: str) -> None:
        if len(self.path) == 2:
            fields = {name: value for name, parts in self.fields.items() if (value := words("".join(parts)))}
            if record := _record(self.line, fields, self.repeated):
                self.records.append(record)
            else:
                reason = f"the topic has no number: expected one of {', '.join(_IDS)}, as an attribute or an element"
                self.refuse(Problem(self.source.label, self.line, reason))
        self.path.pop()


def words(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())
