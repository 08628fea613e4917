-- title: Lists cut before and after each document that is looked at, the empty list and the whole one
-- inputs: listed, list_facts
-- parameters:
--   depth integer in [1, inf) = 100   how many documents of each list are looked at, in the list beside it too
-- columns:
--   run_id     key of the cut list as a run of its own
--   run        its name
--   list       list that is cut
--   num_kept   documents kept, the first ones
with wanted_ranks as (
    select
        list,
        rank
    from listed
    where
        rank <= $depth
        or (
            list <> 'ideal'
            and document_id in (
                select first_ones.document_id
                from listed as first_ones
                where
                    first_ones.rank <= $depth
                    and first_ones.list <> 'ideal'
            )
        )
),
lengths as (
    select
        list,
        rank as num_kept
    from wanted_ranks
    union
    select
        list,
        rank - 1 as num_kept
    from wanted_ranks
    union
    select
        list_facts.list,
        0 as num_kept
    from list_facts
    union
    select
        list,
        max(rank) as num_kept
    from listed
    group by list
)
select
    cast(row_number() over (order by list, num_kept) as integer) as run_id,
    list || ' ' || num_kept as run,
    list,
    num_kept
from lengths
