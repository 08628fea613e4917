"""Recognises the format of a file by its content: TREC text, a table, JSON, or something that holds no rows at all."""

import csv
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

from evalsql.catalog.relations import TREC_ORDER
from evalsql.errors import UsageError
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import Given
from evalsql.ingest.files.source import BYTE_ORDER_MARK, LONGEST_LINE, Format, Source
from evalsql.ingest.files.trec_text import is_header, number_fault, plain_grade, split
from evalsql.ingest.python_rankings import holds_ranking
from evalsql.phrases import counted, read_cells


def columns_in(source: Source, line: int, name: str, names: Sequence[str], kind: str, given: Given) -> dict[str, str]:
    """The column of each meaning among names that stand on a line; raises InputError where one is missing."""
    try:
        return column_meanings.find(names, kind, given)
    except UsageError as error:
        raise source.error(f"{name}: {error}", line) from error


_NO_ROWS = {start.encode(): name for start, name in read_cells(Path(__file__).with_name("no_rows.tsv"))}
# trec_eval pads names with blanks before the tab; programs that do not, or have blanks alone, have its "all".
_VALUE = re.compile(rb"(\S+)(?: +\t\S+|[ \t]+all)[ \t]+\S+\s")
# A topic, a measure and its value, as ir_measures prints them; P and R alone may be names of documents.
_MEASURES = rb"(AP|RR|nDCG|Rprec|Bpref|infAP|ERR|RBP|Set(P|R|F|AP)|Num(Ret|Rel|RelRet))"
_AT_CUTOFF = rb"(P|R|Success|Judged|IPrec|StRecall|\w+_IA|\w*DCG)(\([^\t]*\))?@[\d.]+"
_BY_TOPIC = rb"\S+\t(%b(\([^\t]*\))?(@\d+)?|%b)\t-?[\d.]+\s+" % (_MEASURES, _AT_CUTOFF)
_OF_IR_MEASURES = re.compile(_BY_TOPIC + rb"(%b|$)" % _BY_TOPIC)
_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"\]])')
LETOR_LINE = re.compile(r"\s*(?P<grade>\S+)\s+qid:(?P<topic>\S+)(?P<features>[^#]*)(?P<comment>#.*)?")
_ABOVE = re.compile(r"#|(?i:sep=.\s*$)")  # lines above a header: comments, and what Excel reads as the delimiter
_DELIMITERS = {"\t": "TSV", ",": "CSV", ";": "CSV with semicolons", "|": "CSV with bars", " ": "text with a header"}
# Where a TREC file has its columns: a header of these names is taken by the readers of TREC files.
_TREC = {
    "run": {"topic": 0, "document": 2, "score": 4},
    "grades": {"topic": 0, "document": 2, "grade": 3},
    "groups": {"topic": 0, "document": 2, "grade": 3, "iteration": 1},
}


def recognised(source: Source, head: bytes, kind: str, given: Given) -> Format | None:
    """The format of a file by its first bytes, decompressed; None if it is left to the readers of TREC files.

    Raises InputError for a file of a kind that holds no rows, or without the columns.
    """
    found = _by_magic(source, head)
    if not found and _JSON.match(head.removeprefix(BYTE_ORDER_MARK)):
        found = _json_format(source, head, kind, given)
    if not found:
        text = head.decode("utf-8-sig", "replace")  # rows are refused later, with their lines
        found = _without_names(source, text, kind, given) or _delimited(source, text, kind, given)
    if not found and given:
        raise source.error("columns are named for a file with a header, and this one has none with these names")
    return found


def without_rows(head: bytes) -> str:
    """What a file is that holds no rows, and behind a semicolon what to do; empty if it may hold some."""
    return next((name for start, name in _NO_ROWS.items() if re.match(start, head)), "")


def _by_magic(source: Source, head: bytes) -> Format | None:
    if head.startswith(b"PAR1"):
        return Format("Parquet", "parquet")
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Format("Arrow", "arrow")
    found = without_rows(head)
    value = _VALUE.match(head)
    measure = value[1].decode("utf-8", "replace") if value else ""
    if not found and any(f"{measure}_".startswith(f"{each}_") for each in TREC_ORDER):  # a cutoff may follow
        found = "output of trec_eval; evalsql eval computes its values from the run itself"
    if not found and _OF_IR_MEASURES.match(head):
        found = "values of ir_measures by topic; evalsql load scores takes them"
    if found:
        name, sign, hint = found.partition("; ")
        raise source.error(f"is {name}, neither a run nor judgments{sign}{hint}")
    return None


