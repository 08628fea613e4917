-- measure: NumRet
-- title: Number of documents retrieved
-- trec_eval: num_ret
-- parameters:
--   rel integer in [0, inf) = null   least grade of the documents that are counted; null counts all
-- definition: Documents the run has for the topic; summed over topics.
-- reference: Buckley, trec_eval, measure num_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- example: mixed NumRet = 7
with graded as (
    select
        evaluation_id,
        num_rel_ret
    from relevant_counts(rel := $rel)
    where $rel is not null
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    case
        when $rel is null then cast(evaluated.num_ret as double)
        else coalesce(graded.num_rel_ret, 0)
    end as value
from evaluated
left join graded on graded.evaluation_id = evaluated.evaluation_id
