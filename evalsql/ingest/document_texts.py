"""Loads titles and texts of the documents that a warehouse holds, out of a corpus of any size."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from evalsql.database.database import Database
from evalsql.errors import Problem, ProblemList, QueryError, UsageError, warn
from evalsql.ingest.base_rows import add_file_rows, add_rows, file_row
from evalsql.ingest.column_meanings import KEYS, Given, check_given, column_names
from evalsql.ingest.files.formats import without_rows
from evalsql.ingest.files.input_files import open_rows
from evalsql.ingest.files.source import SURROGATE, Source, in_batches, unreadable
from evalsql.ingest.files.text_reading import ROWS_TOGETHER, headed_rows, json_lines, parquet_rows, read_json
from evalsql.ingest.files.trec_text import Refuse, text_lines
from evalsql.ingest.python_rows import frame_rows
from evalsql.ingest.topic_files import dicts, words
from evalsql.phrases import Progress, counted, shortened, silent

_FILES = ("corpus", "collection", "documents", "docs")  # that hold documents, in a folder
CHARACTERS = 2_000  # of a title and of a text that are kept
_NAMES = column_names("documents")
_NAMES["document"] = [*KEYS["document"], *_NAMES["document"]]
# Columns of files without a header by their number; those of MS MARCO's documents have an address.
_HEADLESS = {2: ("document", "text"), 3: ("document", "title", "text"), 4: ("document", "url", "title", "text")}
_LETTERS_TOGETHER = 16_000_000
Row = tuple[int, Mapping[str, Any]]


class LoadedTexts(NamedTuple):
    num_read: int  # documents in the file
    num_kept: int  # of these, those whose title or text was kept now
    num_others: int  # those that no run retrieved and no judgment names, which are left out
    num_held: int  # those that have a text already, which stays
    num_empty: int  # those that are held here, and have neither title nor text
    num_cut: int  # titles and texts that were cut


def load_documents(
    database: Database,
    source: Any,
    *,
    judged_only: bool = False,
    characters: int = CHARACTERS,
    replace: bool = False,
    columns: Given = None,
    progress: Progress = silent,
) -> LoadedTexts:
    """Keep titles and texts of the documents that runs retrieved and judgments name, all or nothing.

    Args:
        source: a file, a folder of BEIR, ``irds:`` and a dataset, {document: text}, {document: {"title": ...,
            "text": ...}}, or rows as dicts or a frame; a file may be "-" (standard input).
        judged_only: whether only judged documents get texts.
        characters: so many of the first of each title and text are kept.
        replace: put them in the place of texts that are there; by default these stay.
        columns: names of columns for document, title and text, where they are not known.

    Raises:
        InputError: every line that was refused, with its reason; nothing was loaded.
    """
    check_given(columns, "documents")
    if characters < 1:
        raise UsageError(f"characters is {characters}, but must be at least 1")
    query = database.query("wanted_documents", judged_only=judged_only)
    wanted = {document: (key, has_text) for document, key, has_text in database.rows(query)}
    if not wanted:
        raise UsageError("no document is held whose text could be kept; evalsql load runs and load qrels bring some")
    opened = open_rows(source, "documents", "docs", _FILES, "corpus.jsonl")
    with opened as (file, origin, label, given), database.transaction():
        reader = _Reader(label, wanted, cache(lambda names: _columns(names, columns)), characters, replace, progress)
        rows = _read(database, file, reader.problems.add, columns) if file else _in_memory(given)
        for some in in_batches(reader.kept(rows), lambda row: len(row[1] or "") + len(row[2] or ""), _LETTERS_TOGETHER):
            if replace:
                keys = [[key for key, *_ in some]]
                database.execute("delete from document_texts where document_id in (select unnest(?::integer[]))", keys)
            add_rows(database, "document_texts", ("document_id", "title", "text"), some)
        loaded = reader.loaded()
        if loaded.num_kept:
            add_file_rows(database, file_row("documents", 0, origin, loaded.num_kept))
    return loaded


@dataclass
class _Reader:
    """Takes what is kept out of the rows of a corpus, and counts the others."""

    label: str
    wanted: Mapping[str, tuple[int, bool]]  # key, and whether there is a text already
    columns: Callable[[tuple[str, ...]], Mapping[str, str]]
    characters: int
    replace: bool
    progress: Progress
    problems: ProblemList = field(default_factory=ProblemList)
    seen: set[str] = field(default_factory=set)
    repeated: list[str] = field(default_factory=list)
    num: Counter[str] = field(default_factory=Counter)

    def kept(self, rows: Iterable[Row]) -> Iterator[tuple[int, str | None, str | None]]:
        for line, row in rows:
            self.num["read"] += 1
            if self.num["read"] % ROWS_TOGETHER == 0:
                self.progress("reading documents", self.num["read"], 0)
            try:
                document, title, text = self._texts(row)
            except UsageError as error:
                self.problems.add(Problem(self.label, line, str(error)))
                continue
            if document in self.seen:
                self.repeated.append(document)
            elif document in self.wanted:
                self.seen.add(document)
                key, has_text = self.wanted[document]
                is_kept = bool(title or text) and (self.replace or not has_text)
                self.num["kept" if is_kept else "held" if title or text else "empty"] += 1
                if is_kept:
                    yield key, self._cut(title) or None, self._cut(text) or None
            else:
                self.num["others"] += 1

    def loaded(self) -> LoadedTexts:
        """What was read, once all that is wrong is told."""
        if not self.num["read"] and not self.problems:
            self.problems.add(Problem(self.label, 0, "holds no documents"))
        elif not self.seen and not self.problems:
            reason = f"holds none of the documents that are held here, such as {shortened(sorted(self.wanted)[:10])}"
            self.problems.add(Problem(self.label, 0, reason))
        self.problems.check()
        if self.repeated:
            told = f"{counted(len(self.repeated), 'row')} left out, whose document stands above already"
            warn(Problem(self.label, 0, f"{told}: {shortened(self.repeated[:10])}"))
        return LoadedTexts(*(self.num[each.removeprefix("num_")] for each in LoadedTexts._fields))

    def _texts(self, row: Mapping[str, Any]) -> tuple[str, str, str]:
        """Name, title and text, these without needless white space; empty where the document is not wanted."""
        columns = self.columns(tuple(row))
        name = row[columns["document"]]
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise UsageError(f"{columns['document']} names the document, and is {json.dumps(name, default=str)[:50]}")
        document, found = str(name), list[str]()
        if document not in self.wanted:
            return document, "", ""
        for meaning in ("title", "text"):
            value = row[columns[meaning]] if meaning in columns else None
            if value is None or value != value:  # a frame has NaN where there is nothing
                value = ""
            if not isinstance(value, str):
                raise UsageError(f"{columns[meaning]} of document {document} is no text")
            if SURROGATE.search(value):
                raise UsageError(f"document {document} has text without UTF-8: a surrogate that is no pair")
            found.append(value)
        return document, words(found[0]), "\n".join(filter(None, map(words, found[1].splitlines())))

    def _cut(self, text: str) -> str:
        if len(text) <= self.characters:
            return text
        self.num["cut"] += 1
        return text[: self.characters] + "\u2026"


def _columns(names: Sequence[str], given: Given) -> dict[str, str]:
    """The column of each meaning: those that the user named, else those that are known by their names."""
    if absent := [name for name in (given or {}).values() if name not in names]:
        raise UsageError(f"there is no column {absent[0]}; found {', '.join(names)}")
    folded = {name.lower(): name for name in reversed(names)}
    known = {each: [folded[name] for name in some if name in folded] for each, some in _NAMES.items()}
    found = {each: some[0] for each, some in known.items() if some} | dict(given or {})
    wanted = "document" if "document" not in found else "title or text" if not found.keys() - {"document"} else ""
    if wanted:
        expected = ", ".join(_NAMES[wanted.rpartition(" ")[2]])
        says = f"--columns {wanted.rpartition(' ')[2]}=NAME says which it is"
        raise UsageError(f"no column for the {wanted}: expected one of {expected}; found {', '.join(names)}; {says}")
    return found


# Rows of a corpus, with their lines


def _in_memory(data: Any) -> Iterator[Row]:
    rows = frame_rows(data)
    if isinstance(rows, Mapping):
        rows = ({"document": name, **(it if isinstance(it, Mapping) else {"text": it})} for name, it in rows.items())
    return dicts(rows, "document", "its text")


def _read(database: Database, source: Source, refuse: Refuse, given: Given) -> Iterator[Row]:
    try:
        start = (head := source.head()).lstrip()
        if head.startswith(b"PAR1"):
            yield from parquet_rows(database, source)
        elif start.startswith((b"{", b"[")):
            yield from _json_rows(source, refuse, is_list=start.startswith(b"["))
        elif name := "markup" if start.startswith(b"<") else without_rows(head).partition("; ")[0]:
            raise source.error(f"is {name}; documents are JSON lines, TSV, CSV or Parquet")
        else:
            yield from _delimited_rows(source, refuse, given)
    except unreadable(QueryError) as error:
        refuse(source.problem(0, f"cannot be read: {str(error).partition(chr(10))[0]}"))


def _json_rows(source: Source, refuse: Refuse, *, is_list: bool) -> Iterator[Row]:
    for line, row in ((0, row) for row in read_json(source)) if is_list else json_lines(source, refuse):
        if isinstance(row, dict):
            yield line, row
        else:
            refuse(source.problem(line, "JSON: expected an object that names the document and its text"))


def _delimited_rows(source: Source, refuse: Refuse, given: Given) -> Iterator[Row]:
    """TSV and CSV with a header; without one the columns of a TSV, whose marks are part of the text."""
    lines = text_lines(source, refuse, blank=False, longest=sys.maxsize)
    number, header = next(lines, (0, ""))
    if not number:
        return

    def is_header(names: Sequence[str]) -> bool:
        return {*given.values()} <= {*names} if given else any(name.lower() in _NAMES["document"] for name in names)

    if (rows := headed_rows(source, refuse, number, header, is_header)) is not None:
        yield from rows
        return
    columns = _HEADLESS.get(header.count("\t") + 1)
    if given or columns is None or ("url" in columns and "://" not in header.split("\t")[1]):
        said = "no header with these columns" if given else "no header, and its columns are not known"
        raise source.error(f"has {said}; the first line names them, as in document<TAB>title<TAB>text", number)
    for line, text in chain([(number, header)], lines):
        cells = [*map(str.strip, text.split("\t"))]
        if len(cells) == len(columns) - 1:
            cells.append("")  # the line ends before its empty text
        if len(cells) == len(columns):
            yield line, dict(zip(columns, cells, strict=True))
        else:
            told = f"{counted(len(cells), 'column')}, expected {len(columns)}: {', '.join(columns)}"
            refuse(source.problem(line, told))
