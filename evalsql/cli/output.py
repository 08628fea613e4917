"""What commands write: rows and files that are there whole or not at all, notes, progress, pages of measures."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import Measure, literal
from evalsql.catalog.relations import Catalog, Relation
from evalsql.database.database import MEMORY, translated_errors
from evalsql.database.disk import failure, part_of
from evalsql.errors import UsageError
from evalsql.evaluation import notices
from evalsql.phrases import Progress, counted
from evalsql.report import formats
from evalsql.report.table import Table
from evalsql.report.terminal import printable
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    import duckdb

    from evalsql.report.terminal import DroppedColumns


_MOST_NAMED = 12  # columns that a terminal is too narrow for


Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="How rows are written; by default what --output's extension says.")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")]
Digits = Annotated[int, typer.Option("--digits", min=0, max=17, help="Decimals, where people read.")]


@dataclass(frozen=True)
class OutputOptions:
    """Where rows are written, and how."""

    format: FormatOption = None
    path: Output = None
    digits: Digits = 4

    @property
    def is_drawn(self) -> bool:
        """Whether a table is looked at on a terminal."""
        return self.path is None and self.format in (None, "table") and sys.stdout.isatty()

    @property
    def is_text(self) -> bool:
        """Whether people read it, rather than programs."""
        return self.chosen_format in ("table", "markdown", "latex")

    @property
    def chosen_format(self) -> str:
        """The format asked for, or the one that the file's extension tells.

        Raises:
            UsageError: the extension tells none.
        """
        chosen = self.format or ("table" if self.path is None else formats.EXTENSIONS.get(self.path.suffix.lower()))
        if chosen is None:
            known = ", ".join(formats.EXTENSIONS)
            raise UsageError(f"{self.path}: say which --format; the extensions known are {known}")
        return chosen


def write_table(
    table: Table, output: OutputOptions, warehouse: Warehouse | None, dropped: DroppedColumns | None = None
) -> None:
    """Write rows to standard output or a file, whose extension tells the format unless one is given.

    ``dropped`` says which columns a narrow terminal does without.

    Raises:
        UsageError: the extension tells no format, the file cannot be written, or the warehouse uses it.
    """
    if output.path is None:
        _print(table, output, dropped)
        return
    if warehouse is not None:
        refuse_protected(output.path, warehouse)
    chosen = output.chosen_format
    with whole_file(output.path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        formats.write(table, chosen, text, output.digits)
        text.flush()
        text.detach()


def _print(table: Table, output: OutputOptions, dropped: DroppedColumns | None) -> None:
    hidden: list[str] = []
    if output.is_drawn:
        from evalsql.report import terminal

        table, hidden = terminal.fitted(table, terminal.width(), output.digits, dropped)
    with standard_output() as stream:
        formats.write(table, output.chosen_format, stream, output.digits)
    if hidden:
        few = hidden if len(hidden) <= _MOST_NAMED else [*hidden[:_MOST_NAMED], f"and {len(hidden) - _MOST_NAMED} more"]
        note(f"the terminal is too narrow for {', '.join(few)}; --format csv has all columns")


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output to write to; a reader who has enough, such as ``head``, is no failure.

    Raises:
        UsageError: it cannot be written, or its encoding lacks letters.
    """
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, UnicodeEncodeError) as error:
        advice = "; PYTHONIOENCODING=utf-8 lets it take all letters" if isinstance(error, UnicodeEncodeError) else ""
        raise UsageError(f"standard output cannot be written: {error}{advice}") from error


def write_bytes(content: bytes, output: Path, warehouse: Warehouse | None = None) -> None:
    """Write a picture or page to a file; raises UsageError if it cannot be written or ``warehouse`` uses it."""
    if warehouse is not None:
        refuse_protected(output, warehouse)
    with whole_file(output) as stream:
        stream.write(content)


def protected_files(warehouse: Warehouse) -> list[str]:
    """The warehouse's file and those that its data came from."""
    return [warehouse.path, *(file for (file,) in warehouse.rows("select file from files"))]


def refuse_protected(output: Path, warehouse: Warehouse, *others: Path) -> None:
    """Raise UsageError if an output would be written over the warehouse, a file it was loaded from, or another one."""
    used = [*map(Path, protected_files(warehouse)), *others]
    if output.exists() and any(path.exists() and output.samefile(path) for path in used):
        raise UsageError(f"{output}: is in use here and is not written over")


def fetched(relation: duckdb.DuckDBPyRelation, path: str, counts: frozenset[str] = frozenset()) -> Table:
    """The rows of a relation of the warehouse at this path; raises QueryError with the engine's words."""
    with translated_errors(path):
        return Table(relation.columns, relation.fetchall(), counts)


