-- title: Two numbers that tell whether rankings, and what is tied in them, are those that were evaluated before
-- columns:
--   ranks   a number made of which document stands where
--   ties    a number made of the same and of which documents are tied
select
    -- One hash alone would be the same for every order, as what it makes of ranks cancels out.
    bit_xor(hash(hash(runs.run, retrieved.topic_id, retrieved.document_id, retrieved.rank))) as ranks,
    bit_xor(
        hash(hash(runs.run, retrieved.topic_id, retrieved.document_id, retrieved.rank, retrieved.tied_above))
    ) as ties
from retrieved
join runs using (run_id)
