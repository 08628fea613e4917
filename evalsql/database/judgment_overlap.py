"""Runs whose figures say little of the system: next to nothing of them is judged, or their scores order nothing."""

from collections.abc import Sequence
from typing import Any

from evalsql.database.database import Database
from evalsql.phrases import counted

_MOST_TOLD = 3  # runs with a line of their own
RETRIEVED = "select * from retrieved"


def scarce_overlaps(database: Database, pairs: str, ranked: str = RETRIEVED) -> list[str]:
    """A line for each pair that has next to nothing in common, with ids of both sides; of many only the first ones.

    ``pairs`` is a SELECT of qrels_id and run_id, ``ranked`` one of the runs' rows, where the base table has none.
    """
    scarce = database.query("scarce_overlaps", {"new_pairs": pairs, "ranked": ranked})
    named = (
        f"({scarce}) as scarce join qrels on qrels.qrels_id = scarce.qrels_id join runs on runs.run_id = scarce.run_id"
    )
    found = database.rows(f"select qrels.qrels, runs.run, scarce.* from {named} order by qrels.qrels, runs.run")
    lines = [_line(database, row, ranked) for row in found[:_MOST_TOLD]]
    if len(found) > _MOST_TOLD:
        lines.append(f"... and {len(found) - _MOST_TOLD:,} more runs of which next to nothing is judged")
    return lines


def equal_scores(database: Database, ranked: str) -> list[str]:
    """A line for each run whose documents mostly have equal scores; of many only the first ones."""
    tied = database.query("equal_scores", {"ranked": ranked})
    shares = f"select runs.run, tied.tied_share from ({tied}) as tied join runs using (run_id) order by runs.run"
    lines = [
        f"{run}: names order its documents, as each has the score of {100 * share:.0f}% of its topic's on average; "
        "if the file has ranks, --tie-rule rank goes by them"
        for run, share in database.rows(shares)
    ]
    more = [f"... and {len(lines) - _MOST_TOLD:,} more runs whose documents names order"]
    return lines[:_MOST_TOLD] + more * (len(lines) > _MOST_TOLD)


def _line(database: Database, row: Sequence[Any], ranked: str) -> str:
    qrels, run, *numbers = row
    qrels_id, run_id, num_topics, common, retrieved, judged, topic_id = numbers
    keys = {"qrels_id": qrels_id, "run_id": run_id, "topic_id": topic_id}
    compared = database.query("ids_compared", {"ranked": ranked}, **keys)
    ids = database.rows(f"select side, string_agg(id, ', ' order by place) from ({compared}) group by all order by all")
    if not common:
        fact = f"none of {counted(num_topics, 'topic')} is judged ({qrels})"
    else:
        some = f"only {judged:,}" if judged else "none"
        verb = "are" if judged > 1 else "is"
        asked = f"{counted(retrieved, 'document')} retrieved for {counted(common, 'topic')}"
        fact = f"{some} of {asked} {verb} judged ({qrels})"
    what = "documents" if common else "topics"
    return f"{run}: {fact}; {what} {'; '.join(f'of the {side} {names}' for side, names in ids)}"
