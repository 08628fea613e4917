-- measure: GAP
-- title: Graded average precision
-- parameters:
--   gains varchar = null            how likely the reader's least grade is a grade or below it, as
--                                   '1=0.4,2=1'; without them all from 1 to the greatest are as likely
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                   the worst, the best or what is expected over all orders; worst and best are not
--                                   known (null) where a grade of the topic has less gain than a lower one
-- definition: With the chance w of each least grade: sum over the least grades of w times the sum of the
--    precisions at the documents that reach it, divided by the sum of w times the number of such documents there
--    are; 0 if there are none.
-- reference: Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded relevance judgments,
--    doi:10.1145/1835449.1835550
-- differs: None of trec_eval, ranx and ir_measures has it. Of gains, a greater grade's should not be less.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models GAP = 0.5
-- example: user-models GAP(gains={1:0.25,2:1}) = 0.4444
with used as (
    select distinct
        judged_documents.qrels_id,
        judged_documents.topic_id,
        judged_documents.grade,
        grade_gains.gain
    from judged_documents
    join grade_gains(gains := $gains) as grade_gains
        on grade_gains.grade = judged_documents.grade
    where judged_documents.grade > 0
),
levels as (
    -- The chance that the least grade is this one or between it and the one below.
    select
        qrels_id,
        topic_id,
        grade,
        gain - coalesce(lag(gain) over grades, 0) as chance
    from used
    window grades as (
        partition by qrels_id, topic_id
        order by grade
    )
),
ideal as (
    select
        levels.qrels_id,
        levels.topic_id,
        sum(levels.chance) as total,
        min(levels.chance) as least_chance
    from levels
    join judged_documents
        on judged_documents.qrels_id = levels.qrels_id
        and judged_documents.topic_id = levels.topic_id
        and judged_documents.grade >= levels.grade
    group by levels.qrels_id, levels.topic_id
),
counted as (
    select
        evaluations.evaluation_id as evaluation_id,
        graded_ranks.rank,
        levels.chance,
        row_number() over (
            partition by evaluations.evaluation_id, levels.grade
            order by graded_ranks.rank
        ) as nth
    from evaluations
    join levels
        on levels.qrels_id = evaluations.qrels_id
        and levels.topic_id = evaluations.topic_id
    join gains_by_rank(ties := $ties) as graded_ranks
        on graded_ranks.evaluation_id = evaluations.evaluation_id
        and graded_ranks.gain >= levels.grade
    where $ties <> 'expected'
),
tied as (
    select
        evaluations.evaluation_id as evaluation_id,
        levels.grade,
        levels.chance,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        count(*) as num_reached
    from evaluations
    join levels
        on levels.qrels_id = evaluations.qrels_id
        and levels.topic_id = evaluations.topic_id
    join judged_ranks
        on judged_ranks.evaluation_id = evaluations.evaluation_id
        and judged_ranks.grade >= levels.grade
    where $ties = 'expected'
    group by
        evaluations.evaluation_id,
        levels.grade,
        levels.chance,
        judged_ranks.first_rank,
        judged_ranks.last_rank
),
spread as (
    select
        evaluation_id,
        chance,
        first_rank,
        last_rank,
        num_reached,
        sum(num_reached) over (
            partition by evaluation_id, grade
            order by first_rank
            rows between unbounded preceding and current row
        ) - num_reached as reached_above
    from tied
),
found_places as (
    select
        evaluation_id,
        chance * nth / rank as precision
    from counted
    union all
    select
        evaluation_id,
        chance * (reached_above + 1) / first_rank as precision
    from spread
    where first_rank = last_rank
    union all
    -- Beside one of num_reached documents the others are spread evenly over the remaining places.
    select
        spread.evaluation_id,
        spread.chance
            * spread.num_reached
            / (spread.last_rank - spread.first_rank + 1)
            * (
                spread.reached_above
                + 1
                + cast(ranks_to_longest.rank - spread.first_rank as double)
                * (spread.num_reached - 1)
                / (spread.last_rank - spread.first_rank)
            )
            / ranks_to_longest.rank as precision
    from spread
    join ranks_to_longest on ranks_to_longest.rank between spread.first_rank and spread.last_rank
    where spread.first_rank < spread.last_rank
),
found as (
    select
        evaluation_id,
        sum(precision) as total
    from found_places
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when $ties not in ('worst', 'best') or coalesce(ideal.least_chance, 0) >= 0
        then coalesce(found.total / nullif(ideal.total, 0), 0)
    end as value
from evaluated_topics
left join ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
