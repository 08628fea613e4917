"""``evalsql table``: a paper's table, described once and made again when runs change; its order and names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.cli.access import Asking
from evalsql.cli.commands import grouped_options
from evalsql.cli.name_completion import complete_runs
from evalsql.cli.output import Output, note, note_coverage, refuse_protected, write_bytes
from evalsql.errors import UsageError
from evalsql.phrases import counted
from evalsql.report import comparison
from evalsql.report.comparison import Comparison
from evalsql.report.paper import in_order, made_from, paper_comparison, read_paper, with_changes
from evalsql.warehouse.warehouse import Warehouse

_FORMATS = {".tex": "latex", ".md": "markdown"}


@grouped_options
def table(
    *,
    description: Annotated[
        Path, typer.Argument(metavar="FILE", help="A TOML file with systems, measures, test, order and caption.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 where --output is not what would be written.")
    ] = False,
    output: Output = None,
    written_as: Annotated[
        Literal["latex", "markdown"] | None,
        typer.Option("--format", help="By default what --output's extension says, else latex."),
    ] = None,
    asking: Asking,
) -> None:
    """A paper's table, described in a TOML file.

    The same call makes it again when runs have changed. evalsql help reports has the keys of the file.

    Example: evalsql table paper.toml -o table.tex
    """
    if check and output is None:
        raise UsageError("--check compares with a file, name it with --output")
    if output is not None and written_as is None and output.suffix.lower() not in _FORMATS:
        raise UsageError(f"{output}: say which --format; the extensions known are {', '.join(_FORMATS)}")
    chosen = written_as or ("latex" if output is None else _FORMATS[output.suffix.lower()])
    paper = read_paper(description)
    with asking.open() as warehouse:
        compared = paper_comparison(warehouse, paper)
        text = StringIO(made_from(paper, compared) if chosen == "latex" else "")
        text.seek(0, 2)
        write = comparison.write_latex if chosen == "latex" else comparison.write_markdown
        write([compared], text, paper.digits)
        note_results(compared, "")
        note_coverage(warehouse, [compared.qrels], compared.runs)
        content = text.getvalue().encode()
        if check and output is not None:
            _check(output, content)
        elif output is not None:
            refuse_protected(output, warehouse, description)
            write_bytes(content, output)
        else:
            typer.echo(text.getvalue(), nl=False)


def note_results(compared: comparison.Comparison, intervals: str) -> None:
    """Say below a table what was tested, how many differences are significant, and by which intervals."""
    significant = sum(pair["p_corrected"] < compared.alpha for pair in compared.pairs)
    note(f"{compared.qrels}: {significant} of {len(compared.pairs)} differences significant; {compared.how}")
    if compared.tested:
        note(f"{compared.qrels}: {compared.tested}")
    identical = sum(pair["note"] == "identical" for pair in compared.pairs)
    if identical:
        pairs = counted(identical, "pair has", "pairs have")
        note(f"{compared.qrels}: {pairs} the same value for every topic, p = 1")
    for text in filter(None, (intervals, *compared.notes)):
        note(f"{compared.qrels}: {text}")


def _check(output: Path, content: bytes) -> None:
    """Exit with 1 where the file is not what would be written."""
    try:
        held = output.read_bytes()
    except OSError as error:
        raise UsageError(f"{output}: cannot be read: {error.strerror}") from error
    if held != content:
        note(f"{output}: is not what would be written now; the same call without --check writes it")
        raise typer.Exit(1)


@dataclass(frozen=True)
class PaperOptions:
    """What only a table in Markdown or LaTeX follows."""

    order: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            metavar="RUN",
            autocompletion=complete_runs,
            help="In Markdown and LaTeX the run that stands first; can be repeated. Others follow by their mean.",
        ),
    ] = None
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename", metavar="RUN=NAME", help="In Markdown and LaTeX what a run is called; can be repeated."
        ),
    ] = None

    daggers: Annotated[
        bool,
        typer.Option(
            "--daggers",
            help="In Markdown and LaTeX, with --all-pairs, mark also what is better and worse than the baseline.",
        ),
    ] = False
    relative: Annotated[
        bool,
        typer.Option("--relative", help="In Markdown and LaTeX the change of each mean to the baseline in percent."),
    ] = False

    def applied(
        self, warehouse: Warehouse, compared: Sequence[Comparison], pairs: str, chosen_format: str, base: str
    ) -> list[Comparison]:
        """The comparisons as these options show them; ``pairs`` is the SELECT of their pairs.

        Raises:
            UsageError: the format has no such table, or a run is not among those compared.
        """
        given = {"--order": self.order, "--rename": self.rename, "--daggers": self.daggers, "--relative": self.relative}
        asked = [option for option, value in given.items() if value]
        if asked and chosen_format not in ("markdown", "latex"):
            raise UsageError(f"{' and '.join(asked)}: for --format markdown and latex, not for {chosen_format}")
        runs = {run for one in compared for run in one.runs}
        order, names = _known_order(self.order or (), runs), _parsed_names(self.rename or (), runs)
        shown = in_order(compared, order, names, base if self.daggers else None)
        return with_changes(warehouse, shown, pairs, base) if self.relative else shown


def _known_order(order: Sequence[str], runs: Collection[str]) -> list[str]:
    for run in order:
        _check_compared("--order", run, runs)
    return list(dict.fromkeys(order))


def _parsed_names(given: Sequence[str], runs: Collection[str]) -> Mapping[str, str]:
    names = {}
    for text in given:
        # A run may have an equals sign in its name.
        fitting = [run for run in runs if text.startswith(f"{run}=")]
        run = max(fitting, key=len, default=text.partition("=")[0])
        name = text[len(run) + 1 :].strip()
        if not name:
            raise UsageError(f'--rename: "{text}" has no name behind a run and =, as in bm25=BM25')
        _check_compared("--rename", run, runs)
        names[run] = name
    return names


def _check_compared(option: str, run: str, runs: Collection[str]) -> None:
    if run not in runs:
        raise UsageError(f'{option}: "{run}" is not among the runs compared: {", ".join(sorted(runs))}')
