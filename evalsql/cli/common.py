"""What commands share: options, progress, output and notes."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalsql import report
from evalsql.catalog.names import Measure
from evalsql.cli.name_completion import complete_measures, complete_qrels, complete_runs
from evalsql.cli.outputs import whole_file
from evalsql.cli.where import Where
from evalsql.database.database import translated_errors
from evalsql.database.interrupts import ignore_from_now_on
from evalsql.database.scratch import scratch_folder
from evalsql.errors import ReachError, UsageError, WarehouseError
from evalsql.evaluation import notices
from evalsql.progress import Progress
from evalsql.report.table import Table
from evalsql.warehouse.schema import MEMORY
from evalsql.warehouse.warehouse import Warehouse, open, open_shut_in, open_to_ask
from evalsql.words import counted as counted

if TYPE_CHECKING:
    import duckdb

Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"]
TieRule = Literal["trec_eval", "trec_eval_10", "rank", "input"]

FormatOption = Annotated[
    Format | None, typer.Option("--format", help="How rows are written; by default what --output's extension says.")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")]
Digits = Annotated[int, typer.Option("--digits", min=0, max=17, help="Decimals, where people read.")]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        autocompletion=complete_measures,
        help='A measure such as nDCG@10, "AP(rel=2)" or P_5; can be repeated.',
    ),
]
QrelsFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--qrels",
        metavar="NAME",
        autocompletion=complete_qrels,
        help="Judgment set, or a glob of names; can be repeated.",
    ),
]
OneQrels = Annotated[
    list[str] | None,
    typer.Option(
        "--qrels", metavar="NAME", autocompletion=complete_qrels, help="Judgment set, where there are several."
    ),
]
TieRuleOption = Annotated[
    TieRule | None,
    typer.Option(
        "--tie-rule",
        help="How documents are ordered: score as 32-bit float then document (trec_eval), the same with 64 bits "
        "(trec_eval_10), the rank column (rank), the order of the lines (input). By default trec_eval; trec_eval_10 "
        "with --lower-is-better.",
    ),
]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="Smaller scores are better, as E-values are.")]
Form = Annotated[
    Literal["grades", "groups", "preferences"],
    typer.Option(
        help="One grade a document (grades), one in each group or subtopic, which the second column names (groups), or "
        "levels by which documents are preferred to others: topic, group, subgroup or none, document, level "
        "(preferences)."
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory the engine may take, such as 1GB; what does not fit goes to disk.",
    ),
]
KeepBest = Annotated[
    bool, typer.Option("--keep-best", help="Keep the best of a document's several rows for a topic, and say how many.")
]

DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10")
_PATIENCE = 0.3  # seconds


def _note_old_name(context: typer.Context, given: list[str] | None) -> list[str] | None:
    if given and not context.resilient_parsing:
        note("--measures is now called --measure-file")
    return given


@dataclass(frozen=True)
class OwnMeasures:
    """Measures that are not of the package: files and folders."""

    measure_file: Annotated[
        list[str] | None,
        typer.Option(
            "--measure-file", metavar="PATH", help="A file or folder of measures of your own; can be repeated."
        ),
    ] = None
    measures: Annotated[list[str] | None, typer.Option("--measures", hidden=True, callback=_note_old_name)] = None

    @property
    def paths(self) -> Sequence[str]:
        """Those that were given, by either name."""
        return [*(self.measure_file or ()), *(self.measures or ())]


@dataclass(frozen=True)
class RunSelection:
    """Which runs, by which judgment sets; empty is all."""

    runs: Annotated[
        list[str] | None, typer.Argument(autocompletion=complete_runs, help="Runs, or globs of names; all by default.")
    ] = None
    run: Annotated[list[str] | None, typer.Option("--run", hidden=True, autocompletion=complete_runs)] = None
    qrels: QrelsFilter = None

    @property
    def run_names(self) -> Sequence[str]:
        """Names and globs, as arguments or as --run has them."""
        return [*(self.runs or ()), *(self.run or ())]

    @property
    def qrels_names(self) -> Sequence[str]:
        """Names and globs of judgment sets."""
        return self.qrels or ()


@dataclass(frozen=True)
class OneQrelsSelection(RunSelection):
    """Which runs, by which one judgment set."""

    qrels: OneQrels = None

    @property
    def only_qrels(self) -> str | None:
        """The judgment set, if it is named."""
        return only_one(self.qrels, "--qrels")


def only_one(names: Sequence[str] | None, option: str) -> str | None:
    """What an option that can be given once was given; raises UsageError if it was given more often."""
    if names and len(names) > 1:
        raise UsageError(f"{option} is given {len(names)} times, this command takes one: {', '.join(names)}")
    return names[0] if names else None


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
    def chosen_format(self) -> str:
        """The format asked for, or the one that the file's extension tells.

        Raises:
            UsageError: the extension tells none.
        """
        chosen = self.format or ("table" if self.path is None else report.EXTENSIONS.get(self.path.suffix.lower()))
        if chosen is None:
            known = ", ".join(report.EXTENSIONS)
            raise UsageError(f"{self.path}: say which --format; the extensions known are {known}")
        return chosen


def write_table(
    relation: duckdb.DuckDBPyRelation | Table,
    output: OutputOptions,
    counts: frozenset[str] = frozenset(),
    *,
    keep: Sequence[str] = (),
) -> None:
    """Write rows to standard output or a file, whose extension tells the format unless one is given.

    Raises:
        UsageError: the extension tells no format, the file cannot be written, or is one of those to keep, of which the
            first is the warehouse.
    """
    table = relation if isinstance(relation, Table) else _fetch(relation, counts, *keep[:1])
    if output.path is None:
        _print(table, output)
        return
    _refuse_protected(output.path, keep)
    chosen = output.chosen_format
    with whole_file(output.path) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        report.write(table, chosen, text, output.digits)
        text.flush()
        text.detach()


def _print(table: Table, output: OutputOptions) -> None:
    hidden: list[str] = []
    if output.is_drawn:
        from evalsql.report import terminal

        table, hidden = terminal.fitted(table, terminal.width(), output.digits)
    try:
        report.write(table, output.chosen_format, sys.stdout, output.digits)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, UnicodeEncodeError) as error:
        raise UsageError(f"standard output cannot be written: {error}") from error
    if hidden:
        note(f"the terminal is too narrow for {', '.join(hidden)}; --format csv has all columns")


def write_bytes(content: bytes, output: Path, *, keep: Sequence[str]) -> None:
    """Write a picture or page to a file; raises UsageError if it cannot be written, or is one of those to keep."""
    _refuse_protected(output, keep)
    with whole_file(output) as stream:
        stream.write(content)


def protected_files(warehouse: Warehouse) -> list[str]:
    """The warehouse's file and those that its data came from: no output is written over them."""
    return [warehouse.path, *(file for (file,) in warehouse.rows("select file from files"))]


