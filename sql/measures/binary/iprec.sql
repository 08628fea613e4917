-- measure: IPrec
-- title: Interpolated precision at a level of recall
-- aliases: Rec0(recall=0), Rec10(recall=0.1)
-- at: recall
-- trec_eval: iprec_at_recall.recall = 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1
-- parameters: recall, rel, rounding, judged_only, ties in {rule, worst, best}
--   recall double in [0, 1] = 0.1   level of recall
--   rounding varchar in {trec_eval, trec_eval_10} = trec_eval   how many relevant documents a level of recall
--                                   stands for: floor(recall * R + 0.9), or rounded to the nearest
-- definition: The highest precision at any rank where at least c relevant documents are found, c being what the level
--    stands for under the rounding; 0 if the ranking has fewer than c.
-- reference: Buckley, trec_eval, measure iprec_at_recall
-- differs: trec_eval 9 and ir_measures round as trec_eval here, trec_eval 10 as trec_eval_10; for an empty ranking both
--    versions divide 0 by 0 at recall 0 where this gives 0. The textbook asks for recall of at least the level.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: mixed IPrec@0 = 0.1667
-- example: mixed IPrec@0.8 = 0
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
levels as (
    select
        qrels_id,
        topic_id,
        case
            when $rounding = 'trec_eval_10' then floor($recall * num_rel + 0.5)
            else floor($recall * num_rel + 0.9)
        end as num_needed
    from topic_counts(rel := $rel)
),
interpolated as (
    select
        evaluations.evaluation_id as evaluation_id,
        max(relevant.relevant_rank / relevant.rank) as precision
    from evaluations
    join levels
        on levels.qrels_id = evaluations.qrels_id
        and levels.topic_id = evaluations.topic_id
    join relevant
        on relevant.evaluation_id = evaluations.evaluation_id
        and relevant.relevant_rank >= levels.num_needed
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(interpolated.precision, 0) as value
from evaluated_topics
left join interpolated on interpolated.evaluation_id = evaluated_topics.evaluation_id
