"""What one says of runs when they are loaded: system, version and date, which are kept with their meta."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from evalsql.cli.name_completion import complete_systems
from evalsql.errors import UsageError


@dataclass(frozen=True)
class RunFacts:
    """Which load of which system runs are."""

    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            metavar="NAME",
            autocompletion=complete_systems,
            help="System that the runs are a load of; evalsql history shows it over time.",
        ),
    ] = None
    version: Annotated[
        str | None, typer.Option("--version", metavar="TEXT", help="Version of the system, such as a commit.")
    ] = None
    date: Annotated[
        str | None,
        typer.Option("--date", metavar="DATE", help="When the system gave these runs; by default they are of now."),
    ] = None

    def with_meta(self, meta: Mapping[str, str]) -> dict[str, str]:
        """These facts and the meta; raises UsageError where both say something, or the date is none."""
        from evalsql.evaluation.selection import parse_date

        date = self.date if self.date is None else parse_date(self.date, "--date")
        given = {"system": self.system, "version": self.version, "date": date}
        facts = {key: value for key, value in given.items() if value is not None}
        for key in facts:
            if key in meta:
                raise UsageError(f"--{key} and --meta {key}= are the same; give one of them")
            if not facts[key]:
                raise UsageError(f"--{key} is empty")
        return {**facts, **meta}
