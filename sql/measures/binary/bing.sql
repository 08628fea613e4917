-- measure: binG
-- title: Mean over relevant documents of a gain discounted by the documents above that are not relevant
-- trec_eval: binG
-- parameters: rel, ties
-- definition: Sum over the relevant documents of 1 / log2(2 + n), divided by the number of relevant documents; n
--    documents above are not relevant, judged or not. 0 if there are no relevant documents.
-- reference: Buckley, trec_eval, measure binG, which calls it experimental
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- scores: no
-- example: mixed binG = 0.1180
with discounted as (
    select
        evaluation_id,
        fsum(share / log2(2 + others_above)) as total
    from others_above(rel := $rel, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(discounted.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join discounted using (evaluation_id)
