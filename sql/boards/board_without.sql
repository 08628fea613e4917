-- title: Boards with one collection left out: how places move, and which collection decides who is first
-- parameters: measure, mean, lower_is_better, missing, versions
-- columns: measure
--   collection      collection left out
--   system          system
--   version         version; null for none
--   mean            its mean over the others
--   place           its place by that
--   place_before    its place on the whole board
--   changes_first   whether another system is first without this collection
-- definition: Systems, and what each is worth on a collection, are those of the whole board. A board whose first place
--     hangs on one collection says little about the next collection.
with cells as (
    select board.*
    from boards(
        measure := $measure,
        mean := $mean,
        lower_is_better := $lower_is_better,
        missing := $missing,
        versions := $versions
    ) as board
),
means as (
    -- The row whose collection is null is the whole board.
    select
        left_out.collection as left_out,
        cells.system,
        cells.version,
        any_value(cells.direction) as direction,
        sum(cells.weight * cells.figure order by cells.collection) / sum(cells.weight) as mean_left
    from (select distinct collection from cells union all select null) as left_out
    join cells on cells.collection is distinct from left_out.collection
    group by left_out.collection, cells.system, cells.version
),
placed as (
    select
        *,
        rank() over (partition by left_out order by round(direction * mean_left, 12) desc nulls last) as place
    from means
)
select
    $measure as measure,
    placed.left_out as collection,
    placed.system,
    placed.version,
    placed.mean_left as mean,
    placed.place,
    whole.place as place_before,
    bool_or(placed.place = 1 and whole.place > 1) over (partition by placed.left_out) as changes_first
from placed
join placed as whole
    on whole.system = placed.system
    and whole.version is not distinct from placed.version
    and whole.left_out is null
where placed.left_out is not null