# Text with a header


def _delimited(source: Source, text: str, kind: str, given: Given) -> Format | None:
    rows = (
        (at, line) for at, line in enumerate(StringIO(text, newline="\n")) if line.strip() and not _ABOVE.match(line)
    )
    skipped, line = next(rows, (0, ""))
    line = line.rstrip("\r\n")
    # A first line that is longer than the text is nobody's header.
    if not line or "\0" in line:
        return None
    if "\r" in line:
        if "\n" not in text:
            raise source.error(
                r"all lines end with a carriage return alone, as on old Macs; tr '\r' '\n' makes them lines"
            )
        return None  # the readers of TREC files tell the line
    required = column_meanings.MEANINGS[kind][0]
    of_header = {"topic", "document"} if "document" in required else {*required}
    for delimiter, name in _DELIMITERS.items():
        names = _split(line, delimiter)
        is_aligned = delimiter == " " and "" in names
        if len(names) < 2 or is_aligned or not set((given or {}).values()) <= set(names):
            continue
        if given or of_header <= column_meanings.known(names, kind).keys():
            if not given and _is_trec(names, line, kind):
                return None
            columns = columns_in(source, skipped + 1, name, names, kind, given)
            return Format(name, "csv", columns, names, delimiter, skipped + 1)
    _check_header(source, line, kind, skipped)
    if found := _ms_marco(line, kind, skipped):
        return found
    _refuse_without_header(source, line, kind, skipped, given)
    return None


def _split(line: str, delimiter: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]


def _is_trec(names: Sequence[str], line: str, kind: str) -> bool:
    if "," in line:
        return False
    found = {meaning: names.index(name) for meaning, name in column_meanings.known(names, kind).items()}
    if kind == "preferences":
        return list(found.values()) == [0, 1, len(names) - 2, len(names) - 1, 2][: len(names)]
    if len(names) < 5 if kind == "run" else len(names) != 4:
        return False
    if names[1].lower() in (*column_meanings.COLUMNS["topic"], *column_meanings.COLUMNS["document"]):
        return False  # the second column of a TREC file says neither
    # A name may stand a second time behind them, such as qid for the tag.
    places = _TREC[kind].items()
    as_there = all(names[place].lower() in column_meanings.COLUMNS[meaning] for meaning, place in places)
    return as_there or all(found.get(meaning, place) == place for meaning, place in places)


def _check_header(source: Source, line: str, kind: str, skipped: int) -> None:
    """Refuse a header that has not all that is needed, and has what it has elsewhere than TREC files do."""
    names = split(line)
    if kind not in _TREC or not is_header(names, 4 if kind == "run" else 3):
        return
    places = _TREC["run" if kind == "run" else "groups"]
    for meaning, name in column_meanings.known(names, kind).items():
        place = places.get(meaning, names.index(name))
        if names.index(name) != place and names[place].lower() not in column_meanings.COLUMNS[meaning]:
            needed = ",".join(f"{each}=NAME" for each in column_meanings.MEANINGS[kind][0])
            raise source.error(
                f"the header calls column {names.index(name) + 1} {name}, and TREC files have the {meaning} in column "
                f"{place + 1}; --columns {needed} says which columns are meant",
                skipped + 1,
            )


def _ms_marco(line: str, kind: str, skipped: int) -> Format | None:
    """A run of MS MARCO has the columns topic, document, rank and perhaps a score; judgments may have but three.

    So may a run with scores for ranks, as Tevatron writes it. Columns are parted by a tab, or by any blanks and tabs.
    """
    columns = [column.strip(" ") for column in line.split("\t")]
    by_tabs = all(columns) and len(columns) > 2
    if not by_tabs:
        columns = [column for column in re.split("[ \t]+", line.strip(" \t")) if column]
    names: tuple[str, ...]
    if kind == "grades" and len(columns) == 3 and not number_fault("", plain_grade(columns[2])):
        name, names = "judgments of three columns", ("topic", "document", "grade")
    elif kind == "run" and len(columns) in (3, 4) and re.fullmatch(r"\d+", columns[2]):
        name, names = "MS MARCO run", ("topic", "document", "rank", "score")[: len(columns)]
        if len(columns) == 4 and number_fault("", columns[3]):
            return None
    elif kind == "run" and len(columns) == 3 and not number_fault("", columns[2]):
        name, names = "run of three columns", ("topic", "document", "score")
    else:
        return None
    return _headless(name, names, "csv" if by_tabs else "lines", "\t" if by_tabs else " ", skipped)


