-- title: Judgment sets of collections that have several, with the one whose values a board has
-- inputs: board_collections
-- columns:
--   collection   collection of the board
--   used         judgment set whose values are on the board
--   others       the others in use, in the order in which they were loaded
select
    found.collection,
    found.qrels as used,
    list(qrels.qrels order by qrels.qrels_id) as others
from board_collections as found
join qrels
    on coalesce(qrels.meta['collection'], qrels.qrels) = found.collection
    and qrels.qrels <> found.qrels
    and qrels.replaced_at is null
group by found.collection, found.qrels
order by found.collection
