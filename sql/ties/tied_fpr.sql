-- title: FPR in the worst and the best order of tied documents, and expected over all their orders
-- definition: Of the tie that the cutoff cuts, the least and the most documents of one kind that may stand above the
--    cutoff, or their share of the tie.
-- parameters: k = 10, rel, nonrelevant, collection, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
--   k   rank cutoff
with tied as (
    -- Most retrieved documents may have no judgment: the relevant ones are counted, and the others are the rest.
    select
        ties.evaluation_id,
        cutoffs.last_rank,
        case when $nonrelevant = 'judged' then ties.num_nonrel else ties.num_rel end as num_counted,
        ties.last_rank - ties.first_rank + 1 as size,
        least(cutoffs.last_rank, ties.last_rank) - ties.first_rank + 1 as num_kept
    from tie_groups(rel := $rel) as ties
    join cutoffs(k := $k) as cutoffs on ties.first_rank <= cutoffs.last_rank
),
counts as (
    select
        evaluation_id,
        last_rank,
        sum(
            case
                when $ties = 'expected' then cast(num_counted as double) * num_kept / size
                when ($ties = 'worst') = ($nonrelevant = 'judged') then least(num_counted, num_kept)
                else greatest(num_kept - (size - num_counted), 0)
            end
        ) as num_counted
    from tied
    group by evaluation_id, last_rank
),
false_positives as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        cutoffs.k,
        case
            when $nonrelevant = 'judged' then coalesce(counts.num_counted, 0)
            else least(cutoffs.last_rank, evaluated_topics.num_ret)
                - coalesce(counts.num_counted, 0)
        end as total
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join counts using (evaluation_id, last_rank)
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
