"""Systems over time, and what is different between two runs: topics, then documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalsql.catalog.measure_names import literal, parse_measures
from evalsql.database.names import Names, as_list, resolve_one
from evalsql.errors import JOIN_RUN, UsageError
from evalsql.evaluation.selection import OF_NO_SYSTEM, Choice, choose_runs, held_systems
from evalsql.evaluation.stored_scores import require_rankings
from evalsql.phrases import nearest

if TYPE_CHECKING:
    from evalsql.evaluation.evaluation import Evaluation


MOST_TOPICS = 5
_TOPICS = """
    select qrels, measure, topic, baseline_value as value, value as other_value, difference
    from paired_differences(baseline := {run}) where baseline = {run} and run = {other} and round(difference, 12) <> 0
"""


def history_query(evaluation: Evaluation, measures: Names, *, choice: Choice | None = None, qrels: Names = ()) -> str:
    """A SELECT of the rows of the view ``history`` of these measures and runs, a system's runs in the order of date.

    Raises:
        UsageError: names that are not known, or no run that was loaded with a system.
    """
    choice = choice or Choice()
    named = parse_measures(as_list(measures), evaluation.database.catalog)
    systems = held_systems(evaluation.database, choice.systems)
    if not systems:
        raise UsageError(f"{OF_NO_SYSTEM}; evalsql load runs FILE --system NAME --version TEXT records both")
    runs = choose_runs(evaluation.database, choice.of_systems(systems))
    with evaluation.with_scores(named, qrels=qrels, runs=runs):
        kept = evaluation.keep("select * from history")
    order = ", ".join(literal(measure.name) for measure in named)
    return f"select * from {kept} order by qrels, system, list_position([{order}], measure), dated_at, run"


def topic_changes_query(
    evaluation: Evaluation, run: str, other: str, measures: Names, *, qrels: Names = (), topics: Names = ()
) -> str:
    """A SELECT of the topics on which two runs differ, the largest differences first: those of ``other`` less ``run``.

    Raises:
        UsageError: names that are not known, or no judgment set that evaluates both.
    """
    named = parse_measures(as_list(measures), evaluation.database.catalog)
    pair = [resolve_one(evaluation.database, "run", name) for name in (run, other)]
    if pair[0] == pair[1]:
        raise UsageError(f"{pair[0]} is compared with itself; name two runs")
    _check_judged(evaluation, pair, qrels)
    _check_topics(evaluation, as_list(topics))
    with evaluation.with_scores(named, qrels=qrels, runs=pair):
        kept = evaluation.keep(_TOPICS.format(run=literal(pair[0]), other=literal(pair[1])))
    order = ", ".join(literal(measure.name) for measure in named)
    chosen = f"where topic in ({', '.join(map(literal, as_list(topics)))})" if as_list(topics) else ""
    return (
        f"select * from {kept} {chosen} order by qrels, list_position([{order}], measure), abs(difference) desc, topic"
    )


def document_changes_query(
    evaluation: Evaluation, run: str, other: str, topics: Sequence[tuple[str, str]], *, depth: int
) -> str:
    """A SELECT of the documents that moved in topics, given as pairs of judgment set and topic, in that order.

    Relevant documents come first, those that moved most on top.
    """
    pair = [resolve_one(evaluation.database, "run", name) for name in (run, other)]
    require_rankings(evaluation.database, "the documents of a difference", pair)
    given = ", ".join(f"({place}, {literal(judged)}, {literal(topic)})" for place, (judged, topic) in enumerate(topics))
    listed = f"values {given}" if topics else "select 0, '', '' limit 0"
    call = f"rank_changes(run := {literal(pair[0])}, other := {literal(pair[1])}, depth := {int(depth)})"
    return f"""
        select moved.qrels, moved.topic, moved.document, moved.grade, moved.rank, moved.other_rank
        from {call} as moved
        join ({listed}) as topics_asked(place, qrels, topic)
            on topics_asked.qrels = moved.qrels and topics_asked.topic = moved.topic
        order by topics_asked.place, moved.grade desc nulls last, moved.rank nulls last, moved.other_rank,
            moved.document
    """


def _check_judged(evaluation: Evaluation, pair: Sequence[str], qrels: Names) -> None:
    rows = evaluation.database.rows(evaluation.coverage_query(qrels, pair))
    sets = [{judged for judged, name, *_ in rows if name == run} for run in pair]
    if not sets[0] & sets[1]:
        raise UsageError(f"no judgment set evaluates both {pair[0]} and {pair[1]}; {JOIN_RUN}")


def _check_topics(evaluation: Evaluation, topics: Sequence[str]) -> None:
    held = [topic for (topic,) in evaluation.database.rows("select distinct topic from weighted_topics")]
    for topic in topics:
        if topic not in held:
            raise UsageError(f'no judgments have a topic "{topic}"; there are: {nearest(topic, held)}')
