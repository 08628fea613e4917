-- measure: Bpref
-- title: Binary preference
-- aliases: BPref
-- trec_eval: bpref
-- ties: expected = expected_bpref
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
with relevant as (
    select
        evaluation_id,
        judged_rank,
        case
            when $rel = 1 and $ties = 'rule' then relevant_rank
            else row_number() over (
                partition by evaluation_id
                order by rank
            )
        end as relevant_rank
    from ordered_ranks(ties := $ties)
    where grade >= $rel
),
preferred as (
    select
        evaluations.evaluation_id as evaluation_id,
        topic_counts.num_rel,
        case
            when relevant.judged_rank = relevant.relevant_rank then cast(1 as double)
            else 1
                - cast(least(relevant.judged_rank - relevant.relevant_rank, topic_counts.num_rel) as double)
                / least(topic_counts.num_nonrel, topic_counts.num_rel)
        end as preference
    from evaluations
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluations.qrels_id
        and topic_counts.topic_id = evaluations.topic_id
    join relevant on relevant.evaluation_id = evaluations.evaluation_id
),
averages as (
    select
        evaluation_id,
        sum(preference) / max(num_rel) as value
    from preferred
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
