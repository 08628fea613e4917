-- title: Documents that stand more than once for one topic of one run, and a few others perhaps
-- inputs: ranked
-- parameters:
--   num_runs integer in [1, inf) = 2   how many runs there are; of one alone a document stands once for a topic
-- columns:
--   topic_id      key of the topic
--   document_id   key of the document
select
    topic_id,
    document_id
from ranked
group by topic_id, document_id, run_id // 64
-- A bit for each of 64 runs: fewer bits than rows mean that one of them has the document twice.
having count(*) > case when $num_runs = 1 then 1 else bit_count(bit_or(cast(1 as ubigint) << (run_id % 64))) end
