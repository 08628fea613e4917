-- measure: infAP
-- title: Inferred average precision, from judgments that are a sample of the pool
-- trec_eval: infAP
-- ties: worst, best = extreme_infap
-- parameters: rel, ties in {rule, worst, best}
-- definition: Mean over the R relevant documents of what is expected of the precision at their rank k: 1 if k = 1, else
--    1/k + (k-1)/k * d/(k-1) * (r + e) / (r + n + 2e), where of the documents above d are in the pool (a negative grade
--    is in the pool without a judgment), r judged relevant and n not, and e = 0.00001; 0 for one not retrieved.
-- reference: Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments,
--    doi:10.1145/1183614.1183633
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0 and to ir_measures. The worst and the best
--    are those of rankings of fewer than 100,000 documents; in longer ones e may count for more than a rank.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it takes the judgments for a sample and infers what holes are itself
-- example: mixed infAP = 0.1111
with relevant_or_unjudged as (
    -- Numbered where the pool has documents that nobody judged, which is in few rankings or in all.
    select
        evaluation_id,
        rank,
        row_number() over (
            partition by evaluation_id
            order by rank
        ) as number
    from asked_ranks()
    where
        (grade >= $rel or grade < 0)
        and evaluation_id in (select evaluation_id from asked_ranks() where grade < 0)
),
above as (
    select
        relevant.evaluation_id,
        relevant.rank,
        cast(relevant.relevant_rank - 1 as double) as rel_above,
        cast(relevant.judged_rank - relevant.relevant_rank as double) as nonrel_above,
        cast(coalesce(relevant_or_unjudged.number - relevant.relevant_rank, 0) as double) as unjudged_above
    from relevant_ranks(rel := $rel) as relevant
    left join relevant_or_unjudged using (evaluation_id, rank)
),
inferred as (
    select
        evaluation_id,
        sum(
            case
                when rank = 1 then cast(1 as double)
                else 1 / rank
                    + (rank - 1) / rank
                    * ((rel_above + nonrel_above + unjudged_above) / (rank - 1))
                    * ((rel_above + 0.00001) / (rel_above + nonrel_above + 0.00002))
            end
        ) as total
    from above
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(inferred.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join inferred using (evaluation_id)
