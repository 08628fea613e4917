"""Topics in markup: the SGML of TREC, whose tags are often left open, and XML."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.parsers import expat

from evalsql.errors import Problem
from evalsql.ingest.files.source import Source, unreadable
from evalsql.ingest.files.trec_lines import text_lines

_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)[^<>]*>")
_LABEL = re.compile(
    r"\s*(number|topic|title|description|narrative|summary|domain|concept(?:s|\(s\))?|definition(?:s|\(s\))?"
    r"|factor(?:s|\(s\))?)\s*:\s*",
    re.IGNORECASE,
)
_IDS = ("number", "num", "id", "qid", "_id")
Refuse = Callable[[Problem], None]


class Record(NamedTuple):
    """A topic as a file has it: where, its name, and what is said of it in the file's own words."""

    line: int
    topic: str
    fields: dict[str, str]
    left_out: frozenset[str] = frozenset()


def sgml_records(source: Source, refuse: Refuse) -> Iterator[Record]:
    """Blocks of ``<top>``; a tag ends where the next one begins, and its label ("Number:") is left out."""
    start, lines = 0, list[str]()
    for number, line in text_lines(source, refuse):
        text = line.text
        if re.match(r"<top>", text, re.IGNORECASE):
            if start:
                refuse(Problem(source.label, start, "<top> is not closed by </top>"))
            start, lines = number, []
            text = text[len("<top>") :]
        closed = re.search(r"</top>", text, re.IGNORECASE)
        if start:
            lines.append(text[: closed.start()] if closed else text)
        if start and closed:
            record = _block(start, "\n".join(lines))
            if record is None:
                refuse(Problem(source.label, start, "the topic has no <num>"))
            else:
                yield record
            start = 0
    if start:
        refuse(Problem(source.label, start, "<top> is not closed by </top>"))


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
    except unreadable() as error:
        refuse(Problem(source.label, 0, f"cannot be read: {error}"))
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
            name = next((fields.pop(key) for key in _IDS if key in fields), None)
            if name is None:
                reason = "the topic has no number: expected one of " + ", ".join(_IDS)
                self.refuse(Problem(self.source.label, self.line, f"{reason}, as an attribute or an element"))
            else:
                kept = {key: value for key, value in fields.items() if key not in self.repeated}
                self.records.append(Record(self.line, name, kept, frozenset(self.repeated)))
        self.path.pop()


def words(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())