@contextmanager
def whole_file(output: Path) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file when all of them are written; until then what was there stays.

    Pipes and devices are written to directly, and so is a file in a folder that takes no other.

    Raises:
        UsageError: the file cannot be written.
        WarehouseError: the disk is full.
    """
    try:
        target = Path(os.path.realpath(output))
        if target.exists():
            with target.open("ab"):  # a file that may not be written to is not replaced either
                pass
            if not stat.S_ISREG(target.stat().st_mode) or not os.access(target.parent, os.W_OK):
                with target.open("wb") as stream:
                    yield stream
                return
        beside = part_of(target)
        try:
            with beside.open("wb") as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, beside)
            os.replace(beside, target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise failure(output, error) from error


def note(text: str) -> None:
    """Tell the user something, beside the data."""
    from evalsql.report.terminal import printable

    print(printable(text), file=sys.stderr)


def note_coverage(warehouse: Warehouse, qrels: Sequence[str], runs: Sequence[str]) -> None:
    """Tell how many topics are averaged, which are left out, and which runs have next to nothing judged."""
    for each in notices.on_coverage(warehouse.evaluation, qrels, runs):
        note(each.text)
    # Of what a warehouse in memory holds, loading has told just now.
    for each in notices.on_overlaps(warehouse.evaluation, qrels, runs) if warehouse.path != MEMORY else ():
        note(each.text)


def note_formats(judgments: Sequence[str], runs: Sequence[str]) -> None:
    """Tell how judgments and runs were read, if not all of them as TREC files."""
    if any(not line.startswith("read as TREC") or "," in line for line in (*judgments[:1], *runs[:1])):
        for what, told in (("judgments", judgments), ("runs", runs)):
            note(f"{what} {'; '.join(told)}")


def note_repeated(warehouse: Warehouse) -> None:
    """Tell of each run and judgment set how many repeated documents were left out, where any were."""
    rows = warehouse.rows("""
        select run, duplicates from runs where duplicates > 0
        union all
        select qrels, duplicates from qrels where duplicates > 0
    """)
    for name, count in rows:
        note(f"{name}: {counted(count, 'repeated document')} left out")


def note_thresholds(
    warehouse: Warehouse, measures: Sequence[Measure], qrels: Sequence[str], runs: Sequence[str]
) -> None:
    """Tell at which score TAP cuts each run, a line a run, where there are few."""
    for line in notices.on_thresholds(warehouse.evaluation, measures, qrels, runs):
        note(line)


def note_waiting(warehouse: Warehouse, runs: Sequence[str]) -> None:
    """Name runs that no judgment set evaluates; raises UsageError with that where none of these is evaluated."""
    text = notices.on_waiting(warehouse.evaluation, runs)
    if text and not warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query((), runs)}) limit 1"):
        raise UsageError(text)
    if text:
        note(text)
    elif not warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query((), runs)}) limit 1"):
        note("no run is loaded that judgments evaluate; evalsql load runs FILE brings one")


def note_ties(warehouse: Warehouse, measure: Measure, qrels: Sequence[str], runs: Sequence[str]) -> None:
    """Warn where the order of runs by a measure could be another under other orders of tied documents."""
    if text := notices.on_ties(warehouse.evaluation, measure, qrels, runs):
        note(text)


_PATIENCE = 0.3  # seconds


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A function to report progress to: (stage, done, total). A bar on a terminal, nothing elsewhere.

    The bar appears when work has taken a while, so that what is short waits neither for it nor for its imports.
    """
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    with ExitStack() as stack:
        started = time.monotonic()
        bars: list[Progress] = []

        def show(stage: str, done: int, total: int) -> None:
            if not bars and time.monotonic() - started > _PATIENCE:
                bars.append(stack.enter_context(_bars_on_terminal()))
            for bar in bars:
                bar(stage, done, total)

        yield show


@contextmanager
def _bars_on_terminal() -> Iterator[Progress]:
    """A bar for each stage on standard error, gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show


def print_page(catalog: Catalog, relation: Relation) -> None:
    """Print the facts of the catalogue row, the parameters and the SQL."""
    columns = list(catalog["measures"].columns)
    (row,) = ddl.catalogue_rows([relation])
    width = max(map(len, columns)) + 2
    for key, fact in zip(columns, row, strict=True):
        if fact and key != "parameters":
            print(f"{key:{width}}{printable(fact)}")
    for parameter in relation.parameters:
        domain = f" in {parameter.domain}" if parameter.domain else ""
        label = f"{parameter.name} {parameter.type}{domain} = {literal(parameter.default)}"
        print(f"{'parameter':{width}}{label}: {printable(parameter.meaning)}")
    for order, name in relation.header.ties.items():
        print(f"{'ties':{width}}{order}: {name}, {catalog[name].header.title}")
    print(f"\n{printable(relation.body)}")
