-- title: Which collections belong together: those of a cluster are drawn together when places get their intervals
-- columns:
--   collection   collection
--   cluster      its cluster: the meta key cluster of its judgment set, else of its runs, else the collection itself
-- definition: Collections that resemble each other, such as twelve forums of one archive, are not twelve independent
--     draws from the collections there are. A table of one's own of this name, also a temporary one, takes the place of
--     this view in all that stands on it; what it does not name is a cluster by itself.
with named as (
    select
        coalesce(meta['collection'], qrels) as collection,
        meta['cluster'] as cluster,
        qrels_id as place
    from qrels
    where replaced_at is null
    union all
    select
        meta['collection'] as collection,
        meta['cluster'] as cluster,
        2147483648 + run_id as place
    from runs
    where meta['collection'] is not null
)
select
    collection,
    coalesce(arg_min(cluster, place), collection) as cluster
from named
group by collection
