-- title: Meta with what is wanted in it
-- inputs: owners, wanted
-- columns:
--   id     key of the run or judgment set
--   meta   its pairs of key and value, without those that are wanted to be null
with held as (
    select
        id,
        unnest(map_keys(meta)) as key,
        unnest(map_values(meta)) as value
    from owners
),
pairs as (
    select
        id,
        key,
        value
    from held
    where key not in (select wanted.key from wanted)
    union all
    select
        owners.id,
        wanted.key,
        wanted.value
    from owners
    cross join wanted
    where wanted.value is not null
),
lists as (
    select
        id,
        list(key order by key) as keys,
        list(value order by key) as texts
    from pairs
    group by id
)
select
    owners.id,
    map(
        coalesce(lists.keys, cast([] as varchar[])),
        coalesce(lists.texts, cast([] as varchar[]))
    ) as meta
from owners
left join lists using (id)
