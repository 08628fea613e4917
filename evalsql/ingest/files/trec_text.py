"""TREC files line by line, in Python: any mix of blanks, comments, header rows; every bad line gets a reason."""

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, cast

from evalsql.database.database import Database
from evalsql.errors import Problem, warn
from evalsql.ingest.column_meanings import COLUMNS
from evalsql.ingest.files.source import BYTE_ORDER_MARK, LONGEST_LINE, NOT_UTF8, Source, unreadable
from evalsql.literals import literal
from evalsql.phrases import counted

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?", re.ASCII)
_NTCIR_GRADE = re.compile(r"L\d+", re.ASCII)
_OF_TRUTH = {"true": "1", "false": "0"}
_LINE_END = re.compile("[\x85\u2028\u2029]")
_ODD_BLANK = re.compile(r"[^\S\x00-\x7f]")
ZERO_BYTES = "holds zero bytes, which are kept as part of their column"
_MOST_SHOWN = 60  # characters of a value in a message
_HEADER_WORDS = {name for meaning in ("topic", "document", "rank", "grade", "weight") for name in COLUMNS[meaning]}
Row = tuple[Any, ...]
Refuse = Callable[[Problem], None]
_CHUNK = 1 << 16  # bytes
_OF_SAMPLES = {
    "strata": "topic iteration document stratum grade",
    "probabilities": "topic document grade method probability",
}
# Beyond these, sums of weighted values could overflow or vanish.
LEAST_WEIGHT, GREATEST_WEIGHT = 1e-100, 1e100


@dataclass
class Notes:
    comments: list[str] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    last_tag: str | None = None


RowReader = Callable[[Source, Notes, Refuse], Iterator[tuple[int, Row]]]

# Readers give the line number of each good row and its values, which they name; ``refuse`` gets the others.


def run_rows(source: Source, notes: Notes, refuse: Refuse, *, rank_is_used: bool) -> Iterator[tuple[int, Row]]:
    """(topic, document, rank, score), all of them text: of five columns, then the tag, which may hold blanks."""

    def row(columns: list[str]) -> Row | str:
        if reason := number_fault("score", columns[4]):
            return reason
        if rank_is_used and (reason := integer_fault("rank", columns[3])):
            return f"{reason}, and the tie rule goes by it"
        if len(columns) > 5:
            notes.last_tag = " ".join(columns[5:])
            if _LINE_END.search(notes.last_tag):
                return "holds several lines, whose ends are none here"
            notes.tags[notes.last_tag] += 1
        return columns[0], *columns[2:5]

    expected = "5 or 6: topic Q0 document rank score [tag]"
    return _rows(source, notes, refuse, range(5, LONGEST_LINE), expected, 4, row)


def qrels_rows(source: Source, notes: Notes, refuse: Refuse) -> Iterator[tuple[int, Row]]:
    """(topic, iteration, document, grade)."""

    def row(columns: list[str]) -> Row | str:
        if len(columns) == 5:
            forms = "; ".join(f"--form {form} reads {names}" for form, names in _OF_SAMPLES.items())
            return f"5 columns, expected {expected}; of a sample {forms}"
        return _grade_fault(columns[3]) or (*columns[:3], _grade(columns[3]))

    expected = "4: topic iteration document grade"
    return _rows(source, notes, refuse, (4, 5), expected, 3, row)


def sampled_rows(source: Source, notes: Notes, refuse: Refuse, form: str) -> Iterator[tuple[int, Row]]:
    """(topic, iteration, document, grade, stratum, probability).

    Of strata the probability is null, and the method that drew a document with a probability is its stratum.
    """

    def row(columns: list[str]) -> Row | str:
        if form == "strata":
            topic, iteration, document, stratum, grade = columns
            return _grade_fault(grade) or (topic, iteration, document, _grade(grade), stratum, None)
        topic, document, grade, stratum, probability = columns
        fault = _grade_fault(grade) or number_fault("probability", probability)
        return fault or (topic, "0", document, _grade(grade), stratum, float(probability))

    return _rows(source, notes, refuse, (5,), f"5: {_OF_SAMPLES[form]}", 4, row)


