"""What commands write: rows, files and notes, and the progress they show."""

import os
import re
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, Literal, TextIO

from evalsql.catalog.measure_names import Measure
from evalsql.cli.declare import PRINTED, option, silence
from evalsql.database.database import MEMORY
from evalsql.database.disk import whole_file
from evalsql.errors import UsageError
from evalsql.evaluation import notices
from evalsql.evaluation.listings import document_words
from evalsql.phrases import Progress, counted, shortened, silent
from evalsql.report import terminal, writers
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse
from evalsql.warehouse.writer import Writer

Format = Literal["table", "csv", "tsv", "spreadsheet", "json", "jsonl", "markdown", "latex"]
READ = ("table", "markdown", "latex")  # formats for people
FORMAT = option("--format", "How rows are written; by default what --output's extension says.")
OUTPUT = option("--output -o FILE", "Write to this file.")
DIGITS = option("--digits", "Decimals, where people read.", 4, min=0, max=17)
SAYS_NO = 1  # what a command ends with that answers no
_MOST_NAMED = 12  # columns that a terminal is too narrow for
_WHOLE = re.compile(r"  evalsql |LINE \d+:|\s+\^")
_PATIENCE = 0.3  # seconds
_MOST_DRAWN = 200  # rows of a query on a terminal
_TOGETHER = 10_000  # rows that are fetched and written at once


@dataclass(frozen=True)
class OutputOptions:
    heading: ClassVar = PRINTED
    format: Format | None = FORMAT
    path: Path | None = OUTPUT
    digits: int = DIGITS

    @property
    def is_drawn(self) -> bool:
        """Whether a table is looked at on a terminal."""
        return self.path is None and self.format in (None, "table") and sys.stdout.isatty()

    @property
    def chosen_format(self) -> str:
        """The format asked for, or the one of the file's extension; raises UsageError if that is of none."""
        chosen = self.format or ("table" if self.path is None else writers.EXTENSIONS.get(self.path.suffix.lower()))
        if chosen is None:
            known = ", ".join(writers.EXTENSIONS)
            raise UsageError(f"{self.path}: say which --format; the extensions known are {known}")
        return chosen


def write_table(
    table: Table, output: OutputOptions, warehouse: Warehouse | None, dropped: terminal.DroppedColumns | None = None
) -> None:
    """Write rows to standard output, or to a file once they are whole; a narrow terminal does without ``dropped``."""
    hidden: list[str] = []
    if output.is_drawn:
        table, hidden = terminal.fitted(table, terminal.width(), output.digits, dropped)
    with text_output(output.path, warehouse) as stream:
        writers.write(table, output.chosen_format, stream, output.digits)
    if hidden:
        few = hidden[:_MOST_NAMED]
        if len(hidden) > _MOST_NAMED:
            few.append(f"and {len(hidden) - _MOST_NAMED} more")
        note(f"the terminal is too narrow for {', '.join(few)}; --format csv has all columns")


def write_answer(writer: Writer, text: str, output: OutputOptions, warehouse: Warehouse, limit: int | None) -> None:
    """Run statements and write the rows of the last one: ``limit`` of them, as they come where all are printed."""
    most = (_MOST_DRAWN if limit is None and output.is_drawn else limit) or 0
    is_whole = most or output.is_drawn or output.path or output.chosen_format not in writers.STREAMED
    columns, rows = writer.run(text, most + 1 if most else None if is_whole else _TOGETHER)
    if not columns:
        return
    table = Table(columns, rows[: most or None])
    if is_whole or len(rows) != _TOGETHER:
        write_table(table, output, warehouse)
        if limit is None and len(rows) > len(table.rows):
            note(f"the first {most} rows are shown; --limit 0, or .all in the shell, shows all")
        return
    widths: Sequence[int] = ()
    with standard_output() as stream:
        while rows:
            writers.write(table._replace(rows=rows), output.chosen_format, stream, output.digits, widths)
            widths = widths or terminal.natural_widths(table, output.digits)
            rows = writer.database.next_rows(_TOGETHER)


@contextmanager
def text_output(path: Path | None, warehouse: Warehouse | None, *others: Path) -> Iterator[TextIO]:
    """A text to write, which goes to standard output or, once it is whole, to a file; see ``write_file``."""
    if path is None:
        with standard_output() as stream:
            yield stream
    else:
        text = StringIO(newline="")
        yield text
        write_file(text.getvalue(), path, warehouse, *others)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output; a reader who has enough, such as ``head``, is no failure, all else raises UsageError."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, UnicodeEncodeError) as error:
        advice = "; PYTHONIOENCODING=utf-8 lets it take all letters" if isinstance(error, UnicodeEncodeError) else ""
        raise UsageError(f"standard output cannot be written: {error}{advice}") from error


