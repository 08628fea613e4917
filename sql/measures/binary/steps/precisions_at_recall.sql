-- title: Interpolated precision at levels of recall
-- definition: The highest precision at any rank where as many relevant documents are found as the level stands for.
-- parameters: points, rel, rounding, judged_only, ties in {rule, worst, best}
--   rounding varchar in {trec_eval, trec_eval_10, textbook} = trec_eval   how many of R relevant documents a level
--                   stands for: floor(recall * R + 0.9), or rounded to the nearest, or at least recall * R
-- columns: evaluation_id
--   recall      level of recall; there is no row where the ranking has too few relevant documents
--   precision   interpolated precision
with levels as (
    -- The factor forgives a level that has no exact binary form, 0.7 of 10 documents being 7.
    select
        topic_counts.qrels_id,
        topic_counts.topic_id,
        recall_points.recall,
        case $rounding
            when 'trec_eval' then floor(recall_points.recall * topic_counts.num_rel + 0.9)
            when 'trec_eval_10' then floor(recall_points.recall * topic_counts.num_rel + 0.5)
            else recall_points.recall * topic_counts.num_rel * (1 - 1e-12)
        end as num_needed
    from topic_counts(rel := $rel) as topic_counts
    cross join recall_points(points := $points) as recall_points
)
select
    evaluations.evaluation_id as evaluation_id,
    levels.recall as recall,
    max(relevant.relevant_rank / relevant.rank) as precision
from asked_evaluations() as evaluations
join levels using (qrels_id, topic_id)
join relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as relevant
    on relevant.evaluation_id = evaluations.evaluation_id
    and relevant.relevant_rank >= levels.num_needed
group by evaluations.evaluation_id, levels.recall