def _refuse_protected(output: Path, keep: Sequence[str]) -> None:
    if any(output.exists() and Path(path).exists() and output.samefile(path) for path in keep):
        raise UsageError(f"{output}: is in use here and is not written over")


def _fetch(relation: duckdb.DuckDBPyRelation, counts: frozenset[str], path: str = "the warehouse") -> Table:
    with translated_errors(path):
        return Table(relation.columns, relation.fetchall(), counts)


def note(text: str) -> None:
    """Tell the user something, beside the data."""
    from evalsql.report.plain import printable

    print(printable(text), file=sys.stderr)


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
                from evalsql.cli.bars import bars_on_terminal

                bars.append(stack.enter_context(bars_on_terminal()))
            for bar in bars:
                bar(stage, done, total)

        yield show


@contextmanager
def open_warehouse(
    where: Where,
    *,
    read_only: bool = False,
    measures: Sequence[str] | None = None,
    memory_limit: str | None = None,
    external: bool | None = None,
) -> Iterator[Warehouse]:
    """An open warehouse; what takes long to open shows progress.

    Args:
        external: whether the engine reaches other files, where the user's own SQL is run. Where none is, it does not,
            and what tries to is a view or macro of a stranger's.
    """
    opening = open if external or where.db == MEMORY else open_shut_in
    with progress_bar() as progress:
        warehouse = opening(
            where.db,
            read_only=read_only,
            measures=measures or (),
            memory_limit=memory_limit,
            wait=where.wait,
            progress=progress,
        )
    with warehouse, nullcontext() if external is not None else _reach_explained(warehouse.path):
        yield warehouse


@contextmanager
def _reach_explained(path: str) -> Iterator[None]:
    try:
        yield
    except ReachError as error:
        words = str(error).splitlines()[0]
        raise WarehouseError(
            f"{path}: a view or macro in it reads another file, which those of evalsql do not ({words}); do not use "
            "this file; load its runs and judgments into a new one"
        ) from error


@contextmanager
def open_to_load(where: Where, patterns: Sequence[str] = (), *, memory_limit: str | None = None) -> Iterator[Warehouse]:
    """The same to load into once; the engine reads the files that paths and globs stand for, and temporary ones.

    Ctrl-C changes nothing, and from the commit on it does nothing more.
    """
    from evalsql.ingest.sources import failures_named, found

    files = [os.path.abspath(file) for pattern in patterns for file in found(pattern)]
    before = tempfile.tempdir
    with failures_named(), scratch_folder() as folder, progress_bar() as progress:
        tempfile.tempdir = folder
        try:
            with (
                open_shut_in(
                    where.db,
                    memory_limit=memory_limit,
                    files=files,
                    folders=[folder],
                    wait=where.wait,
                    progress=progress,
                ) as warehouse,
                _reach_explained(warehouse.path),
            ):
                warehouse.database.after_commit = ignore_from_now_on
                yield warehouse
        except KeyboardInterrupt:
            note("evalsql: interrupted; nothing was loaded")
            raise
        finally:
            tempfile.tempdir = before


@contextmanager
def open_in_memory(
    names: Sequence[str], *, measures: Sequence[str] | None, memory_limit: str | None, threads: int | None
) -> Iterator[Warehouse]:
    """A warehouse in memory with these measures only."""
    with progress_bar() as progress:
        warehouse = open_to_ask(
            names, measures=measures or (), memory_limit=memory_limit, threads=threads, progress=progress
        )
    with warehouse:
        yield warehouse


def note_coverage(warehouse: Warehouse, qrels: Sequence[str], runs: Sequence[str]) -> None:
    """Tell how many topics are averaged, which are left out, and which runs have next to nothing judged."""
    for line in notices.on_coverage(warehouse.evaluation, qrels, runs):
        note(line)
    # Of what a warehouse in memory holds, loading has told just now.
    for line in notices.on_overlaps(warehouse.evaluation, qrels, runs) if warehouse.path != MEMORY else ():
        note(line)


def note_waiting(warehouse: Warehouse, runs: Sequence[str]) -> None:
    """Name runs that no judgment set evaluates; raises UsageError with that where none of these is evaluated."""
    text = notices.on_waiting(warehouse.evaluation, runs)
    if text and not warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query((), runs)}) limit 1"):
        raise UsageError(text)
    if text:
        note(text)


def note_ties(warehouse: Warehouse, measure: Measure, qrels: Sequence[str], runs: Sequence[str]) -> None:
    """Warn where the order of runs by a measure could be another under other orders of tied documents."""
    if text := notices.on_ties(warehouse.evaluation, measure, qrels, runs):
        note(text)
