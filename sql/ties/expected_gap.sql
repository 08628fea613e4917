-- title: GAP expected over all orders of tied documents
-- definition: Each of the tie's documents stands at each of its ranks with the same probability. Beside one that
--    reaches the least grade the others of the tie are spread evenly over the remaining ranks.
-- parameters:
--   gains varchar = null   how likely the reader's least grade is a grade or below it; without them all from 1 to the
--                          greatest are as likely
-- columns: qrels, run, topic, value
with tied as (
    select
        evaluations.evaluation_id as evaluation_id,
        least_grades.grade as grade,
        least_grades.weight as weight,
        judged_ranks.first_rank as first_rank,
        judged_ranks.last_rank as last_rank,
        count(*) as num_rel
    from asked_evaluations() as evaluations
    join least_grade_weights(gains := $gains) as least_grades
        on least_grades.qrels_id = evaluations.qrels_id
        and least_grades.topic_id = evaluations.topic_id
    join asked_ranks() as judged_ranks
        on judged_ranks.evaluation_id = evaluations.evaluation_id
        and judged_ranks.grade >= least_grades.grade
    group by
        evaluations.evaluation_id,
        least_grades.grade,
        least_grades.weight,
        judged_ranks.first_rank,
        judged_ranks.last_rank
),
counted as (
    select
        evaluation_id,
        weight,
        first_rank,
        last_rank,
        num_rel,
        sum(num_rel) over (
            partition by evaluation_id, grade
            order by first_rank
            rows between unbounded preceding and current row
        ) - num_rel as rel_above
    from tied
),
precisions as (
    select
        evaluation_id,
        weight * (rel_above + 1) / first_rank as precision
    from counted
    where first_rank = last_rank
    union all
    select
        counted.evaluation_id,
        counted.weight
            * counted.num_rel
            / (counted.last_rank - counted.first_rank + 1)
            * (
                counted.rel_above
                + 1
                + cast(ranks_to_longest.rank - counted.first_rank as double)
                * (counted.num_rel - 1)
                / (counted.last_rank - counted.first_rank)
            )
            / ranks_to_longest.rank as precision
    from counted
    join ranks_to_longest on ranks_to_longest.rank between counted.first_rank and counted.last_rank
    where counted.first_rank < counted.last_rank
),
totals as (
    select
        evaluation_id,
        sum(precision) as total
    from precisions
    group by evaluation_id
),
ideal as (
    select
        qrels_id,
        topic_id,
        sum(weight * num_rel) as total
    from least_grade_weights(gains := $gains)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(totals.total / nullif(ideal.total, 0), 0) as value
from evaluated_topics
left join ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id
left join totals on totals.evaluation_id = evaluated_topics.evaluation_id
