-- measure: Specificity
-- title: Specificity at a cutoff, the true negative rate
-- aliases: TNR, true_negative_rate
-- ties: worst, best, expected = tied_specificity
-- parameters: k = 10, rel, nonrelevant, collection, ties
-- definition: 1 - FPR: of the documents not relevant the share that is not among the first k; 1 if there are none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: The textbook divides by all documents of the collection that are not relevant (here with collection).
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: roc Specificity@3 = 0.65
with retrieved_to_k as (
    select
        evaluation_id,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= 0 and grade < $rel then 1 end) as num_judged_nonrel
    from judged_ranks
    where rank <= coalesce($k, rank)
    group by evaluation_id
),
false_positives as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        case
            when $nonrelevant = 'judged' then coalesce(retrieved_to_k.num_judged_nonrel, 0)
            else least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret)
                - coalesce(retrieved_to_k.num_rel, 0)
        end as total
    from evaluated_topics
    left join retrieved_to_k on retrieved_to_k.evaluation_id = evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        cast(class_counts.num_nonrel - false_positives.total as double) / nullif(class_counts.num_nonrel, 0),
        1
    ) as value
from evaluated_topics
join class_counts(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_counts
    on class_counts.evaluation_id = evaluated_topics.evaluation_id
join false_positives on false_positives.evaluation_id = evaluated_topics.evaluation_id
