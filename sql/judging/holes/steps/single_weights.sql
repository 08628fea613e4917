-- title: What a hole adds at each rank to a measure to which each document adds its own part
-- inputs: single_ranks, single_values
-- columns: qrels
--   rank       rank of the hole
--   least      what it adds with the grade that is worth least
--   greatest   what it adds with the grade that is worth most
select
    single_values.qrels,
    single_ranks.rank,
    min(single_values.value) as least,
    max(single_values.value) as greatest
from single_ranks
join evaluated_topics using (evaluation_id)
join single_values using (qrels, run, topic)
group by single_values.qrels, single_ranks.rank
