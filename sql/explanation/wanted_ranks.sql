-- title: The ranks looked at in each list: those of its first documents and of the first ones of the list beside it
-- inputs: listed
-- parameters:
--   depth integer in [1, inf) = 100   how many documents of each list
-- columns:
--   list   run, other or ideal
--   rank   rank in it
select
    list,
    rank
from listed
where rank <= $depth
union
select
    beside.list,
    beside.rank
from listed as first_ones
join listed as beside
    on beside.document_id = first_ones.document_id
    and beside.list <> first_ones.list
where
    first_ones.rank <= $depth
    and first_ones.list <> 'ideal'
    and beside.list <> 'ideal'
