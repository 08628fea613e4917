"""Compared pairs as the tables of a paper take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, names_of_less_is_better, parse_measures
from evalsql.database.names import only_qrels, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.selection import Choice, choose_runs, held_systems
from evalsql.report.comparison import Comparison
from evalsql.report.paper_file import Entry, PaperFile
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse


def by_judgments(table: Table, otherwise: Sequence[tuple[str, str, str]], **how: Any) -> list[Comparison]:
    """The pairs of each judgment set; ``otherwise`` is that of ``averaged_otherwise``, ``how`` goes into all."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in table.rows:
        rows.setdefault(str(row[0]), []).append(dict(zip(table.columns, row, strict=True)))
    return [
        Comparison(
            name,
            pairs,
            otherwise=[(each, way) for held, each, way in otherwise if held == name],
            has_others=len(rows) > 1,
            **how,
        )
        for name, pairs in rows.items()
    ]


def with_changes(warehouse: Warehouse, compared: Sequence[Comparison], pairs: str, baseline: str) -> list[Comparison]:
    """The comparisons with the change of each mean relative to a baseline; ``pairs`` is the SELECT of their pairs."""
    found: dict[str, dict[tuple[str, str], float | None]] = {}
    query = relation_query(warehouse.catalog, "relative_changes", {"pairs": pairs}, baseline=baseline)
    for qrels, measure, run, change in warehouse.rows(query):
        found.setdefault(qrels, {})[run, measure] = change
    return [one._replace(changes=found.get(one.qrels, {}), changed_from=baseline) for one in compared]


def in_order(
    compared: Sequence[Comparison], order: Sequence[str], names: Mapping[str, str], beside: str | None = None
) -> list[Comparison]:
    """The comparisons with these runs on top, with other names, and daggers beside the letters of all pairs."""
    return [
        one._replace(
            order=[run for run in order if run in {*one.runs}],
            names=names,
            beside=beside if beside in {*one.runs} else None,
        )
        for one in compared
    ]


def paper_comparison(warehouse: Warehouse, paper: PaperFile) -> Comparison:
    """The comparison that a file describes, with the runs that are loaded now.

    Raises:
        UsageError: runs, measures or judgments that are not there; all at once, each with file, line and key.
    """
    runs, measures, qrels, base = _named(warehouse, paper)
    names = [measure.name for measure in measures.values()]
    query = warehouse.evaluation.comparison_query(
        None if paper.pairs else base,
        list(runs.values()),
        measures=names,
        qrels=qrels,
        test=paper.test,
        correction=paper.correction,
        family=paper.family,
        samples=paper.samples,
        seed=paper.seed,
    )
    compared = by_judgments(
        Table(*warehouse.database.table(query)),
        warehouse.evaluation.averaged_otherwise(names),
        measures=names,
        test=paper.test,
        correction=paper.correction,
        alpha=paper.alpha,
        lower=names_of_less_is_better(measures.values()),
        baseline=None if paper.pairs else base,
        family=paper.family,
    )
    called = {run: entry.name for entry, run in runs.items()}
    called |= {measure.name: entry.name for entry, measure in measures.items()}
    shown = in_order(compared, list(runs.values()) if paper.order == "given" else (), called, base)
    if missing := [run for run in runs.values() if run not in shown[0].runs]:
        raise UsageError(f"{paper.path}: {shown[0].qrels} does not evaluate {', '.join(missing)}")
    if base is not None and paper.relative:
        shown = with_changes(warehouse, shown, query, base)
    return shown[0]._replace(text=paper.caption.strip(), label=paper.label)


class _Named(NamedTuple):
    runs: Mapping[Entry, str]
    measures: Mapping[Entry, Measure]
    qrels: Sequence[str]
    baseline: str | None


def _named(warehouse: Warehouse, paper: PaperFile) -> _Named:
    """What a file names, as it is loaded; raises UsageError with all that is wrong with it."""
    runs = {entry: run for entry in paper.systems if (run := _run(warehouse, paper, entry))}
    measures = {entry: measure for entry in paper.measures if (measure := _measure(warehouse, paper, entry))}
    for key, found in (("systems", list(runs.items())), ("measures", [(e, m.name) for e, m in measures.items()])):
        for at, (entry, name) in enumerate(found):
            if name in [other for _, other in found[:at]]:
                paper.problem(key, f"{name} is there twice", entry.number)
    bases = [run for entry, run in runs.items() if paper.baseline in (run, entry.value, entry.name)]
    if paper.baseline is not None and len(bases) != 1 and len(runs) == len(paper.systems):
        paper.problem("baseline", f'"{paper.baseline}" is not one of the systems')
    qrels = _qrels(warehouse, paper)
    paper.check()
    return _Named(runs, measures, qrels, bases[0] if bases else None)


def _run(warehouse: Warehouse, paper: PaperFile, entry: Entry) -> str | None:
    """The run of that name, or the latest of the system."""
    try:
        if entry.key == "system":
            (system,) = held_systems(warehouse.database, [entry.value])
            return choose_runs(warehouse.database, Choice(systems=[system], last=1))[0]
        (run,) = resolve_names(warehouse.database, "run", [entry.value])
        return run
    except UsageError as error:
        paper.problem("systems", str(error), entry.number)
    except ValueError:
        paper.problem("systems", f'"{entry.value}" stands for several; name one', entry.number)
    return None


def _measure(warehouse: Warehouse, paper: PaperFile, entry: Entry) -> Measure | None:
    try:
        (measure,) = parse_measures([entry.value], warehouse.catalog)
        return measure
    except UsageError as error:
        paper.problem("measures", str(error), entry.number)
    except ValueError:
        paper.problem("measures", f'"{entry.value}" stands for several; name one', entry.number)
    return None


def _qrels(warehouse: Warehouse, paper: PaperFile) -> Sequence[str]:
    try:
        return [only_qrels(warehouse.database, paper.qrels or None, "a table is of one judgment set, name it")]
    except UsageError as error:
        paper.problem("qrels", str(error))
        return ()


def made_from(paper: PaperFile, compared: Comparison) -> str:
    """Comments for the head of a LaTeX file: what it is made of, and which run each system is."""
    lines = [f"Made by evalsql table {paper.path.name}; changes belong there."]
    lines += [f"{compared.name(run)} is the run {run}." for run in compared.runs if compared.name(run) != run]
    return "".join(f"% {''.join(char if char.isprintable() else ' ' for char in line)}\n" for line in lines)
