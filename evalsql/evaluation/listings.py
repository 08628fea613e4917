"""What is listed beside leaderboards: systems over time, differences of two runs, groups of topics, and sorted rows."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import product

from evalsql.catalog.measure_names import Measure, names_of_less_is_better, with_arguments
from evalsql.catalog.queries import board_order, value_columns
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, how_to_judge, resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation, place_in, place_of
from evalsql.evaluation.selection import OF_NO_SYSTEM, Choice, choose_runs, held_systems, runs_before
from evalsql.evaluation.stored_scores import check_rankings
from evalsql.literals import literal, literals, quoted
from evalsql.phrases import natural_key, nearest

_NAMES = {"run": "select run from runs", "baseline": "select run from runs", "topic": "select topic from topics"}
_LEAST_FIRST = frozenset({"p", "p_corrected", "rank"})
DOMINATED = "dominated by"
_FIGURES = ("mean", "median", "p95", "total")  # of a cost
_NUMBERS = ("DOUBLE", "FLOAT", "DECIMAL", "INTEGER", "INT")  # with BIG, U and the like before them


def arranged(database: Database, query: str, *, sort: str | None, limit: int | None, lower: Container[str] = ()) -> str:
    """A SELECT of the same rows, sorted by a column, and only the first ones.

    Numbers go from the greatest, but for p values and the columns ``lower``, of which less is better; names are in
    natural order, 2 before 10. Behind the column ``:asc`` and ``:desc`` say otherwise.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}, but must be at least 1")
    order = f" order by {_order(database, query, sort, lower)}" if sort else ""
    few = f" limit {limit}" if limit is not None else ""
    return f"select * from (\n{query}\n){order}{few}" if order or few else query


def lower_columns(measures: Sequence[Measure]) -> frozenset[str]:
    """Columns of which less is better: of such measures, and ``value`` where all of them are such."""
    lower = names_of_less_is_better(measures)
    return lower | {"value"} if len(lower) == len(measures) else lower


def _order(database: Database, query: str, sort: str, lower: Container[str]) -> str:
    """What stands behind ORDER BY; rows that are alike stay in an order that is the same each time."""
    relation = database.sql(query)
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    name, colon, direction = sort.rpartition(":")
    if not colon or direction.lower() not in ("asc", "desc"):
        name, direction = sort, ""
    meant = [each for each in kinds if each == name] or [each for each in kinds if each.lower() == name.strip().lower()]
    if not meant:
        raise UsageError(f'there is no column "{name}" to sort by; there are: {", ".join(kinds)}')
    wanted = meant[0]
    is_number = kinds[wanted].partition("(")[0].endswith(_NUMBERS)
    if not direction:
        direction = "desc" if is_number and wanted not in _LEAST_FIRST and wanted not in lower else "asc"
    key = quoted(wanted)
    if wanted in _NAMES and not is_number:
        names = database.column(_NAMES[wanted])
        key = place_in(sorted(names, key=natural_key), key)
    return ", ".join([f"{key} {direction} nulls last", *(quoted(name) for name in kinds if name != wanted)])


def wide_query(evaluation: Evaluation, measures: Sequence[str], *, qrels: Names, runs: Names) -> str:
    """Values by topic with a column for each run: ``qrels, measure, topic, <run>...``, topics in natural order."""
    values = evaluation.scores_query(measures, per_topic=True, qrels=qrels, runs=runs)
    covered = evaluation.database.rows(evaluation.coverage_query(qrels, runs))
    runs = list(dict.fromkeys(run for _, run, *_ in covered))
    if taken := {"qrels", "measure", "topic"} & {run.lower() for run in runs}:
        raise UsageError(f'a run is called "{min(taken)}" as a column of the table is; leave out wide for it')
    topics = sorted(evaluation.database.column("select topic from topics"), key=natural_key)
    return (
        f"select qrels, measure, topic, {value_columns('run', runs)} from (\n{values}\n)\n"
        "group by qrels, measure, topic\n"
        f"order by qrels, {place_in(measures, 'measure')}, {place_in(topics, 'topic')}"
    )


