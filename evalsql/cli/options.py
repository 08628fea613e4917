"""Options that commands share: which runs, which measures, how rows are sorted and written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES as DEFAULT_MEASURES
from evalsql.cli.name_completion import complete_measures, complete_qrels, complete_runs, complete_systems
from evalsql.cli.output import note
from evalsql.errors import UsageError
from evalsql.report.table import Table

if TYPE_CHECKING:
    from evalsql.evaluation.selection import Choice
    from evalsql.warehouse.warehouse import Warehouse

qrels_option = partial(typer.Option, "--qrels", metavar="NAME", autocompletion=complete_qrels)
run_option = partial(typer.Option, "--run", metavar="NAME", autocompletion=complete_runs)
system_option = partial(typer.Option, "--system", metavar="NAME", autocompletion=complete_systems)
baseline_option = partial(typer.Option, "--baseline", metavar="RUN", autocompletion=complete_runs)
Runs = Annotated[
    list[str] | None, typer.Argument(autocompletion=complete_runs, help="Runs, or globs of names; all by default.")
]
Systems = Annotated[
    list[str] | None,
    system_option(help="Runs of this system, or of those that a glob stands for; can be repeated."),
]
Baseline = Annotated[str | None, baseline_option(help="Run that others are compared with.")]
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
    qrels_option(
        help="Judgment set, or a glob of names; can be repeated.",
    ),
]
OneQrels = Annotated[
    list[str] | None,
    qrels_option(help="Judgment set, where there are several."),
]


def _note_old_name(context: typer.Context, given: list[str] | None) -> list[str] | None:
    if given and not context.resilient_parsing:
        if missing := [path for path in given if not Path(path).exists()]:
            raise UsageError(
                f"--measures {missing[0]}: no such file or directory; -m names measures, and --measure-file is what "
                "--measures is called now: a file or folder of measures of your own"
            )
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
class RunFilters:
    """What runs have to be, beside their names; empty is all."""

    condition: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="Runs of which this is true, such as \"meta.branch = 'main'\" or \"tag like 'v2%'\".",
        ),
    ] = None
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Runs of this date or later, such as 2026-10-01.")
    ] = None
    last: Annotated[
        int | None,
        typer.Option(
            "--last", min=1, metavar="N", help="The N latest runs, of each system where systems are recorded."
        ),
    ] = None

    def choice(self, names: Sequence[str] = (), systems: Sequence[str] = ()) -> Choice:
        """What is chosen of these names and systems."""
        from evalsql.evaluation.selection import Choice

        return Choice(names, self.condition, self.since, self.last, systems)


@dataclass(frozen=True)
class RunSelection(RunFilters):
    """Which runs, by which judgment sets; empty is all."""

    runs: Runs = None
    run: Annotated[list[str] | None, typer.Option("--run", hidden=True, autocompletion=complete_runs)] = None
    qrels: QrelsFilter = None
    system: Systems = None

    @property
    def run_names(self) -> Sequence[str]:
        """Names and globs, as arguments or as --run has them."""
        return [*(self.runs or ()), *(self.run or ())]

    @property
    def run_choice(self) -> Choice:
        """What is chosen, all options together."""
        return self.choice(self.run_names, self.system or ())

    @property
    def is_empty(self) -> bool:
        """Whether all runs are meant."""
        return not self.run_names and self.run_choice.is_by_name

    def chosen(self, warehouse: Warehouse) -> Sequence[str]:
        """The runs that are meant; empty is all. Raises UsageError where none fits the names and options."""
        from evalsql.database.names import resolve_names
        from evalsql.evaluation.selection import choose_runs

        choice = self.run_choice
        if choice.is_by_name:
            return resolve_names(warehouse.database, "run", self.run_names) if self.run_names else ()
        return choose_runs(warehouse.database, choice)

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
class Arrangement:
    """Which rows come first, and how many come."""

    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            metavar="COLUMN",
            help="Sort by this column, the greatest number or the first name on top; COLUMN:asc and COLUMN:desc say "
            "otherwise.",
        ),
    ] = None
    limit: Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N rows.")] = None

    def sorted_query(self, warehouse: Warehouse, query: str, lower: Collection[str] = ()) -> str:
        """The SELECT in the order that is asked for; see ``evaluation.arranging``."""
        if self.sort is None:
            return query
        from evalsql.evaluation.sorted_rows import arranged

        return arranged(warehouse.database, query, sort=self.sort, limit=None, lower=lower)

    def first_rows(self, table: Table) -> Table:
        """The table with so many rows."""
        return table if self.limit is None else table._replace(rows=table.rows[: self.limit])
