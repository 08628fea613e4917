"""Audits: the SELECTs of ``sql/audits``, which find nothing where a warehouse is sound."""

from collections.abc import Mapping, Sequence

from evalsql.catalog.ddl import relation_query, with_inputs
from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import default_measure, literal, literals
from evalsql.catalog.relations import Catalog, Relation
from evalsql.database.database import Database
from evalsql.errors import AuditError
from evalsql.evaluation.evaluation import Evaluation
from evalsql.phrases import Progress, silent

COLUMNS = ("audit", "finding", "num_rows")
_VALUES = "audited_values"
_RANKINGS = "ranking_sums"
_MOST_NAMED = 3
_COSTS = "costs"  # the family of the measure that topics may lack
_OF_ANSWERS = ("nuggets", "citations")  # families of measures that have no evaluations
_SLOW = "preferences"  # a form of judgments, and the family of measures for it
MOST_DOCUMENTS = 1_000_000  # of runs whose values are audited; of the 126 runs of TREC-COVID that takes a sixth


def audits(catalog: Catalog, *, quick: bool = False) -> list[Relation]:
    """All audits, or those that take no time that one notices; what reads values of measures comes last."""
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
    """The SELECT of an audit with its name before the other columns; parameters that are not given have defaults."""
    defaults = {parameter.name: parameter.default for parameter in audit.parameters}
    query = relation_query(catalog, audit.name, inputs, **(defaults | arguments))
    return f"select {literal(audit.name)} as audit, finding, num_rows from (\n{query}\n)"
