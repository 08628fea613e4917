-- title: How many false positives each ranking shows down to each of its documents
-- parameters: rel
-- columns:
--   evaluation_id   key of the evaluation
--   qrels           judgment set
--   run             run
--   rank            place in the ranking
--   comparison_score        strength of the weakest document down to here, which a cut needs to keep them all
--   score           its score as it stood in the file
--   relevant        whether the document is relevant, else it is a false positive
--   num_errors      false positives down to here
with assessed as (
    select
        evaluated_topics.evaluation_id,
        evaluated_topics.qrels,
        evaluated_topics.run,
        retrieved_scores.rank,
        retrieved_scores.comparison_score,
        case when runs.lower_is_better then -retrieved_scores.score else retrieved_scores.score end as signed,
        runs.lower_is_better,
        coalesce(judged_ranks.grade >= $rel, false) as relevant
    from evaluated_topics
    join runs on runs.run_id = evaluated_topics.run_id
    join retrieved_scores
        on retrieved_scores.run_id = evaluated_topics.run_id
        and retrieved_scores.topic_id = evaluated_topics.topic_id
    left join judged_ranks
        on judged_ranks.evaluation_id = evaluated_topics.evaluation_id
        and judged_ranks.rank = retrieved_scores.rank
),
counted as (
    -- Partitions by name as well let a condition on the run reach the tables.
    select
        evaluation_id,
        qrels,
        run,
        rank,
        min(comparison_score) over ranking as comparison_score,
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
    comparison_score,
    case when lower_is_better then -signed else signed end as score,
    relevant,
    num_errors
from counted
