-- title: Each rank of each group of tied documents that holds one with a gain
-- parameters: gains
-- columns: evaluation_id
--   rank           a rank of the group
--   first_rank     its first rank
--   last_rank      its last rank
--   num_gained     documents in the group with a gain above 0
--   total_gain     sum of their gains
--   gained_above   documents with a gain above 0 above the group
--   gain_above     sum of their gains
--   size           documents in the group
--   part_above     share of a document's companions in the group that are expected above it if it stands at the rank
with tied as (
    select
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        count(*) as num_gained,
        sum(grade_gains.gain) as total_gain
    from asked_ranks() as judged_ranks
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = judged_ranks.grade
    where grade_gains.gain > 0
    group by judged_ranks.evaluation_id, judged_ranks.first_rank, judged_ranks.last_rank
),
counted as (
    select
        *,
        coalesce(sum(num_gained) over above, 0) as gained_above,
        coalesce(sum(total_gain) over above, 0) as gain_above
    from tied
    window above as (
        partition by evaluation_id
        order by first_rank
        rows between unbounded preceding and 1 preceding
    )
)
select
    counted.evaluation_id,
    tie_ranks.rank,
    counted.first_rank,
    counted.last_rank,
    counted.num_gained,
    counted.total_gain,
    counted.gained_above,
    counted.gain_above,
    tie_ranks.size,
    tie_ranks.part_above
from counted
join tie_ranks() as tie_ranks
    on tie_ranks.first_rank = counted.first_rank
    and tie_ranks.last_rank = counted.last_rank
