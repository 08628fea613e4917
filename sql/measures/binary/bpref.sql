-- measure: Bpref
-- title: Binary preference
-- aliases: BPref
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: Mean over the R relevant documents of 1 - min(n, R) / min(N, R), n being the documents
--    judged not relevant above it and N all of them; a document not retrieved adds 0.
-- reference: Buckley and Voorhees 2004, Retrieval evaluation with incomplete information,
--    doi:10.1145/1008992.1009000
-- differs: Negative grades are no judgment, as in trec_eval; ranx counts them as judged not relevant and
--    fails without such documents.
-- range: 0 1
-- mean: arithmetic
-- example: mixed Bpref = 0.1667
with preferences as (
    select
        evaluated.evaluation_id as evaluation_id,
        sum(
            case
                when relevant_ranks.nonrel_above = 0 then cast(1 as double)
                else 1
                    - cast(least(relevant_ranks.nonrel_above, topic_facts.num_rel) as double)
                    / least(topic_facts.num_nonrel, topic_facts.num_rel)
            end
        ) / max(topic_facts.num_rel) as value
    from evaluated
    join topic_facts(rel := $rel) as topic_facts
        on topic_facts.qrels_id = evaluated.qrels_id
        and topic_facts.topic_id = evaluated.topic_id
    join relevant_ranks(rel := $rel) as relevant_ranks
        on relevant_ranks.evaluation_id = evaluated.evaluation_id
    group by evaluated.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(preferences.value, 0) as value
from evaluated
left join preferences on preferences.evaluation_id = evaluated.evaluation_id