def _headless(name: str, names: Sequence[str], reader: str, delimiter: str, skipped: int = 0) -> Format:
    """A format whose columns are called by their meanings, each line having all of them."""
    return Format(name, reader, dict(zip(names, names, strict=True)), names, delimiter, skipped, is_exact=True)


def _refuse_without_header(source: Source, line: str, kind: str, skipped: int, given: Given) -> None:
    """Refuse a table that is no TREC file and says nothing of its columns."""
    if kind == "grades" and len(line.split()) == 2 and "," not in line:
        raise source.error(
            "two columns without a header: --form pairs takes them for a topic and a document relevant to it, --form "
            "families for an id and its family",
            skipped + 1,
        )
    for delimiter, name in _DELIMITERS.items():
        if delimiter == " ":  # such a file may be a TREC file
            continue
        names = _split(line, delimiter)
        least = 2 if column_meanings.known(names, kind) else 3
        if len(names) >= least and len(line.split()) < (5 if kind == "run" else 4):
            if not all(number_fault("", each) for each in names):
                names_them = "it names the columns, as in " + ",".join(column_meanings.MEANINGS[kind][0])
                reason = f"{name}: the first line is no header; {names_them}"
                raise source.error(reason, skipped + 1)
            columns_in(source, skipped + 1, name, names, kind, given)


# Text without a header


def _without_names(source: Source, head: str, kind: str, given: Given) -> Format | None:
    """The format of a file that is told without a header, which must hold what is wanted; None if it is none."""
    if found := _alignments(source, head):
        name, names, delimiter = found
        if kind != "run":
            raise source.error(
                f"is {name}, a run of E-values and no judgments; these are a file of relevant pairs (--form pairs) or "
                "of families (--form families)"
            )
        return Format(name, "lines", columns_in(source, 0, name, names, kind, given), names, delimiter)
    lines = (line.rstrip("\r\n") for line in StringIO(head.lstrip("\ufeff"), newline=""))
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    found_letor = LETOR_LINE.match(first)
    if found_letor and not number_fault("", found_letor["grade"]):
        if kind in ("grades", "groups"):
            return _headless("LETOR", ("topic", "document", "grade"), "letor", "")
        wanted = "a run" if kind == "run" else kind
        raise source.error(f"is LETOR, judgments with grades and not {wanted}; `load qrels` takes it")
    return _two_columns(source, head, first, kind) if kind in ("pairs", "families") and not given else None


def _two_columns(source: Source, head: str, first: str, kind: str) -> Format | None:
    """Pairs and families have two columns and need no header; what has other columns is read by its header."""
    names = column_meanings.MEANINGS[kind][0]
    delimiter = "\t" if "\t" in first else "," if "," in first else " "
    columns = first.split(None if delimiter == " " else delimiter)
    stripped, line = [column.strip() for column in columns], 1 + head[: head.find(first)].count("\n")
    known = column_meanings.known(stripped, kind).keys()
    if known and kind == "pairs":  # a family may be called as a column is
        columns_in(source, line, kind, stripped, kind, None)
    if set(names) <= known:
        return None
    if len(columns) != len(names):
        told = "id and family" if kind == "families" else "topic and relevant document"
        raise source.error(
            f"{kind}: {counted(len(columns), 'column')}, expected 2: {told}; of a file with more columns and a header "
            f"--columns {names[0]}=NAME,{names[1]}=NAME says which",
            line,
        )
    return _headless(kind, names, "csv" if delimiter == "," else "lines", delimiter)


_SAMPLED = 100  # lines of JSON whose fields are looked at


def _json_format(source: Source, head: bytes, kind: str, given: Given) -> Format:
    """JSON lines if the first line is a whole value, and more follow or it is a row; else JSON that is read whole."""
    with source.open() as stream:
        lines = [line for line in islice(stream, _SAMPLED) if line.strip()]
    if len(lines) == 1 and len(lines[0]) > len(head):
        return Format("JSON", "json")  # which is no row, and takes long to parse
    found: list[Any] = []
    with suppress(ValueError, RecursionError):
        for line in lines:
            found.append(json.loads(line.decode("utf-8-sig")))
            if holds_ranking(found[-1], kind, given):
                break  # lines that hold rankings are long, and one of them tells
    rows = [row for row in found if isinstance(row, dict)]
    if kind in column_meanings.OF_ANSWERS and any(isinstance(row.get(column_meanings.LISTED), list) for row in rows):
        names = column_meanings.all_meanings(kind)
        return Format("JSON lines", "nuggets", dict(zip(names, names, strict=True)), names)
    if not found or (len(lines) == 1 and not _is_row(found[0], kind, given)):
        return Format("JSON", "json")
    if not rows or any(holds_ranking(row, kind, given) for row in rows):
        return Format("JSON lines", "json")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Format("JSON lines", "jsonl", columns_in(source, 1, "JSON lines", names, kind, given), names)


