-- title: RBP_resid expected over all orders of tied documents
-- definition: RBP_residual where a document retrieved is not judged, in whatever order; else 0.
-- parameters: p
--   p double in [0, 1] = 0.9   how likely the reader goes on to the next document
-- columns: qrels, run, topic, value
with seen as (
    select
        evaluation_id,
        count(*) as num_judged
    from asked_ranks()
    where grade >= 0
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when evaluated_topics.num_ret > coalesce(seen.num_judged, 0) then residual.value else 0 end as value
from evaluated_topics
join rbp_residual(p := $p, ties := 'expected') as residual using (qrels, run, topic)
left join seen using (evaluation_id)
