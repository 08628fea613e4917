"""Tables for the terminal, and as aligned text elsewhere."""

import shutil
from collections.abc import Sequence
from typing import NamedTuple, TextIO

from evalsql.report.table import BETTER, WORSE, Table

_WIDEST = 10_000
GAP = "  "
_LINE = "\u2500"
# Colour with restraint: what is best or worse, and bars. Terminals and NO_COLOR say whether there is any.
_BEST = "bold green"
_COLOURS = {BETTER: "green", WORSE: "red"}
_BARS = "cyan"
# Columns of names, which stand on one line each.
BARS = ("", "by topic")
NAMES = ("run", "baseline", "name", "system")


def write_table(table: Table, stream: TextIO, digits: int, after: Sequence[int] = ()) -> None:
    """Aligned columns; on a terminal as wide as it is, elsewhere as wide as the rows need; see ``writers.write``."""
    lines = aligned_lines(table, digits, stream, after)
    if stream.isatty() or text_width(lines[0]) > _WIDEST:
        lines = _rendered(table, digits, stream)
    stream.writelines(line.rstrip() + "\n" for line in lines[2 if after else 0 :])


def aligned_lines(table: Table, digits: int, stream: TextIO | None = None, least: Sequence[int] = ()) -> list[str]:
    """The lines that rich would write with room enough; its import takes as long as many a command."""
    shown = table.without(*(at for at in range(len(table.columns)) if table.is_picture(at)))
    columns = [_aligned(shown, at, digits, least[at] if least else 0) for at in range(len(shown.columns))]
    head, *rows = map(GAP.join, zip(*columns, strict=True))
    rule = "-" if stream is not None and not can_write(_LINE, stream) else _LINE
    rule *= text_width(head) + (columns[-1][0] == "")  # as rich: the last column has a cell
    lines = [head, rule]
    for nth, row in enumerate(rows):
        lines += [row, rule] if nth in table.rules else [row]
    return lines


def _aligned(table: Table, at: int, digits: int, least: int) -> list[str]:
    """The texts of a column from its heading down, each as wide as the widest; marks stand behind numbers."""
    is_number = table.is_number(at)
    marks = [table.marks.get((nth, at), "") for nth in range(len(table.rows))]
    behind = max(map(len, marks), default=0) if is_number else 0
    words = [table.columns[at], *(table.text(row, at, digits) for row in table.rows)]
    texts = [one_line(text) + mark.ljust(behind) for text, mark in zip(words, ["", *marks], strict=True)]
    width = max(least, *map(text_width, texts))
    gaps = [" " * (width - text_width(text)) for text in texts]
    return [gap + text if is_number else text + gap for gap, text in zip(gaps, texts, strict=True)]


def can_write(text: str, stream: TextIO) -> bool:
    """Whether a stream's encoding has these characters; Windows gives files that a shell opens one with few."""
    try:
        text.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def text_width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _rendered(table: Table, digits: int, stream: TextIO) -> list[str]:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    terminal = stream.isatty()
    # Of a terminal that it calls dumb, rich takes no width without a height.
    console = Console(file=stream, width=width() if terminal else _WIDEST, height=25, highlight=False)
    style = "bold" if terminal else ""
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style=style)
    for at, column in enumerate(table.columns):
        is_number = table.is_number(at)
        grid.add_column(
            Text(one_line(column)),
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=is_number or (terminal and column in (*table.whole, *NAMES)),
            style=_BARS if terminal and column in BARS else "",
        )
    colours = {place: _COLOURS.get(mark, "") for place, mark in table.marks.items()} | dict.fromkeys(table.best, _BEST)
    for nth, row in enumerate(table.texts(digits)):
        styles = [colours.get((nth, at), "") if terminal else "" for at in range(len(row))]
        # Names are text, never markup: a run may be called "FSDM [d]".
        cells = [Text(one_line(text), style=style) for text, style in zip(row, styles, strict=True)]
        grid.add_row(*cells, end_section=nth in table.rules)
    with console.capture() as capture:
        console.print(grid)
    lines = capture.get().splitlines()
    return [line if line.strip() or not table.rules else lines[1] for line in lines]  # rich leaves sections a blank one


def printable(text: str) -> str:
    """Lines of text without what a terminal would act on: other control characters are written as escapes."""
    return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in text.split("\n"))


def for_stream(text: str, stream: TextIO) -> str:
    """What a stream gets of lines of text: a pipe and a file all signs as they are, a terminal those it shows."""
    return printable(text) if stream.isatty() else text


def one_line(text: str) -> str:
    """The text with characters that would break the row written as escapes."""
    return text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


