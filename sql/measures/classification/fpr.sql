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
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- better: less
-- scores: no
-- example: roc FPR@3 = 0.35
-- example: roc FPR(nonrelevant='judged')@3 = 0.3125
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= 0 and grade < $rel then 1 end) as num_judged_nonrel
    from asked_ranks()
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
false_positives as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        cutoffs.k,
        case
            when $nonrelevant = 'judged' then coalesce(found.num_judged_nonrel, 0)
            else least(cutoffs.last_rank, evaluated_topics.num_ret) - coalesce(found.num_rel, 0)
        end as total
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join found using (evaluation_id, last_rank)
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    false_positives.k,
    coalesce(false_positives.total / nullif(class_counts.num_nonrel, 0), 0) as value
from evaluated_topics
join class_counts(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_counts
    using (evaluation_id)
join false_positives using (evaluation_id)