def groups_query(
    evaluation: Evaluation, key: str, measures: Names, *, qrels: Names = (), runs: Names = (), costs: Sequence[str] = ()
) -> str:
    """A SELECT of ``qrels, group, run, topics, <measure>...``, best of each group on top, topics without one last.

    Behind the measures are columns for what runs cost on the topics of the group.
    """
    named = evaluation.named(measures)
    held = evaluation.database.column("select distinct key from topic_groups order by key")
    if key not in held:
        there = f"there are: {', '.join(held)}" if held else "evalsql load topics or load groups brings groups"
        raise UsageError(f'no topic has a group "{key}"; {there}')
    of_groups = f"select * from group_means(group_key := {literal(key)})"
    means = evaluation.keep_from_scores(of_groups, named, qrels=qrels, runs=runs)
    if not evaluation.database.rows(f"select 1 from {means} limit 1"):
        raise UsageError(f'these judgments have no group "{key}"')
    columns = value_columns("measure", [measure.name for measure in named])
    best = "" if named[0].relation.header.less_is_better else "desc"
    board = f"select qrels, topic_group, run, max(num_topics) as topics, {columns} from {means} group by all"
    if costs:
        evaluation.check_costs({*costs})
        summary = evaluation.database.call("group_costs", group_key=key)
        cells = _wide_costs(f"from {summary}", "qrels, topic_group, run", costs)
        alike = "board.qrels = cells.qrels and board.run = cells.run"
        alike += " and board.topic_group is not distinct from cells.topic_group"
        cells = f"({cells}) as cells on {alike}"
        board = f"select board.*, cells.* exclude (qrels, topic_group, run) from ({board}) as board left join {cells}"
    return (
        f'select * rename (topic_group as "group") from ({board})\n'
        f"order by qrels, try_cast(topic_group as double) nulls last, topic_group nulls last, 5 {best}, run"
    )


def placed_query(evaluation: Evaluation, board: str, named: Sequence[Measure]) -> str:
    """The rows of a leaderboard, the best on top, each with the place that its first measure gives the run."""
    first = named[0]
    columns = f"qrels, {literal(first.name)} as measure, run, {quoted(first.name)} as value"
    means = f"select {columns}, {str(first.relation.header.less_is_better).lower()} as less_is_better from board"
    inputs = {"means": means, "drawn_runs": "select distinct run from board"}
    places = evaluation.database.query("measure_places", inputs)
    placed = f"({places}) as places on places.qrels = board.qrels and places.run = board.run"
    rows = f"select board.*, case when places.value is not null then place end as place from board join {placed}"
    return f"with board as (\n{board}\n)\n{rows}\norder by {board_order(named)}"


def cost_columns(costs: Sequence[str]) -> list[str]:
    return [f"{cost} {figure}" for cost, figure in product(costs, _FIGURES)]


def _wide_costs(summary: str, keys: str, costs: Sequence[str]) -> str:
    """A SELECT of a summary of costs with a row for each of the keys, and a column for each figure of each cost."""
    figures = f"({summary}) unpivot (value for figure in ({', '.join(_FIGURES)}))"
    cells = value_columns("concat(cost, ' ', figure)", cost_columns(costs))
    return f"select {keys}, {cells} from {figures} group by {keys}"


def costs_query(
    evaluation: Evaluation, board: str, costs: Sequence[str], *, qrels: Names, runs: Names, quality: Measure | None
) -> str:
    """The rows of a leaderboard with columns for what runs cost.

    With a measure of ``quality`` they also say by whom each run is outdone, by that and the mean of the only cost.
    """
    named = [with_arguments(evaluation.database.catalog, "cost", name=cost) for cost in costs]
    evaluation.check_costs({*costs})
    summary = evaluation.relation_rows_query("cost_summary", qrels=qrels, runs=runs)
    columns = _wide_costs(summary, "qrels, run", costs)
    if quality is not None:
        given = {"quality_measure": quality.name, "cost_measure": named[0].name}
        front = f"from {evaluation.database.call('pareto_front', **given)}"
        kept = evaluation.keep_from_scores(front, [quality, *named], qrels=qrels, runs=runs)
        beaten = f"coalesce(array_to_string(dominated_by, ', '), 'nobody') as {quoted(DOMINATED)}"
        columns = f"select * from ({columns}) left join (select qrels, run, {beaten} from {kept}) using (qrels, run)"
    return f"select * from ({board}) as board left join ({columns}) using (qrels, run)"


