"""Values of measures and what is made of them: leaderboards, comparisons, curves, ties, holdings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial

from evalsql.catalog import ddl, queries
from evalsql.catalog.measure_names import Measure, default_measure, parse_measures, with_arguments
from evalsql.database.database import Database
from evalsql.database.names import (
    REPLACED,
    Names,
    as_list,
    how_to_judge,
    only_qrels,
    replaced_qrels,
    resolve_names,
    resolve_one,
    run_in_place,
)
from evalsql.errors import TooSlowError, UsageError
from evalsql.evaluation import shared_steps, stored_scores
from evalsql.literals import Value, literals
from evalsql.phrases import Progress, shortened, silent

MOST_RANGES = 100  # beyond that the condition takes longer than what it spares
TOGETHER = 8  # measures in one statement: the plan of very many takes longer than several statements do
# By kind the relation over all topics, the one for single topics, and what puts points in order.
CURVES: Mapping[str, tuple[str, str, str]] = {
    "pr": ("pr_curve_mean", "pr_curve", "recall, precision desc"),
    "roc": ("roc_curve_pooled", "roc_curve", "false_positives, true_positives"),
    "tap": ("tap_curve", "", "threshold desc"),
}
# Which tests are corrected together, in words. The first is the default everywhere: what is said of two systems by one
# measure must not depend on which other measures are asked for.
FAMILIES = {"measure": "each measure by itself", "all": "all measures together"}
TWO_METHODS = (
    "interval and p are two methods and may disagree: a bootstrap interval says where a difference lies if {} are "
    "drawn anew, for each pair alone; p says how often chance makes so large a difference, corrected for all pairs"
)
Labelled = tuple[str, Measure]  # a measure and what its values are called


class Evaluation:
    """Asks a database by the names of measures, runs and judgment sets; most answers are SELECTs to go on with."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._num_kept = 0
        self._evaluated = ddl.created_name(database.catalog, database.catalog["evaluated_topics"])

    def named(self, measures: Names) -> list[Measure]:
        """The measures of these names; raises UsageError where there are none."""
        if named := list(parse_measures(as_list(measures), self.database.catalog)):
            return named
        raise UsageError("name at least one measure, such as nDCG@10")

    def scores_query(self, measures: Names, *, per_topic: bool = False, qrels: Names = (), runs: Names = ()) -> str:
        named = self.named(measures)
        chosen, means = self._filter(qrels, runs), partial(queries.means, self.database.catalog)
        if not per_topic and len(named) >= shared_steps.FEWEST:
            # A few are evaluated at a time, and all kept until the connection closes.
            self.fill_scores("evalsql_means", [(measure.name, measure) for measure in named], chosen, means)
            stored_scores.add(self.database, "evalsql_means", named, chosen, means)
            board = queries.board(named, "select * from temp.evalsql_means")
            kept = self.keep(board)
            self.database.drop("evalsql_means")
            return f"select * from {kept} order by {queries.board_order(named)}"
        labelled = queries.grouped(self.database.catalog, [(measure.name, measure) for measure in named])
        scores = self._filtered(named, queries.labelled_scores(labelled), chosen)
        if stored := stored_scores.stored_rows(self.database, named, chosen):
            # Together in brackets, since they are put in order by expressions, which a union does not take.
            scores = f"select * from (\nselect * from (\n{scores}\n)\nunion all\n{stored}\n)"
        return queries.per_topic(named, scores) if per_topic else queries.board(named, means(scores))

    def fill_scores(
        self, table: str, labelled: Sequence[Labelled], condition: str = "", made: Callable[[str], str] = str
    ) -> None:
        """Make a temporary table of values as the view scores has them, each measure under its label.

        ``made`` takes the SELECT of a measure's values and gives the one whose rows are kept, such as their means.
        """
        self.database.make(table, queries.NO_SCORES)
        narrowed = self._narrowing(condition)
        catalog = self.database.catalog
        shareable = [] if catalog.temporary else [measure for _, measure in labelled]
        plan = shared_steps.planned(catalog, shareable, shared_steps.FEWEST)

        def insert(measures: Sequence[Labelled], select: Callable[[Sequence[Labelled]], str]) -> None:
            # What measures beside each other read alike, the engine evaluates once.
            measures = sorted(queries.grouped(catalog, measures), key=lambda each: sorted(each[1].relation.reads))
            parts = [measures[at : at + TOGETHER] for at in range(0, len(measures), TOGETHER)]
            for few in parts:
                query = self._filtered([each for _, each in few], select(few), condition, narrowed)
                self.database.insert(f"temp.{table}", made(query))

        insert([each for each in labelled if each[1].name not in plan.measures], queries.labelled_scores)
        if plan.measures:
            with shared_steps.kept(self.database, catalog, plan.steps, narrowed) as catalog:
                shared = [each for each in labelled if each[1].name in plan.measures]
                insert(shared, partial(shared_steps.together, catalog))

    def too_slow(self, condition: str = "") -> dict[str, str]:
        """The kept measures whose evaluation takes too long, with a message for each: a stranger's may never end."""
        told = {}
        for measure in (default_measure(each) for each in self.database.catalog.own if each.is_measure):
            try:
                with self.database.limited(measure.relation.header.measure):
                    self.fill_scores("evalsql_tried", [(measure.name, measure)], condition)
            except TooSlowError as error:
                told[measure.relation.name] = str(error)
        self.database.drop("evalsql_tried")
        return told

    def keep(self, query: str) -> str:
        """Keep the rows of a query until the connection closes; returns their table's name."""
        self._num_kept += 1
        self.database.make(f"evalsql_kept_{self._num_kept}", query)
        return f"temp.evalsql_kept_{self._num_kept}"

    def keep_from_scores(self, query: str, measures: Sequence[Measure], *, qrels: Names = (), runs: Names = ()) -> str:
        """Keep the rows of a query that reads the view scores, of the values of these measures; see ``keep``."""
        with self.with_scores(measures, qrels=qrels, runs=runs):
            return self.keep(query)

    def comparison_query(
        self, baseline: str | None, runs: Names = (), *, measures: Names, qrels: Names = (), **options: Value
    ) -> str:
        """Runs beside a baseline, or all pairs where that is None: the rows of the macro ``comparisons``, best first.

        Options are its parameters. Means are over topics that weigh the same; ``averaged_otherwise`` says where
        ``evaluate`` has others.
        """
        named = parse_measures(as_list(measures), self.database.catalog)
        relation = self.database.catalog["comparisons"]
        known = [each.name for each in relation.parameters if each.name != "baseline"]
        if unknown := [name for name in options if name not in known]:
            raise UsageError(f"comparisons take no {unknown[0]}; there are: measures, qrels, {', '.join(known)}")
        given = relation.parsed(options)
        baseline = None if baseline is None else run_in_place(self.database, baseline)
        named_runs = [*(as_list(runs) or ["*"]), *([] if baseline is None else [baseline])]
        names = resolve_names(self.database, "run", named_runs)
        if baseline is not None:
            if baseline not in names:  # callers find the baseline among the rows by its name
                found = resolve_one(self.database, "run", baseline)
                raise UsageError(f'"{baseline}" stands for {found}; a baseline is named in full')
            given["baseline"] = baseline
        if len(names) < 2 or not named:
            raise UsageError("a comparison takes two runs and a measure at least")
        compared = self.database.query("comparisons", {}, **given)
        kept = self.keep_from_scores(compared, named, qrels=qrels, runs=names)
        if not self.database.rows(f"select 1 from {kept} limit 1"):
            raise UsageError("no judgment set evaluates two of these runs")
        return f"select * from {kept} order by qrels, {place_of(named)}, difference desc, baseline, run"

    def averaged_otherwise(self, measures: Names) -> list[tuple[str, str, str]]:
        """Where ``evaluate`` has other means than ``compare``: judgment set, measure, and sum or weighted."""
        held = "select qrels, min(weight) < max(weight) from weighted_topics group by qrels order by qrels"
        return [
            (qrels, measure.name, way)
            for qrels, weights_differ in self.database.rows(held)
            for measure in parse_measures(as_list(measures), self.database.catalog)
            if (way := measure.relation.header.mean) == "sum"
            or (way == "weighted" and weights_differ and measure.arguments.get("weighted", True))
        ]

    def curve_query(
        self, kind: str, *, runs: Names = (), qrels: Names = (), topics: Names = (), **arguments: Value
    ) -> str:
        if kind not in CURVES or (topics and not CURVES[kind][1]):
            single = ", ".join(each for each in CURVES if CURVES[each][1])
            raise UsageError(f"curves are {', '.join(CURVES)}; of one topic alone {single}")
        stored_scores.check_rankings(self.database, "a curve", runs)
        pooled, single, order = CURVES[kind]
        relation, by = (single, "qrels, run, topic") if topics else (pooled, "qrels, run")
        points = self.relation_rows_query(relation, qrels=qrels, runs=runs, topics=topics, **arguments)
        return f"{points}\norder by {by}, {order}"

    def relation_rows_query(
        self, name: str, *, qrels: Names = (), runs: Names = (), topics: Names = (), **arguments: Value
    ) -> str:
        """A SELECT of a relation that has runs (and topics), with arguments, of some of them; in no order."""
        catalog = self.database.catalog
        asked = with_arguments(catalog, name, **catalog[name].parsed(arguments))
        return self.components_query(asked, qrels=qrels, runs=runs, topics=topics)

    def components_query(self, measure: Measure, *, qrels: Names = (), runs: Names = (), topics: Names = ()) -> str:
        """A SELECT of the rows of one measure: ``qrels, run, topic, value`` and components; stored ones have none."""
        rows = f"select * from {measure.call}"
        if not measure.relation.parameters:  # through a view tables are not narrowed
            rows = self.database.query(measure.relation.name)
        return self._filtered([measure], rows, self._filter(qrels, runs, topics))

    @contextmanager
    def with_scores(self, measures: Sequence[Measure], *, qrels: Names = (), runs: Names = ()) -> Iterator[None]:
        """Have the values of these measures replace the view scores, which all statistics read."""
        found = self.database.rows("""
            select false, sql from system.main.duckdb_views() where temporary and view_name = 'scores'
            union all select true, null from system.main.duckdb_tables() where temporary and table_name = 'scores'
        """)
        if any(is_table for is_table, _ in found):
            raise UsageError("a temporary table scores is in the way; drop it, or ask for statistics about it in SQL")
        views = [sql for _, sql in found]  # of a file without these measures that is open for reading only
        if views:
            self.database.execute("drop view temp.scores")
        try:
            chosen = self._filter(qrels, runs)
            self.fill_scores("scores", [(measure.name, measure) for measure in measures], chosen)
            stored_scores.add(self.database, "scores", measures, chosen)
            yield
        finally:
            self.database.drop("scores")
            self.database.execute_all(views)

    def tie_queries(
        self, measures: Names, *, qrels: Names = (), runs: Names = (), without: str = "", progress: Progress = silent
    ) -> tuple[str, str]:
        """The two SELECTs of ``Warehouse.ties``; ``without`` is an order of ties that is left out."""
        named = parse_measures(as_list(measures), self.database.catalog)
        chosen = self._filter(qrels, runs)
        self.database.make("tied_answers", f"select *, 'rule' as ties from ({queries.NO_SCORES})")
        for done, measure in enumerate(named):
            progress("trying orders of ties", done, len(named))
            # One at a time: the plan of all together would take longer than its execution.
            answers = self._filtered([measure], queries.tied_answers(measure, without), chosen)
            self.database.insert("temp.tied_answers", answers)
        answers, order = "select * from temp.tied_answers", "order by qrels, measure, value desc"
        effects = queries.tie_report(self.database.catalog, "tie_effects", answers)
        swaps = queries.tie_report(self.database.catalog, "tie_dependent_pairs", answers)
        return f"{effects}\n{order}, run", f"{swaps}\n{order}, other desc, run, other_run"

    def evaluated_query(self, qrels: Names, runs: Names) -> str:
        """The SELECT of the topics of runs that judgment sets evaluate."""
        return f"select * from {self._evaluated}{self._filter(qrels, runs, asks=False)}"

    def _filter(self, qrels: Names, runs: Names, topics: Names = (), *, asks: bool = True) -> str:
        """A condition on names; replaced judgments must be named, and if it ``asks`` for them there may be none."""
        names = {"topic": as_list(topics)}
        if names["topic"]:
            held = {*self.database.column("select topic from topics")}
            if unknown := [topic for topic in names["topic"] if topic not in held]:
                raise UsageError(f'no topic is called "{unknown[0]}"')
        for kind, patterns in (("qrels", as_list(qrels)), ("run", as_list(runs))):
            names[kind] = resolve_names(self.database, kind, patterns) if patterns else ()
        conditions = [f"{kind} in ({literals(given)})" for kind, given in names.items() if given]
        if not as_list(qrels):
            replaced = literals(sorted(replaced_qrels(self.database))) if asks else REPLACED
            if replaced:
                conditions.append(f"qrels not in ({replaced})")
        return f"\nwhere {' and '.join(conditions)}" if conditions else ""

    def _filtered(
        self, asked: Iterable[Measure], rows: str, condition: str, narrowed: Callable[[str], str] | None = None
    ) -> str:
        """The rows for which the condition holds; measures of users may compare runs, so these read all others too."""
        asked = [*asked]
        self.check_costs({measure.arguments["name"] for measure in asked if measure.relation.name == "cost"})
        kept = f"select * from (\n{rows}\n){condition}"
        if any(measure.relation in self.database.catalog.own for measure in asked):
            return kept
        return (narrowed or self._narrowing(condition))(kept)

    def check_costs(self, names: Set[Value]) -> None:
        """Raise UsageError for a cost that no run has, and where one of several is meant and not named."""
        if not names:
            return
        held = self.database.column("select distinct cost from costs order by cost")
        there = f"there are: {shortened(held)}" if held else "evalsql load costs FILE brings some"
        for name in names - {*held}:
            if name is not None:
                raise UsageError(f"no cost is called {name}; {there}")
            if len(held) > 1:
                raise UsageError(f"several costs are held, and Cost(name={held[0]}) names one; {there}")

    def _narrowing(self, condition: str) -> Callable[[str], str]:
        """What narrows tables by key for a condition on names, which does not reach through the steps of a measure."""
        if not condition:
            return lambda query: query
        tables = {"evaluations": "evaluation_id", "judged_ranks": "evaluation_id", "retrieved": "run_id"}
        selects = []
        for key in sorted({*tables.values()}):
            chosen = {"chosen": f"select distinct {key} as key from {self._evaluated}{condition}"}
            ranges = self.database.query("key_ranges", chosen, key=key, most=MOST_RANGES)
            selects.append(f"({ranges})")
        found = dict(self.database.rows("\nunion all\n".join(selects)))
        inputs = {table: f"select * from main.{table} where {found[key]}" for table, key in tables.items()}
        return lambda query: queries.with_inputs(query, inputs)

    def coverage_query(self, qrels: Names, runs: Names) -> str:
        return f"select * from coverage{self._filter(qrels, runs, asks=False)}\norder by qrels, run"

    def judging_set(self, runs: Sequence[str], qrels: str | None) -> str:
        """The judgment set that evaluates all of these runs: the one that is asked for, else the only one in use."""
        asked = [] if qrels is None else [resolve_one(self.database, "qrels", qrels)]
        covered = self.database.rows(self.coverage_query(asked, runs))
        common = set.intersection(*({name for name, each, *_ in covered if each == run} for run in runs))
        if asked and not common:
            lacking = next(run for run in runs if run not in {each for _, each, *_ in covered})
            raise UsageError(f"{lacking} is not evaluated by {qrels}; {how_to_judge(self.database)}")
        if not common:
            raise UsageError(f"no judgment set evaluates {' and '.join(runs)}; {how_to_judge(self.database)}")
        several = f"{' and '.join(runs)}: evaluated by several judgment sets, name one with --qrels"
        return only_qrels(self.database, None, several, sorted(common))


def place_in(names: Sequence[str], column: str) -> str:
    """SQL for the place that the column's name has among these."""
    return f"list_position([{literals(names)}]::varchar[], {column})"


def place_of(measures: Sequence[Measure]) -> str:
    return place_in([measure.name for measure in measures], "measure")


@contextmanager
def temporary_tables(database: Database, tables: Mapping[str, str]) -> Iterator[None]:
    """Have the rows of SELECTs in temporary tables; each may read those before it."""
    try:
        for name, sql in tables.items():
            database.make(name, sql)
        yield
    finally:
        database.drop(*tables)
