-- title: How many false positives each ranking shows down to each of its documents
-- parameters:
--   rel integer in [0, inf) = 1   least grade that counts as relevant
-- columns:
--   evaluation_id   key of the evaluation
--   qrels           judgment set
--   run             run
--   rank            place in the ranking
--   strength        strength of the weakest document down to here, which a cut needs to keep them all
--   score           its score as it stood in the file
--   relevant        whether the document is relevant, else it is a false positive
--   num_errors      false positives down to here
with assessed as (
    select
        evaluated.evaluation_id,
        evaluated.qrels,
        evaluated.run,
        scored.rank,
        scored.strength,
        case when runs.lower_is_better then -scored.score else scored.score end as signed,
        runs.lower_is_better,
        coalesce(judged_ranks.grade >= $rel, false) as relevant
    from evaluated
    join runs on runs.run_id = evaluated.run_id
    join scored
        on scored.run_id = evaluated.run_id
        and scored.topic_id = evaluated.topic_id
    left join judged_ranks
        on judged_ranks.evaluation_id = evaluated.evaluation_id
        and judged_ranks.rank = scored.rank
),
counted as (
    -- Partitions by name as well let a condition on the run reach the tables.
    select
        evaluation_id,
        qrels,
        run,
        rank,
        min(strength) over ranking as strength,
        min(signed) over ranking as signed,
        lower_is_better,
        relevant,
        count(case when not relevant then 1 end) over ranking as num_errors
    from assessed
    window ranking as (
        partition by qrels, run, evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
)
select
    evaluation_id,
    qrels,
    run,
    rank,
    strength,
    case when lower_is_better then -signed else signed end as score,
    relevant,
    num_errors
from counted
