-- measure: FPR
-- title: False positive rate at a cutoff
-- aliases: Fallout, false_positive_rate
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
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        cast(false_positive_counts.num_false as double) / nullif(cast(class_totals.num_nonrel as double), 0),
        0
    ) as value
from evaluated_topics
join class_totals(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_totals
    on class_totals.evaluation_id = evaluated_topics.evaluation_id
join false_positive_counts(k := $k, rel := $rel, nonrelevant := $nonrelevant, ties := $ties) as false_positive_counts
    on false_positive_counts.evaluation_id = evaluated_topics.evaluation_id
