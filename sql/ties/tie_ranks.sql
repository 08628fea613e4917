-- title: Each rank of each stretch of ranks over which tied documents extend, single ranks among them
-- parameters: judged_only
-- columns:
--   first_rank   first rank of the tie
--   last_rank    its last rank
--   rank         a rank of it
--   size         documents in it
--   part_above   share of a document's companions in the tie that are expected above it if it stands at the rank
with stretches as (
    select distinct
        first_rank,
        last_rank
    from tied_documents(judged_only := $judged_only)
    where first_rank < last_rank
)
select
    rank as first_rank,
    rank as last_rank,
    rank,
    1 as size,
    cast(0 as double) as part_above
from ranks_to_longest
union all
select
    stretches.first_rank,
    stretches.last_rank,
    ranks_to_longest.rank as rank,
    stretches.last_rank - stretches.first_rank + 1 as size,
    (ranks_to_longest.rank - stretches.first_rank) / (stretches.last_rank - stretches.first_rank) as part_above
from stretches
join ranks_to_longest on ranks_to_longest.rank between stretches.first_rank and stretches.last_rank
