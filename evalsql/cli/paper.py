"""How systems stand in a paper's table: in which order, and under which names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from evalsql.cli.name_completion import complete_runs
from evalsql.errors import UsageError
from evalsql.report.comparison import Comparison
from evalsql.report.paper import in_order, with_changes
from evalsql.warehouse.warehouse import Warehouse


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
        _check("--order", run, runs)
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
        _check("--rename", run, runs)
        names[run] = name
    return names


def _check(option: str, run: str, runs: Collection[str]) -> None:
    if run not in runs:
        raise UsageError(f'{option}: "{run}" is not among the runs compared: {", ".join(sorted(runs))}')
