-- measure: CallRR
-- title: Reciprocal of the first call that finds a relevant document
-- parameters: k, rel
-- definition: 1 / c, c being the place of the first call of the topic that has a relevant document among its first k; 0 if
--    none has one. A run without calls has one call.
-- reference: Voorhees 1999, The TREC-8 question answering track report, of ranks; here of calls
-- differs: Nothing known; without calls it is Success.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a document may be found by several calls
-- scores: no
-- example: calls CallRR = 0.5
with earliest as (
    select
        session_ranks.evaluation_id,
        cutoffs.k,
        min(session_ranks.call) as call
    from session_ranks
    join cutoffs(k := $k) as cutoffs on session_ranks.rank <= cutoffs.last_rank
    where session_ranks.grade >= $rel
    group by session_ranks.evaluation_id, cutoffs.k
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(1.0 / earliest.call, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join earliest
    on earliest.evaluation_id = evaluated_topics.evaluation_id
    and earliest.k is not distinct from cutoffs.k
