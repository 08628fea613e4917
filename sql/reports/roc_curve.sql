-- title: The ROC curve of each ranking that has documents of both kinds, by its corners
-- parameters: rel, nonrelevant, collection
-- columns: qrels, run
--   topic             topic, if it has documents that are relevant and documents that are not
--   rank              documents retrieved down to this point; null at the end of the curve if not all are retrieved
--   threshold         score of the last of them; null where the curve begins and where it ends beyond the ranking
--   false_positives   documents not relevant among them
--   true_positives    relevant documents among them
--   fpr               false positive rate
--   tpr               true positive rate, which is recall
with both_kinds as (
    select
        evaluation_id,
        num_rel,
        num_nonrel,
        rel_ret,
        nonrel_ret
    from class_counts(rel := $rel, nonrelevant := $nonrelevant, collection := $collection)
    where
        num_rel > 0
        and num_nonrel > 0
),
ties_with_relevant as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        num_rel,
        case when $nonrelevant = 'judged' then num_nonrel else last_rank - first_rank + 1 - num_rel end as num_nonrel,
        rel_above,
        case when $nonrelevant = 'judged' then nonrel_above else first_rank - 1 - rel_above end as nonrel_above
    from tie_groups(rel := $rel)
    where num_rel > 0
),
marked as (
    -- Documents tied with a relevant one make a slope, those without one a level line between two slopes.
    select
        evaluation_id,
        first_rank - 1 as rank,
        nonrel_above as false_positives,
        rel_above as true_positives
    from ties_with_relevant
    union all
    select
        evaluation_id,
        last_rank as rank,
        nonrel_above + num_nonrel as false_positives,
        rel_above + num_rel as true_positives
    from ties_with_relevant
    union all
    select
        evaluation_id,
        0 as rank,
        0 as false_positives,
        0 as true_positives
    from both_kinds
    union all
    select
        both_kinds.evaluation_id,
        evaluated_topics.num_ret as rank,
        both_kinds.nonrel_ret as false_positives,
        both_kinds.rel_ret as true_positives
    from both_kinds
    join evaluated_topics using (evaluation_id)
    union all
    select
        evaluation_id,
        null as rank,
        num_nonrel as false_positives,
        num_rel as true_positives
    from both_kinds
    where
        rel_ret < num_rel
        or nonrel_ret < num_nonrel
),
corners as (
    select
        evaluation_id,
        min(rank) as rank,
        false_positives,
        true_positives
    from marked
    group by evaluation_id, false_positives, true_positives
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    corners.rank,
    retrieved.score as threshold,
    corners.false_positives,
    corners.true_positives,
    corners.false_positives / both_kinds.num_nonrel as fpr,
    corners.true_positives / both_kinds.num_rel as tpr
from evaluated_topics
join both_kinds using (evaluation_id)
join corners using (evaluation_id)
left join asked_retrieved() as retrieved using (run_id, topic_id, rank)
