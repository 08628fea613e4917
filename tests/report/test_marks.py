"""Marks by topic behind a leaderboard."""

import pytest

import evalsql
from evalsql.catalog.queries import relation_query


def test_marks_of_groups_of_topics_and_of_what_is_not_known(empty: evalsql.Warehouse) -> None:
    """Topics by their means: t3 (0.1), t1 (0.3), t2 (0.7); in two groups t3 with t1, from 0 to 0.8."""
    values = """
        select 'q' as qrels, * from (values
            ('a', 't1', 0.2), ('a', 't2', 0.6), ('a', 't3', 0.0), ('b', 't1', 0.4), ('b', 't2', 0.8), ('b', 't3', 0.2),
            ('c', 't1', null), ('c', 't2', 0.7), ('c', 't3', null)
        ) as given(run, topic, value)"""
    sql = relation_query(empty.catalog, "topic_marks", {"topic_values": values}, marks=2, levels=8)
    # Heights are 1 + 7 * value / 0.8: of 0.1, 0.6; 0.3, 0.8; 0.7.
    levels = {("a", 1): 2, ("a", 2): 6, ("b", 1): 4, ("b", 2): 8, ("c", 1): 0, ("c", 2): 7}
    rows = empty.rows(f"select run, mark, level, lowest, highest, num_topics from ({sql}) order by run, mark")
    assert rows == [(*key, level, 0, pytest.approx(0.8), 3) for key, level in levels.items()]
