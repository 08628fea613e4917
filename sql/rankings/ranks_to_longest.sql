-- title: The numbers from 1 to the length of the longest ranking
-- columns:
--   rank   a rank that some ranking has
with lengths as (
    select
        run_id,
        topic_id,
        row_number() over (order by num_ret desc, run_id, topic_id) as nth
    from run_topics
)
select retrieved.rank
from lengths
join retrieved
    on retrieved.run_id = lengths.run_id
    and retrieved.topic_id = lengths.topic_id
where lengths.nth = 1
