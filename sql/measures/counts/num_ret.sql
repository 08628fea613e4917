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
    from relevant_retrieved(rel := $rel)
    where $rel is not null
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when $rel is null then cast(evaluated_topics.num_ret as double)
        else coalesce(graded.num_rel_ret, 0)
    end as value
from evaluated_topics
left join graded on graded.evaluation_id = evaluated_topics.evaluation_id
