-- measure: ESL
-- title: Expected search length: documents read in vain before enough relevant ones are found
-- parameters: wanted, rel, collection
--   wanted integer in [1, inf) = 1        relevant documents that the reader wants
--   collection integer in [1, inf) = null   documents in the collection; null takes those retrieved or judged
-- definition: Other documents read before the last of the relevant documents that are wanted, expected over all
--    orders of tied documents: j + i s / (r + 1) with j others above the tied documents that hold the last one, i
--    of them and r relevant ones among these, and s still wanted there. Documents that are not retrieved are tied
--    below all others. All others where there are fewer relevant documents than wanted.
-- reference: Cooper 1968, Expected search length: a single measure of retrieval effectiveness based on the weak
--    ordering action of retrieval systems, doi:10.1002/asi.5090190108
-- differs: None of trec_eval, ranx and ir_measures has it. Less is better. Without ties: it is what is expected
--    over all orders of them; runs in their own order (tie rule rank or input) have none.
-- range: 0 inf
-- mean: arithmetic
-- better: less
-- scores: no
-- example: user-models ESL = 0
-- example: user-models ESL(wanted=3) = 3.5
-- example: ties ESL = 0.6
with sums as (
    select
        evaluation_id,
        sum(num_rel) as num_rel,
        sum(num_nonrel) as num_nonrel
    from tie_groups(rel := $rel)
    group by evaluation_id
),
counts as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        evaluated_topics.num_ret - coalesce(sums.num_rel, 0) as others_retrieved,
        coalesce(sums.num_rel, 0) as rel_retrieved,
        topic_counts.num_rel - coalesce(sums.num_rel, 0) as rel_left,
        case
            when $collection is null then topic_counts.num_nonrel - coalesce(sums.num_nonrel, 0)
            else greatest($collection - evaluated_topics.num_ret - topic_counts.num_rel + coalesce(sums.num_rel, 0), 0)
        end as others_left
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluated_topics.qrels_id
        and topic_counts.topic_id = evaluated_topics.topic_id
    left join sums on sums.evaluation_id = evaluated_topics.evaluation_id
),
found as (
    select
        evaluation_id,
        first_rank - 1 - rel_above
            + cast(last_rank - first_rank + 1 - num_rel as double) * ($wanted - rel_above) / (num_rel + 1) as length
    from tie_groups(rel := $rel)
    where
        rel_above < $wanted
        and rel_above + num_rel >= $wanted
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when found.length is not null then found.length
        when counts.rel_retrieved + counts.rel_left < $wanted then counts.others_retrieved + counts.others_left
        else counts.others_retrieved
            + cast(counts.others_left as double) * ($wanted - counts.rel_retrieved) / (counts.rel_left + 1)
    end as value
from evaluated_topics
join counts on counts.evaluation_id = evaluated_topics.evaluation_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
