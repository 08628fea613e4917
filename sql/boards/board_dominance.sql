-- title: Boards: which systems are never worse than another on any collection
-- parameters: measure, lower_is_better, missing, versions
-- columns: measure
--   system            system that is never worse, and better at least once
--   version           its version; null for none
--   other             system that it is never worse than
--   other_version     its version; null for none
--   num_collections   collections that both have
--   num_better        collections where it is better
-- definition: Whatever collections weigh, the one has the better mean. Systems that nothing dominates are the ones
--     between which a choice of weights decides.
with cells as (
    select board.*
    from boards(
        measure := $measure,
        lower_is_better := $lower_is_better,
        missing := $missing,
        versions := $versions
    ) as board
)
select
    $measure as measure,
    cells.system,
    cells.version,
    others.system as other,
    others.version as other_version,
    count(*) as num_collections,
    count(*) filter (where cells.place < others.place) as num_better
from cells
join cells as others using (collection)
group by cells.system, cells.version, others.system, others.version
having
    count(*) filter (where cells.place > others.place) = 0
    and count(*) filter (where cells.place < others.place) > 0
