-- title: How many documents cut lists have, as the base table run_topics says of whole ones
-- inputs: cut_lists, list_facts, listed
-- columns:
--   run_id     key of the cut list
--   topic_id   key of the topic
--   num_ret    documents kept
select
    cut_lists.run_id,
    list_facts.topic_id,
    count(listed.rank) as num_ret
from cut_lists
join list_facts on list_facts.list = cut_lists.list
left join listed
    on listed.list = list_facts.list
    and listed.topic_id = list_facts.topic_id
    and listed.rank <= cut_lists.num_kept
where not list_facts.missing
group by cut_lists.run_id, list_facts.topic_id
