"""Options that commands share, in groups."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES
from evalsql.cli.declare import Names, argument, option
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.listings import arranged
from evalsql.evaluation.selection import Choice, choose_runs
from evalsql.report import writers
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"]
RUNS = argument("Runs, or globs of names; all by default.", complete="runs")
SYSTEMS = option("--system NAME", "Runs of this system or glob of systems; can be repeated.", complete="systems")
BASELINE = option("--baseline RUN", "Run that others are compared with.", complete="runs")
MEASURES = option(
    "--measure -m MEASURE", 'A measure such as nDCG@10, "AP(rel=2)" or P_5; can be repeated.', complete="measures"
)
QRELS = option("--qrels NAME", "Judgment set, or a glob of names; can be repeated.", complete="qrels")
ONE_QRELS = option("--qrels NAME", "Judgment set, where there are several.", complete="qrels")
FORMAT = option("--format", "How rows are written; by default what --output's extension says.")
OUTPUT = option("--output -o FILE", "Write to this file.")
DIGITS = option("--digits", "Decimals, where people read.", 4, min=0, max=17)
MEMORY_LIMIT = option("--memory-limit SIZE", "Memory the engine may take, such as 1GB; what does not fit goes to disk.")


@dataclass(frozen=True)
class OutputOptions:
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


def _note_old_name(context: typer.Context, given: Names) -> Names:
    if given and not context.resilient_parsing:
        if missing := [path for path in given if not Path(path).exists()]:
            raise UsageError(
                f"--measures {missing[0]}: no such file or directory; -m names measures, and --measure-file is what "
                "--measures is called now: a file or folder of measures of your own"
            )
        print("--measures is now called --measure-file", file=sys.stderr)
    return given


@dataclass(frozen=True)
class OwnMeasures:
    """Measures that are not of the package: files and folders."""

    measure_file: Names = option("--measure-file PATH", "A file or folder of measures of your own; can be repeated.")
    measures: Names = option("--measures", hidden=True, callback=_note_old_name)

    @property
    def paths(self) -> Sequence[str]:
        return [*self.measure_file, *self.measures]


@dataclass(frozen=True)
class RunFilters:
    """What runs have to be, beside their names; empty is all."""

    condition: str | None = option(
        "--where CONDITION", "Runs of which this is true, such as \"meta.branch = 'main'\" or \"tag like 'v2%'\"."
    )
    since: str | None = option("--since DATE", "Runs of this date or later, such as 2026-10-01.")
    last: int | None = option("--last N", "The N latest runs, of each system where systems are recorded.", min=1)

    def choice(self, names: Sequence[str] = (), systems: Sequence[str] = ()) -> Choice:
        return Choice(names, self.condition, self.since, self.last, systems)


@dataclass(frozen=True)
class RunSelection(RunFilters):
    runs: Names = RUNS
    run: Names = option("--run", hidden=True, complete="runs")
    qrels: Names = QRELS
    system: Names = SYSTEMS

    @property
    def is_empty(self) -> bool:
        return not (self.runs or self.run) and self.choice([], self.system).is_by_name

    def chosen(self, warehouse: Warehouse) -> Sequence[str]:
        """The runs that are meant; empty is all. Raises UsageError where none fits the names and options."""
        choice = self.choice([*self.runs, *self.run], self.system)
        if choice.is_by_name:
            return resolve_names(warehouse.database, "run", choice.names) if choice.names else ()
        return choose_runs(warehouse.database, choice)


@dataclass(frozen=True)
class MeasuredRuns(RunSelection):
    measure: Names = MEASURES

    @property
    def measures(self) -> Sequence[str]:
        return self.measure or DEFAULT_MEASURES


@dataclass(frozen=True)
class RunsOfOneSet(MeasuredRuns):
    qrels: Names = ONE_QRELS

    @property
    def only_qrels(self) -> str | None:
        return only_one(self.qrels, "--qrels")


def only_one(names: Names, option: str) -> str | None:
    """What an option that can be given once was given; raises UsageError if it was given more often."""
    if len(names) > 1:
        raise UsageError(f"{option} is given {len(names)} times, this command takes one: {', '.join(names)}")
    return names[0] if names else None


@dataclass(frozen=True)
class Arrangement:
    sort: str | None = option(
        "--sort COLUMN",
        "Sort by this column, greatest numbers or first names on top; COLUMN:asc and COLUMN:desc say otherwise.",
    )
    limit: int | None = option("--limit N", "Only the first N rows.", min=1)

    def table(self, warehouse: Warehouse, query: str, lower: Collection[str] = ()) -> Table:
        """All rows of a SELECT in the order that is asked for; ``lower`` are columns of which less is better."""
        database = warehouse.database
        return Table(*database.table(arranged(database, query, sort=self.sort, limit=None, lower=lower)))

    def first_rows(self, table: Table) -> Table:
        return table if self.limit is None else table._replace(rows=table.rows[: self.limit])
