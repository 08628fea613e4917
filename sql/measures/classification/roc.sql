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
-- scores: no
-- example: roc ROC@2 = 0.1875
-- example: roc ROC@10 = 0.2688
with truncated as (
    select
        evaluation_id,
        num_rel,
        num_nonrel,
        $n - nonrel_above as num_left,
        least($n - nonrel_above, num_nonrel + 1) as num_seen
    from class_groups(rel := $rel, nonrelevant := $nonrelevant)
    where
        $ties = 'expected'
        and nonrel_above < $n
),
gains as (
    -- A relevant document with f false positives above it stands above n - f of the first n.
    select
        relevant_ranks.evaluation_id as evaluation_id,
        greatest(
            $n - case
                when $nonrelevant = 'judged' then relevant_ranks.nonrel_above
                else relevant_ranks.rank - relevant_ranks.nth
            end,
            0
        ) as gain
    from relevant_ranks(rel := $rel, ties := $ties) as relevant_ranks
    where $ties <> 'expected'
    union all
    -- Of num_nonrel tied documents 0 to all stand above, with the same chance; num_seen of these cases gain.
    select
        truncated.evaluation_id as evaluation_id,
        cast(truncated.num_rel as double) * truncated.num_seen
            * (truncated.num_left - cast(truncated.num_seen - 1 as double) / 2)
            / (truncated.num_nonrel + 1) as gain
    from truncated
),
areas as (
    select
        evaluation_id,
        sum(gain) as total
    from gains
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(cast(areas.total as double) / $n / nullif(cast(topic_counts.num_rel as double), 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join areas on areas.evaluation_id = evaluated_topics.evaluation_id
