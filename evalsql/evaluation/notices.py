"""What to know of a warehouse before one trusts its figures: faults, topics left out, orders that hang on ties."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.measure_names import CUTOFF, Measure, default_measure, tie_variants
from evalsql.catalog.queries import relation_query, with_inputs
from evalsql.catalog.relations import Catalog, Relation
from evalsql.database.database import MEMORY, Database
from evalsql.database.names import Names, as_list, how_to_judge, resolve_names
from evalsql.errors import AuditError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.evaluation import Evaluation, temporary_tables
from evalsql.evaluation.explanation import Explanation
from evalsql.evaluation.holes import Holes, unbounded
from evalsql.literals import Value, literal, literals
from evalsql.phrases import Progress, counted, shortened, silent

# With more, trying orders of ties takes longer than a second.
MOST_TIED = 200_000
_MOST_NOTES = 5


class Notice(NamedTuple):
    """A line, and what it is about: topics, forms, missing (topics), more (of these), loading, origins, ids, ties,
    holes or baseline (of a report)."""

    about: str
    text: str


def on_figures(
    evaluation: Evaluation, measures: Sequence[Measure], qrels: Sequence[str], runs: Sequence[str], *, ids: bool = True
) -> list[Notice]:
    """What a reader of these figures has to know of topics, judgments and costs; ``ids`` of documents if asked."""
    found = on_coverage(evaluation, qrels, runs)
    if ids:
        found += on_overlaps(evaluation, qrels, runs)
    return found + [Notice("missing", text) for text in on_costs(evaluation, measures, qrels, runs)]


def on_coverage(evaluation: Evaluation, qrels: Sequence[str], runs: Sequence[str]) -> list[Notice]:
    """Lines that tell how many topics are averaged, which runs miss some, and which have some that are left out."""
    database, covered = evaluation.database, "select * from temp.evalsql_covered"
    with temporary_tables(database, {"evalsql_covered": evaluation.coverage_query(qrels, runs)}):
        remarks = database.query("coverage_remarks", {"covered": covered})
        lines = [Notice(*row) for row in database.rows(f"select about, remark from ({remarks}) order by place")]
        lines += [Notice("loading", text) for text in database.remarks("condition_remarks", {"covered": covered})]
        if database.path != MEMORY:  # of what is loaded into memory, loading has told just now
            chosen = f"run_id in (select runs.run_id from ({covered}) as covered join runs using (run))"
            tied = database.remarks("tie_remarks", {"ranked": f"select * from retrieved where {chosen}"})
            lines += [Notice("loading", f"  {text}") for text in tied]
    return lines + [Notice("origins", text) for text in stored_scores.origin_notes(database, qrels, runs)]


def on_waiting(evaluation: Evaluation, runs: Names) -> str | None:
    """A line that names runs that are neither judged nor stored as scores, and the command that brings judgments.

    If there are none, it names runs of which only figures over collections are held, if asked for or if these are all.
    """
    runs_held = evaluation.database.query("evaluated_runs")
    lacking = f"select run, has_figures from ({runs_held}) where not is_evaluated and not is_stored order by run"
    rows = evaluation.database.rows(lacking)
    chosen = set(resolve_names(evaluation.database, "run", as_list(runs) or "*") if rows else ())
    waiting, boarded = ([run for run, has in rows if run in chosen and has is kind] for kind in (False, True))
    if not waiting:
        if not boarded or not (runs or len(boarded) == len(chosen)):
            return None
        return f"only figures over collections are held of {shortened(boarded, _MOST_NOTES)}; evalsql board shows them"
    which = waiting[0] if len(waiting) == 1 else "*"
    told = f"{counted(len(waiting), 'run waits', 'runs wait')} for judgments: {shortened(waiting, _MOST_NOTES)}"
    return f"{told}; {how_to_judge(evaluation.database, which)}"


def on_overlaps(evaluation: Evaluation, qrels: Sequence[str], runs: Sequence[str]) -> list[Notice]:
    """Lines that tell which runs have next to nothing in common with the judgments, with ids of both."""
    pairs = f"select distinct qrels_id, run_id from ({evaluation.evaluated_query(qrels, runs)})"
    inputs = {"new_pairs": pairs, "ranked": "select * from retrieved"}
    return [Notice("ids", line) for line in evaluation.database.remarks("overlap_remarks", inputs)]


def on_ties(evaluation: Evaluation, measure: Measure, qrels: Sequence[str], runs: Sequence[str]) -> str | None:
    """A line where the order of runs by a measure could be another under other orders of tied documents."""
    database = evaluation.database
    variants = tie_variants(measure)
    if "worst" not in variants:
        return None
    counts = database.query("tie_counts", {"chosen": evaluation.evaluated_query(qrels, runs)})
    ((is_contest, num_tied),) = database.rows(counts)
    # What hangs on the order of documents without judgments, only a measure of the package is known to leave out.
    if not is_contest or (not num_tied and measure.relation not in database.catalog.own):
        return None
    asking = f'evalsql ties -m "{measure.name}"'
    if database.path == MEMORY:  # no other command opens it
        extremes = [variants[each].name for each in ("worst", "best") if each in variants]
        asking = "asking for " + " and ".join(f'"{name}"' for name in extremes)
    if num_tied > MOST_TIED:
        return f"ties: {num_tied:,} judged documents are tied; {asking} tells whether the order of runs hangs on it"
    # Means over all orders would take longest, and say nothing here.
    effects, swaps = evaluation.tie_queries(measure.name, qrels=qrels, runs=runs, without="expected")
    found = {"tie_effects": effects, "tie_dependent_pairs": swaps}
    return next(iter(database.remarks("tie_span_remarks", found, asking=asking)), None)


def on_holes(evaluation: Evaluation, measure: Measure, qrels: Sequence[str], runs: Sequence[str]) -> str | None:
    """A sentence on how many pairs of runs unjudged documents put in order, by a measure with bounds and a cutoff."""
    if unbounded(evaluation.database.catalog, measure) or measure.arguments.get(CUTOFF) is None:
        return None
    _, counts = Holes(evaluation, [measure], qrels=qrels, runs=runs).pairs()
    for _, num_pairs, num_open, basis in evaluation.database.rows(counts):
        pairs = f"{'at most ' if basis == 'intervals' else ''}{num_open:,} of {counted(num_pairs, 'pair')}"
        return f"By {measure.name} unjudged documents decide the order of {pairs} of systems; see evalsql holes."
    return None


def on_thresholds(
    evaluation: Evaluation, measures: Sequence[Measure], qrels: Sequence[str], runs: Sequence[str]
) -> list[str]:
    """A line for each run that tells at which score each TAP cuts it, as the published program does; few runs only."""
    taps = [measure for measure in measures if measure.relation.name == "tap"]
    covered = evaluation.database.rows(evaluation.coverage_query(qrels, runs)) if taps else []
    if not taps or len(covered) > _MOST_NOTES:
        return []
    cuts = []
    for nth, measure in enumerate(taps):
        of = f"{nth} as nth, {literal(measure.name)} as measure, {literal(measure.arguments['k'])} as k"
        rows = evaluation.components_query(measure, qrels=qrels, runs=runs)
        cuts.append(f"select {of}, qrels, run, threshold, reached from ({rows})")
    return evaluation.database.remarks("cut_remarks", {"cuts": "\nunion all\n".join(cuts)})


def on_costs(evaluation: Evaluation, measures: Sequence[Measure], qrels: Names = (), runs: Names = ()) -> list[str]:
    """Lines that name the topics and the runs for which costs among the measures are not known."""
    costs = dict.fromkeys(each.arguments["name"] for each in measures if each.relation.name == "cost")
    if not costs:
        return []
    inputs = {
        "asked_costs": f"select unnest({literal([*costs])}::varchar[]) as cost",
        "covered": evaluation.coverage_query(qrels, runs),
        "summaries": evaluation.relation_rows_query("cost_summary", qrels=qrels, runs=runs),
    }
    return evaluation.database.remarks("cost_gaps", inputs)


_IDEAL_ORDERS = {
    "groups": "the ideal order is by a document's highest grade, which is not the best order of groups or subtopics",
    "preferences": "the ideal order puts documents of a level above 0 first, whatever the preferences among them",
}


def explanation_lines(found: Explanation, depth: int, digits: int, asking: str = "--depth ") -> list[str]:
    """Lines that tell what the lists are worth, and what the rows do not show; ``asking`` is for another depth."""

    def shown(value: float | None) -> str:
        if value is None:
            return "not known"
        return f"{value:.0f}" if found.measure.is_count else f"{value:.{digits}f}"

    explained = list(filter(None, (found.run, found.other)))
    values = ", ".join(f"{one.name} {shown(one.value)}" for one in [*explained, found.ideal])
    lines = [f"{found.measure.name}, topic {found.topic} ({found.qrels}): {values}"]
    for one in explained:
        if one.missing:
            lines.append(f"  {one.name} leaves this topic out, which scores as an empty ranking")
        if one.threshold is not None:
            lines.append(f"  {one.name} is cut at the score {one.threshold:g}, which comes from all topics")
        if one.num_ret > depth:
            hidden = f"  Ranks {depth + 1} to {one.num_ret} of {one.name} are hidden"
            lines.append(f"{hidden}; together they contribute {shown(one.left_out)}; {asking}{one.num_ret} shows them")
        if one.differs:
            whole = f"together with the other topics (or runs) {one.name} has {one.in_warehouse:.17g} here"
            lines.append(f"  this is the topic by itself: {whole}")
    if found.num_equal:
        lines.append(f"  not shown: {counted(found.num_equal, 'document')} that contributed the same to both")
    if found.form in _IDEAL_ORDERS and found.other is None:
        lines.append(f"  {_IDEAL_ORDERS[found.form]}")
    if found.text:
        lines.append(f"  the topic asks: {found.text}")
    return lines


AUDIT_COLUMNS = ("audit", "finding", "num_rows")
_VALUES = "audited_values"
_RANKINGS = "ranking_sums"
_MOST_NAMED = 3
_COSTS = "costs"  # the family of the measure that topics may lack
_OF_ANSWERS = ("nuggets", "citations")  # families of measures that have no evaluations
_SLOW = "preferences"  # a form of judgments, and the family of measures for it
MOST_DOCUMENTS = 1_000_000  # of runs whose values are audited; of the 126 runs of TREC-COVID that takes a sixth


def audits(catalog: Catalog, *, quick: bool = False) -> list[Relation]:
    """All audits, or the quick ones; those that read values of measures come last."""
    found = [relation for relation in catalog.of_kind("audits") if relation.header.is_quick or not quick]
    return sorted(found, key=lambda audit: _VALUES in audit.header.inputs)


def audited_runs(database: Database, most: int = MOST_DOCUMENTS) -> list[str]:
    """Runs from all over the warehouse that have so many documents together; all where there are fewer."""
    return [run for _, run in database.rows(database.query("audited_runs", most=most))]


def findings(
    evaluation: Evaluation, chosen: Sequence[Relation], progress: Progress = silent, *, runs: list[str] | None = None
) -> list[tuple[str, str, int]]:
    """What audits find: name of the audit, what is wrong, and how many rows of it; values are those of ``runs``."""
    database = evaluation.database
    rows: list[tuple[str, str, int]] = []
    named = "" if runs is None else f" where run in ({literals(runs) or 'null'})"
    # Of grades the measures of preferences take nine times as long as all others together, and say nothing of the file.
    left_out = {_COSTS} if database.rows(f"select 1 from qrels where form = '{_SLOW}'") else {_COSTS, _SLOW}
    measures = [default_measure(each) for each in database.catalog.measures if each.family not in left_out]
    of_rankings = [each for each in measures if each.relation.family not in _OF_ANSWERS]
    inputs = {
        _VALUES: f"select * from temp.{_VALUES}",
        "audited_runs": f"select run_id from runs{named}",
        "audited_measures": f"select unnest([{literals(each.name for each in of_rankings)}]) as measure",
        _RANKINGS: database.query(_RANKINGS, first_run=0),
    }
    is_quick = chosen == audits(database.catalog, quick=True)
    first = next((audit for audit in chosen if _VALUES in audit.header.inputs), None)
    try:
        for done, audit in enumerate(chosen):
            progress("checking", done, len(chosen))
            if audit is first:
                if slow := evaluation.too_slow(named):  # no values are audited then
                    return [*rows, *(("kept_measures", text, 1) for text in slow.values())]
                evaluation.fill_scores(_VALUES, [(each.name, each) for each in measures], named)
            given = {name: inputs[name] for name in audit.header.inputs}
            query = audit_query(database.catalog, audit, given, documents=not is_quick)
            rows += database.rows(f"{query} order by finding")
    finally:
        database.drop(_VALUES)
    progress("checking", len(chosen), len(chosen))
    return rows


def check_new_runs(database: Database) -> None:
    """Let the quick audits look at the runs that the current transaction has loaded; AuditError for what they find."""
    # The time of the transaction stands with each run that it loaded.
    new = "select min(run_id) from runs where loaded_at = current_timestamp at time zone 'UTC'"
    ((first_run,),) = database.rows(new)
    if first_run is None:
        return
    catalog = database.catalog
    chosen = [audit for audit in audits(catalog, quick=True) if _RANKINGS in audit.header.inputs]
    queries = " union all ".join(audit_query(catalog, audit, first_run=first_run) for audit in chosen)
    rankings = {_RANKINGS: relation_query(catalog, _RANKINGS, first_run=first_run)}  # read once for all of them
    if found := database.rows(f"{with_inputs(queries, rankings)} order by audit, finding"):
        lines = [f"{finding} (audit {audit})" for audit, finding, _ in found[:_MOST_NAMED]]
        if len(found) > _MOST_NAMED:
            lines.append(f"... and {len(found) - _MOST_NAMED} more")
        advice = "nothing was loaded; this is a fault of evalsql, not of the input: please report it with these lines"
        raise AuditError("\n".join([*lines, advice]))


def audit_query(catalog: Catalog, audit: Relation, inputs: Mapping[str, str] = {}, **arguments: Value) -> str:
    """The SELECT of an audit with its name before the other columns."""
    query = relation_query(catalog, audit.name, inputs, **arguments)
    return f"select {literal(audit.name)} as audit, finding, num_rows from (\n{query}\n)"
