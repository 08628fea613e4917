-- title: Rankings cut after none, one, two and more of their first documents, each a run of its own
-- inputs: chosen_lists
-- parameters:
--   depth integer in [1, inf) = 20   documents of the longest
-- columns:
--   evaluation_id         key of the cut ranking's evaluation
--   run_id                key of the run it belongs to
--   name                  name of that run
--   num_kept              documents kept
--   whole_evaluation_id   key of the evaluation of the ranking that is cut
--   whole_run_id          key of the run of the ranking that is cut
--   qrels_id              key of the judgment set
--   topic_id              key of the topic
--   run                   run
--   topic                 topic
select
    cast(row_number() over (order by chosen_lists.evaluation_id, lengths.num_kept) as integer) as evaluation_id,
    cast(dense_rank() over (order by chosen_lists.run_id, lengths.num_kept) as integer) as run_id,
    chosen_lists.run || ' ' || lengths.num_kept as name,
    lengths.num_kept,
    chosen_lists.evaluation_id as whole_evaluation_id,
    chosen_lists.run_id as whole_run_id,
    chosen_lists.qrels_id,
    chosen_lists.topic_id,
    chosen_lists.run,
    chosen_lists.topic
from chosen_lists
cross join (select unnest(range(0, $depth + 1)) as num_kept) as lengths
