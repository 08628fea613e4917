"""``evalsql check``: what makes figures doubtful. Ends with 1 where something was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from evalsql.cli.common import (
    DEFAULT_MEASURES,
    Database,
    Digits,
    FormatOption,
    Measures,
    Output,
    OwnMeasures,
    QrelsFilter,
    RunFilter,
    counted,
    emit,
    progress_bar,
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
    measures: OwnMeasures = None,
    qrels: QrelsFilter = None,
    run: RunFilter = None,
    output_format: FormatOption = None,
    output: Output = None,
    digits: Digits = 4,
    db: Database = None,
) -> None:
    """Check what the figures hang on. With --ties: value, worst, expected and best over all orders of tied documents,
    empty where no closed form is known.

    Ends with 1 where the order of two runs could be another.
    """
    if not ties:
        raise UsageError("say what to check: --ties")
    with open(db, read_only=True, measures=measures or ()) as warehouse:
        named = parse_measures(measure or DEFAULT_MEASURES, warehouse.catalog)
        if without := [each.name for each in named if not tie_variants(each)]:
            say(f"not a question of ties, or no closed form is known: {', '.join(without)}")
        with progress_bar() as progress:
            effects, swaps = warehouse.ties(
                [each.name for each in named if tie_variants(each)],
                qrels=qrels or (),
                runs=run or (),
                progress=progress,
            )
        emit(effects, output_format, output, digits, keep=[warehouse.path])
        found = swaps.fetchall()
    known = [each.name for each in named if "worst" in tie_variants(each)]
    if known:
        _say_swaps(found, ", ".join(known))
    if unknown := [each.name for each in named if tie_variants(each) and each.name not in known]:
        say(f"not known whether the order of runs could be another: {', '.join(unknown)}")
    if found:
        raise typer.Exit(FOUND)


def _say_swaps(found: Sequence[tuple[object, ...]], measures: str) -> None:
    pairs: dict[object, list[str]] = {}
    for _, measure, upper, _, _, lower, *_ in found:
        pairs.setdefault(measure, []).append(f"{upper} over {lower}")
    for measure, names in pairs.items():
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        say(f"{measure}: the order of {counted(len(names), 'pair')} of runs could be another: {shown}")
    if not pairs:
        say(f"by {measures} under no order of tied documents two of the runs would change places")
