-- title: The value of each list, and how much of it comes from documents further down than one looks
-- inputs: list_facts, cut_lists, answered
-- parameters:
--   depth integer in [1, inf) = 100   how far down one looks
-- columns:
--   list           run, other or ideal
--   num_ret        documents in the list
--   value          value of the whole list
--   left_out       what the documents below contribute together
--   missing        whether the run leaves the topic out
with lengths as (
    select
        cut_lists.list,
        max(cut_lists.num_kept) as num_ret
    from cut_lists
    group by cut_lists.list
)
select
    lengths.list,
    lengths.num_ret,
    whole.value,
    whole.value - shown.value as left_out,
    list_facts.missing
from lengths
join list_facts using (list)
join cut_lists as whole_lists
    on whole_lists.list = lengths.list
    and whole_lists.num_kept = lengths.num_ret
join answered as whole using (run)
join cut_lists as shown_lists
    on shown_lists.list = lengths.list
    and shown_lists.num_kept = least(lengths.num_ret, $depth)
join answered as shown on shown.run = shown_lists.run
