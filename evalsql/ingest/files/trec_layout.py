"""TREC files as the engine reads them: the layout of a file, and a SELECT of the columns of files of one layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.measure_names import literal
from evalsql.ingest.files.source import Text

NO_DELIMITER = "\x01"
_LOOKED_AT = 50  # lines
_NEARLY_ALL = 0.9
_HALF = 0.5


def layout(text: Text) -> tuple[str, str | None] | None:
    """The delimiter of a run's first line, and its tag; None where only the exact reader will do.

    A single blank or tab between six columns, or NO_DELIMITER where lines are to be split at any blanks.
    """
    try:
        with text.path.open("rb") as stream:
            line = stream.readline().decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        return None
    for delimiter in ("\t", " "):
        columns = line.split(delimiter)
        if len(columns) == 6 and all(columns) and " ".join(columns[-1].split()) == columns[-1]:
            return delimiter, columns[-1]
    columns = line.split()
    return (NO_DELIMITER, columns[5] if len(columns) == 6 else None) if len(columns) in (5, 6) else None


class Row(NamedTuple):
    """A line with the columns of a run; those behind the fifth are its tag, which may hold blanks."""

    number: int
    columns: Sequence[bytes]
    score: float


def first_rows(text: Text) -> Sequence[Row]:
    """Those of a file's first lines that have a number for a score, as comments and header rows have not."""
    rows = []
    with text.path.open("rb") as stream:
        for number, line in enumerate(islice(stream, _LOOKED_AT), start=1):
            columns = line.split()
            if len(columns) > 4 and not line.startswith(b"#"):
                try:
                    score = float(columns[4])
                except ValueError:
                    continue
                rows.append(Row(number, columns, score))
    return rows


def opposes_ranks(rows: Iterable[Row], *, lower_is_better: bool) -> bool:
    """Whether in a file's first rows nearly all scores get worse where the rank column says that they get better.

    So they do where the score column counts up as ranks do, and the rank column does not count. Rows that follow each
    other within a topic are compared; those whose rank is no number tell nothing.
    """
    agreeing = opposing = 0
    for (topic, rank, score), (other, next_rank, next_score) in pairwise(_ranks_and_scores(rows)):
        change = (next_rank - rank) * (next_score - score) * (-1 if lower_is_better else 1)
        exchanged = next_score - score == 1 != abs(next_rank - rank) > 0
        if topic == other and (change or exchanged):
            agreeing += change < 0 and not exchanged
            opposing += change > 0 or exchanged
    return opposing > _NEARLY_ALL * (agreeing + opposing)


def _ranks_and_scores(rows: Iterable[Row]) -> Iterator[tuple[bytes, float, float]]:
    for _, columns, score in rows:
        try:
            rank = float(columns[3])
        except ValueError:
            continue
        yield columns[0], rank, score


def foreign_layout(rows: Sequence[Row]) -> tuple[int, int] | None:
    """Line number and columns of a file's first row where its first rows are those of some other table; else None.

    The last column of a run, its tag, may hold blanks, but is the same in nearly all rows; where there are more than
    six columns the second one is too, or the ranks go up. Of six columns only a tag that differs from row to row
    beside ranks that do not go up is another table's.
    """
    if not rows:
        return None
    same_tag = _greatest_share([tuple(row.columns[5:]) for row in rows])
    if sum(len(row.columns) > 6 for row in rows) >= _NEARLY_ALL * len(rows):
        is_run = same_tag >= _NEARLY_ALL and (_has_ranks(rows) or _has_one_second_column(rows))
    else:
        is_run = same_tag >= _HALF or _has_ranks(rows)
    return None if is_run else (rows[0].number, len(rows[0].columns))


def _has_ranks(rows: Sequence[Row]) -> bool:
    """Whether the fourth column goes up between nearly all rows that follow each other within a topic."""
    pairs = [(a.columns[3], b.columns[3]) for a, b in pairwise(rows) if a.columns[0] == b.columns[0]]
    return sum(a.isdigit() and b.isdigit() and int(a) < int(b) for a, b in pairs) >= _NEARLY_ALL * len(pairs)


def _has_one_second_column(rows: Sequence[Row]) -> bool:
    """Whether the second column is the same in nearly all rows."""
    return _greatest_share([row.columns[1] for row in rows]) >= _NEARLY_ALL


def _greatest_share(values: Sequence[object]) -> float:
    return max(Counter(values).values()) / len(values)


def reader(paths: Sequence[Path], delimiter: str, columns: Sequence[str]) -> str:
    """What reads files of one layout, every column as text; lines of other layouts go to ``reject_errors``."""
    return f"""read_csv(
        [{", ".join(literal(one_path(path)) for path in paths)}],
        delim = {literal(delimiter)}, compression = 'none', hive_partitioning = false,
        header = false, auto_detect = false, quote = '', escape = '', comment = '', store_rejects = true,
        columns = {{{", ".join(f"'{column}': 'varchar'" for column in columns)}}}
    )"""


def one_path(path: Path) -> str:
    """The path as a pattern that the engine's reader takes for itself: neither wildcards nor a home folder."""
    text = "".join(f"[{char}]" if char in "*?[" else char for char in str(path))
    return f"./{text}" if text.startswith("~") else text
