-- measure: RR
-- title: Reciprocal rank of the first relevant document
-- aliases: MRR
-- trec_eval: recip_rank
-- ties: expected = expected_rr
-- parameters: k, rel, judged_only, ties
-- definition: 1 / r, r being the rank of the first relevant document; 0 if none is among the first k.
-- reference: Voorhees 1999, The TREC-8 Question Answering Track Report
-- differs: ir_measures takes RR with a cutoff from a provider that breaks ties by document id ascending; here the tie
--    rule of the run holds with and without one.
-- range: 0 1
-- mean: arithmetic
-- example: single-value-2 RR = 0.33
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
    where
        grade >= $rel
        and rank <= coalesce($k, rank)
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(1 / relevant.rank, 0) as value
from evaluated_topics
left join relevant
    on relevant.evaluation_id = evaluated_topics.evaluation_id
    and relevant.relevant_rank = 1
