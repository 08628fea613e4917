"""What a chart draws: its rows, which systems of many, in which colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.database.names import Names, as_list, resolve_names, resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.run_changes import history_query
from evalsql.evaluation.selection import Choice
from evalsql.evaluation.topic_groups import texts
from evalsql.phrases import shortened
from evalsql.report.charts import COLOURS, DASHES, Style, cut
from evalsql.report.page.report_data import OF_RUNS, OF_SCORES, judgment_set, run_rows_query, table_of
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

_DIFFERENCES = """
select topic, run, baseline, value, baseline_value, difference
from paired_differences(baseline := {baseline}) where qrels = {qrels} order by difference desc, topic"""


def chart_rows(
    warehouse: Warehouse,
    name: str,
    measures: Names,
    *,
    qrels: str | None = None,
    runs: Names = (),
    baseline: str | None = None,
) -> Table:
    """The rows of one chart of a report.

    Args:
        name: agreement, differences, distribution, history, pr, pr_levels, roc, tap, topics or unjudged.
        measures: names; all of them for agreement and history, the first for differences, distribution and topics.
        baseline: run that the only run named is compared with (differences).

    Raises:
        UsageError: unknown names, or not the number of runs that the chart takes.
    """
    named = parse_measures(as_list(measures), warehouse.catalog)
    judged = judgment_set(warehouse, qrels)
    if name == "history":
        asked = history_query(warehouse.evaluation, measures, choice=Choice(as_list(runs)), qrels=judged)
        return history_chart(table_of(warehouse, asked))
    chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(judged, runs))]
    if name in ("differences", "pr_levels") and len(chosen) != 1:
        raise UsageError(f"the chart {name} takes one run: name one of {shortened(chosen) or 'no runs'}")
    if not chosen or not named:
        raise UsageError(f"a chart needs a measure and a run evaluated with {judged}; evalsql load runs loads runs")
    if name == "differences" and baseline is None:
        raise UsageError("the chart differences needs a baseline; name it with --baseline")
    if name != "differences" and baseline is not None:
        raise UsageError(f"the chart {name} takes no baseline; differences does")
    of_runs = "pr_topics" if name == "pr_levels" else name
    if of_runs in OF_RUNS:
        stored_scores.check_rankings(warehouse.database, f"the chart {name}", chosen)
        return table_of(warehouse, run_rows_query(warehouse, of_runs, judged, chosen))
    others = [] if baseline is None else resolve_names(warehouse.database, "run", [baseline])
    given = named if name == "agreement" else named[:1]
    with warehouse.evaluation.with_scores(given, qrels=judged, runs=[*chosen, *others]):
        names = ", ".join(literal(measure.name) for measure in given)
        query = OF_SCORES["values" if name == "topics" else name] if name != "differences" else _DIFFERENCES
        asked = query.format(qrels=literal(judged), baseline=literal(baseline), names=names)
        # Measures that do not tell the runs apart agree with none, which a chart cannot show.
        rows = table_of(warehouse, f"select * from ({asked}) where tau_b is not null" if name == "agreement" else asked)
    return _with_texts(warehouse, judged, rows) if name in ("differences", "topics") else rows


def _with_texts(warehouse: Warehouse, qrels: str, table: Table) -> Table:
    """Rows of topics with their texts, where any was loaded."""
    found = texts(warehouse.evaluation)
    if not any(held == qrels for held, _ in found):
        return table
    at = table.columns.index("topic")
    return Table([*table.columns, "text"], [[*row, found.get((qrels, str(row[at])))] for row in table.rows])


def history_chart(table: Table) -> Table:
    """The rows of a history as the chart takes them, of one judgment set; raises UsageError where there are several."""
    columns = list(table.columns)
    sets = sorted({str(row[columns.index("qrels")]) for row in table.rows})
    if len(sets) > 1:
        raise UsageError(f"a chart is of one judgment set, name it with --qrels: {', '.join(sets)}")
    at = columns.index("dated_at")
    # A chart's dates are texts as ISO 8601 has them.
    return Table(columns, [(*row[:at], str(row[at]).replace(" ", "T"), *row[at + 1 :]) for row in table.rows])


MOST_LINES = 8
OF_LINES = ("pr", "roc", "tap", "unjudged", "slope", "history")
OF_TWO_RUNS = ("differences", "scatter", "histogram")
_OF_ONE_MEASURE = ("differences", "distribution", "topics", "leaderboard", "scatter", "histogram")
_BINS = 16
_OWN = ("leaderboard", "scatter", "histogram", "slope")


class Drawing(NamedTuple):
    """The rows of a chart, what goes into its title, and what is to be said of it."""

    table: Table
    of: str = ""
    notes: Sequence[str] = ()


def drawing(
    warehouse: Warehouse,
    name: str,
    measures: Names,
    *,
    qrels: str | None = None,
    runs: Names = (),
    baseline: str | None = None,
    lines: int | None = None,
) -> Drawing:
    """What the chart ``name`` draws.

    Args:
        measures: names; the charts of one measure take the first, slope the first two.
        baseline: run that the only run named is compared with (differences, scatter, histogram).
        lines: draw so many systems at most, the best by the first measure; by default eight where a chart has a line
            for each, or all that are named one by one.

    Raises:
        UsageError: unknown names, or not the number of runs or measures that the chart takes.
    """
    named = parse_measures(as_list(measures), warehouse.catalog)
    if baseline is not None and name not in OF_TWO_RUNS:
        raise UsageError(f"the chart {name} takes no baseline; {', '.join(OF_TWO_RUNS)} do")
    if baseline is not None:
        baseline = resolve_one(warehouse.database, "run", baseline)
    judged = judgment_set(warehouse, qrels)
    most = most_systems(warehouse, name, runs, lines)
    drawn, notes = runs, list[str]()
    if most is not None and name not in ("history", "slope"):
        drawn, notes = best_runs(warehouse, named[0], judged, runs, most)
    if name in _OWN:
        table, said = _own_rows(warehouse, name, named, judged, drawn, baseline, most)
        notes += said
    else:
        table = chart_rows(warehouse, name, measures, qrels=judged, runs=drawn, baseline=baseline)
    if name == "history" and most is not None:
        table, notes = best_systems(table, named[0], most)
    if not table.rows:
        raise UsageError(f"there is nothing to draw as {name}")
    parts = [named[0].name] if name in _OF_ONE_MEASURE else []
    if name in (*OF_TWO_RUNS, "pr_levels"):
        run = str(table.rows[0][table.columns.index("run")])
        parts.append((" and " if name == "scatter" else " less ").join([run, baseline]) if baseline else run)
    return Drawing(table, ", ".join(parts), notes)


def most_systems(warehouse: Warehouse, name: str, runs: Names, lines: int | None) -> int | None:
    """How many systems are drawn at most; None is all of them, as where the runs are named one by one."""
    if name not in OF_LINES:
        return lines
    held = {run for (run,) in warehouse.rows("select run from runs")}
    is_asked = bool(as_list(runs)) and all(run in held for run in as_list(runs))
    return lines or (None if is_asked else MOST_LINES)


def best_runs(
    warehouse: Warehouse, measure: Measure, qrels: Names, runs: Names, most: int
) -> tuple[Sequence[str], list[str]]:
    """The best runs by a measure, and what there is to say of the others."""
    board = warehouse.evaluation.scores_query([measure.name], qrels=qrels, runs=runs)
    names = list(dict.fromkeys(run for _, run, _ in warehouse.rows(board)))
    if len(names) <= most:
        return names, []
    return names[:most], [_note(most, len(names), f"the best by {measure.name}")]


def best_systems(table: Table, measure: Measure, most: int) -> tuple[Table, list[str]]:
    """The rows of a history of the systems whose latest runs are the best by a measure, and a word on the others."""
    columns = list(table.columns)
    latest: dict[str, float] = {}
    for row in table.rows:
        each = dict(zip(columns, row, strict=True))
        if each["measure"] == measure.name:  # a system's rows are in the order of date
            latest[str(each["system"])] = float(str(each["value"]))
    sign = 1 if measure.relation.header.less_is_better else -1
    names = sorted(latest, key=lambda name: (sign * latest[name], name))
    if len(names) <= most:
        return table, []
    rows = [row for row in table.rows if row[columns.index("system")] in names[:most]]
    return table._replace(rows=rows), [_note(most, len(names), f"the best by {measure.name}")]


def _note(most: int, there: int, which: str) -> str:
    return f"{most} of {there} systems are drawn, {which}; --lines {there} draws all"


def _own_rows(
    warehouse: Warehouse,
    name: str,
    named: Sequence[Measure],
    qrels: str,
    runs: Names,
    baseline: str | None,
    most: int | None,
) -> tuple[Table, list[str]]:
    if name == "slope":
        return _slope(warehouse, named, qrels, runs, most)
    if name == "leaderboard":
        return _leaderboard(warehouse, named[0], qrels, runs)
    chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(qrels, runs))]
    if len(chosen) != 1 or baseline is None:
        raise UsageError(f"the chart {name} is of one run and a baseline: evalsql chart {name} RUN --baseline RUN")
    (run,) = chosen
    if run == baseline:
        raise UsageError(f"{run} is compared with itself; name two runs")
    if name == "scatter":
        one = named[0].name
        return chart_rows(warehouse, "differences", one, qrels=qrels, runs=[run], baseline=baseline), []
    with warehouse.evaluation.with_scores(named[:1], qrels=qrels, runs=[run, baseline]):
        bins = relation_query(warehouse.catalog, "difference_bins", qrels=qrels, run=run, baseline=baseline, bins=_BINS)
        query = f"""
            select found.run, found.baseline, found.difference, found.low, found.high, bins.*
            from ({bins}) as bins
            join differences(baseline := {literal(baseline)}) as found
                on found.qrels = {literal(qrels)} and found.run = {literal(run)}
            order by bins.bin_low
        """
        return Table(*warehouse.database.table(query)), []


def _places(warehouse: Warehouse, named: Sequence[Measure], qrels: str, runs: Names, drawn: str) -> str:
    """A SELECT of the places of all these runs by each measure, of those drawn."""
    means = "\nunion all\n".join(
        f"select {literal(each.name)} as measure, run, value, "
        f"{str(each.relation.header.less_is_better).lower()} as less_is_better "
        f"from ({warehouse.evaluation.scores_query([each.name], qrels=qrels, runs=runs)}) as board(qrels, run, value)"
        for each in named
    )
    return relation_query(warehouse.catalog, "measure_places", {"means": means, "drawn_runs": drawn})


def _leaderboard(warehouse: Warehouse, measure: Measure, qrels: str, runs: Names) -> tuple[Table, list[str]]:
    every = "select distinct run from means"
    places = _places(warehouse, [measure], qrels, runs, every)
    with warehouse.evaluation.with_scores([measure], qrels=qrels, runs=runs):
        query = f"""
            select places.run, places.value, places.place, found.low, found.high
            from ({places}) as places
            left join mean_intervals() as found on found.qrels = {literal(qrels)} and found.run = places.run
            order by places.position
        """
        table = Table(*warehouse.database.table(query))
    if table.rows and all(row[-1] is None for row in table.rows):
        return table, [f"{measure.name}: its mean has no interval by Student's t, so none is drawn"]
    return table, []


def _slope(
    warehouse: Warehouse, named: Sequence[Measure], qrels: str, runs: Names, most: int | None
) -> tuple[Table, list[str]]:
    if len(named) < 2:
        raise UsageError("the chart slope is of two measures: -m AP -m nDCG@10")
    drawn, notes = best_runs(warehouse, named[0], qrels, runs, most or len(warehouse.rows("select run from runs")))
    listed = f"select unnest([{', '.join(map(literal, drawn))}]::varchar[]) as run"
    query = f"""
        select run, measure, value, place, position, measure = {literal(named[0].name)} as is_first
        from ({_places(warehouse, named[:2], qrels, runs, listed)}) order by is_first desc, position
    """
    table = Table(*warehouse.database.table(query))
    at = [table.columns.index(name) for name in ("place", "run")]
    labels = [f"{row[at[0]]}  {cut(str(row[at[1]]))}" for row in table.rows]
    rows = [[*row, label] for row, label in zip(table.rows, labels, strict=True)]
    return Table([*table.columns, "label"], rows), notes


def styles(warehouse: Warehouse) -> Mapping[str, Style]:
    """Colour and dashes of every run, and of every system, in any chart."""
    query = relation_query(warehouse.catalog, "run_styles", colours=len(COLOURS), dashes=len(DASHES))
    found: dict[str, Style] = {}
    for run, system, _, colour, dash in warehouse.rows(f"select * from ({query}) order by place"):
        style = Style(COLOURS[colour], DASHES[dash])
        found.setdefault(system, style)
        found[run] = style
    return found
