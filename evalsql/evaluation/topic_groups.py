"""Figures by groups of topics, and the texts of topics beside their values."""

from __future__ import annotations

from evalsql.catalog.measure_names import Measure, literal, parse_measures, quoted
from evalsql.database.names import Names, as_list
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import Evaluation

GROUPS = "group_means"
_TEXTS = "select qrels, topic, text from topic_texts"


def group_keys(evaluation: Evaluation) -> list[str]:
    """What topics are grouped by."""
    return [key for (key,) in evaluation.database.rows("select distinct key from topic_groups order by key")]


def groups_query(evaluation: Evaluation, key: str, measures: Names, *, qrels: Names = (), runs: Names = ()) -> str:
    """A SELECT of means by group: ``qrels, group, run, topics, <measure>...``, the best of each group on top.

    Topics without such a group come last, with null.

    Raises:
        UsageError: names that are not known, or judgment sets of which none has such groups.
    """
    named = parse_measures(as_list(measures), evaluation.database.catalog)
    if not named:
        raise UsageError("name at least one measure, such as nDCG@10")
    if key not in (held := group_keys(evaluation)):
        there = f"there are: {', '.join(held)}" if held else "evalsql load topics or load groups brings groups"
        raise UsageError(f'no topic has a group "{key}"; {there}')
    call = Measure(evaluation.database.catalog[GROUPS], {"group_key": key}).call
    with evaluation.with_scores(named, qrels=qrels, runs=runs):
        means = evaluation.keep(f"select * from {call}")
    if not evaluation.database.rows(f"select 1 from {means} limit 1"):
        raise UsageError(f'these judgments have no group "{key}"')
    columns = ", ".join(
        f"max(value) filter (where measure = {literal(measure.name)}) as {quoted(measure.name)}" for measure in named
    )
    best = "" if named[0].relation.header.less_is_better else "desc"
    return (
        f'select qrels, topic_group as "group", run, max(num_topics) as topics, {columns} from {means}\n'
        f"group by qrels, topic_group, run\n"
        f"order by qrels, try_cast(topic_group as double) nulls last, topic_group nulls last, 5 {best}, run"
    )


def texts(evaluation: Evaluation) -> dict[tuple[str, str], str]:
    """The text of each topic that has one, by judgment set and topic."""
    return {(qrels, topic): text for qrels, topic, text in evaluation.database.rows(_TEXTS)}
