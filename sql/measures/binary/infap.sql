-- measure: infAP
-- title: Inferred average precision, from judgments that are a sample of the pool
-- trec_eval: infAP
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: Mean over the R relevant documents of what is expected of the precision at their rank k: 1 for k = 1, else
--    1/k + (k-1)/k * d/(k-1) * (r + e) / (r + n + 2e), where of the documents above d are in the pool (a negative grade
--    is in the pool without a judgment), r judged relevant and n not, and e = 0.00001; 0 for one not retrieved.
-- reference: Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments,
--    doi:10.1145/1183614.1183633
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0 and to ir_measures. Without ties: no value over
--    all orders of tied documents is known for it in closed form.
-- range: 0 1
-- mean: arithmetic
-- example: mixed infAP = 0.1111
with counted as (
    select
        evaluation_id,
        rank,
        grade,
        cast(count(*) over ranking as double) - 1 as pooled_above,
        cast(count(case when grade >= $rel then 1 end) over ranking as double) - 1 as rel_above,
        cast(count(case when grade >= 0 and grade < $rel then 1 end) over ranking as double) as nonrel_above
    from judged_ranks
    window ranking as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
),
inferred as (
    select
        evaluation_id,
        sum(
            case
                when rank = 1 then cast(1 as double)
                else cast(1 as double) / rank
                    + cast(rank - 1 as double) / rank
                    * (pooled_above / (rank - 1))
                    * ((rel_above + 0.00001) / (rel_above + nonrel_above + 0.00002))
            end
        ) as total
    from counted
    where grade >= $rel
    group by evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(inferred.total / nullif(topic_facts.num_rel, 0), 0) as value
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
left join inferred on inferred.evaluation_id = evaluated.evaluation_id
