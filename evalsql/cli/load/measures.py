"""``evalsql load measures``: a user's own relations."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.load.options import Replace
from evalsql.cli.notes import note
from evalsql.cli.opening import open_to_load
from evalsql.cli.where import Where
from evalsql.phrases import counted


@grouped_options
def measures(
    *,
    sources: Annotated[list[str], typer.Argument(help="Relation files, or folders of them.")],
    replace: Replace = False,
    where: Where,
) -> None:
    """Keep measures of your own in the warehouse.

    Each is one SELECT below a header as those of the package have it.

    Example: evalsql load measures own/
    """
    with open_to_load(where) as warehouse:
        loaded = warehouse.load_measures(sources, replace=replace)
    note(f"loaded {counted(len(loaded), 'measure')}: {', '.join(loaded)}")
