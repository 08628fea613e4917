-- title: How many relevant documents each topic has, estimated from a sample of judgments
-- parameters: rel
-- columns: qrels_id, topic_id
--   num_rel   sum of 1 / probability over the relevant documents; their number where the judgments are no sample
-- reference: Horvitz and Thompson 1952, A generalization of sampling without replacement from a finite universe,
--    doi:10.1080/01621459.1952.10483446
select
    qrels_id,
    topic_id,
    fsum(1 / probability) as num_rel
from sampled_documents
where grade >= $rel
group by qrels_id, topic_id
