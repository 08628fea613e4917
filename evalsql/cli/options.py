"""Options that commands share: which runs, which measures, how rows are written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES as DEFAULT_MEASURES
from evalsql.cli.name_completion import complete_measures, complete_qrels, complete_runs, complete_systems
from evalsql.cli.notes import note
from evalsql.errors import UsageError
from evalsql.report import formats

if TYPE_CHECKING:
    from evalsql.evaluation.selection import Choice
    from evalsql.warehouse.warehouse import Warehouse

Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"]
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

    runs: Annotated[
        list[str] | None, typer.Argument(autocompletion=complete_runs, help="Runs, or globs of names; all by default.")
    ] = None
    run: Annotated[list[str] | None, typer.Option("--run", hidden=True, autocompletion=complete_runs)] = None
    qrels: QrelsFilter = None
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            autocompletion=complete_systems,
            help="Runs of this system, or of those that a glob stands for; can be repeated.",
        ),
    ] = None

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
        """Names or globs of the runs that are meant; empty is all. Raises UsageError where none fits the options."""
        from evalsql.evaluation.selection import choose_runs

        choice = self.run_choice
        return self.run_names if choice.is_by_name else choose_runs(warehouse.database, choice)

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
