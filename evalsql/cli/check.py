"""``evalsql check``: what makes figures doubtful. Ends with 1 where something was found."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.common import (
    DEFAULT_MEASURES,
    Database,
    Digits,
    FormatOption,
    Measures,
    Output,
    QrelsFilter,
    RunFilter,
    emit,
    say,
)
from evalsql.errors import UsageError
from evalsql.naming import parse_measures, tie_variants
from evalsql.opening import open

FOUND = 1


def check(
    ties: Annotated[
        bool, typer.Option("--ties", help="How much of each figure hangs on the order of tied documents.")
    ] = False,
    measure: Measures = None,
    qrels: QrelsFilter = None,
    run: RunFilter = None,
    output_format: FormatOption = None,
    output: Output = None,
    digits: Digits = 4,
    db: Database = None,
) -> None:
    """Check what the figures hang on. With --ties: value, worst, expected and best over all orders of tied documents.

    Ends with 1 where the order of two runs could be another.
    """
    if not ties:
        raise UsageError("say what to check: --ties")
    with open(db, read_only=True) as warehouse:
        named = parse_measures(measure or DEFAULT_MEASURES, warehouse.catalog)
        names = [each.name for each in named if tie_variants(each)]
        if without := [each.name for each in named if not tie_variants(each)]:
            say(f"not a question of ties, or no closed form is known: {', '.join(without)}")
        if not names:
            return
        filters = {"qrels": qrels or (), "runs": run or ()}
        emit(warehouse.tie_effects(names, **filters), output_format, output, digits, keep=[warehouse.path])
        swaps = warehouse.tie_swaps(names, **filters).fetchall()
        for name in names:
            pairs = [(upper, lower) for _, each, upper, _, _, lower, *_ in swaps if each == name]
            shown = ", ".join(f"{upper} over {lower}" for upper, lower in pairs[:3])
            more = f": {shown}" + (", ..." if len(pairs) > 3 else "") if pairs else ""
            say(f"{name}: the order of {len(pairs)} pairs of runs could be another{more}")
    if swaps:
        raise typer.Exit(FOUND)
