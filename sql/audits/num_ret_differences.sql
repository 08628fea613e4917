-- title: Topics of runs whose number of documents is not that of their rankings
-- quick: yes
-- inputs: ranking_sums
-- parameters: first_run
-- columns: finding
--   num_rows   documents of the ranking
-- definition: num_ret in run_topics is the number of rows in retrieved; a topic of which no document was kept
--    has 0.
with topic_sizes as (
    select
        run_id,
        topic_id,
        num_ret
    from run_topics
    where run_id >= $first_run
),
compared as (
    select
        coalesce(topic_sizes.run_id, ranking_sums.run_id) as run_id,
        coalesce(topic_sizes.topic_id, ranking_sums.topic_id) as topic_id,
        topic_sizes.num_ret,
        coalesce(ranking_sums.num_rows, 0) as num_rows
    from topic_sizes
    full join ranking_sums
        on ranking_sums.run_id = topic_sizes.run_id
        and ranking_sums.topic_id = topic_sizes.topic_id
)
select
    concat(
        'run ', coalesce(runs.run, concat('#', compared.run_id)),
        ', topic ', coalesce(topics.topic, concat('#', compared.topic_id)), ': ',
        case
            when compared.num_ret is null then 'run_topics lacks the topic'
            else concat('num_ret is ', compared.num_ret)
        end,
        ', the ranking has ', compared.num_rows, ' documents'
    ) as finding,
    compared.num_rows
from compared
left join runs using (run_id)
left join topics on topics.topic_id = compared.topic_id
where coalesce(compared.num_ret, -1) <> compared.num_rows
