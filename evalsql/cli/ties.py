"""``evalsql ties``: figures over all orders of tied documents. Ends with 1 where two runs could change places."""

from __future__ import annotations

import math
from collections.abc import Sequence

import typer

from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import DEFAULT_MEASURES, Measures, OutputOptions, OwnMeasures, RunSelection
from evalsql.cli.outputs import fetched, write_table
from evalsql.cli.where import MemoryLimit, Where
from evalsql.database.database import translated_errors
from evalsql.phrases import counted

FOUND = 1


@grouped_options
def ties(
    *,
    selection: RunSelection,
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: Where,
) -> None:
    """How much of each figure hangs on the order of tied documents.

    Value, worst, expected and best over all orders of tied documents, empty where it is not known for every topic.
    Ends with 1 where the order of two runs could be another.

    Example: evalsql ties -m AP,RR
    """
    print_ties(selection, measure, own, output, memory_limit=memory_limit, where=where)


def print_ties(
    selection: RunSelection,
    measures: Sequence[str] | None,
    own: OwnMeasures,
    output: OutputOptions,
    *,
    memory_limit: str | None,
    where: Where,
) -> None:
    """Print what ``ties`` prints; raises typer.Exit where the order of two runs could be another."""
    with open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse:
        named = parse_measures(measures or DEFAULT_MEASURES, warehouse.catalog)
        if without := [each.name for each in named if not tie_variants(each)]:
            note(f"not a question of ties, or not known: {', '.join(without)}")
        runs = selection.chosen(warehouse)
        with progress_bar() as progress:
            effects, swaps = warehouse.ties(
                [each.name for each in named if tie_variants(each)],
                qrels=selection.qrels_names,
                runs=runs,
                progress=progress,
            )
        write_table(fetched(effects, warehouse.path), output, keep=[warehouse.path])
        with translated_errors(warehouse.path):
            found = swaps.fetchall()
            ranges = effects.project("measure, qrels, run, worst is not null and best is not null").fetchall()
    undecided = _undecided(ranges)
    known = [each.name for each in named if tie_variants(each) and each.name not in undecided]
    _note_swaps(found, known)
    for name, (num_pairs, runs) in undecided.items():
        shown = ", ".join(runs[:3]) + (", ..." if len(runs) > 3 else "")
        note(f"{name}: of {counted(num_pairs, 'pair')} of runs not known whether the order could be another: {shown}")
    if found:
        raise typer.Exit(FOUND)


def _note_swaps(found: Sequence[tuple[object, ...]], known: Sequence[str]) -> None:
    pairs: dict[object, list[str]] = {}
    for _, measure, upper, _, _, lower, *_ in found:
        pairs.setdefault(measure, []).append(f"{upper} over {lower}")
    for measure, names in pairs.items():
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        note(f"{measure}: the order of {counted(len(names), 'pair')} of runs could be another: {shown}")
    if known and not pairs:
        note(f"by {', '.join(known)} under no order of tied documents two of the runs would change places")


def _undecided(ranges: Sequence[tuple[str, str, str, bool]]) -> dict[str, tuple[int, list[str]]]:
    """By measure the pairs of runs of which one has a worst or best mean that is not known, and those runs."""
    found: dict[str, tuple[int, list[str]]] = {}
    by_set: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for measure, qrels, run, is_known in ranges:
        by_set.setdefault((measure, qrels), []).append((run, is_known))
    for (measure, _), runs in by_set.items():
        unknown = [run for run, is_known in runs if not is_known]
        if unknown and len(runs) > 1:
            num_pairs, names = found.get(measure, (0, []))
            pairs = math.comb(len(runs), 2) - math.comb(len(runs) - len(unknown), 2)
            found[measure] = num_pairs + pairs, list(dict.fromkeys([*names, *unknown]))
    return found
