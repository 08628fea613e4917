-- measure: ESL
-- title: Expected search length: documents read in vain before enough relevant ones are found
-- parameters: wanted, rel, collection
--   wanted integer in [1, inf) = 1        relevant documents that the reader wants
--   collection integer in [1, inf) = null   documents in the collection; null takes those retrieved or judged
-- definition: Other documents read before the last of the relevant documents that are wanted, expected over all
--    orders of tied documents: j + i s / (r + 1) with j others above the tied documents that hold the last one, i
--    of them and r relevant ones among these, and s still wanted there. Documents that are not retrieved are tied
--    below all others. All others where there are fewer relevant documents than are wanted.
-- reference: Cooper 1968, Expected search length: a single measure of retrieval effectiveness based on the weak
--    ordering action of retrieval systems, doi:10.1002/asi.5090190108
-- differs: None of trec_eval, ranx and ir_measures has it. Less is better. Without ties: it is what is expected
--    over all orders of them; runs in their own order (tie rule rank or input) have none.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, documents that are not retrieved are tied below all others, and each hole moves their number
-- better: less
-- scores: no
-- example: user-models ESL = 0
-- example: user-models ESL(wanted=3) = 3.5
-- example: ties ESL = 0.6
with found as (
    select
        evaluation_id,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= 0 and grade < $rel then 1 end) as num_nonrel
    from asked_ranks()
    group by evaluation_id
),
not_retrieved as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        topic_counts.num_rel - coalesce(found.num_rel, 0) as num_rel,
        case
            when $collection is null then topic_counts.num_nonrel - coalesce(found.num_nonrel, 0)
            else greatest($collection - evaluated_topics.num_ret - topic_counts.num_rel + coalesce(found.num_rel, 0), 0)
        end as num_others,
        coalesce(found.num_rel, 0) as rel_above,
        evaluated_topics.num_ret - coalesce(found.num_rel, 0) as others_above
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join found using (evaluation_id)
),
ties as (
    select
        evaluation_id,
        num_rel,
        last_rank - first_rank + 1 - num_rel as num_others,
        rel_above,
        first_rank - 1 - rel_above as others_above
    from relevant_ties(rel := $rel)
    union all
    select
        evaluation_id,
        num_rel,
        num_others,
        rel_above,
        others_above
    from not_retrieved
),
search_lengths as (
    select
        evaluation_id,
        others_above + cast(num_others as double) * ($wanted - rel_above) / (num_rel + 1) as length
    from ties
    where
        rel_above < $wanted
        and rel_above + num_rel >= $wanted
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(search_lengths.length, not_retrieved.others_above + not_retrieved.num_others) as value
from evaluated_topics
join not_retrieved using (evaluation_id)
left join search_lengths using (evaluation_id)