def preference_rows(source: Source, notes: Notes, refuse: Refuse) -> Iterator[tuple[int, Row]]:
    """(topic, group, subgroup, document, level), or in the whole file all but the subgroup, which is then "0"."""
    width = 0

    def row(columns: list[str]) -> Row | str:
        nonlocal width
        width = width or len(columns)
        if len(columns) != width:
            return f"{counted(len(columns), 'column')}, while rows above have {width}"
        topic, group, *subgroup, document, level = columns
        return number_fault("level", level) or (topic, group, *(subgroup or "0"), document, float(level))

    return _rows(source, notes, refuse, (4, 5), "5 or 4: topic group [subgroup] document level", -1, row)


def weight_rows(source: Source, notes: Notes, refuse: Refuse) -> Iterator[tuple[int, Row]]:
    """(topic, weight)."""

    def row(columns: list[str]) -> Row | str:
        return weight_fault(columns[1]) or (columns[0], float(columns[1]))

    return _rows(source, notes, refuse, (2,), "2: topic weight", 1, row)


def weight_fault(text: str) -> str:
    if reason := number_fault("weight", text):
        return reason
    if float(text) <= 0:
        return f'weight "{text}" is not above 0'
    within = LEAST_WEIGHT <= float(text) <= GREATEST_WEIGHT
    return "" if within else f'weight "{text}" is not between {LEAST_WEIGHT:g} and {GREATEST_WEIGHT:g}'


def _rows(
    source: Source,
    notes: Notes,
    refuse: Refuse,
    widths: Container[int],
    expected: str,
    number_at: int,
    row: Callable[[list[str]], Row | str],
) -> Iterator[tuple[int, Row]]:
    """Line number and row of each line that is neither blank nor a comment nor a header; ``notes`` gets the latter two.

    Rows have as many columns as one of ``widths``, and a number at ``number_at``; ``row`` says what is wrong with one.
    """
    first = True
    like_rows: list[int] = []
    for number, line in text_lines(source, refuse, blank=False):
        columns = split(line)
        if line.startswith(("#", "<SYSDESC>")) or (first and is_header(columns, number_at)):
            notes.comments.append(line)
            if columns[0] != "#" and len(columns) in widths and _NUMBER.fullmatch(columns[number_at]):
                like_rows.append(number)
            continue
        first = False
        width = f"{counted(len(columns), 'column')}, expected {expected}" if len(columns) not in widths else ""
        found = width or shifted(line, columns) or row(columns)
        if isinstance(found, str):
            blank = _ODD_BLANK.search(line)
            hint = f"; U+{ord(blank[0]):04X} in it is a blank that parts no columns here" if blank else ""
            refuse(source.problem(number, found + hint))
        else:
            yield number, found
    if like_rows:
        more = f", and {counted(len(like_rows) - 1, 'more line')} like it" if len(like_rows) > 1 else ""
        reason = (
            f"starts with # and is left out as a comment, though it has the columns of a row{more}; tables with a "
            "header, as TSV, may have names that start with #"
        )
        warn(source.problem(like_rows[0], reason))


