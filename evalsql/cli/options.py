"""Options that commands share, in groups; how groups become options, and names that the user's shell completes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES as DEFAULT_MEASURES
from evalsql.catalog.relations import read_catalog
from evalsql.cli.output import note
from evalsql.database.engine import connect
from evalsql.errors import UsageError
from evalsql.report.table import Table
from evalsql.warehouse.open import default_path

if TYPE_CHECKING:
    from evalsql.evaluation.selection import Choice
    from evalsql.warehouse.warehouse import Warehouse

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


def grouped_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by its fields, so that Typer reads them as options of their own."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _options(groups[name]) if name in groups else [parameter.replace(kind=parameter.KEYWORD_ONLY)]
    for parameter in parameters:
        _accept_spellings(parameter.annotation)

    @wraps(command)
    def with_groups(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    with_groups.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]


def _accept_spellings(annotation: Any) -> None:
    """Let an option of a ``Literal`` take its words in any spelling."""
    value_type, *described = get_args(annotation) or (annotation,)
    for kind in (value_type, *get_args(value_type)):
        if get_origin(kind) is Literal:
            described[0].parser = partial(_parse_word, words=get_args(kind))


def _parse_word(text: str, words: tuple[str, ...]) -> str:
    word = meant_word(text, words)
    if word is None:
        raise typer.BadParameter(f'"{text}" is none of {", ".join(words)}')
    return word


def meant_word(text: str, words: tuple[str, ...]) -> str | None:
    """Which of the words a text means: in any case, with blanks, hyphens or underscores, or by another name."""
    plain = text.lower().translate(_IGNORED)
    for word in words:
        if plain in (word.lower().translate(_IGNORED), *_SPELLINGS.get(word, "").split()):
            return word
    return None


def complete_runs(context: typer.Context, incomplete: str) -> list[str]:
    """Runs of the warehouse that the command line names."""
    return [name for name in _held(context, "select run from runs order by run") if name.startswith(incomplete)]


def complete_qrels(context: typer.Context, incomplete: str) -> list[str]:
    """Judgment sets of the warehouse that the command line names."""
    return [name for name in _held(context, "select qrels from qrels order by qrels") if name.startswith(incomplete)]


def complete_systems(context: typer.Context, incomplete: str) -> list[str]:
    """Systems that runs of the warehouse are loads of."""
    systems = "select distinct meta['system'] as system from runs where system is not null order by system"
    return [name for name in _held(context, systems) if name.startswith(incomplete)]


def complete_measures(context: typer.Context, incomplete: str) -> list[str]:
    """Measures of the warehouse or else of the package, behind the last comma and in the case that was typed."""
    before, comma, typed = incomplete.rpartition(",")
    names = _held(context, "select measure from measures order by lower(measure)") or _of_package()
    return [f"{before}{comma}{typed}{name[len(typed) :]}" for name in names if name.lower().startswith(typed.lower())]


def _of_package() -> list[str]:
    try:
        return sorted((each.header.measure for each in read_catalog().measures), key=str.lower)
    except Exception:
        return []


def _held(context: typer.Context, query: str) -> list[str]:
    """One column of the warehouse; nothing where there is none, or it cannot be read now."""
    try:
        path = context.params.get("db") or default_path()
        if not Path(path).is_file():
            return []
        # What is asked for may be a view of a stranger's, which reaches no other file.
        with connect(path, read_only=True, config={"enable_external_access": False}) as connection:
            names = [str(name) for (name,) in connection.execute(query).fetchall()]
        return [name for name in names if name.isprintable()]
    except Exception:
        return []


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
        from evalsql.evaluation.listings import arranged

        return arranged(warehouse.database, query, sort=self.sort, limit=None, lower=lower)

    def first_rows(self, table: Table) -> Table:
        """The table with so many rows."""
        return table if self.limit is None else table._replace(rows=table.rows[: self.limit])