def _is_row(value: Any, kind: str, given: Given) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    nested = [isinstance(inner, dict | list) for inner in value.values()]
    return not any(nested) or (not all(nested) and bool(given or column_meanings.known(value, kind)))


# Tables of sequence searches (BLAST, DIAMOND, MMseqs2, HMMER, Infernal): runs of E-values, lower ones being better.
_BLAST_COLUMNS = (
    *("qseqid", "sseqid", "pident", "length", "mismatch", "gapopen"),
    *("qstart", "qend", "sstart", "send", "evalue", "bitscore"),
)
_WHOLE_FROM, _WHOLE_TO = 3, 10  # the columns from length to send
# What the comments of BLAST and DIAMOND call their columns.
_FIELDS = {
    **dict.fromkeys(("query acc.ver", "query id", "query acc.", "query gi", "query seqid"), "qseqid"),
    **dict.fromkeys(("subject acc.ver", "subject id", "subject acc.", "subject gi", "subject seqid"), "sseqid"),
    **dict.fromkeys(("evalue", "e-value", "expect value", "expected value"), "evalue"),
    "bit score": "bitscore",
}
_BLAST_COMMENT = re.compile(r"#\s*(t?blast[npx]|(psi|rps|delta|mega)\S*blast\S*|diamond|fasta|query id|query:)\b", re.I)
_HMMER_COMMENT = re.compile(r"#\s*target name\s+accession\s")
_HMMER = read_cells(Path(__file__).with_name("alignments.tsv"))
NO_TARGET = "*"  # where DIAMOND reports a query that has no hit
_Layout = tuple[str, Sequence[str], str]


def _alignments(source: Source, head: str) -> _Layout | None:
    """Name, columns and delimiter of a table of alignments that starts with ``head``; None if the file is none."""
    first = head.lstrip("\ufeff\r\n ")
    if not first.startswith("#") and first.partition("\n")[0].count("\t") < len(_BLAST_COLUMNS) - 1:
        return None
    found: _Layout | None = None
    is_blast = False
    with source.open() as stream:
        # A search may have thousands of queries without a hit before its first row.
        for raw in iter(lambda: stream.readline(LONGEST_LINE), b""):
            line = raw.decode("utf-8-sig", "replace").rstrip("\r\n")
            if line.strip() and not line.startswith("#"):
                return found or _of_row(line, is_blast=is_blast)
            if _HMMER_COMMENT.match(line):
                name, columns = next(told for word, *told in _HMMER if word in line)
                return name, columns.split(), " "
            is_blast = is_blast or bool(_BLAST_COMMENT.match(line))
            if line.startswith("# Fields:"):
                found = "BLAST tabular (outfmt 7)", _fields(line), "\t"
    return found or (("BLAST tabular (outfmt 7)", _BLAST_COLUMNS, "\t") if is_blast else None)


def _fields(line: str) -> Sequence[str]:
    """Names of the columns that a comment lists; of two for one thing the first has its name."""
    names: list[str] = []
    for field in line.removeprefix("# Fields:").split(","):
        text = field.strip().lower()
        name = _FIELDS.get(text, text)
        names.append(text if name in names else name)
    return names


def _of_row(line: str, *, is_blast: bool) -> _Layout | None:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) < len(_BLAST_COLUMNS):
        return None
    numbers = (columns[2], mended(columns[10]), columns[11])
    are_whole = all(re.fullmatch(r"-?\d+", column) for column in columns[_WHOLE_FROM:_WHOLE_TO])
    if not are_whole or any(number_fault("", number) for number in numbers):
        return None
    name = "BLAST tabular (outfmt 7)" if is_blast else "BLAST tabular (outfmt 6)"
    return name, [*_BLAST_COLUMNS, *(f"column {at}" for at in range(13, len(columns) + 1))], "\t"


def mended(number: str) -> str:
    """A number as it is read; BLAST of old writes e-105 for 1e-105."""
    return re.sub(r"^e-", "1e-", number.strip())
