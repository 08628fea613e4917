"""Whether ranks and scores are such: in a third column without a header, and in rankings without scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalsql.ingest.problems import ProblemList
from evalsql.ingest.python_rows import SEVERAL_RANKINGS

if TYPE_CHECKING:
    from evalsql.ingest.files.table import Table

_RUN, _SCORES, _JUDGMENTS = "MS MARCO run", "run of three columns", "judgments of three columns"
THIRD_COLUMN = (_RUN, _SCORES, _JUDGMENTS)
_ENOUGH = 3  # documents of a topic that would be judged 1, 2, 3, ...


def check_third_column(table: Table) -> None:
    """Refuse a run whose ranks do not start at 1 or scores are whole, and judgments whose grades count up as ranks."""
    problems = ProblemList()
    if table.form.name == _RUN:
        odd = f"""
            select topic, min(rank) as least, count(*) >= {_ENOUGH} and count(distinct rank) * 2 <= count(*) as repeats
            from ({table.query}) group by topic having least > 1 or repeats order by topic
        """
        for topic, least, repeats in table.database.rows(odd):
            fault = (
                "has the same ranks again and again, as grades are"
                if repeats
                else f"has no rank 1, its first is {least}"
            )
            reason = (
                f"topic {topic} {fault}; without a header the columns of a run are topic, document, rank and perhaps "
                "score, others need one such as topic,document,score"
            )
            problems.add(table.problem(0, reason))
    elif table.form.name == _SCORES:
        ((are_whole,),) = table.database.rows(f"select bool_and(score = trunc(score)) from ({table.query})")
        if are_whole:
            reason = (
                "the third column holds whole numbers alone, as grades and ranks are; a header such as "
                "topic,document,score says that they are scores"
            )
            problems.add(table.problem(0, reason))
    else:
        ((most, others),) = table.database.rows(f"""
            select max(documents), count(*) filter (documents <> highest or documents <> grades or lowest <> 1) from (
                select
                    count(*) as documents, max(grade) as highest, min(grade) as lowest, count(distinct grade) as grades
                from ({table.query}) group by topic
            )
        """)
        if most >= _ENOUGH and not others:
            reason = "the third column counts up from 1 in every topic, as ranks do; is it a run of MS MARCO?"
            problems.add(table.problem(0, reason))
    problems.check()


def check_one_ranking(table: Table) -> None:
    """Refuse several rankings without scores of one topic; in each of them the ranks count from 1."""
    problems = ProblemList()
    repeated = f"select topic from ({table.query}) where rank = 1 group by topic having count(*) > 1 order by topic"
    for (topic,) in table.database.rows(repeated):
        problems.add(table.problem(0, SEVERAL_RANKINGS.format(topic=topic)))
    problems.check()
