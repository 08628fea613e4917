-- measure: IPrecAvg_textbook
-- title: Eleven-point average of interpolated precision, as textbooks define it
-- aliases: 11-point, eleven_point
-- parameters: points, rel, ties in {rule, worst, best}
-- definition: The mean of IPrec_textbook over the levels.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: IPrecAvg rounds as trec_eval does; the two are equal but where binary fractions fall short, and where levels
--    are not tenths.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: textbook-curves IPrecAvg_textbook = 0.6364
with relevant as (
    select
        evaluation_id,
        rank,
        -- The usual count comes with the ranks; any other one is taken down the ranking.
        case
            when $rel = 1 then relevant_rank
            else row_number() over (
                partition by evaluation_id
                order by rank
            )
        end as relevant_rank
    from ordered_ranks(ties := $ties)
    where grade >= $rel
),
interpolated as (
    -- Precision falls from one relevant document to the next, so the highest is at one of them.
    select
        evaluation_id,
        relevant_rank,
        max(relevant_rank / rank) over (
            partition by evaluation_id
            order by relevant_rank desc
            rows between unbounded preceding and current row
        ) as precision
    from relevant
),
levels as (
    -- The factor forgives a level that has no exact binary form, 0.7 of 10 documents being 7.
    select
        topic_counts.qrels_id,
        topic_counts.topic_id,
        ceil(recall_points.recall * topic_counts.num_rel * (1 - 1e-12)) as num_needed
    from topic_counts(rel := $rel) as topic_counts
    cross join recall_points(points := $points) as recall_points
),
averages as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        sum(coalesce(interpolated.precision, 0)) / count(*) as value
    from evaluated_topics
    join levels
        on levels.qrels_id = evaluated_topics.qrels_id
        and levels.topic_id = evaluated_topics.topic_id
    left join interpolated
        on interpolated.evaluation_id = evaluated_topics.evaluation_id
        and interpolated.relevant_rank = greatest(levels.num_needed, 1)
    group by evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    averages.value
from evaluated_topics
join averages on averages.evaluation_id = evaluated_topics.evaluation_id
