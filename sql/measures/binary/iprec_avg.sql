-- measure: IPrecAvg
-- title: Interpolated precision averaged over levels of recall
-- trec_eval: 11pt_avg.points
-- parameters: points, rel, rounding, judged_only, ties in {rule, worst, best}
--   rounding varchar in {trec_eval, trec_eval_10} = trec_eval   how many relevant documents a level of recall
--                                   stands for: floor(recall * R + 0.9), or rounded to the nearest
-- definition: The mean of IPrec over the levels.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: trec_eval 9 rounds as trec_eval here, trec_eval 10 as trec_eval_10; for an empty ranking both versions
--    divide 0 by 0 where this gives 0, and mix levels up that are not in order. The textbook asks for recall of at
--    least the level.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: mixed IPrecAvg = 0.1091
-- example: mixed IPrecAvg(rounding='trec_eval_10') = 0.1242
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
    from ordered_ranks(judged_only := $judged_only, ties := $ties)
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
    select
        topic_counts.qrels_id,
        topic_counts.topic_id,
        case
            when $rounding = 'trec_eval_10' then floor(recall_points.recall * topic_counts.num_rel + 0.5)
            else floor(recall_points.recall * topic_counts.num_rel + 0.9)
        end as num_needed
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
