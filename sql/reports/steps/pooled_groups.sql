-- title: Documents of equal score of each run, all topics pooled, with the documents of better scores above them
-- parameters: rel, nonrelevant
-- columns: qrels, run
--   comparison_score   what the tie rule compares of their scores; only documents of the topics evaluated
--   threshold          their score; of different ones that the tie rule holds equal the weakest
--   num_rel            relevant documents among them
--   num_nonrel         documents not relevant among them
--   rel_above          relevant documents above all of them
--   nonrel_above       documents not relevant above all of them
with documents_seen as (
    -- Names of judgment sets and runs let a condition on the run reach the tables.
    select
        evaluated_topics.qrels as qrels,
        evaluated_topics.run as run,
        retrieved_scores.comparison_score as comparison_score,
        case when runs.lower_is_better then -retrieved_scores.score else retrieved_scores.score end as signed_score,
        runs.lower_is_better as lower_is_better,
        case when judged_ranks.grade >= $rel then 1 else 0 end as is_rel,
        case
            when judged_ranks.grade >= $rel then 0
            when judged_ranks.grade >= 0 or $nonrelevant = 'retrieved' then 1
            else 0
        end as is_nonrel
    from evaluated_topics
    join runs using (run_id)
    join retrieved_scores
        on retrieved_scores.run_id = evaluated_topics.run_id
        and retrieved_scores.topic_id = evaluated_topics.topic_id
    left join asked_ranks() as judged_ranks
        on judged_ranks.evaluation_id = evaluated_topics.evaluation_id
        and judged_ranks.rank = retrieved_scores.rank
),
tied as (
    select
        qrels,
        run,
        comparison_score,
        lower_is_better,
        min(signed_score) as signed_score,
        sum(is_rel) as num_rel,
        sum(is_nonrel) as num_nonrel
    from documents_seen
    group by qrels, run, comparison_score, lower_is_better
)
select
    qrels,
    run,
    comparison_score,
    case when lower_is_better then -signed_score else signed_score end as threshold,
    cast(num_rel as bigint) as num_rel,
    cast(num_nonrel as bigint) as num_nonrel,
    cast(coalesce(sum(num_rel) over pooled_above, 0) as bigint) as rel_above,
    cast(coalesce(sum(num_nonrel) over pooled_above, 0) as bigint) as nonrel_above
from tied
window pooled_above as (
    partition by qrels, run
    order by comparison_score desc
    rows between unbounded preceding and 1 preceding
)