# From an eighth to the whole of a cell, to the right and upwards.
_WIDTHS = "\u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588"
HEIGHTS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
BLOCKS = _WIDTHS + HEIGHTS
EIGHTHS = len(_WIDTHS)
BAR = 8  # cells
_FOLDED = 12  # cells that a folded column keeps at least
SHORTEST = 10  # cells of a cut name
_LONGEST = 30  # cells of a value that is named below a table
_CUT = ".."


def width() -> int:
    """Cells of a line: what COLUMNS says, else the terminal."""
    return shutil.get_terminal_size().columns


def bar(eighths: int) -> str:
    whole, rest = divmod(eighths, EIGHTHS)
    return _WIDTHS[-1] * whole + (_WIDTHS[rest - 1] if rest else "")


def sparkline(levels: Sequence[int]) -> str:
    """A mark for each height from 1; 0 is not known."""
    return "".join(HEIGHTS[level - 1] if level else "?" for level in levels)


def natural_widths(table: Table, digits: int) -> list[int]:
    texts = [table.columns, *table.texts(digits)]
    return [max(text_width(one_line(text)) for text in column) for column in zip(*texts, strict=True)]


def total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


class DroppedColumns(NamedTuple):
    """What a narrow terminal does without: columns with one value in every row, others, and last resorts."""

    constants: Sequence[str] = ()
    spare: Sequence[str] = ()
    later: Sequence[str] = ()


def fitted(table: Table, cells: int, digits: int, dropped: DroppedColumns | None = None) -> tuple[Table, list[str]]:
    """A table whose numbers and names stand whole within so many cells, and what it lacks of columns and names.

    Names are cut in the middle. Then columns go: those of ``dropped``, then the last ones, but for the first two.
    """
    constants, spare, later = dropped or DroppedColumns()
    columns = list(table.columns)
    kept = list(range(len(columns)))
    natural = natural_widths(table, digits)
    least = [_least_width(table, at, size) for at, size in enumerate(natural)]
    lacking: dict[int, str] = {}

    def is_too_wide(sizes: Sequence[int]) -> bool:
        return total([sizes[at] for at in kept]) > cells

    for names, sizes in ((constants, natural), (spare, natural), (later, least)):
        for at in [columns.index(name) for name in names if name in columns]:
            texts = {table.text(row, at, digits) for row in table.rows if row[at] is not None}
            if at not in kept or not is_too_wide(sizes) or (names is constants and len(texts) > 1):
                continue
            kept.remove(at)
            if texts - {""}:
                of_all = f" ({cut(next(iter(texts)), _LONGEST)} in every row)" if names is constants else ""
                lacking[at] = columns[at] + of_all
    while len(kept) > 2 and is_too_wide(least):
        lacking[kept[-1]] = columns[kept.pop()]
    narrow = table.with_columns(kept)
    short = _with_short_names(narrow, cells, digits)
    return short, [*(lacking[at] for at in sorted(lacking)), *([] if short.rows == narrow.rows else ["whole names"])]


def _least_width(table: Table, at: int, size: int) -> int:
    name = table.columns[at]
    is_whole = table.is_number(at) or name in table.whole
    return size if is_whole else min(size, SHORTEST if name in NAMES else _FOLDED)


def _with_short_names(table: Table, cells: int, digits: int) -> Table:
    """The table with its longest names cut as far as it has to be, and not below what is readable."""
    widths = natural_widths(table, digits)
    sizes = {at: widths[at] for at, column in enumerate(table.columns) if column in NAMES}
    others = sum(_least_width(table, at, size) for at, size in enumerate(widths) if at not in sizes)
    room = cells - others - len(GAP) * (len(widths) - 1)
    while sizes and sum(sizes.values()) > room and max(sizes.values()) > SHORTEST:
        sizes[max(sizes, key=lambda at: sizes[at])] -= 1
    rows = [
        [cut(value, sizes[at]) if at in sizes and isinstance(value, str) else value for at, value in enumerate(row)]
        for row in table.rows
    ]
    return table._replace(rows=rows)


def cut(name: str, cells: int) -> str:
    """The name within so many cells: its beginning and its end, where it is longer."""
    if text_width(name) <= cells:
        return name
    before, after = name[: (cells - len(_CUT) + 1) // 2], name[len(name) - (cells - len(_CUT)) // 2 :]
    while text_width(before + _CUT + after) > cells:
        before, after = (before[:-1], after) if text_width(before) >= text_width(after) else (before, after[1:])
    return before.rstrip() + _CUT + after.lstrip()