def texts(evaluation: Evaluation) -> dict[tuple[str, str], str]:
    rows = evaluation.database.rows("select qrels, topic, text from topic_texts")
    return {(qrels, topic): text for qrels, topic, text in rows}


def document_words(evaluation: Evaluation, names: Iterable[str]) -> dict[str, str]:
    """The beginning of what each of these documents says, where its text was loaded."""
    found = "select document, words from document_words where document in (select unnest(?::varchar[]))"
    return dict(evaluation.database.rows(found, [sorted({*names})]))


MOST_TOPICS = 5


def history_query(evaluation: Evaluation, measures: Names, *, choice: Choice, qrels: Names = ()) -> str:
    """A SELECT of rows of the view ``history`` for these measures and runs, a system's runs in the order of date."""
    named = evaluation.named(measures)
    systems = held_systems(evaluation.database, choice.systems)
    if not systems:
        raise UsageError(f"{OF_NO_SYSTEM}; evalsql load runs FILE --system NAME --version TEXT records both")
    runs = choose_runs(evaluation.database, replace(choice, systems=systems))
    # The first run that --last and --since leave has a run before it too.
    asked = {*runs, *runs_before(evaluation.database, replace(choice, systems=systems, since=None, last=None), runs)}
    shown = f"select * from history where {place_in(runs, 'run')} is not null"
    kept = evaluation.keep_from_scores(shown, named, qrels=qrels, runs=[*asked])
    return f"select * from {kept} order by qrels, system, {place_of(named)}, dated_at, run"


def topic_changes_query(
    evaluation: Evaluation,
    run: str,
    other: str,
    measures: Names,
    *,
    qrels: Names = (),
    topics: Names = (),
    only_losses: bool = False,
) -> str:
    """A SELECT of the topics on which two runs differ, ``run`` less ``other``, the largest differences first."""
    named = evaluation.named(measures)
    pair = [resolve_one(evaluation.database, "run", name) for name in (run, other)]
    if pair[0] == pair[1]:
        raise UsageError(f"{pair[0]} is compared with itself; name two runs")
    covered = [judged for judged, *_ in evaluation.database.rows(evaluation.coverage_query(qrels, pair))]
    if len({*covered}) == len(covered):  # none is there twice
        raise UsageError(f"no judgment set evaluates both {pair[0]} and {pair[1]}; {how_to_judge(evaluation.database)}")
    held = evaluation.database.column("select distinct topic from weighted_topics")
    for topic in as_list(topics):
        if topic not in held:
            raise UsageError(f'no judgments have a topic "{topic}"; {nearest(topic, held)}')
    columns = "qrels, measure, topic, value, baseline_value as other_value, difference"
    differing = f"run = {literal(pair[0])} and round(difference, 12) {'<' if only_losses else '<>'} 0"
    query = f"select {columns} from paired_differences(baseline := {literal(pair[1])}) where {differing}"
    kept = evaluation.keep_from_scores(query, named, qrels=qrels, runs=pair)
    chosen = f"where topic in ({literals(as_list(topics))})" if as_list(topics) else ""
    return f"select * from {kept} {chosen} order by qrels, {place_of(named)}, abs(difference) desc, topic"


def document_changes_query(
    evaluation: Evaluation, run: str, other: str, topics: Sequence[tuple[str, str]], *, depth: int
) -> str:
    """The documents that moved, relevant ones first, in pairs of judgment set and topic, which stay in order."""
    pair = [resolve_one(evaluation.database, "run", name) for name in (run, other)]
    check_rankings(evaluation.database, "the documents of a difference", pair, every=True)
    listed = ", ".join(f"({literal(judged)}, {literal(topic)})" for judged, topic in topics)
    call = f"rank_changes(run := {literal(pair[0])}, other := {literal(pair[1])}, depth := {int(depth)})"
    return f"""
        select qrels, topic, document, grade, rank, other_rank from {call}
        where list_contains([{listed}], (qrels, topic))
        order by list_position([{listed}], (qrels, topic)), grade desc nulls last, rank nulls last, other_rank, document
    """