def write_file(content: str | bytes, output: Path, warehouse: Warehouse | None = None, *others: Path) -> None:
    """Write a picture or text to a file; raises UsageError if it cannot be written, or is in use here."""
    if warehouse is not None:
        refuse_protected(output, warehouse, *others)
    with whole_file(output) as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())
    note(f"wrote {output}")


def refuse_protected(output: Path, warehouse: Warehouse, *others: Path) -> None:
    """Raise UsageError if an output would be written over the warehouse, a file it was loaded from, or another one."""
    if output.exists():
        used = [*protected_files(warehouse), *filter(Path.exists, others)]
        if any(map(output.samefile, used)):
            raise UsageError(f"{output}: is in use here and is not written over")


def protected_files(warehouse: Warehouse) -> list[Path]:
    """The warehouse's file and those that its data came from, as far as they are here."""
    loaded = [file for (file,) in warehouse.rows("select file from files")]
    # On Windows a name that begins with two slashes or backslashes is another machine's, which would be asked for it.
    is_windows = os.sep == "\\"
    here = [warehouse.path, *(file for file in loaded if not (is_windows and file[:2].replace("\\", "/") == "//"))]
    return [Path(file) for file in here if os.path.exists(file)]  # false for what can be no name


def note(*lines: str) -> None:
    """Print lines that are no data, nor errors, on standard error; a terminal has them broken between words."""
    for line in () if silence["is_asked"] else lines:
        print(broken(line), file=sys.stderr)


def broken(text: str) -> str:
    """What standard error shows of a text; commands to copy, and SQL with a mark below, stay whole on a terminal."""
    lines = terminal.printable(text).split("\n")
    how: dict[str, Any] = {"width": terminal.width(), "break_long_words": False, "break_on_hyphens": False}
    for at, line in enumerate(lines if sys.stderr.isatty() else ()):
        if not _WHOLE.match(line):
            further = " " * (len(line) - len(line.lstrip()) + 2)
            lines[at] = textwrap.fill(line, subsequent_indent=further, **how)
    return "\n".join(lines)


def coverage_lines(
    warehouse: Warehouse, qrels: Sequence[str], runs: Sequence[str], measures: Sequence[Measure] = ()
) -> list[str]:
    """Lines that tell how many topics are averaged, which are left out or have no cost, and runs with little judged."""
    ids = warehouse.path != MEMORY  # of what is loaded into memory, loading has told just now
    return [each.text for each in notices.on_figures(warehouse.evaluation, measures, qrels, runs, ids=ids)]


def texts_lines(warehouse: Warehouse) -> list[str]:
    """A line that tells how many documents have a text, and the size of these, where any has one."""
    ((held, texts, size),) = warehouse.rows(warehouse.database.query("text_sizes"))
    return [f"texts of {texts:,} of {counted(held, 'document')}, {size / 1e6:,.1f} MB uncompressed"] if texts else []


def with_words(warehouse: Warehouse, table: Table) -> Table:
    """The table with what its documents say in a last column."""
    names = table.values("document")
    found = document_words(warehouse.evaluation, filter(None, names))
    if not found:
        note("none of these documents has a text; evalsql load documents FILE brings them")
    return table.with_column(len(table.columns), "text", [found.get(name) for name in names])


def note_waiting(warehouse: Warehouse, runs: Sequence[str], qrels: Sequence[str] = ()) -> None:
    """Name runs that no judgment set evaluates; raises UsageError with that where none of these is evaluated.

    Else say so where these judgments, which were asked for, evaluate none.
    """
    text = notices.on_waiting(warehouse.evaluation, runs)
    is_any = warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query((), runs)}) limit 1")
    if text and not is_any:
        raise UsageError(text)
    if text or not is_any:
        note(text or "no run is loaded that judgments evaluate; evalsql load runs FILE brings one")
    elif qrels and not warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query(qrels, runs)}) limit 1"):
        note(f"{shortened(qrels)}: evaluates none of these runs; evalsql load runs FILE --qrels NAME brings one")


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A function to report (stage, done, total) to: a bar on a terminal, once work has taken a while, else nothing."""
    if not sys.stderr.isatty():
        yield silent
        return
    started = time.monotonic()
    with ExitStack() as stack:
        bars: Any = None
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            nonlocal bars
            if bars is None and time.monotonic() - started > _PATIENCE:
                from rich.console import Console
                from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
                from rich.progress import Progress as Bars

                columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
                bars = stack.enter_context(Bars(*columns, console=Console(stderr=True), transient=True))
            if bars is not None:
                if stage not in tasks:
                    tasks[stage] = bars.add_task(stage, total=total or None)
                bars.update(tasks[stage], completed=done, total=total or None)  # 0 is not known

        yield show
