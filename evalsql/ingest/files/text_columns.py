"""Text whose lines are split into columns, without quotes: tables of alignments, LETOR, pairs and families."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import Catalog
from evalsql.errors import InputError, Problem
from evalsql.ingest import columns as known_columns
from evalsql.ingest.columns import Given
from evalsql.ingest.files import alignments
from evalsql.ingest.files.format import Format
from evalsql.ingest.files.source import BYTE_ORDER_MARK, NOT_UTF8, Source
from evalsql.ingest.files.trec_lines import number_fault
from evalsql.phrases import counted

_LETOR = re.compile(r"\s*(?P<grade>\S+)\s+qid:(?P<topic>\S+)(?P<features>[^#]*)(?P<comment>#.*)?")
_DOCID = re.compile(r"#.*docid\s*=\s*(\S+)")
_WORD = re.compile(r"#\s*(\S+)")
_LETOR_COLUMNS = {"topic": "topic", "document": "document", "grade": "grade"}
Row = tuple[int, dict[str, str | None] | str]


def recognised(source: Source, head: str, kind: str, given: Given) -> Format | None:
    """The format of a file that is told without a header; None if it is none of these.

    Args:
        head: its first characters.

    Raises:
        InputError: it is of such a format and does not hold what is wanted.
    """
    if found := alignments.layout(source, head):
        name, names, delimiter = found
        columns = alignments.columns_of(source, found, kind, given)
        return Format(name, "lines", columns, names, delimiter)
    lines = (line.rstrip("\r\n") for line in StringIO(head.lstrip("\ufeff"), newline=""))
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    found_letor = _LETOR.match(first)
    if found_letor and not number_fault("", found_letor["grade"]):
        if kind in ("grades", "groups"):
            return Format("LETOR", "letor", _LETOR_COLUMNS, tuple(_LETOR_COLUMNS))
        wanted = "a run" if kind == "run" else kind
        reason = f"is LETOR, judgments with grades and not {wanted}; `load qrels` takes it"
        raise InputError([Problem(source.label, 0, reason)])
    return _two_columns(source, head, first, kind) if kind in ("pairs", "families") and not given else None


def _two_columns(source: Source, head: str, first: str, kind: str) -> Format | None:
    """Pairs and families have two columns and need no header; what has other columns is read by its header."""
    names = known_columns.MEANINGS[kind][0]
    delimiter = "\t" if "\t" in first else "," if "," in first else " "
    columns = first.split(None if delimiter == " " else delimiter)
    if set(names) <= known_columns.known([column.strip() for column in columns], kind).keys():
        return None
    if len(columns) != len(names):
        told = "id and family" if kind == "families" else "topic and relevant document"
        reason = (
            f"{kind}: {counted(len(columns), 'column')}, expected 2: {told}; of a file with more columns and a header "
            f"--columns {names[0]}=NAME,{names[1]}=NAME says which"
        )
        raise InputError([Problem(source.label, 1 + head[: head.find(first)].count("\n"), reason)])
    if delimiter == ",":
        return Format(kind, "csv", dict(zip(names, names, strict=True)), names, delimiter)
    return Format(kind, "lines", dict(zip(names, names, strict=True)), names, delimiter, is_exact=True)


def select(catalog: Catalog, form: Format, path: str) -> str:
    """A SELECT of ``evalsql_row`` and the columns of the form's meanings, as text; null where a line has none."""
    lines = relation_query(
        catalog,
        "numbered_rows",
        {
            "raw": f"""select * from read_csv(
                [{path}], delim = '\x01', header = false, auto_detect = false, quote = '', escape = '',
                compression = 'none', hive_partitioning = false, columns = {{line: 'varchar'}}
            )"""
        },
    )
    if form.reader == "letor":
        return relation_query(catalog, "letor_rows", {"lines": lines})
    parts = relation_query(catalog, "alignment_rows", {"lines": lines}, blanks=form.delimiter == " ")
    values, not_a_hit = [], ""
    for meaning, name in (form.columns or {}).items():
        value = f"trim(list_extract(parts, {form.names.index(name) + 1}))"
        if meaning == "score":
            value = f"regexp_replace({value}, '^e-', '1e-')"
        if form.is_exact:
            value = f"case when len(parts) = {len(form.names)} then {value} end"
        if meaning == "document" and "sseqid" in form.names:
            not_a_hit = f"where coalesce({value}, '') <> {literal(alignments.NO_TARGET)}"
        values.append(f'{value} as "{meaning}"')
    return f"select evalsql_row, {', '.join(values)} from ({parts}) {not_a_hit}"


def rows(source: Source, form: Format) -> Iterator[Row]:
    """Line and values by column of each row, or what is wrong with it; what ``select`` reads, line by line."""
    places: Counter[str] = Counter()
    with source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            text = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
            if not text.strip() or text.lstrip(b" \t" if form.reader == "letor" else b"").startswith(b"#"):
                continue
            try:
                line = text.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                yield number, NOT_UTF8
                continue
            yield from _letor(number, line, places) if form.reader == "letor" else _split(number, line, form)


def _letor(number: int, line: str, places: Counter[str]) -> Iterator[Row]:
    found = _LETOR.match(line)
    if not found:
        yield number, "expected grade qid:QUERY feature:value ... # document"
        return
    comment = found["comment"] or ""
    named = _DOCID.search(comment) or _WORD.search(comment)
    document = named[1] if named else str(places[found["topic"]])
    places[found["topic"]] += 1
    yield number, {"topic": found["topic"], "document": document, "grade": found["grade"]}


def _split(number: int, line: str, form: Format) -> Iterator[Row]:
    parts = line.split(None if form.delimiter == " " else form.delimiter)
    used = form.columns or {}
    needed = max(form.names.index(name) for name in used.values()) + 1
    if len(parts) < needed or (form.is_exact and len(parts) != len(form.names)):
        expected = f"{len(form.names)}: {', '.join(form.names)}" if form.is_exact else f"{needed} or more"
        yield number, f"{counted(len(parts), 'column')}, expected {expected}"
        return
    values = {name: parts[form.names.index(name)].strip() or None for name in used.values()}
    if "sseqid" in form.names and values.get(used.get("document", "")) == alignments.NO_TARGET:
        return
    if score := used.get("score"):
        values[score] = alignments.mended(values[score] or "")
    yield number, values
