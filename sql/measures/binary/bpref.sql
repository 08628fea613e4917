-- measure: Bpref
-- title: Binary preference
-- aliases: BPref
-- trec_eval: bpref
-- parameters: rel, ties
-- definition: Mean over the R relevant documents of 1 - min(n, R) / min(N, R), n being the documents
--    judged not relevant above it and N all of them; a document not retrieved adds 0.
-- reference: Buckley and Voorhees 2004, Retrieval evaluation with incomplete information,
--    doi:10.1145/1008992.1009000
-- differs: Negative grades are no judgment, as in trec_eval; ranx counts them as judged not relevant and
--    fails without such documents.
-- range: 0 1
-- mean: arithmetic
-- example: mixed Bpref = 0.1667
with averages as (
    select
        evaluations.evaluation_id as evaluation_id,
        sum(
            nonrelevant_above.share * case
                when nonrelevant_above.nonrel_above = 0 then cast(1 as double)
                else 1
                    - cast(least(nonrelevant_above.nonrel_above, topic_counts.num_rel) as double)
                    / least(topic_counts.num_nonrel, topic_counts.num_rel)
            end
        ) / max(topic_counts.num_rel) as value
    from evaluations
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluations.qrels_id
        and topic_counts.topic_id = evaluations.topic_id
    join nonrelevant_above(rel := $rel, ties := $ties) as nonrelevant_above
        on nonrelevant_above.evaluation_id = evaluations.evaluation_id
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