def text_lines(
    source: Source, refuse: Refuse, *, blank: bool = True, longest: int = LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    """Every line that is text, with its number and without white space around it; by default blank ones too."""
    try:
        # A reader of its own splits lines in C, whatever the file's compression.
        with source.open() as file, BufferedReader(cast(RawIOBase, file), _CHUNK) as stream:
            for number, raw in enumerate(stream, start=1):
                text = raw.removeprefix(BYTE_ORDER_MARK).strip()
                if not (blank or text):
                    continue
                if number > 1 and raw.startswith(BYTE_ORDER_MARK):
                    reason = "starts with a byte-order mark, as a file put behind another does; it is left out"
                    warn(source.problem(number, reason))
                if len(raw) > longest and text:
                    refuse(source.problem(number, f"longer than {longest:,} bytes"))
                elif b"\r" in text:
                    refuse(source.problem(number, "holds a carriage return that ends no line"))
                else:
                    if b"\0" in text:  # Real files have holes of zero bytes; trec_eval too reads on.
                        warn(source.problem(number, ZERO_BYTES))
                    try:
                        yield number, text.decode()
                    except UnicodeDecodeError:
                        refuse(source.problem(number, NOT_UTF8))
    except unreadable() as error:
        refuse(source.problem(0, f"cannot be read: {error}"))


def split(line: str) -> list[str]:
    """The columns of a line: between white space of ASCII only, as bytes are split."""
    return [column.decode() for column in line.encode().split()]


def shifted(line: str, columns: Sequence[str]) -> str:
    """Why a run's line has its columns elsewhere, as where a name holds blanks. Empty if all is well."""
    remedy = "such names take TSV with a header"
    by_tabs = [column.strip() for column in line.split("\t")] if " " in line and "\t" in line else []
    if len(by_tabs) in (5, 6) and not (number_fault("", by_tabs[4]) or integer_fault("", by_tabs[3])):
        name = next((column for column in by_tabs[:3] if len(split(column)) > 1), "")
        return f"tabs part its columns, and {_shown(name)} holds blanks; {remedy}" if name else ""
    has_both_behind = len(columns) > 5 and not (integer_fault("", columns[4]) or number_fault("", columns[5]))
    if has_both_behind and number_fault("", columns[3]):
        return f"{_shown(columns[3])} stands for the rank, before a rank and a score; has a name blanks? {remedy}"
    if len(columns) > 4 and columns[2].upper() == "Q0":
        return "Q0 stands for the document, in the third column; expected topic Q0 document rank score [tag]"
    return ""


def is_header(columns: Sequence[str], number_at: int) -> bool:
    return (
        len(columns) > number_at
        and not _NUMBER.fullmatch(columns[number_at])
        and sum(column.lower() in _HEADER_WORDS for column in columns) >= 2
    )


def plain_grade(text: str) -> str:
    """A grade as a number: without the L that those of NTCIR start with, and 1 or 0 for true or false."""
    return text[1:] if _NTCIR_GRADE.fullmatch(text) else _OF_TRUTH.get(text.lower(), text)


def number_fault(what: str, text: str) -> str:
    if not _NUMBER.fullmatch(text):
        has_commas = "," in text and _NUMBER.fullmatch(text.replace(",", ""))
        return f"{what} {_shown(text)} is not a number" + ("; write it with a point and no comma" if has_commas else "")
    return "" if math.isfinite(float(text)) else f"{what} {_shown(text)} is too large"


def _grade(text: str) -> int:
    return int(plain_grade(text).partition(".")[0])


def _grade_fault(text: str) -> str:
    return integer_fault("grade", plain_grade(text))


def integer_fault(what: str, text: str) -> str:
    if not _WHOLE.fullmatch(text):
        return f"{what} {_shown(text)} is not a whole number"
    return "" if -(2**31) <= float(text) < 2**31 else f"{what} {_shown(text)} does not go into 32 bits"


def _shown(text: str) -> str:
    return f'"{text}"' if len(text) <= _MOST_SHOWN else f'"{text[:_MOST_SHOWN]}..."'


def first_notes(source: Source) -> Notes | None:
    """Notes with the tag of a plain run's first line, if it has one; None if that is no row."""
    first = source.first_lines[0].decode() if source.first_lines else ""
    columns = split(first)
    tags = [" ".join(columns[5:])] if len(columns) > 5 else []
    is_plain = len(columns) > 4 and not shifted(first, columns) and not _LINE_END.search(first)
    return Notes(tags=Counter(tags), last_tag=next(iter(tags), None)) if is_plain else None


def reader(paths: Sequence[Path]) -> str:
    """What reads the column ``line`` of files; lines that it cannot read go to ``reject_errors``."""
    return f"""read_csv(
        [{", ".join(literal(one_path(path)) for path in paths)}],
        delim = '\x01', compression = 'none', hive_partitioning = false, columns = {{'line': 'varchar'}},
        header = false, auto_detect = false, quote = '', escape = '', comment = '', store_rejects = true
    )"""


def rejected_paths(database: Database) -> list[str]:
    """Paths of the files with lines that ``reader`` could not read; the tables of rejected lines are dropped."""
    paths = "select distinct file_path from reject_errors join reject_scans using (scan_id, file_id)"
    rejected = database.column(paths)
    database.drop("reject_errors", "reject_scans")
    return rejected


def one_path(path: Path) -> str:
    """The path as a pattern that the engine's reader takes for itself: neither wildcards nor a home folder."""
    text = str(path.absolute() if str(path).startswith("~") else path)
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)
