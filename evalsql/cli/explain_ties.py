"""``evalsql explain`` and ``ties``: what each document contributes, and what the order of tied documents changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES, parse_measures, tie_variants
from evalsql.cli.access import Asking
from evalsql.cli.declare import Names, argument, command, option
from evalsql.cli.options import ONE_QRELS, MeasuredRuns, OutputOptions, only_one
from evalsql.cli.output import note, progress_bar, write_table
from evalsql.database.database import translated_errors
from evalsql.evaluation import explanation
from evalsql.evaluation.listings import texts
from evalsql.evaluation.notices import VALUES, explanation_lines
from evalsql.phrases import counted, shortened
from evalsql.report.table import Table

FOUND = 1


@command
def explain(
    *,
    run: str = argument("The run.", ..., complete="runs"),
    topic: str = argument("The topic.", ...),
    measure: Names = option(
        "--measure -m MEASURE",
        f"A measure such as AP or nDCG@10; by default {DEFAULT_MEASURES[0]}.",
        complete="measures",
    ),
    other: str | None = option(
        "--other RUN", "Another run: show the documents that made the difference, largest first.", complete="runs"
    ),
    qrels: Names = ONE_QRELS,
    depth: int = option(
        "--depth", "Documents to explain; what the rest contributes is said in one number.", explanation.DEPTH, min=1
    ),
    output: OutputOptions,
    asking: Asking,
) -> None:
    """What each document of a ranking contributes to a measure.

    This is the ranking of a run for a topic, with the ideal ranking beside.

    A document contributes the value of the list down to it less the value of the list above it: with the value of the
    empty list, which has a row of its own if it is not 0, contributions add up to the value of the whole list. The
    ideal ranking has the judged documents in the order of their grades.

    Example: evalsql explain dense T01 -m AP --other bm25
    """
    with asking.open() as warehouse:
        found = explanation.explain(
            warehouse.evaluation,
            run,
            topic,
            measure=only_one(measure, "-m") or DEFAULT_MEASURES[0],
            other=other,
            qrels=only_one(qrels, "--qrels"),
            depth=depth,
        )
        text = texts(warehouse.evaluation).get((found.qrels, found.topic))
        with translated_errors(warehouse.path):
            rows = found.rows.fetchall()
        counts = VALUES if found.measure.is_count else frozenset()
        write_table(Table(found.rows.columns, rows, counts), output, warehouse)
    note(*explanation_lines(found, depth, output.digits))
    if text:
        note(f"  the topic asks: {text}")


@command
def ties(*, selection: MeasuredRuns, output: OutputOptions, asking: Asking) -> None:
    """How much of each figure hangs on the order of tied documents.

    Value, worst, expected and best over all orders of tied documents, empty where it is not known for every topic.
    Ends with 1 where the order of two runs could be another.

    Example: evalsql ties -m AP,RR
    """
    print_ties(selection, output, asking)


def print_ties(selection: MeasuredRuns, output: OutputOptions, asking: Asking) -> None:
    """Print what ``ties`` prints; raises typer.Exit where the order of two runs could be another."""
    with asking.open() as warehouse:
        parsed = parse_measures(selection.measures, warehouse.catalog)
        named = [each.name for each in parsed if tie_variants(each)]
        if without := [each.name for each in parsed if each.name not in named]:
            note(f"not a question of ties, or not known: {', '.join(without)}")
        runs = selection.chosen(warehouse)
        with progress_bar() as progress, translated_errors(warehouse.path):
            effects, swaps = warehouse.ties(named, qrels=selection.qrels, runs=runs, progress=progress)
            table, swapped = Table(effects.columns, effects.fetchall()), swaps.fetchall()
        write_table(table, output, warehouse)
    pairs: dict[str, list[str]] = {}
    for _, measure, upper, _, _, lower, *_ in swapped:
        pairs.setdefault(measure, []).append(f"{upper} over {lower}")
    for measure, names in pairs.items():
        note(f"{measure}: the order of {counted(len(names), 'pair')} of runs could be another: {shortened(names, 3)}")
    undecided = _undecided(table.rows)
    known = [name for name in named if name not in undecided]
    if known and not pairs:
        note(f"by {', '.join(known)} under no order of tied documents two of the runs would change places")
    for name, (num_pairs, names) in undecided.items():
        unknown = f"of {counted(num_pairs, 'pair')} of runs not known whether the order could be another"
        note(f"{name}: {unknown}: {shortened(names, 3)}")
    if swapped:
        raise typer.Exit(FOUND)


def _undecided(rows: Sequence[Sequence[Any]]) -> dict[str, tuple[int, list[str]]]:
    """By measure the pairs of runs of which one has a worst or best mean that is not known, and those runs."""
    by_set: dict[tuple[str, str], dict[str, bool]] = {}
    for qrels, run, measure, _, worst, _, best in rows:
        by_set.setdefault((measure, qrels), {})[run] = worst is not None and best is not None
    found: dict[str, tuple[int, list[str]]] = {}
    for (measure, _), runs in by_set.items():
        unknown = [run for run, is_known in runs.items() if not is_known]
        if unknown and len(runs) > 1:
            num_pairs, names = found.get(measure, (0, []))
            pairs = math.comb(len(runs), 2) - math.comb(len(runs) - len(unknown), 2)
            found[measure] = num_pairs + pairs, list(dict.fromkeys([*names, *unknown]))
    return found
