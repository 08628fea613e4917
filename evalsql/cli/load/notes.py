"""What people are told of a load, beside the data."""

from __future__ import annotations

from evalsql.cli.notes import note
from evalsql.phrases import counted
from evalsql.warehouse.warehouse import Warehouse


def num_weights(warehouse: Warehouse) -> dict[str, int]:
    """How many weights each judgment set has that has any."""
    return dict(warehouse.rows("select qrels, count(*) from topic_weights join qrels using (qrels_id) group by qrels"))


def read_as(warehouse: Warehouse) -> str:
    """The format that the last load recognised; further lines are what it left out."""
    return "".join(f"; {line}" for line in warehouse.loader.notices)


def left_out_words(count: int) -> str:
    """How many repeated documents were left out; empty if none."""
    return f", {counted(count, 'repeated document')} left out" if count else ""


def note_set_aside(warehouse: Warehouse, loaded: str) -> None:
    """Tell under which name judgments stay that this load has put others in the place of."""
    names = warehouse.rows(
        """
        select old.qrels from qrels as old join qrels as new on old.replaced_at = new.loaded_at
        where new.qrels = ? and old.qrels = new.qrels || regexp_extract(old.qrels, '@[0-9]+$')
        """,
        [loaded],
    )
    for (name,) in names:
        note(f"the judgments before stay as {name}; --qrels {name} evaluates with them")
