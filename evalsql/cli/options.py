"""Options that commands share, how groups of them become options of a command, and names that a shell completes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES as DEFAULT_MEASURES
from evalsql.catalog.relations import read_catalog
from evalsql.database.engine import connect
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.selection import Choice, choose_runs
from evalsql.report import writers
from evalsql.report.table import Table
from evalsql.warehouse.open import default_path
from evalsql.warehouse.warehouse import Warehouse

Names = list[str] | None
Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"]
# Behind each word its other spellings, without case, blanks, hyphens, underscores and apostrophes.
_SPELLINGS = {
    "markdown": "md",
    "latex": "tex",
    "jsonl": "ndjson jsonlines",
    "holm": "holmbonferroni",
    "bonferroni": "bonf",
    "benjamini_hochberg": "bh fdr fdrbh",
    "benjamini_yekutieli": "by fdrby",
    "t": "ttest student students studentt studentst pairedt pairedttest",
    "wilcoxon": "wilcoxonsignedrank signedrank",
    "sign": "signtest",
    "randomisation": "randomization permutation randomisationtest randomizationtest permutationtest",
    "tukey": "hsd tukeyhsd",
}
_IGNORED = str.maketrans("", "", " -_'")


def option(
    declaration: str, meaning: str = "", default: Any = None, *, complete: str | None = None, **settings: Any
) -> Any:
    """An option, as the default of a parameter of a command or of a field of a group.

    Args:
        declaration: its spellings, then what its value is, as in "--output -o FILE".
        default: ... makes it required.
        complete: whose names a shell completes: "runs", "qrels", "systems" or "measures".
        settings: others of ``typer.Option``.
    """
    *names, last = declaration.split()
    names, metavar = ([*names, last], None) if last.startswith("-") else (names, last)
    described = typer.Option(
        default, *names, metavar=metavar, help=meaning or None, autocompletion=_completion(complete), **settings
    )
    return field(default=default, metadata={"typer": described})


def flag(declaration: str, meaning: str = "", **settings: Any) -> Any:
    """An option without a value, which is off by default; see ``option``."""
    return option(declaration, meaning, default=False, **settings)


def argument(meaning: str, default: Any = None, *, complete: str | None = None, **settings: Any) -> Any:
    """An argument, as the default of a parameter of a command or of a field of a group; ... makes it required."""
    described = typer.Argument(default, help=meaning, autocompletion=_completion(complete), **settings)
    return field(default=default, metadata={"typer": described})


def _completion(names: str | None) -> Any:
    known = {"runs": complete_runs, "qrels": complete_qrels, "systems": complete_systems, "measures": complete_measures}
    return known[names] if names else None


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function each of whose parameters is an option, an argument, or a dataclass of these."""
    signature = inspect.signature(function, eval_str=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, each in signature.parameters.items():
        if is_dataclass(each.annotation):
            groups[name] = each.annotation
            hints = get_type_hints(each.annotation)
            parameters += [_parameter(one.name, hints[one.name], one) for one in fields(each.annotation)]
        else:
            parameters.append(_parameter(name, each.annotation, each.default))

    @wraps(function)
    def with_groups(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        function(**values)

    with_groups.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """A parameter as Typer reads it; the words of a ``Literal`` are taken in any spelling."""
    described = default.metadata["typer"] if isinstance(default, Field) else default
    for each in (kind, *get_args(kind)):
        if get_origin(each) is Literal:
            described.parser = partial(_parse_word, words=get_args(each))
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=described, annotation=kind)


def _parse_word(text: str, words: tuple[str, ...]) -> str:
    if word := meant_word(text, words):
        return word
    raise typer.BadParameter(f'"{text}" is none of {", ".join(words)}')


def meant_word(text: str, words: tuple[str, ...]) -> str | None:
    """Which of the words a text means: in any case, with blanks, hyphens or underscores, or by another name."""
    plain = text.lower().translate(_IGNORED)
    for word in words:
        if plain in (word.lower().translate(_IGNORED), *_SPELLINGS.get(word, "").split()):
            return word
    return None


def complete_runs(context: typer.Context, incomplete: str) -> list[str]:
    """Runs of the warehouse that the command line names."""
    return _held(context, incomplete, "select run from runs order by run")


def complete_qrels(context: typer.Context, incomplete: str) -> list[str]:
    """Judgment sets of the warehouse that the command line names."""
    return _held(context, incomplete, "select qrels from qrels order by qrels")


def complete_systems(context: typer.Context, incomplete: str) -> list[str]:
    """Systems of runs of the warehouse that the command line names."""
    systems = "select distinct meta['system'] as system from runs where system is not null order by system"
    return _held(context, incomplete, systems)


def complete_measures(context: typer.Context, incomplete: str) -> list[str]:
    """Measures of the warehouse or else of the package, behind the last comma and in the case that was typed."""
    before, comma, typed = incomplete.rpartition(",")
    names = _held(context, "", "select measure from measures order by lower(measure)")
    if not names:
        with suppress(Exception):
            names = sorted((each.header.measure for each in read_catalog().measures), key=str.lower)
    return [f"{before}{comma}{typed}{name[len(typed) :]}" for name in names if name.lower().startswith(typed.lower())]


def _held(context: typer.Context, start: str, query: str) -> list[str]:
    """Names of the warehouse that start so; none where there is no warehouse, or it cannot be read now."""
    with suppress(Exception):
        path = context.params.get("db") or default_path()
        # The relation that is asked may be a stranger's view, which must reach no other file.
        if Path(path).is_file():
            with connect(path, read_only=True, config={"enable_external_access": False}) as connection:
                names = [str(name) for (name,) in connection.execute(query).fetchall()]
            return [name for name in names if name.isprintable() and name.startswith(start)]
    return []


RUNS = argument("Runs, or globs of names; all by default.", complete="runs")
SYSTEMS = option(
    "--system NAME", "Runs of this system, or of those that a glob stands for; can be repeated.", complete="systems"
)
BASELINE = option("--baseline RUN", "Run that others are compared with.", complete="runs")
MEASURES = option(
    "--measure -m MEASURE",
    'A measure such as nDCG@10, "AP(rel=2)" or P_5; can be repeated.',
    complete="measures",
)
QRELS = option("--qrels NAME", "Judgment set, or a glob of names; can be repeated.", complete="qrels")
ONE_QRELS = option("--qrels NAME", "Judgment set, where there are several.", complete="qrels")
FORMAT = option("--format", "How rows are written; by default what --output's extension says.")
OUTPUT = option("--output -o FILE", "Write to this file.")
DIGITS = option("--digits", "Decimals, where people read.", 4, min=0, max=17)
MEMORY_LIMIT = option("--memory-limit SIZE", "Memory the engine may take, such as 1GB; what does not fit goes to disk.")


@dataclass(frozen=True)
class OutputOptions:
    """Where rows are written, and how."""

    format: Format | None = FORMAT
    path: Path | None = OUTPUT
    digits: int = DIGITS

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
        """The format asked for, or the one of the file's extension; raises UsageError if that is of none."""
        chosen = self.format or ("table" if self.path is None else writers.EXTENSIONS.get(self.path.suffix.lower()))
        if chosen is None:
            known = ", ".join(writers.EXTENSIONS)
            raise UsageError(f"{self.path}: say which --format; the extensions known are {known}")
        return chosen


def _note_old_name(context: typer.Context, given: list[str] | None) -> list[str] | None:
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
        """Those that were given, by either name."""
        return [*(self.measure_file or ()), *(self.measures or ())]


@dataclass(frozen=True)
class RunFilters:
    """What runs have to be, beside their names; empty is all."""

    condition: str | None = option(
        "--where CONDITION", "Runs of which this is true, such as \"meta.branch = 'main'\" or \"tag like 'v2%'\"."
    )
    since: str | None = option("--since DATE", "Runs of this date or later, such as 2026-10-01.")
    last: int | None = option("--last N", "The N latest runs, of each system where systems are recorded.", min=1)

    def choice(self, names: Names = None, systems: Names = None) -> Choice:
        """What is chosen of these names and systems."""
        return Choice(names or (), self.condition, self.since, self.last, systems or ())


@dataclass(frozen=True)
class RunSelection(RunFilters):
    """Which runs, by which judgment sets; empty is all."""

    runs: Names = RUNS
    run: Names = option("--run", hidden=True, complete="runs")
    qrels: Names = QRELS
    system: Names = SYSTEMS

    @property
    def _choice(self) -> Choice:
        return self.choice([*(self.runs or ()), *(self.run or ())], self.system)

    @property
    def is_empty(self) -> bool:
        """Whether all runs are meant."""
        return not self._choice.names and self._choice.is_by_name

    def chosen(self, warehouse: Warehouse) -> Sequence[str]:
        """The runs that are meant; empty is all. Raises UsageError where none fits the names and options."""
        choice = self._choice
        if choice.is_by_name:
            return resolve_names(warehouse.database, "run", choice.names) if choice.names else ()
        return choose_runs(warehouse.database, choice)

    @property
    def qrels_names(self) -> Sequence[str]:
        """Names and globs of judgment sets."""
        return self.qrels or ()


@dataclass(frozen=True)
class MeasuredRuns(RunSelection):
    """Which runs, by which judgment sets and which measures."""

    measure: Names = MEASURES

    @property
    def measures(self) -> Sequence[str]:
        """The measures, by default the usual ones."""
        return self.measure or DEFAULT_MEASURES


@dataclass(frozen=True)
class RunsOfOneSet(MeasuredRuns):
    """Which runs, by which measures and which one judgment set."""

    qrels: Names = ONE_QRELS

    @property
    def only_qrels(self) -> str | None:
        """The judgment set, if it is named."""
        return only_one(self.qrels, "--qrels")


def only_one(names: Names, option: str) -> str | None:
    """What an option that can be given once was given; raises UsageError if it was given more often."""
    if names and len(names) > 1:
        raise UsageError(f"{option} is given {len(names)} times, this command takes one: {', '.join(names)}")
    return names[0] if names else None


@dataclass(frozen=True)
class Arrangement:
    """Which rows come first, and how many come."""

    sort: str | None = option(
        "--sort COLUMN",
        "Sort by this column, the greatest number or the first name on top; COLUMN:asc and COLUMN:desc say otherwise.",
    )
    limit: int | None = option("--limit N", "Only the first N rows.", min=1)

    def sorted_query(self, warehouse: Warehouse, query: str, lower: Collection[str] = ()) -> str:
        """The SELECT in the order that is asked for; see ``evaluation.listings``."""
        if self.sort is None:
            return query
        from evalsql.evaluation.listings import arranged

        return arranged(warehouse.database, query, sort=self.sort, limit=None, lower=lower)

    def first_rows(self, table: Table) -> Table:
        """The table with so many rows."""
        return table if self.limit is None else table._replace(rows=table.rows[: self.limit])
