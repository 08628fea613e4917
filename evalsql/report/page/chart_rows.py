"""The rows of the charts of a report, one chart at a time."""

from __future__ import annotations

from evalsql.catalog.measure_names import literal, parse_measures
from evalsql.database.names import Names, as_list, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.run_changes import history_query
from evalsql.evaluation.selection import Choice
from evalsql.evaluation.topic_groups import texts
from evalsql.phrases import shortened
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
