-- title: What is to be said of stored scores: of how many runs they are, and by which SQL they were computed
-- inputs: stored
-- parameters:
--   own varchar = null   digests of this version's SQL, with commas between them
-- columns:
--   place    1 for the first line
--   remark   a line; of many runs only the first ones
with origins as (
    select
        run,
        evalsql_version,
        coalesce(sql_digest, '') as digest
    from stored
),
concerned as (
    select
        2 as place,
        '  computed by other SQL than this version''s, so figures may differ: ' as words,
        list(
            concat(run, ' (evalsql ', coalesce(nullif(evalsql_version, ''), 'unknown'), ')')
            order by run, evalsql_version, digest
        ) as runs
    from origins
    where digest not in (select unnest(string_split(concat($own, ','), ',')))
    union all
    select
        3 as place,
        '  by which SQL they were computed is not known: ' as words,
        list(run order by run, evalsql_version) as runs
    from origins
    where digest = ''
)
select
    1 as place,
    concat('stored scores, computed elsewhere: ', count_of(count(distinct run), 'run')) as remark
from origins
having count(*) > 0
union all
select
    place,
    concat(
        words, array_to_string(runs[:5], ', '), case when len(runs) > 5 then format(' and {:,} more', len(runs) - 5) end
    ) as remark
from concerned
where len(runs) > 0
