-- title: How many documents were drawn from each stratum of a topic that may not have been drawn
-- columns: qrels_id, topic_id
--   stratum   stratum
--   drawn     judged documents with a probability below 1
--   weights   sum of 1 - probability over them
select
    qrels_id,
    topic_id,
    stratum,
    count(*) as drawn,
    fsum(1 - probability) as weights
from sampled_documents
where
    grade >= 0
    and probability < 1
group by qrels_id, topic_id, stratum
