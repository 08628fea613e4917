-- measure: ROC
-- title: Area under the ROC curve up to n false positives
-- aliases: ROC_n, AUC_n
-- at: n
-- parameters: n, rel, nonrelevant, ties
--   n integer in [1, inf) = 50      false positives at which the curve ends
-- definition: (t_1 + ... + t_n) / (n R), t_i being the number of relevant documents above the i-th false positive, R
--    that of all relevant documents. Where fewer than n are retrieved, each that is wanting counts all relevant
--    documents retrieved, as if it stood at the end. 0 if there are no relevant documents.
-- reference: Gribskov and Robinson 1996, Use of receiver operating characteristic (ROC) analysis to evaluate sequence
--    matching, doi:10.1016/S0097-8485(96)80004-0
-- differs: Nothing known. Programs that ask for n false positives in the list have no value where there are fewer.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- scores: no
-- example: roc ROC@2 = 0.1875
-- example: roc ROC@10 = 0.2688
with areas as (
    -- A relevant document with f false positives above it stands above n - f of the first n.
    select
        evaluation_id,
        ends.value as last_number,
        fsum(share * greatest(ends.value - others_above, 0)) as total
    from others_above(rel := $rel, nonrelevant := $nonrelevant, ties := $ties)
    cross join given_values(given := $n) as ends
    group by evaluation_id, ends.value
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(ends.value as integer) as n,
    coalesce(areas.total / ends.value / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
cross join given_values(given := $n) as ends
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join areas
    on areas.evaluation_id = evaluated_topics.evaluation_id
    and areas.last_number = ends.value
