-- title: Evaluations whose counts of judged and relevant documents are not right down the ranking
-- columns: finding
--   num_rows   documents with a wrong count
-- definition: judged_rank counts the documents with a grade of 0 or more down to each of them, relevant_rank
--    those with a grade of 1 or more; they are 0 for all others.
with counted as (
    select
        evaluation_id,
        rank,
        grade,
        judged_rank,
        relevant_rank,
        sum(case when grade >= 0 then 1 else 0 end) over (partition by evaluation_id order by rank) as num_judged,
        sum(case when grade >= 1 then 1 else 0 end) over (partition by evaluation_id order by rank) as num_relevant
    from judged_ranks
),
wrong as (
    select
        evaluation_id,
        min(rank) as first_wrong_rank,
        count(*) as num_rows
    from counted
    where
        judged_rank <> case when grade >= 0 then num_judged else 0 end
        or relevant_rank <> case when grade >= 1 then num_relevant else 0 end
    group by evaluation_id
)
select
    concat(
        case
            when evaluations.run_id is null then concat('evaluation #', wrong.evaluation_id)
            else concat(
                'run ', coalesce(runs.run, concat('#', evaluations.run_id)),
                ', topic ', coalesce(topics.topic, concat('#', evaluations.topic_id))
            )
        end,
        ': judged_rank or relevant_rank is wrong from rank ', wrong.first_wrong_rank, ' on'
    ) as finding,
    wrong.num_rows
from wrong
left join evaluations using (evaluation_id)
left join runs using (run_id)
left join topics on topics.topic_id = evaluations.topic_id
