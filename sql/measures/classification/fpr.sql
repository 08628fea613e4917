-- measure: FPR
-- title: False positive rate at a cutoff
-- aliases: Fallout, false_positive_rate
-- ties: worst, best, expected = tied_fpr
-- parameters: k = 10, rel, nonrelevant, collection, ties
-- definition: Documents not relevant among the first k, divided by the number of documents not relevant; 0 if there are
--    none. It does not ask for relevant documents, so that a topic without them counts like any other.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: The textbook divides by all documents of the collection that are not relevant (here with collection).
-- range: 0 1
-- mean: arithmetic
-- better: less
-- scores: no
-- example: roc FPR@3 = 0.35
-- example: roc FPR(nonrelevant='judged')@3 = 0.3125
with found as (
    select
        evaluation_id,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= $rel and rank <= coalesce($k, rank) then 1 end) as num_rel_to_k,
        count(case when grade >= 0 and grade < $rel and rank <= coalesce($k, rank) then 1 end) as num_judged_nonrel_to_k
    from asked_ranks()
    group by evaluation_id
),
counts as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        case
            when $nonrelevant = 'judged' then topic_counts.num_nonrel
            else greatest(
                evaluated_topics.num_ret - coalesce(found.num_rel, 0),
                coalesce($collection - topic_counts.num_rel, 0)
            )
        end as num_nonrel,
        case
            when $nonrelevant = 'judged' then coalesce(found.num_judged_nonrel_to_k, 0)
            else least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret)
                - coalesce(found.num_rel_to_k, 0)
        end as false_positives
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluated_topics.qrels_id
        and topic_counts.topic_id = evaluated_topics.topic_id
    left join found on found.evaluation_id = evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(counts.false_positives / nullif(counts.num_nonrel, 0), 0) as value
from evaluated_topics
join counts on counts.evaluation_id = evaluated_topics.evaluation_id
