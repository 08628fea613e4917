-- title: The ranks of judged documents, in blocks of 16 documents
-- parameters: k
-- columns: evaluation_id
--   rank          rank of a judged document; 0 above the first one
--   judged_rank   place among the documents with a grade of 0 or more
--   block         number of the block; 0 has rank 0 alone
select
    evaluation_id,
    rank,
    judged_rank,
    (judged_rank + 15) >> 4 as block
from asked_ranks()
where
    grade >= 0
    and rank <= coalesce($k, 2147483647)
union all
select
    evaluation_id,
    0 as rank,
    0 as judged_rank,
    0 as block
from evaluated_topics
where num_ret > 0
