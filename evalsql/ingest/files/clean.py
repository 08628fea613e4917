"""The engine's own reader of TREC files: the layout of a file, and a SELECT of the columns of files of one layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path

from evalsql.catalog.names import literal
from evalsql.ingest.files.source import Text

NO_DELIMITER = "\x01"
_LOOKED_AT = 50  # lines
_NEARLY_ALL = 0.9
_HALF = 0.5


def layout(text: Text) -> tuple[str, str | None] | None:
    """What parts the columns of a run's first line, and its tag; None where that takes the exact reader.

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


def opposes_ranks(text: Text, *, lower_is_better: bool) -> bool:
    """Whether in a file's first lines nearly all scores get worse where the rank column says that they get better.

    So they do where the score column counts up as ranks do, and the rank column does not count. Lines that follow each
    other within a topic are compared; those that are not as a run has them tell nothing.
    """
    agreeing = opposing = 0
    with text.path.open("rb") as stream:
        for (topic, rank, score), (other, next_rank, next_score) in pairwise(_numbers(islice(stream, _LOOKED_AT))):
            change = (next_rank - rank) * (next_score - score) * (-1 if lower_is_better else 1)
            exchanged = next_score - score == 1 != abs(next_rank - rank) > 0
            if topic == other and (change or exchanged):
                agreeing += change < 0 and not exchanged
                opposing += change > 0 or exchanged
    return opposing > _NEARLY_ALL * (agreeing + opposing)


def foreign_layout(text: Text) -> tuple[int, int] | None:
    """Line number and columns of a file's first row where its first rows are those of some other table; else None.

    The last column of a run, its tag, may hold blanks, but is the same in nearly all rows; where there are more than
    six columns the second one is too, or the ranks go up. Of six columns only a tag that differs from row to row
    beside ranks that do not go up is another table's.
    """
    with text.path.open("rb") as stream:
        lines = enumerate(islice(stream, _LOOKED_AT), start=1)
        rows = [(at, line.split(None, 5), len(line.split())) for at, line in lines if _is_row(line)]
    if not rows:
        return None
    number, _, width = rows[0]
    same_tag = _greatest_share(columns[5:] for _, columns, _ in rows)
    same_second = _greatest_share(columns[1] for _, columns, _ in rows)
    pairs = [(a[3], b[3]) for (_, a, _), (_, b, _) in pairwise(rows) if a[0] == b[0]]
    has_ranks = sum(a.isdigit() and b.isdigit() and int(a) < int(b) for a, b in pairs) >= _NEARLY_ALL * len(pairs)
    if sum(each > 6 for _, _, each in rows) >= _NEARLY_ALL * len(rows):
        is_run = same_tag >= _NEARLY_ALL and (has_ranks or same_second >= _NEARLY_ALL)
    else:
        is_run = same_tag >= _HALF or has_ranks
    return None if is_run else (number, width)


def _is_row(line: bytes) -> bool:
    """Whether a line has the columns of a run and a number for a score, which comments and header rows lack."""
    with suppress(ValueError, IndexError):
        float(line.split(None, 5)[4])
        return not line.startswith(b"#")
    return False


def _greatest_share(values: Iterable[object]) -> float:
    counts = Counter(map(str, values))
    return max(counts.values()) / counts.total()


def _numbers(lines: Iterable[bytes]) -> Iterator[tuple[bytes, float, float]]:
    """Topic, rank and score of each line that has them."""
    for line in lines:
        columns = line.split(None, 5)
        with suppress(ValueError, IndexError):
            yield columns[0], float(columns[3]), float(columns[4])


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
