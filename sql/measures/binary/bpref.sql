-- measure: Bpref
-- title: Binary preference
-- aliases: BPref
-- trec_eval: bpref
-- parameters: rel, ties
-- definition: Mean over the R relevant documents of the topic of 1 - min(n, R) / min(N, R). For each of them n is the
--    number of documents judged not relevant that rank above it; N is how many the topic has. A relevant document
--    with none above it adds 1, one that is not retrieved 0. 0 if there are no relevant documents.
-- reference: Buckley and Voorhees 2004, Retrieval evaluation with incomplete information,
--    doi:10.1145/1008992.1009000
-- differs: Negative grades are no judgment, as in trec_eval. ranx counts them as judged not relevant, and gives
--    NaN where a topic has no documents judged not relevant.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- example: mixed Bpref = 0.1667
with averages as (
    -- Where nothing is judged not relevant there is nothing to divide by, and nothing stands above.
    select
        evaluations.evaluation_id as evaluation_id,
        -- In the order of ranks, as trec_eval adds: at halves of the last digit printed, fsum rounds otherwise.
        sum(
            outranked.share * case
                when outranked.others_above = 0 then 1
                else 1
                    - cast(least(outranked.others_above, topic_counts.num_rel) as double)
                    / least(topic_counts.num_nonrel, topic_counts.num_rel)
            end
        ) / max(topic_counts.num_rel) as value
    from asked_evaluations() as evaluations
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    join others_above(rel := $rel, nonrelevant := 'judged', ties := $ties) as outranked using (evaluation_id)
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages using (evaluation_id)
